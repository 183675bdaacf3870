"""Kinds of changes, and the words by which pages and tasks speak of them."""

from __future__ import annotations

from typing import Literal

import regex

from company_tools.words import words

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
