"""What is told when a cassette holds no such request: the nearest one, and where it differs."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from heapq import nsmallest
from pathlib import Path
from typing import Any

import regex
from rapidfuzz import fuzz, process

from core.models.cassette_tape import Exchange, prompt_hash, redacted
from core.models.exchange import Request
from core.models.model_call import Message
from core.models.redact import redact

CANDIDATES = 200
"""Recorded requests that are compared sign by sign."""
COMPARED_CHARS = 20_000
DIFF_LINES = 40
LINE_CHARS = 160
_WINDOW = 400
"""Lines from the first difference on that the diff looks at."""
_PIECES = regex.compile(rf".{{1,{LINE_CHARS}}}(?:\s|\Z)|.{{1,{LINE_CHARS}}}", regex.DOTALL)


def describe_miss(
    path: Path,
    exchanges: Sequence[Exchange],
    request: Request,
    recorded: int,
    *,
    prompts_only: bool = False,
) -> str:
    """Text for the user about a request that cannot be answered; no secret is in it.

    ``recorded``: how often the same request is on the tape; all of them have been played.
    ``prompts_only``: model id and parameters are no difference.
    """
    prompt = prompt_hash(request.messages)[:12]
    asked = f"{request.model}, {len(request.messages)} messages, prompt {prompt}"
    if recorded:
        said = f"this request is recorded {recorded}x, all played, and is asked once more"
        return redact(f"the cassette {path}: {said} ({asked})")
    head = redact(f"the cassette {path} holds no such request ({asked})")
    # Now and not at the end: a text that has been cut may hold half a secret.
    request = Request.model_validate(redacted(request.model_dump()))
    return f"{head}; {_nearest(exchanges, request, prompts_only)}"


def _nearest(exchanges: Sequence[Exchange], request: Request, prompts_only: bool) -> str:
    if not exchanges:
        return "it holds no exchange"
    same_model = [e for e in exchanges if e.request.model == request.model]
    same_prompt = [e for e in exchanges if e.request.messages == request.messages]
    if same_prompt and not prompts_only:
        near = next((e for e in same_prompt if e in same_model), same_prompt[0])
        return f"exchange {near.number} has the same prompt, but {_but(near.request, request)}"
    near, alike = _most_alike(exchanges if prompts_only else same_model or exchanges, request)
    but = "" if prompts_only else _but(near.request, request)
    first = f"nearest is exchange {near.number}, {alike:.1f} % alike" + (f", {but}" if but else "")
    return "\n".join([first, *_diff(near.request.messages, request.messages)])


def _but(recorded: Request, asked: Request) -> str:
    """What differs besides the messages."""
    found = []
    if recorded.model != asked.model:
        found.append(f"the model {recorded.model} (asked: {asked.model})")
    for name in sorted(recorded.params.keys() | asked.params.keys()):
        was, now = (_shown(r.params, name) for r in (recorded, asked))
        if was != now:
            found.append(f"{name} {was} (asked: {now})")
    return ", ".join(found)


def _shown(params: dict[str, Any], name: str) -> str:
    text = repr(params[name]) if name in params else "not set"
    return text if len(text) <= LINE_CHARS else text[:LINE_CHARS] + "..."


def _most_alike(exchanges: Sequence[Exchange], request: Request) -> tuple[Exchange, float]:
    """The recorded request that is most like another, and how much in percent."""
    asked = _text(request.messages)
    contents = {m.get("content") for m in request.messages}

    def apart(exchange: Exchange) -> tuple[int, int]:
        shared = sum(m.get("content") in contents for m in exchange.request.messages)
        return -shared, abs(_size(exchange.request.messages) - _size(request.messages))

    near = nsmallest(CANDIDATES, exchanges, key=apart)
    texts = [_text(e.request.messages) for e in near]
    _, alike, place = process.extractOne(asked, texts, scorer=fuzz.ratio)
    return near[place], float(alike)


def _size(messages: Sequence[Message]) -> int:
    return sum(len(m.get("content", "")) for m in messages)


def _text(messages: Sequence[Message]) -> str:
    """The last part counts most, as the first one is the same for all."""
    whole = "\n".join(f"[{m.get('role')}]\n{m.get('content', '')}" for m in messages)
    return whole[-COMPARED_CHARS:]


def _diff(recorded: Sequence[Message], asked: Sequence[Message]) -> list[str]:
    was, now = _lines(recorded), _lines(asked)
    pairs = enumerate(zip(was, now, strict=False))
    first = next((i for i, (a, b) in pairs if a != b), min(len(was), len(now)))
    start = max(first - 2, 0)
    seen = slice(start, start + _WINDOW)
    # Behind the names of the two files, which it writes itself.
    found = list(difflib.unified_diff(was[seen], now[seen], n=1, lineterm=""))[2:]
    diff = [line for line in found if not line.startswith("@@")]
    more = [f"... {len(diff) - DIFF_LINES} more lines"] if len(diff) > DIFF_LINES else []
    head = ["--- recorded", f"+++ asked, from line {start + 1} of the prompt"]
    return [*head, *diff[:DIFF_LINES], *more]


def _lines(messages: Sequence[Message]) -> list[str]:
    """A prompt in lines of bounded length; signs that a terminal obeys are escaped."""
    lines = []
    for message in messages:
        lines.append(f"[{message.get('role')}]")
        for line in message.get("content", "").split("\n"):
            lines += [_plain(piece) for piece in _PIECES.findall(line)] or [""]
    return lines


def _plain(text: str) -> str:
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
