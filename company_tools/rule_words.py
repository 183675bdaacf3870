"""Words by which pages give or bind, and by which they speak of kinds of changes."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

import regex

from company_tools.wiki_lines import lines_of
from company_tools.words import words

_WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_MAY, _MUST = (frozenset(words(_WORDS[name])) for name in ("may", "must"))
_MAY_ROW, _MUST_ROW = (regex.compile(_WORDS[f"{name}_in_row"]) for name in ("may", "must"))


_ID = regex.compile(r"(?<![\p{L}\p{N}])\p{L}[\p{L}\p{N}]*_[\p{L}\p{N}_]+")
"""What looks like the id of a record, whose parts are no words."""


class Modal(NamedTuple):
    """How many words of a text give, and how many bind."""

    may: int
    must: int


@lru_cache(maxsize=16384)
def modal(text: str) -> Modal:
    """The words of a text that give or bind."""
    have = words(_ID.sub(" ", text))
    return Modal(
        sum(word in _MAY for word in have) + len(_MAY_ROW.findall(text)),
        sum(word in _MUST for word in have) + len(_MUST_ROW.findall(text)),
    )


@lru_cache(maxsize=1024)
def ruling(page: str) -> int:
    """How many lines of a page have such words."""
    return sum(any(modal(line.text)) for line in lines_of(page))


@lru_cache(maxsize=1024)
def giving(page: str) -> int:
    """How many lines of a page give something, by themselves or by what opens their list."""
    lines = lines_of(page)
    gives = {line.number for line in lines if line.kind != "heading" and modal(line.text).may > 0}
    return sum(not gives.isdisjoint(line.needs) for line in lines)


Kind = Literal["status", "team", "pay", "notes", "levels", "place", "hours", "wiki"]
_SUBJECTS: dict[Kind, str] = {
    "status": r"status|stage|phase|state\b|stands?\b|paus|archiv|reactivat",
    "team": r"teams?\b|staffing|works? on|roles?\b|shares?\b|members?\b|allocat|assign",
    "pay": r"pay\b|payroll|salar|wages?\b|compensation|remunerat|rais(?:e|ing)",
    "notes": r"notes?\b|remarks?\b|comments?\b",
    "levels": r"levels?\b|skills?\b|wills?\b|competenc",
    "place": r"location|site|department|employee (?:record|data|profile)",
    "hours": r"hours?\b|time\b|timesheets?\b|time entr|entries",
    "wiki": r"wiki|pages?\b(?! on\b)|articles?\b|documents?\b",
}
"""What a sentence about a kind of change speaks of."""
SUBJECTS = {kind: regex.compile(rf"\b(?:{words})", regex.I) for kind, words in _SUBJECTS.items()}
_ABROAD: dict[Kind, str] = {
    "pay": r"\bearn|gehalt|lohn|salaire|sueldo|stipendi|薪|工资",
    "notes": r"notiz|vermerk|remarque|nota\b|备注",
    "levels": r"stufe|niveau|nivel|livello|compét|fähig|级",
    "hours": r"stunde|heure|horas?\b|ore\b|zeit|小时|时",
    "wiki": r"seite|página|pagina|artikel|artículo|页",
}
"""The same in tasks alone, most in other languages."""


def speaks_of(kind: Kind, text: str) -> bool:
    """Whether words of a task may ask for a kind of change; of statuses and teams any may."""
    if kind in ("status", "team", "place"):
        return True
    abroad = regex.search(_ABROAD[kind], text, regex.I)
    return bool(SUBJECTS[kind].search(text) or abroad)


def within(part: str, text: str) -> bool:
    """Whether the words of a part stand in a text, in their order and without others between."""
    wanted, have = words(part[:2000]), words(text[:200_000])
    return bool(wanted) and f" {' '.join(wanted)} " in f" {' '.join(have)} "
