"""Model exchanges recorded and played back, without network, key or LiteLLM.

Record: one ``TapeWriter`` per file, a ``Recorder`` around every transport. Play: one ``Tape`` and
one ``Player`` per run, shared by all that ask, since the player counts how often a request came.

The nth identical request gets the nth recorded reply. One more than were recorded is a miss,
except where at least two were recorded and all of them say the same: then it is said again.
Tokens and dollars are those of the recording, so a replay shows what it would have cost.

Lines of a file are ``{"v": 1, "type": "cassette"}`` (the first), ``text`` (``sha256`` of its UTF-8,
``text``) and ``exchange`` (``prompt_sha256``, ``params_sha256``, ``request``, ``reply`` or
``error``, ``masked``, ``seconds``); the messages of a request name their texts by
``content_sha256``, so that each is there once. All is ASCII: no character in a text can end a line,
and lone surrogates are escaped. Secrets are removed from every text before it is written; the
hashes of prompt and parameters are those of what was sent.
"""

from __future__ import annotations

import difflib
import json
import threading
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import BaseModel, TypeAdapter, ValidationError
from rapidfuzz import fuzz, process

from core.files import read_bytes
from core.models.file_checks import first_problem
from core.models.model_call import ExchangeFailed, Message, Reply, Request, Transport, sha256_of
from core.models.models_file import Backend
from core.models.redact import redact
from core.text import clean

VERSION = 1
_HEADER = {"v": VERSION, "type": "cassette"}
_OUTCOME = TypeAdapter[Reply | ExchangeFailed](Reply | ExchangeFailed)
COMPARED_CHARS = 20_000
"""The end of a prompt, which is compared: its beginning is the same for all."""
DIFF_LINES = 40
LINE_CHARS = 160
Key: TypeAlias = tuple[str, str, str]
"""Model id, hash of the messages, hash of the parameters."""


class TapeError(Exception):
    """A cassette that cannot be read or written; the text is for the user."""


class Exchange(BaseModel, frozen=True):
    """One recorded exchange; exactly one of ``reply`` and ``error`` is there."""

    number: int
    prompt_sha256: str
    params_sha256: str
    request: Request
    reply: Reply | None = None
    error: ExchangeFailed | None = None
    masked: bool = False
    """Something in the reply looked like a secret: it is not as the model gave it."""
    seconds: float


def prompt_hash(messages: Iterable[Message]) -> str:
    """SHA-256 of messages, whatever the order of names in each; that of ``ModelCall`` too."""
    return sha256_of(json.dumps([dict(sorted(m.items(), reverse=True)) for m in messages]))


def params_hash(params: dict[str, Any]) -> str:
    """SHA-256 of parameters, which are JSON values; the order of names is no difference."""
    return sha256_of(json.dumps(params, sort_keys=True))


