"""Requests, replies and tapes for the tests of cassettes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from core.models.model_call import ExchangeFailed, Reply, Request, Usage
from core.runs.cassette import Recorder, Tape, TapeWriter

TapeOf = Callable[..., Tape]
"""Pairs of request and outcome -> the tape that came of them."""


def ask(
    text: str = "hello", model: str = "openai/some", system: str = "Be brief.", **params: Any
) -> Request:
    messages = ({"role": "system", "content": system}, {"role": "user", "content": text})
    return Request(model=model, messages=messages, params=params)


def reply(text: str = "hi", **fields: Any) -> Reply:
    usage = Usage(prompt=7, completion=2, cached=5, reasoning=1)
    return Reply(
        **({"finish_reason": "stop", "usage": usage, "cost_usd": 0.25} | fields), text=text
    )


class Canned:
    """A transport with outcomes in order."""

    def __init__(self, outcomes: Iterable[Reply | Exception]) -> None:
        self._outcomes = iter(outcomes)

    def send(self, request: Request, timeout: float) -> Reply:
        outcome = next(self._outcomes)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


def attempt(transport: Any, request: Request) -> Reply | ExchangeFailed:
    try:
        return transport.send(request, 1.0)  # type: ignore[no-any-return]
    except ExchangeFailed as error:
        return error


def missed(transport: Any, request: Request) -> str:
    with pytest.raises(ExchangeFailed) as caught:
        transport.send(request, 1.0)
    assert caught.value.kind == "missing"
    assert caught.value.text == str(caught.value)
    return caught.value.text


def record_to(path: Path, *pairs: tuple[Request, Reply | Exception]) -> Tape:
    """Records pairs of request and outcome; the tape that came of it."""
    writer = TapeWriter(path)
    recorder = Recorder(writer, Canned(outcome for _, outcome in pairs))
    for request, _ in pairs:
        attempt(recorder, request)
    writer.close()
    return Tape.load(path)
