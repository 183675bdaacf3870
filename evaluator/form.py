"""The form of a reply, as the prompt shows it, and whether a reply only repeats it."""

from __future__ import annotations

from functools import lru_cache

import regex
from rapidfuzz import fuzz

FORM = """\
THOUGHT: what is known, what is missing, which playbook fits
DECISION: PROCEED or FINISH
INSTRUCTION: for PROCEED the worker's whole instruction; for FINISH """
"""The form in the prompt; the benchmark's way to finish a task follows it."""
EXAMPLE = """\
THOUGHT: The price of the desk lamp is not known yet, so it has to be looked up first.
DECISION: PROCEED
INSTRUCTION: Look up "desk lamp" and report every match with its name, price and stock. Change \
nothing."""
"""The form filled in, for a model that is asked again; an example, not an instruction."""
ALIKE = 92
"""Similarity (0 to 100) from which a part counts as a copy of a line of the form."""
FEWEST_WORDS = 4
"""So many words in one stretch of the prompt are a copy of it."""
_WORD = regex.compile(r"[\p{L}\p{N}]+")
_CLAUSE = regex.compile(r'[;,":]|\bor\b')
_SMALL = regex.compile(r"\p{Ll}")
_BLANK = regex.compile(r"(?<![<\[{])[<\[{]++[\p{L}\p{N}' _-]{1,60}+[>\]}]|\.{3,}|…|_{3,}")
"""A placeholder that is still to be filled in; a list of links has a colon in it."""
_SIGNS = regex.compile(r"(?<![<\[{(])[<\[{(]++[\p{L}\p{N}' _-]{1,60}+[>\]})]+|\.{2,}|…|_{2,}")
"""A placeholder: something in brackets, dots, a line to be filled in."""


def repeats_form(part: str, form: str = FORM, prompt: str = "") -> bool:
    """Whether a part of a reply holds nothing but words of the form or of the prompt's text.

    ``prompt``: a whole stretch of it is no instruction either.
    """
    text = _normal(part)
    if not text or not _normal(_SIGNS.sub(" ", part)):
        return True
    lines = _lines(form)
    if any(text == line or text in _spans(line) for line in lines):
        return True
    if any(fuzz.ratio(text, line) >= ALIKE for line in lines):
        return True
    return text.count(" ") + 1 >= FEWEST_WORDS and f" {text} " in f" {_normal(prompt or form)} "


def has_blank(text: str) -> bool:
    """Whether a text has a place that is still to be filled in."""
    return _BLANK.search(text) is not None


@lru_cache(maxsize=8)
def _lines(form: str) -> frozenset[str]:
    """The texts after the labels, whole and clause by clause."""
    lines = [*form.splitlines(), *EXAMPLE.splitlines()]
    clauses = [c for line in form.splitlines() for c in _CLAUSE.split(line.partition(":")[2])]
    whole = [part for line in lines for part in (line, line.partition(":")[2])]
    return frozenset(map(_normal, (*whole, *filter(_SMALL.search, clauses))))


def _spans(line: str) -> frozenset[str]:
    """Stretches of several words at the begin or end of a line."""
    words = line.split()
    ends = range(2, len(words))
    return frozenset(" ".join(part) for n in ends for part in (words[:n], words[-n:]))


@lru_cache(maxsize=256)
def _normal(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))
