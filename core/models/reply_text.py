"""Model text as it arrives, made plain: thoughts, later messages and stray marks are taken off.

Every reader of replies begins here, whatever it looks for. The marks of the model families are in
``reply_marks.toml``. Every pattern is linear in the text, and the text is bounded, so that no reply
can keep a run busy.
"""

from __future__ import annotations

import html
import tomllib
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import regex

MAX_CHARS = 50_000
"""Longer replies are cut here and count as cut off."""
LOOP_CHARS, LOOP_TIMES = 60, 4
"""A reply that was cut off and holds its last characters so often is a loop."""

Problem = Literal["empty", "reasoning", "spent", "truncated", "filtered", "loop"]
WORDS_OF: dict[Problem, tuple[str, str]] = {
    "empty": ("it was empty", "it was empty"),
    "reasoning": (
        "it held only thoughts and no answer; think less, then write the answer",
        "it held only thoughts; the server may need a reasoning parser that tells them apart",
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
    r"&lt;/?(?:code|think|thinking|reasoning|thought|decision|instruction)&gt;", regex.IGNORECASE
)


@dataclass(frozen=True)
class Cleaned:
    """A cleaned reply, and what is wrong with it as a whole."""

    text: str
    """Never thoughts; "" where nothing else came."""
    problem: Problem | None = None
    """Where there is one, nothing in the text can be trusted to be whole."""
    has_thoughts: bool = False
    """Whether thoughts came, in the text or apart from it."""

    @property
    def words(self) -> str:
        """The problem in words for the model; "" without one."""
        return WORDS_OF[self.problem][0] if self.problem else ""

    @property
    def advice(self) -> str:
        """The problem in words for the person who runs the model; "" without one."""
        return WORDS_OF[self.problem][1] if self.problem else ""


def clean(text: str, finish_reason: str | None = None, reasoning: str = "") -> Cleaned:
    """Remove thoughts, later messages and marks from a reply; thoughts never count as the answer.

    ``reasoning`` is what the provider returned separately; it explains an empty answer.
    """
    cut = finish_reason in ("length", "max_tokens") or len(text) >= MAX_CHARS
    came = text[:MAX_CHARS].translate(_INVISIBLE).replace("\r\n", "\n").strip()
    if _ESCAPED.search(came):
        came = html.unescape(came)
    answer = _without_thoughts(came)
    lead = _LEADING_MARKS.match(answer)
    begin = lead.end() if lead else 0
    end = _END.search(answer, begin)
    plain = _MARK.sub("", answer[begin : end.start() if end else None]).strip()
    return Cleaned(
        plain, _problem(plain, came, cut, finish_reason, reasoning),
        has_thoughts=bool(reasoning.strip()) or answer != came,
    )  # fmt: skip


def _problem(
    plain: str, came: str, cut: bool, finish_reason: str | None, reasoning: str
) -> Problem | None:
    if finish_reason == "content_filter":
        return "filtered"
    if cut and came.count(came[-LOOP_CHARS:]) >= LOOP_TIMES:
        return "loop"
    if plain:
        return "truncated" if cut else None
    if cut:
        return "spent"
    return "reasoning" if came or reasoning.strip() else "empty"


def _without_thoughts(text: str) -> str:
    kept, place = [], 0
    while opener := _OPEN.search(text, place):
        kept.append(text[place : opener.start()])
        closer = _CLOSE[int(str(opener.lastgroup)[3:])].search(text, opener.end())
        place = closer.end() if closer else len(text)
    left = "".join([*kept, text[place:]])
    lone = list(_BARE_CLOSE.finditer(left))
    while lone and not _MARK.sub("", left[lone[-1].end() :]).strip():
        left = left[: lone.pop().start()]  # nothing follows: a mark that was left over
    for closer, later in pairwise(lone):
        if _END.search(left, closer.end(), later.start()):
            return left[closer.end() :]  # its message ends before the next thoughts
    return left[lone[-1].end() :] if lone else left
