"""Which records a piece of text may mean: what keeps a task from meaning two things by accident."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from workshop.generators.company.records import Firm, folded

_WORD = re.compile(r"\w{3,}")
_SMALL = frozenset(
    {"the", "and", "for", "our", "with", "that", "who", "where", "which", "from", "over", "into"}
    | {"their", "are", "its"}
)
_LEAD = 1.25
"""A phrase means a record when it fits it so much better than any other."""
Kind = Literal["employee", "contact", "project", "customer"]


@dataclass(frozen=True, slots=True)
class Said:
    """A piece of a task's text and the record that it stands for; `team` is the project whose
    team it is said of, `open` where it is the point that several fit."""

    kind: Kind
    id: str
    text: str
    team: str | None = None
    open: bool = False


def meant(firm: Firm, said: Said) -> set[str]:
    """The ids of all records that it may mean."""
    if said.kind == "employee":
        return _people(firm, said)
    if said.kind == "contact":
        return {c.id for c in firm.customers if folded(c.contact) == folded(said.text)}
    names = {r.id: r.name for r in (firm.projects if said.kind == "project" else firm.customers)}
    named = {one for one, name in names.items() if folded(said.text) in (one, folded(name))}
    return named or _fitting(said.text, _words_of(firm, said.kind))


def people_named(firm: Firm, text: str) -> set[str]:
    """Everybody whose whole name stands in a text, in either order, accents or not."""
    plain = folded(text)
    return {
        who
        for who, names in firm.folded_names.items()
        # Most names are nowhere in it, which is told without a pattern.
        if any(name in plain and re.search(rf"\b{re.escape(name)}\b", plain) for name in names)
    }


def _people(firm: Firm, said: Said) -> set[str]:
    if said.text in firm.employees:
        return {said.text}
    whole = people_named(firm, said.text)
    if whole:
        return whole
    team = firm.projects[said.team].members if said.team else [e.id for e in firm.employees]
    parts = {who: firm.employees[who].name.split(" ", 1) for who in team}
    return {who for who, names in parts.items() if said.text in names}


def _words_of(firm: Firm, kind: Kind) -> dict[str, set[str]]:
    """All words that a reader finds in or around each record."""
    customers = {
        c.id: _words(f"{c.name} {c.brief} {c.location} {c.contact}") for c in firm.customers
    }
    if kind == "customer":
        return customers
    return {
        p.id: _words(f"{p.name} {p.description}") | customers.get(p.customer, set())
        for p in firm.projects
    }


def _fitting(phrase: str, records: Mapping[str, set[str]]) -> set[str]:
    """The records that a phrase fits about equally well; rare words weigh more."""
    often = Counter(word for words in records.values() for word in words)
    scores = {
        record: sum(math.log(1 + len(records) / often[w]) for w in _words(phrase) & words)
        for record, words in records.items()
    }
    best = max(scores.values(), default=0)
    return {record for record, score in scores.items() if best and score * _LEAD > best}


def _words(text: str) -> set[str]:
    return {stem(word) for word in _WORD.findall(folded(text)) if word not in _SMALL}


def stem(word: str) -> str:
    """A word without the commonest endings."""
    for end in ("ing", "ies", "es", "ed", "s", "e", "y"):
        if word.endswith(end) and len(word) - len(end) >= 3:
            return word.removesuffix(end)
    return word


def accidental(firm: Firm, text: str, said: Iterable[Said]) -> set[str]:
    """People whose whole name stands in a text though nobody meant them."""
    return people_named(firm, text) - {one.id for one in said if one.kind == "employee"}


def mistake(firm: Firm, text: str, said: Iterable[Said]) -> str | None:
    """What is unclear in a text: every name means what it shall and only that, unless that is
    the point."""
    said = list(said)
    for one in said:
        found = meant(firm, one)
        if (found == {one.id}) == one.open:
            return f"{one.text!r} shall mean {one.id}, may mean {found}"
    extra = accidental(firm, text, said)
    return f"the text names {extra} by accident" if extra else None
