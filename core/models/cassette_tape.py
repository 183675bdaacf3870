"""The file of a cassette: exchanges with models, one JSON object per line, each text once.

Lines are ``{"v": 1, "type": "cassette"}`` (the first), ``text`` (``sha256`` of its UTF-8,
``text``) and ``exchange`` (``prompt_sha256``, ``params_sha256``, ``request``, ``reply`` or
``error``, ``masked``, ``seconds``); the messages of a request name their texts by
``content_sha256``. All is ASCII: no character in a text can end a line, and lone surrogates are
escaped. Secrets are removed from every text before it is written; the hashes of prompt and
parameters are those of what was sent.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from core.models.file_checks import first_problem
from core.models.model_call import ExchangeFailed, Message, Reply, Request, sha256_of
from core.models.redact import redact

VERSION = 1
_HEADER = {"v": VERSION, "type": "cassette"}
_OUTCOME = TypeAdapter[Reply | ExchangeFailed](Reply | ExchangeFailed)


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
            line = {"v": VERSION, "type": "text", "sha256": sha256_of(text), "text": text}
            fresh[sent] = line
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
            lines = path.read_bytes().split(b"\n")
        except OSError as error:
            raise TapeError(f"the cassette {path} cannot be read: {error.strerror}") from None
        *whole, last = lines
        records = [_record(path, number, line) for number, line in enumerate(whole, 1)]
        ended = _parsed(last)
        if ended is not None:  # whole but for the end of the line
            records.append(_record(path, len(lines), last))
        if not records or records[0] != _HEADER:
            raise TapeError(
                f"{path} is not a cassette: its first line is not {json.dumps(_HEADER)}"
            )
        return cls(path, _exchanges(path, records), torn=bool(last) and ended is None)


def _record(path: Path, number: int, line: bytes) -> dict[str, Any]:
    record = _parsed(line)
    if record is None:
        raise TapeError(f"{path}, line {number}: not a JSON object")
    if record.get("v") != VERSION:
        raise TapeError(f"{path}, line {number}: version {record.get('v')!r}, expected {VERSION}")
    return record


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
    """Raises KeyError for a text that is not on the tape."""
    if ("reply" in record) == ("error" in record):
        raise KeyError("one of reply and error")
    messages = [dict(message) for message in record["request"]["messages"]]
    for message in messages:
        if "content_sha256" in message:
            message["content"] = texts[message.pop("content_sha256")]
    request = record["request"] | {"messages": messages}
    return Exchange.model_validate({**record, "number": number, "request": request})
