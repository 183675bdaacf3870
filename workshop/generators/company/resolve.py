"""Which records a piece of text may mean: what keeps a task from meaning two things by accident."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from workshop.generators.company.records import Firm, folded, words_of

_LEAD = 1.25
"""A phrase means a record when it fits it so much better than any other."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A piece of a task's text and the record that it means; `team` is the project whose team it
    is said of, `open` where it is the point that several fit."""

    kind: Literal["employee", "contact", "project", "customer"]
    id: str
    text: str
    team: str | None = None
    open: bool = False


def matching(firm: Firm, mention: Mention) -> set[str]:
    """The ids of all records that it may mean."""
    plain = folded(mention.text)
    if mention.kind == "employee":
        return _people(firm, mention)
    if mention.kind == "contact":
        return {one.id for one in firm.customers if folded(one.contact) == plain}
    records = firm.projects if mention.kind == "project" else firm.customers
    named = {one.id for one in records if plain in (one.id, folded(one.name))}
    return named or _fitting(mention.text, firm.words_around(mention.kind == "project"))


def people_named(firm: Firm, text: str) -> set[str]:
    """Everybody whose whole name stands in a text, in either order, accents or not."""
    plain = folded(text)
    return {
        who
        for who, names in firm.folded_names.items()
        # Most names are nowhere in it, which needs no pattern.
        if any(name in plain and re.search(rf"\b{re.escape(name)}\b", plain) for name in names)
    }


def mistake(firm: Firm, text: str, mentions: Iterable[Mention]) -> str | None:
    """What is unclear in a text: a name that means another record than it shall, or a person
    who is named by accident; None where nothing is."""
    meant = set()
    for one in mentions:
        matches = matching(firm, one)
        if (matches == {one.id}) == one.open:
            return f"{one.text!r} shall mean {one.id}, may mean {matches}"
        meant |= {one.id} if one.kind == "employee" else set()
    extra = people_named(firm, text) - meant
    return f"the text names {extra} by accident" if extra else None


def _people(firm: Firm, mention: Mention) -> set[str]:
    if mention.text in firm.employees:
        return {mention.text}
    if whole := people_named(firm, mention.text):
        return whole
    team = firm.projects[mention.team].members if mention.team else [e.id for e in firm.employees]
    return {who for who in team if mention.text in firm.employees[who].name.split(" ", 1)}


def _fitting(phrase: str, records: Mapping[str, frozenset[str]]) -> set[str]:
    """The records that a phrase fits about equally well; rare words weigh more."""
    often = Counter(word for words in records.values() for word in words)
    scores = {
        record: math.fsum(math.log(1 + len(records) / often[w]) for w in words_of(phrase) & words)
        for record, words in records.items()
    }
    best = max(scores.values(), default=0)
    return {record for record, score in scores.items() if best and score * _LEAD > best}
