"""Model exchanges recorded and played back, without network, key or LiteLLM.

Record: one ``TapeWriter`` per file, a ``Recorder`` around every transport. Play: one ``Tape`` and
one ``Player`` per run, shared by all that ask, since the player counts how often a request came.

The nth identical request gets the nth recorded reply. One more than were recorded is a miss,
except where at least two were recorded and all of them say the same: then it is said again.
Tokens and dollars are those of the recording, so a replay shows what it would have cost.

A file is written and read like a journal. Its records are ``cassette`` (the first), ``text``
(``sha256``, ``text``) and ``exchange`` (``prompt_sha256``, ``params_sha256``, ``request``,
``reply`` or ``error``, ``masked``, ``seconds``); the messages of a request name their texts by
``content_sha256``, so that each is there once. Secrets are removed from every text before it is
written; the hashes of prompt and parameters are those of what was sent.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import BaseModel, TypeAdapter, ValidationError

from core.models.file_checks import first_problem
from core.models.model_call import ExchangeFailed, Message, Reply, Request, Transport, sha256_of
from core.models.models_file import Backend
from core.models.redact import redact
from core.runs.errors import NotRecorded
from core.runs.journal import Journal, JournalFailed
from core.runs.reader import lines_of, text_in
from core.runs.task_record import Line

KIND = "cassette"
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

    After a crash each exchange is there whole or not at all.
    """

    def __init__(self, path: Path) -> None:
        """Make the file. Raises TapeError: it cannot be made, or it holds something."""
        self.path = path
        self._lock = threading.Lock()
        self.exchanges = 0
        self.masked = 0
        """Number of replies in which something like a secret was masked; a replay differs there."""
        if path.is_file() and path.stat().st_size:
            raise TapeError(f"{path} is not empty; name another file to record to")
        try:
            self._journal = Journal(path)
            self._journal.write(KIND, {})
        except JournalFailed as error:
            raise TapeError(str(error)) from None

    def add(self, request: Request, outcome: Reply | ExchangeFailed, seconds: float) -> None:
        """Append one exchange. Raises TapeError: it could not be written."""
        name = "reply" if isinstance(outcome, Reply) else "error"
        received: dict[str, Any] = _OUTCOME.dump_python(outcome, mode="json")
        kept = redacted(received)
        masked = name == "reply" and kept != received
        exchange = {
            "prompt_sha256": prompt_hash(request.messages),
            "params_sha256": params_hash(request.params),
            name: kept,
            "masked": masked,
            "seconds": round(seconds, 6),
        }
        with self._lock:
            try:
                messages = [self._packed(message) for message in request.messages]
                asked = {"model": request.model, "messages": messages}
                exchange["request"] = asked | {"params": redacted(request.params)}
                self._journal.write("exchange", exchange)
            except JournalFailed as error:
                raise TapeError(str(error)) from None
            self.exchanges += 1
            self.masked += masked

    def close(self) -> None:
        """Close the file; a later exchange is refused."""
        self._journal.close()

    def _packed(self, message: Message) -> dict[str, str]:
        """A message with the hash of its content in the place of the content."""
        packed: dict[str, str] = redacted({k: v for k, v in message.items() if k != "content"})
        if "content" in message:
            packed["content_sha256"] = self._journal.text(redact(message["content"]))
        return packed


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

    @classmethod
    def load(cls, path: Path) -> Tape:
        """Read a file; what a crash has left of its last line is left out.

        Raises TapeError: it cannot be read, is no cassette, or a line before the last is broken.
        """
        texts: dict[str, str] = {}
        exchanges: list[Exchange] = []
        is_cassette = False
        try:
            for line in lines_of(path, strict=True):
                is_cassette = is_cassette or line.kind == KIND
                if line.kind == "text":
                    texts[text_in(line.record, "sha256")] = text_in(line.record, "text")
                elif line.kind == "exchange":
                    exchanges.append(_exchange(line, texts))
        except NotRecorded as error:
            raise TapeError(f"the cassette {error}") from None
        if not is_cassette:
            raise TapeError(f"{path} is not a cassette: it has no record of the type {KIND!r}")
        return cls(path, tuple(exchanges))


def _exchange(line: Line, texts: Mapping[str, str]) -> Exchange:
    """Raises NotRecorded: it is not as it is written."""
    record = line.record
    try:
        if ("reply" in record) == ("error" in record):
            raise LookupError("one of reply and error")
        messages = [dict(message) for message in record["request"]["messages"]]
        for message in messages:
            if "content_sha256" in message:
                message["content"] = texts[message.pop("content_sha256")]
        request = record["request"] | {"messages": messages}
        return Exchange.model_validate(record | {"request": request})
    except ValidationError as error:
        wrong = first_problem(error)
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        wrong = str(error)
    raise NotRecorded(f"line {line.number}: missing or wrong: {wrong}")


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

    def __init__(
        self, tape: Tape, *, backends: Iterable[Collection[str]] = (), repeats: bool = True
    ) -> None:
        """Answer from recorded replies.

        ``backends``: groups of model ids that belong to one model. Which of them is called depends
        on timing, so a reply of one of them answers for all. ``repeats``: whether what was
        recorded several times, always the same, may be said once more.
        """
        self.tape = tape
        self._group = {name: min(group) for group in backends for name in group}
        self._repeats = repeats
        self._recorded: defaultdict[Key, list[Exchange]] = defaultdict(list)
        for one in tape.exchanges:
            self._recorded[self._key(one.request.model, one)].append(one)
        self._played: Counter[Key] = Counter()
        self.misses = 0
        self._lock = threading.Lock()

    def _key(self, model: str, asked: Exchange | Request) -> Key:
        known = self._group.get(model, model)
        if isinstance(asked, Exchange):
            return known, asked.prompt_sha256, asked.params_sha256
        return known, prompt_hash(asked.messages), params_hash(asked.params)

    def send(self, request: Request, timeout: float) -> Reply:
        """The recorded reply, at once; a recorded error asks for no wait.

        Raises ExchangeFailed: what was recorded, or ``missing``.
        """
        key = self._key(request.model, request)
        recorded = self._recorded.get(key, [])
        replies = {(e.reply.text, e.reply.finish_reason) if e.reply else None for e in recorded}
        # A single reply is no sign that the model would say the same again.
        is_fixed = self._repeats and len(recorded) > 1 and len(replies) == 1 and None not in replies
        with self._lock:
            place = self._played[key]
            if place >= len(recorded) and not is_fixed:
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
        # One that died with its first line holds nothing.
        tapes = [Tape.load(path) for path in earlier if path.stat().st_size]
        # A failure is asked again: it may be over.
        replied = (one for tape in tapes for one in tape.exchanges if one.reply is not None)
        self._player = Player(Tape(folder, tuple(replied)), repeats=False)
        self._writer = TapeWriter(folder / f"{len(earlier):03d}.jsonl")

    def transport_factory(
        self, open_: Callable[[Backend], Transport]
    ) -> Callable[[Backend], Transport]:
        """Return a backend's transport: the cassettes, then what ``open_`` makes, recorded."""
        return lambda backend: _Resumed(self._player, Recorder(self._writer, open_(backend)))

    def close(self) -> None:
        """End the tape."""
        self._writer.close()


@dataclass(frozen=True)
class _Resumed:
    player: Player
    recorder: Recorder

    def send(self, request: Request, timeout: float) -> Reply:
        """The recorded reply, else a new one. Raises ExchangeFailed, TapeError."""
        try:
            return self.player.send(request, timeout)
        except ExchangeFailed:  # only replies are played: it is not among them
            return self.recorder.send(request, timeout)