class TapeWriter:
    """Writes exchanges to a new file; safe to use from several threads.

    The lines of an exchange go out in a single write: after a crash it is there or it is not.
    """

    def __init__(self, path: Path) -> None:
        """Make the file. Raises TapeError: it cannot be made, or it holds something."""
        self.path = path
        self._lock = threading.Lock()
        self._stored: dict[str, str] = {}
        """Hash of a text as it was sent, and of the same text on the tape."""
        self._fault: str | None = None
        self.exchanges = 0
        self.masked = 0
        """Number of replies in which something like a secret was masked; a replay differs there."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_file() and path.stat().st_size:
                raise TapeError(f"{path} is not empty; name another file to record to")
            self._file = path.open("wb", buffering=0)
        except OSError as error:
            raise TapeError(f"{path} cannot be recorded to: {error.strerror}") from None
        self._write([_HEADER])

    def add(self, request: Request, outcome: Reply | ExchangeFailed, seconds: float) -> None:
        """Append one exchange.

        Raises TapeError: it could not be written; nothing is ever written behind a half line.
        """
        name = "reply" if isinstance(outcome, Reply) else "error"
        received: dict[str, Any] = _OUTCOME.dump_python(outcome, mode="json")
        masked = redacted(received)
        with self._lock:
            fresh: dict[str, dict[str, Any]] = {}
            exchange = {
                "v": VERSION,
                "type": "exchange",
                "prompt_sha256": prompt_hash(request.messages),
                "params_sha256": params_hash(request.params),
                "request": {
                    "model": request.model,
                    "messages": [self._packed(message, fresh) for message in request.messages],
                    "params": redacted(request.params),
                },
                name: masked,
                "masked": name == "reply" and masked != received,
                "seconds": round(seconds, 6),
            }
            self._write([*fresh.values(), exchange])
            self._stored |= {sent: line["sha256"] for sent, line in fresh.items()}
            self.exchanges += 1
            self.masked += bool(exchange["masked"])

    def close(self) -> None:
        """Close the file; a later exchange is refused."""
        with self._lock:
            self._fault = self._fault or "it is closed"
            self._file.close()

    def _packed(self, message: Message, fresh: dict[str, dict[str, Any]]) -> dict[str, str]:
        """A message with its content by hash; one that is new joins ``fresh``."""
        packed: dict[str, str] = redacted({k: v for k, v in message.items() if k != "content"})
        if "content" not in message:
            return packed
        sent = sha256_of(message["content"])
        if sent not in self._stored and sent not in fresh:
            text = redact(message["content"])
            fresh[sent] = {"v": VERSION, "type": "text", "sha256": sha256_of(text), "text": text}
        return packed | {"content_sha256": self._stored.get(sent) or fresh[sent]["sha256"]}

    def _write(self, lines: list[dict[str, Any]]) -> None:
        if self._fault:
            raise TapeError(f"{self.path} cannot be recorded to: {self._fault}")
        block = b"".join(json.dumps(line).encode("ascii") + b"\n" for line in lines)
        try:
            written = self._file.write(block)
        except OSError as error:
            self._fault = error.strerror or type(error).__name__
        else:
            # A short write has left half a line, which has to stay the last one.
            self._fault = None if written == len(block) else "no space left on the disk"
        if self._fault:
            raise TapeError(f"{self.path} cannot be recorded to: {self._fault}")


def redacted(value: Any) -> Any:
    """A value as JSON has it, with the secrets taken out of every text in it."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {redacted(name): redacted(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [redacted(inner) for inner in value]
    return value


@dataclass(frozen=True)
class Tape:
    """All exchanges of a file, in the order in which they ended."""

    path: Path
    exchanges: tuple[Exchange, ...]
    torn: bool
    """The last line was incomplete, as after a crash, and has been left out."""

    @classmethod
    def load(cls, path: Path) -> Tape:
        """Read a file.

        Raises TapeError: it cannot be read, is no cassette, or a line before the last is broken.
        """
        try:
            *lines, last = read_bytes(path).split(b"\n")
        except OSError as error:
            raise TapeError(f"the cassette {path} cannot be read: {error.strerror}") from None
        torn = bool(last) and _parsed(last) is None
        if last and not torn:  # whole but for the end of the line
            lines.append(last)
        records: list[dict[str, Any]] = []
        for number, line in enumerate(lines, 1):
            record = _parsed(line)
            if record is None:
                raise TapeError(f"{path}, line {number}: not a JSON object")
            if record.get("v") != VERSION:
                version = f"version {record.get('v')!r}, expected {VERSION}"
                raise TapeError(f"{path}, line {number}: {version}")
            records.append(record)
        if not records or records[0] != _HEADER:
            header = json.dumps(_HEADER)
            raise TapeError(f"{path} is not a cassette: its first line is not {header}")
        return cls(path, _exchanges(path, records), torn)


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _exchanges(path: Path, records: list[dict[str, Any]]) -> tuple[Exchange, ...]:
    texts: dict[str, str] = {}
    exchanges: list[Exchange] = []
    for line, record in enumerate(records[1:], 2):
        try:
            if record["type"] == "text":
                texts[record["sha256"]] = record["text"]
            elif record["type"] == "exchange":
                exchanges.append(_exchange(record, texts, len(exchanges) + 1))
            else:
                raise TapeError(f"{path}, line {line}: unknown type {record['type']!r}")
        except ValidationError as error:
            raise TapeError(f"{path}, line {line}: {first_problem(error)}") from None
        except (KeyError, TypeError, AttributeError) as error:
            raise TapeError(f"{path}, line {line}: missing or wrong: {error}") from None
    return tuple(exchanges)


