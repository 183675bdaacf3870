"""Model text as it arrives, made plain: thoughts, later messages and stray marks are taken off.

Every reader of replies begins here, whatever it looks for. The marks of the model families are in
``reply_marks.toml``. Every pattern is linear in the text, and the text is bounded, so that no reply
can keep a run busy.
"""

from __future__ import annotations

import html
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import regex

MAX_CHARS = 50_000
"""Longer replies are cut here and count as cut off."""
LOOP_CHARS, LOOP_TIMES = 60, 4
"""A reply that was cut off and holds its last characters so often is a loop."""

Problem = Literal["empty", "reasoning", "open", "spent", "truncated", "filtered", "loop"]
WORDS_OF: dict[Problem, tuple[str, str]] = {
    "empty": ("it was empty", "it was empty"),
    "reasoning": (
        "it held only thoughts and no answer; think less, then write the answer",
        "it held only thoughts; the server may need a reasoning parser that tells them apart",
    ),
    "open": (
        "thoughts began behind its answer and did not end; write the answer alone, and last",
        "thoughts began behind its answer and did not end",
    ),
    "spent": (
        "all of its room went into thoughts and nothing was answered; think briefly",
        "all of max_tokens went into thoughts; raise max_tokens in the models file",
    ),
    "truncated": (
        "it was cut off before its end; be much shorter",
        "it was cut off at max_tokens; raise max_tokens in the models file",
    ),
    "filtered": ("a filter cut it off", "the provider's content filter cut it off"),
    "loop": (
        "it repeated the same words until its room was used up; write every part once",
        "it repeated the same words up to max_tokens",
    ),
}
"""What is wrong, for the model and for the person who runs it."""

_TABLE: dict[str, Any] = tomllib.loads(
    Path(__file__).with_name("reply_marks.toml").read_text(encoding="utf-8")
)
_FLAGS = regex.IGNORECASE | regex.MULTILINE
_ROWS: list[dict[str, Any]] = _TABLE["thoughts"]
_OPEN = regex.compile("|".join(f"(?P<row{n}>{row['open']})" for n, row in enumerate(_ROWS)), _FLAGS)
_CLOSE = [regex.compile(row["close"], _FLAGS) for row in _ROWS]
_BARE_CLOSE = regex.compile("|".join(row["close"] for row in _ROWS if row.get("bare")), _FLAGS)
_MARK = regex.compile("|".join(_TABLE["messages"]["end"] + _TABLE["messages"]["mark"]), _FLAGS)
_LEADING_MARKS = regex.compile(rf"(?:\s|{_MARK.pattern})*+", _FLAGS)
_END = regex.compile("|".join(_TABLE["messages"]["end"]), _FLAGS)
_INVISIBLE = dict.fromkeys(map(ord, "\ufeff\u200b\u2060\x00"))
_ESCAPED = regex.compile(
    r"^\s*+&lt;/?(?:code|think|thinking|reasoning|thought|decision|instruction)&gt;", _FLAGS
)
"""A tag at the start of a line: all of the reply was escaped."""


class Misread(ValueError):
    """A reply that cannot be used; the text says why, for the model."""

    def __init__(self, words: str, advice: str = "", problem: Problem | None = None) -> None:
        super().__init__(words)
        self.advice = advice or words
        """The same for the person who runs the model."""
        self.problem = problem
        """What is wrong with the reply as a whole; None: it is only not what was asked for."""


def clean(text: str, finish_reason: str | None = None, reasoning: str = "") -> str:
    """The answer in a reply, without thoughts, later messages and marks; never "".

    ``reasoning`` is what the provider returned separately; it explains an empty answer.

    Raises Misread: there is no answer, or nothing in it can be trusted to be whole.
    """
    cut = finish_reason in ("length", "max_tokens") or len(text) >= MAX_CHARS
    came = _plain(text)
    answer, is_open = _without_thoughts(came)
    lead = _LEADING_MARKS.match(answer)
    begin = lead.end() if lead else 0
    end = _END.search(answer, begin)
    answer = _MARK.sub("", answer[begin : end.start() if end else None]).strip()
    problem = _problem(answer, came, cut, finish_reason, reasoning)
    problem = problem or ("open" if is_open and not end else None)
    if problem:
        raise Misread(*WORDS_OF[problem], problem)
    return answer


def has_thoughts(text: str) -> bool:
    """Whether a reply holds thoughts."""
    came = _plain(text)
    return _without_thoughts(came)[0] != came


def _plain(text: str) -> str:
    came = text[:MAX_CHARS].translate(_INVISIBLE).replace("\r\n", "\n").strip()
    return html.unescape(came) if _ESCAPED.search(came) else came


def _problem(
    answer: str, came: str, cut: bool, finish_reason: str | None, reasoning: str
) -> Problem | None:
    if finish_reason == "content_filter":
        return "filtered"
    if cut and came.count(came[-LOOP_CHARS:]) >= LOOP_TIMES:
        return "loop"
    if answer:
        return "truncated" if cut else None
    if cut:
        return "spent"
    return "reasoning" if came or reasoning.strip() else "empty"


def _without_thoughts(text: str) -> tuple[str, bool]:
    """The text outside of thoughts, and whether the last ones have no end."""
    kept, place, is_open = [], 0, False
    while opener := _OPEN.search(text, place):
        kept.append(text[place : opener.start()])
        closer = _CLOSE[int(str(opener.lastgroup)[3:])].search(text, opener.end())
        place, is_open = (closer.end(), False) if closer else (len(text), True)
    left = "".join([*kept, text[place:]])
    lone = list(_BARE_CLOSE.finditer(left))
    while lone and not _MARK.sub("", left[lone[-1].end() :]).strip():
        left = left[: lone.pop().start()]  # nothing follows: a mark that was left over
    for closer, later in pairwise(lone):
        if _END.search(left, closer.end(), later.start()):
            return left[closer.end() :], is_open  # its message ends before the next thoughts
    return left[lone[-1].end() if lone else 0 :], is_open
