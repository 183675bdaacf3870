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

import json
import threading
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import BaseModel, TypeAdapter, ValidationError

from core.files import read_bytes
from core.models.file_checks import first_problem
from core.models.model_call import ExchangeFailed, Message, Reply, Request, Transport, sha256_of
from core.models.models_file import Backend
from core.models.redact import redact

VERSION = 1
_HEADER = {"v": VERSION, "type": "cassette"}
_OUTCOME = TypeAdapter[Reply | ExchangeFailed](Reply | ExchangeFailed)
Key: TypeAlias = tuple[str, str, str]
"""Model id, hash of the messages, hash of the parameters."""


class TapeError(Exception):
    """A cassette that cannot be read or written; the text is for the user."""


class Exchange(BaseModel, frozen=True):
    """One recorded exchange; exactly one of ``reply`` and ``error`` is there."""

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
        torn = bool(last) and _object(last) is None
        if last and not torn:  # whole but for the end of the line
            lines.append(last)
        texts: dict[str, str] = {}
        exchanges: list[Exchange] = []
        for number, line in enumerate(lines, 1):
            try:
                exchange = _read_line(_object(line), texts, is_first=number == 1)
            except ValidationError as error:
                raise TapeError(f"{path}, line {number}: {first_problem(error)}") from None
            except (LookupError, TypeError, AttributeError, ValueError) as error:
                raise TapeError(f"{path}, line {number}: missing or wrong: {error}") from None
            if exchange is not None:
                exchanges.append(exchange)
        if not lines:
            raise TapeError(f"{path} is not a cassette: it has no line {json.dumps(_HEADER)}")
        return cls(path, tuple(exchanges), torn)


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _read_line(
    record: dict[str, Any] | None, texts: dict[str, str], *, is_first: bool
) -> Exchange | None:
    """The exchange of a line; that of a text joins ``texts``.

    Raises ValueError, LookupError, TypeError, AttributeError: the line is not as it is written.
    """
    if record is None or record.get("v") != VERSION or is_first != (record == _HEADER):
        raise ValueError(f"no line of a cassette, which begins with {json.dumps(_HEADER)}")
    if is_first:
        return None
    if record["type"] == "text":
        texts[record["sha256"]] = record["text"]
        return None
    if record["type"] != "exchange" or ("reply" in record) == ("error" in record):
        raise ValueError("neither a text nor an exchange with a reply or an error")
    request = record["request"]
    messages = [dict(message) for message in request["messages"]]
    for message in messages:
        if "content_sha256" in message:
            message["content"] = texts[message.pop("content_sha256")]
    return Exchange.model_validate(record | {"request": request | {"messages": messages}})


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
        self._recorded = _by_key(tape.exchanges, self._group)
        self._played: Counter[Key] = Counter()
        self.misses = 0
        self._lock = threading.Lock()

    def send(self, request: Request, timeout: float) -> Reply:
        """The recorded reply, at once; a recorded error asks for no wait.

        Raises ExchangeFailed: what was recorded, or ``missing``.
        """
        key = _key(request, self._group)
        recorded = self._recorded.get(key, deque())
        replies = {(e.reply.text, e.reply.finish_reason) if e.reply else None for e in recorded}
        # A single reply is no sign that the model would say the same again.
        says_the_same = len(recorded) > 1 and len(replies) == 1 and None not in replies
        with self._lock:
            place = self._played[key]
            if place >= len(recorded) and not says_the_same:
                self.misses += 1
                raise ExchangeFailed("missing", self._describe_miss(request, len(recorded)))
            self._played[key] += 1
        exchange = recorded[min(place, len(recorded) - 1)]
        if exchange.reply is None:
            assert exchange.error is not None
            raise replace(exchange.error, retry_after=0.0)
        return exchange.reply

    def _describe_miss(self, request: Request, recorded: int) -> str:
        prompt = prompt_hash(request.messages)[:12]
        how = f"has {recorded} such, all played" if recorded else "has no such request"
        what = f"({request.model}, {len(request.messages)} messages, prompt {prompt})"
        return redact(f"the cassette {self.tape.path} {how} {what}")

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


def _key(request: Request, group: Mapping[str, str]) -> Key:
    hashes = prompt_hash(request.messages), params_hash(request.params)
    return group.get(request.model, request.model), *hashes


def _by_key(
    exchanges: Iterable[Exchange], group: Mapping[str, str]
) -> defaultdict[Key, deque[Exchange]]:
    found: defaultdict[Key, deque[Exchange]] = defaultdict(deque)
    for e in exchanges:
        model = group.get(e.request.model, e.request.model)
        found[model, e.prompt_sha256, e.params_sha256].append(e)
    return found


class Tapes:
    """The tapes of one piece of work, one for each process that was at it.

    A reply is on the disk before it is used, and each recorded one answers once, in its order: none
    is paid for twice, also where a process died.
    """

    def __init__(self, folder: Path) -> None:
        """Read what there is, and begin a tape. Raises TapeError."""
        folder.mkdir(parents=True, exist_ok=True)
        earlier = sorted(folder.glob("*.jsonl"))
        # One that died with its first line holds nothing.
        tapes = [Tape.load(path) for path in earlier if path.stat().st_size]
        # A failure is asked again: it may be over.
        replied = (one for tape in tapes for one in tape.exchanges if one.reply is not None)
        self._left = _by_key(replied, {})
        self._writer = TapeWriter(folder / f"{len(earlier):03d}.jsonl")
        self._lock = threading.Lock()

    def transport_factory(
        self, open_: Callable[[Backend], Transport]
    ) -> Callable[[Backend], Transport]:
        """Return a backend's transport: the cassettes, then what ``open_`` makes, recorded."""
        return lambda backend: _FromTapes(self, Recorder(self._writer, open_(backend)))

    def take(self, request: Request) -> Reply | None:
        """The next recorded reply to a request, which is used up; None: it has to be asked."""
        with self._lock:
            left = self._left[_key(request, {})]
            return left.popleft().reply if left else None

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