def _exchange(record: dict[str, Any], texts: dict[str, str], number: int) -> Exchange:
    if ("reply" in record) == ("error" in record):
        raise KeyError("one of reply and error")
    messages = [dict(message) for message in record["request"]["messages"]]
    for message in messages:
        if "content_sha256" in message:
            message["content"] = texts[message.pop("content_sha256")]
    request = record["request"] | {"messages": messages}
    return Exchange.model_validate({**record, "number": number, "request": request})


class Recorder:
    """A transport that calls another one and records the result, including errors."""

    def __init__(self, writer: TapeWriter, inner: Transport) -> None:
        self._writer, self._inner = writer, inner

    def send(self, request: Request, timeout: float) -> Reply:
        """One attempt of the inner transport, recorded before it is handed on.

        Raises ExchangeFailed, as the inner transport did, and TapeError: it cannot be recorded.
        """
        began = time.perf_counter()
        try:
            reply = self._inner.send(request, timeout)
        except ExchangeFailed as error:
            if error.kind != "missing":  # that was no exchange
                self._writer.add(request, error, time.perf_counter() - began)
            raise
        self._writer.add(request, reply, time.perf_counter() - began)
        return reply


class Player:
    """A transport that answers from a tape; a request that is not on it is a loud miss."""

    def __init__(self, tape: Tape, *, backends: Iterable[Collection[str]] = ()) -> None:
        """Answer from recorded replies.

        ``backends``: groups of model ids that belong to one model. Which of them is called depends
        on timing, so a reply of one of them answers for all.
        """
        self.tape = tape
        self._group = {name: min(group) for group in backends for name in group}
        self._recorded: dict[Key, list[Exchange]] = {}
        for e in tape.exchanges:
            key = self._key(e.request.model, e.prompt_sha256, e.params_sha256)
            self._recorded.setdefault(key, []).append(e)
        self._played: Counter[Key] = Counter()
        self.misses = 0
        self._lock = threading.Lock()

    def send(self, request: Request, timeout: float) -> Reply:
        """The recorded reply, at once; a recorded error asks for no wait.

        Raises ExchangeFailed: what was recorded, or ``missing`` with the nearest recorded request.
        """
        key = self._key(request.model, prompt_hash(request.messages), params_hash(request.params))
        recorded = self._recorded.get(key, [])
        replies = {(e.reply.text, e.reply.finish_reason) if e.reply else None for e in recorded}
        # A single reply is no sign that the model would say the same again.
        says_the_same = len(recorded) > 1 and len(replies) == 1 and None not in replies
        with self._lock:
            exchange = next(iter(recorded[self._played[key] :]), None)
            if exchange is None and says_the_same:
                exchange = recorded[-1]
            self._played[key] += exchange is not None
            self.misses += exchange is None
        if exchange is None:
            text = describe_miss(self.tape.path, self.tape.exchanges, request, len(recorded))
            raise ExchangeFailed("missing", text)
        if exchange.error is not None:
            raise replace(exchange.error, retry_after=0.0)
        assert exchange.reply is not None
        return exchange.reply

    def _key(self, model: str, prompt: str, params: str) -> Key:
        return self._group.get(model, model), prompt, params

    def notes(self) -> tuple[str, ...]:
        """Messages for the end of a replay; empty if everything was as recorded."""
        texts = []
        if self.tape.torn:
            texts.append("its last line is incomplete and was skipped")
        if self.misses:
            texts.append(f"{self.misses} requests are not in it, because the prompts changed")
        if masked := sum(e.masked for e in self.tape.exchanges):
            texts.append(f"in {masked} replies something that looks like a secret was masked")
        return tuple(f"{self.tape.path}: {text}" for text in texts)


