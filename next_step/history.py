"""The steps so far for the next prompt, shortened to a number of tokens."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from core.ledger import shortened
from core.models.prompt_json import as_data, compact, packed
from core.models.tokens import count_text, cut_text

CHARS_PER_TOKEN = 12
"""A text with more characters is shortened without counting its tokens."""
LADDER = (
    (150, 1_000), (80, 600), (40, 400), (20, 300), (10, 200), (5, 120), (2, 80), (1, 40),
)  # fmt: skip
"""Rows of a list and characters of a text that are kept, step by step less."""
SHORTER = (
    (1.0, 1.0, 1.0), (1.0, 0.5, 0.5), (1.0, 0.2, 0.25), (1.0, 0.07, 0.1), (0.5, 0.07, 0.05),
    (0.2, 0.05, 0.05), (0.05, 0.04, 0.04),
)  # fmt: skip
"""Parts of the usual room for the last step, other recent ones and older ones; tried in order
until all steps fit."""
ERROR_CHARS = 1_500
PROMPT_TOKENS = 12_000
"""Maximum tokens of a whole prompt, including the system part."""
RECENT = 3
"""So many of the last steps keep their answers as far as ``RECENT_TOKENS`` go."""
RECENT_TOKENS = 4_000
"""Maximum tokens of one result, call or state of the last step."""
OLD_TOKENS = 200


@dataclass(frozen=True)
class PastStep:
    """One step that was taken, and what came of it."""

    current_state: str
    call: str
    """The function as JSON text."""
    answer: object = None
    error: str | None = None


def rendered(steps: Sequence[PastStep], room: int) -> list[str]:
    """The steps as texts that have no more than ``room`` tokens together.

    Answers of older steps are shortened: lists keep their first entries, whole, so that what is
    kept has its prices and totals; what is missing is counted. Errors stay. Where nothing else
    helps, the oldest steps are left out.
    """
    texts: list[str] = []
    for parts in SHORTER:
        texts = [_text(s, len(steps) - i, parts) for i, s in enumerate(steps, start=1)]
        if sum(map(count_text, texts)) <= room:
            return texts
    while texts and sum(map(count_text, texts)) > room:
        texts = texts[1:]
    return texts


def _text(step: PastStep, behind: int, parts: tuple[float, float, float]) -> str:
    """One step; ``behind``: how many steps were taken after it."""
    age = 0 if behind == 0 else 1 if behind < RECENT else 2
    part = parts[age]
    small = max(int(OLD_TOKENS * part), 12)
    room = small if age == 2 else max(int(RECENT_TOKENS * part), 12)
    said = {
        "current_state": cut_text(step.current_state, room if age == 0 else small // 3),
        "function": json.loads(fit(called(step.call), small)),
    }
    if step.error is not None:
        chars = max(int(ERROR_CHARS * part), 120)
        outcome = compact({"error": packed(step.error, chars=chars)})
    else:
        outcome = f'{{"answer":{fit(step.answer, room)}}}'
    return as_data(f"{compact(said)}\n{outcome}")


def fit(value: object, tokens: int) -> str:
    """JSON of a value in at most so many tokens: fewer rows of lists, then shorter texts."""
    value = shortened(value)
    # A row has at least one token, so that no more rows than tokens can be kept.
    for rows, chars in ((tokens, None), *LADDER):
        text = compact(packed(value, rows, chars))
        if len(text) <= tokens * CHARS_PER_TOKEN and count_text(text) <= tokens:
            return text
    if isinstance(value, dict):
        # Totals and the like stand beside the lists.
        plain = {k: v for k, v in value.items() if not isinstance(v, dict | list | str)}
        text = compact(dict(islice(plain.items(), tokens // 8)))
        if count_text(text) <= tokens:
            return text
    return compact(cut_text(compact(value), tokens // 2))


def called(text: str) -> object:
    """The function of a step; of what is no JSON the text."""
    try:
        return json.loads(text)
    except ValueError:
        return text
