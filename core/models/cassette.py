"""Model exchanges recorded and played back, without network, key or LiteLLM.

Record: one ``TapeWriter`` per file, a ``Recorder`` around every transport. Play: one ``Tape`` and
one ``Player`` per run, shared by all that ask, since the player counts how often a request came.

The nth identical request gets the nth recorded reply. One more than were recorded is a miss,
except where at least two were recorded and all of them say the same: then it is said again.
Tokens and dollars are those of the recording, so a replay shows what it would have cost.
"""

from __future__ import annotations

import difflib
import threading
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from rapidfuzz import fuzz, process

from core.models.cassette_tape import (
    Exchange,
    Tape,
    TapeWriter,
    params_hash,
    prompt_hash,
    redacted,
)
from core.models.model_call import ExchangeFailed, Message, Reply, Request, Transport
from core.models.models_file import Backend
from core.models.redact import redact
from core.text import clean

COMPARED_CHARS = 20_000
"""The end of a prompt, which is compared: its beginning is the same for all."""
COMPARED_LINES = 400
"""Lines shown from the first difference on."""
DIFF_LINES = 40
LINE_CHARS = 160
Key: TypeAlias = tuple[str, str, str]
"""Model id, hash of the messages, hash of the parameters."""


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
        with self._lock:
            exchange = _nth(recorded, self._played[key])
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


def _nth(recorded: list[Exchange], played: int) -> Exchange | None:
    if played < len(recorded):
        return recorded[played]
    replies = {(e.reply.text, e.reply.finish_reason) if e.reply else None for e in recorded}
    # A single reply is no sign that the model would say the same again.
    same = len(recorded) > 1 and len(replies) == 1 and None not in replies
    return recorded[-1] if same else None


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
    diff = _diff(_text(near.request.messages), text)
    return "\n".join([f"{head}; nearest is exchange {near.number}, {alike:.1f} % alike", *diff])


def _text(messages: Sequence[Message]) -> str:
    return "\n".join(f"[{m.get('role')}]\n{m.get('content', '')}" for m in messages)


def _diff(recorded: str, requested: str) -> list[str]:
    """A unified diff of bounded length that steers no terminal."""
    was, now = ([line[:LINE_CHARS] for line in text.split("\n")] for text in (recorded, requested))
    pairs = enumerate(zip(was, now, strict=False))
    first = next((i for i, (a, b) in pairs if a != b), min(len(was), len(now)))
    part = slice(max(first - 2, 0), first + COMPARED_LINES)
    diff = list(difflib.unified_diff(was[part], now[part], "recorded", "asked", n=1, lineterm=""))
    more = [f"... {len(diff) - DIFF_LINES} more lines"] if len(diff) > DIFF_LINES else []
    return [*map(clean, diff[:DIFF_LINES]), *more]
