"""Model exchanges recorded and played back, without network, key or LiteLLM.

Record: one ``TapeWriter`` per file, a ``Recorder`` around every transport. Play: one ``Tape`` and
one ``Player`` per run, shared by all that ask, since the player counts how often a request came.

The nth identical request gets the nth recorded reply. One more than were recorded is a miss,
except where at least two were recorded and all of them say the same: then it is said again.
Tokens and dollars are those of the recording, so a replay shows what it would have cost.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TypeAlias

from core.models.cassette_miss import describe_miss
from core.models.cassette_tape import (
    Exchange,
    Failure,
    Tape,
    TapeError,
    TapeWriter,
    params_hash,
    prompt_hash,
)
from core.models.exchange import ExchangeFailed, Reply, Request, Transport
from core.models.providers import CASSETTE

PREFIX = f"{CASSETTE}/"
Key: TypeAlias = tuple[str, str, str]
"""Model id, hash of the messages, hash of the parameters."""


class Recorder:
    """A transport that asks another one and records what came, errors too."""

    def __init__(self, writer: TapeWriter, inner: Transport) -> None:
        self._writer = writer
        self._inner = inner

    def send(self, request: Request, timeout: float) -> Reply:
        """One attempt of the inner transport, recorded before it is handed on.

        Raises:
            ExchangeFailed: as the inner transport did.
            TapeError: it could not be recorded.
        """
        began = time.perf_counter()
        try:
            reply = self._inner.send(request, timeout)
        except ExchangeFailed as error:
            if error.kind != "missing":  # that was no exchange
                failure = Failure.model_validate(error, from_attributes=True)
                self._writer.add(request, failure, time.perf_counter() - began)
            raise
        self._writer.add(request, reply, time.perf_counter() - began)
        return reply


class Player:
    """A transport that answers from a tape; a request that is not on it is a loud miss."""

    def __init__(
        self,
        tape: Tape,
        *,
        backends: Iterable[Collection[str]] = (),
        prompts_only: bool = False,
        model: str | None = None,
    ) -> None:
        """Play what was recorded, of ``model`` or of all.

        ``backends``: groups of model ids that stand for one model. Which of them is asked depends
        on the clock, so what one of them answered is played whichever is asked.
        ``prompts_only``: a request is known by its messages alone, whatever its model id and its
        parameters. A prompt that several models have answered is then a miss.
        """
        self.tape = tape
        self._exchanges = [e for e in tape.exchanges if model in (None, e.request.model)]
        self._group = {name: min(group) for group in backends for name in group}
        self._prompts_only = prompts_only
        self._recorded: dict[Key, list[Exchange]] = {}
        for e in self._exchanges:
            key = self._key(e.request.model, e.prompt_sha256, e.params_sha256)
            self._recorded.setdefault(key, []).append(e)
        self._played: Counter[Key] = Counter()
        self.misses = 0
        """Requests that were not on the tape."""
        self._lock = threading.Lock()

    def send(self, request: Request, timeout: float) -> Reply:
        """The recorded reply, at once; a recorded error asks for no wait.

        Raises ExchangeFailed: what was recorded, or ``missing`` with the nearest recorded request.
        """
        key = self._key(request.model, prompt_hash(request.messages), params_hash(request.params))
        recorded = self._recorded.get(key, [])
        answered = {e.request.model for e in recorded if e.reply}
        if self._prompts_only and len(answered) > 1:
            raise ExchangeFailed("missing", self._of_several(answered))
        with self._lock:
            exchange = _nth(recorded, self._played[key])
            if exchange is None:
                self.misses += 1
            else:
                self._played[key] += 1
        if exchange is None:
            text = describe_miss(
                self.tape.path,
                self._exchanges,
                request,
                len(recorded),
                prompts_only=self._prompts_only,
            )
            raise ExchangeFailed("missing", text)
        if exchange.error is not None:
            raise exchange.error.again()
        assert exchange.reply is not None
        return exchange.reply

    def _key(self, model: str, prompt: str, params: str) -> Key:
        if self._prompts_only:
            return "", prompt, ""
        return self._group.get(model, model), prompt, params

    def unused(self) -> tuple[Exchange, ...]:
        """What was recorded and has not been asked for, in the order of the tape."""
        with self._lock:
            left = [e for key, all_ in self._recorded.items() for e in all_[self._played[key] :]]
        return tuple(sorted(left, key=lambda e: e.number))

    def notes(self) -> tuple[str, ...]:
        """What the user should know at the end of a replay; empty where all is as recorded."""
        said = []
        if self.tape.torn:
            said.append("its last line is torn and was left out")
        if self.misses:
            said.append(f"{self.misses} requests are not on it: what was asked is another prompt")
        if unused := len(self.unused()):
            said.append(f"{unused} of {len(self._exchanges)} exchanges were not asked for")
        if masked := sum(e.masked for e in self._exchanges):
            said.append(f"in {masked} replies something that looks like a secret is masked")
        return tuple(f"{self.tape.path}: {text}" for text in said)

    def _of_several(self, models: set[str]) -> str:
        return (
            f"the cassette {self.tape.path} holds answers of several models to this prompt "
            f"({', '.join(sorted(models))}); name one behind a '#': "
            f"{PREFIX}{self.tape.path}#MODEL"
        )


def open_cassette(model_id: str) -> Player:
    """The player of ``cassette/FILE`` or ``cassette/FILE#MODEL``; open it once a run.

    FILE is a path from the working folder (``cassette//tmp/x.jsonl`` is an absolute one). Requests
    are matched by their messages alone: the parameters come from the settings of a model id, and
    those of ``cassette/...`` are not those of the model that was recorded. Where several models
    have answered a prompt, MODEL says which is meant.

    Raises TapeError: the file cannot be read, or holds nothing of that model.
    """
    name, _, model = model_id.removeprefix(PREFIX).partition("#")
    if not model_id.startswith(PREFIX) or not name:
        raise TapeError(f"{model_id!r} names no cassette: write {PREFIX}FILE")
    tape = Tape.load(Path(name))
    if model and model not in tape.models:
        held = ", ".join(tape.models) or "none"
        raise TapeError(f"{name} holds nothing of the model {model!r}; recorded models: {held}")
    return Player(tape, prompts_only=True, model=model or None)


def _nth(recorded: list[Exchange], played: int) -> Exchange | None:
    if played < len(recorded):
        return recorded[played]
    said = {(e.reply.text, e.reply.finish_reason) if e.reply else None for e in recorded}
    # A single reply is no sign that the model would say the same again.
    return recorded[-1] if len(recorded) > 1 and len(said) == 1 and None not in said else None