class Tapes:
    """The tapes of one piece of work, one for each process that was at it.

    A reply is on the disk before it is used, and each recorded one answers once, in its order: none
    is paid for twice, also where a process died.
    """

    def __init__(self, folder: Path) -> None:
        """Read what there is, and begin a tape. Raises TapeError."""
        folder.mkdir(parents=True, exist_ok=True)
        earlier = sorted(folder.glob("*.jsonl"))
        self._replies: defaultdict[Key, deque[Reply]] = defaultdict(deque)
        for path in earlier:
            # One that died with its first line holds nothing.
            for one in Tape.load(path).exchanges if path.stat().st_size else ():
                if one.reply is not None:  # a failure is asked again: it may be over
                    key = one.request.model, one.prompt_sha256, one.params_sha256
                    self._replies[key].append(one.reply)
        self._writer = TapeWriter(folder / f"{len(earlier):03d}.jsonl")
        self._lock = threading.Lock()

    def transport_factory(
        self, open_: Callable[[Backend], Transport]
    ) -> Callable[[Backend], Transport]:
        """Return a backend's transport: the cassettes, then what ``open_`` makes, recorded."""
        return lambda backend: _FromTapes(self, Recorder(self._writer, open_(backend)))

    def take(self, request: Request) -> Reply | None:
        """The next recorded reply to a request, which is used up; None: it has to be asked."""
        key = request.model, prompt_hash(request.messages), params_hash(request.params)
        with self._lock:
            return self._replies[key].popleft() if self._replies[key] else None

    def close(self) -> None:
        """End the tape."""
        self._writer.close()


class _FromTapes:
    def __init__(self, tapes: Tapes, inner: Transport) -> None:
        self._tapes, self._inner = tapes, inner

    def send(self, request: Request, timeout: float) -> Reply:
        """The recorded reply, else the inner one. Raises ExchangeFailed, TapeError."""
        known = self._tapes.take(request)
        return self._inner.send(request, timeout) if known is None else known


def describe_miss(
    path: Path, exchanges: Sequence[Exchange], request: Request, recorded: int
) -> str:
    """Text for the user about a request that cannot be answered; no secret is in it.

    ``recorded``: how often the same request is on the tape; all of them have been played.
    """
    prompt = prompt_hash(request.messages)[:12]
    request_text = f"{request.model}, {len(request.messages)} messages, prompt {prompt}"
    if recorded:
        text = f"this request is recorded {recorded}x, all played, and is asked once more"
        return redact(f"the cassette {path}: {text} ({request_text})")
    head = redact(f"the cassette {path} has no such request ({request_text})")
    if not exchanges:
        return f"{head}; it has no exchanges"
    # Before it is cut: a text that has been cut may hold half a secret.
    request = Request.model_validate(redacted(request.model_dump()))
    if twin := next((e for e in exchanges if e.request.messages == request.messages), None):
        was, now = ((r.model, dict(sorted(r.params.items()))) for r in (twin.request, request))
        return f"{head}; exchange {twin.number} has the same prompt, but from {was}, not {now}"
    same = [e for e in exchanges if e.request.model == request.model] or exchanges
    texts = [_text(e.request.messages)[-COMPARED_CHARS:] for e in same]
    text = _text(request.messages)
    _, alike, place = process.extractOne(text[-COMPARED_CHARS:], texts, scorer=fuzz.ratio)
    near = same[place]
    head = f"{head}; nearest is exchange {near.number}, {alike:.1f} % alike"
    then, asked = (
        [line[:LINE_CHARS] for line in one.split("\n")]
        for one in (_text(near.request.messages), text)
    )
    diff = list(difflib.unified_diff(then, asked, "recorded", "asked", n=1, lineterm=""))
    more = [f"... {len(diff) - DIFF_LINES} more lines"] if len(diff) > DIFF_LINES else []
    # It steers no terminal.
    return "\n".join([head, *map(clean, diff[:DIFF_LINES]), *more])


def _text(messages: Sequence[Message]) -> str:
    return "\n".join(f"[{m.get('role')}]\n{m.get('content', '')}" for m in messages)
