"""The rules of a company, drawn: who may what, what words mean, what a buyer demands."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from random import Random
from typing import Any, get_args

from workshop.generators.company.policy import (
    ACCOUNT,
    GUEST,
    LANGUAGES,
    LEAD,
    STAFF,
    STATUSES,
    Group,
    Policy,
    Right,
    Takeover,
)
from workshop.generators.company.tables import table

EXECUTIVE, HR, FINANCE, EXTERNAL = "exec", "hr", "finance", "external"
KEYS = (GUEST, EXTERNAL, STAFF, LEAD, ACCOUNT)
"""Groups that every company has, whatever its departments."""
EVERYBODY: frozenset[Right] = frozenset(
    {"place", "date", "register", "own_pay", "own_levels", "own_hours"}
)
"""What all staff may in every company."""
PERSONAL: frozenset[Right] = frozenset({"pay", "notes", "note_write", "levels_write"})
"""Rights that somebody may have for the people of one site alone."""
_NEAR = 6
"""One company of so many has an office whose rights end at its own site."""
_LOADS = (
    ("exploring", "active"),
    ("active",),
    ("exploring", "active", "paused"),
    ("idea", "exploring", "active", "paused"),
    STATUSES,
)


def draw_policy(rng: Random, departments: Mapping[str, str], language: str = "en") -> Policy:
    """Rules of a company with these departments, by the key of the group that they are.

    `language` is that of the words in which its wiki puts them.
    """
    words = _wordings(language)
    holders = {right: rng.choice(lists) for right, lists in words["holders"].items()}
    near = HR if not rng.randrange(_NEAR) else None
    keys = list(dict.fromkeys((*KEYS, *departments)))
    may = {key: _may(rng, key, holders, key == near) for key in keys}
    groups = tuple(
        _group(rng, words, key, may, departments, key == near) for key in keys if may[key]
    )
    highest = rng.choice((10, 10, 10, 9, 5))
    busy = Decimal(rng.choice(("0.6", "0.7", "0.8", "0.9", "1.0")))
    return Policy(
        strong=rng.choice({10: (6, 7, 8, 9), 9: (6, 7, 8), 5: (3, 4)}[highest]),
        highest=highest,
        load=rng.choice(_LOADS),
        self_word=rng.choice(words["self"]["words"]),
        raise_from=departments[EXECUTIVE],
        outsiders=(EXTERNAL,),
        groups=groups,
        words={right: rng.choice(words["rights"][right]) for right in get_args(Right)},
        busy=busy,
        free=busy - Decimal(rng.choice(("0.2", "0.3", "0.4", "0.5"))),
        mine=rng.choice((LEAD, LEAD, "member")),
    )


def _wordings(language: str) -> dict[str, Any]:
    """The table of rules with its wordings in a language."""
    words = table("rules")
    if language == "en":
        return words
    column, others = LANGUAGES.index(language) - 1, table("languages")
    translated = {
        part: {key: [columns[column]] for key, columns in others[part].items()}
        for part in ("rights", "title", "who")
    }
    return {**words, **translated}


def draw_takeover(rng: Random, language: str = "en") -> Takeover:
    """What a buyer would demand."""
    words = table("rules")["ticket"]
    buyer: str = rng.choice(table("trades")["common"]["buyers"])
    pattern, shape, example = rng.choice(words["shapes"])
    prefix = rng.choice(words["prefixes"])
    example = example.format(P=prefix, A="AA", N3="000", N4="0000", N5="00000")
    if other := table("languages")["say"]["shape"][LANGUAGES.index(language)]:
        shape = other.format(f"`{example}`")
    return Takeover(
        buyer=buyer,
        short=buyer.split()[0],
        pattern=pattern.format(P=prefix),
        shape=shape.format(P=prefix),
        example=example,
        needs=tuple(rng.choice(words["needs"])),
    )


def _may(rng: Random, key: str, holders: Mapping[str, list[str]], near: bool) -> tuple[Right, ...]:
    words = table("rules")
    given: set[Any] = {right for right, keys in holders.items() if key in keys}
    given |= EVERYBODY if key == STAFF else set()
    given |= set(rng.choice(words[key]["may"])) if key in (GUEST, EXTERNAL) else set()
    return tuple(r for r in get_args(Right) if r in given and (not near or r in PERSONAL))


def _group(
    rng: Random,
    words: Mapping[str, Any],
    key: str,
    may: Mapping[str, tuple[Right, ...]],
    named: Mapping[str, str],
    near: bool,
) -> Group:
    title = named.get(key) or rng.choice(words["title"][key])
    who = rng.choice(words["who"]["near" if near else key if key in KEYS else "department"])
    has = {*may[key], *(() if key in (GUEST, EXTERNAL) else may[STAFF])}
    lacks = [right for right in words["holders"] if right not in has]
    refused = rng.sample(lacks, min(len(lacks), rng.randrange(4)))
    who = who.format(title=title, external=named[EXTERNAL])
    said = () if key in (LEAD, ACCOUNT, STAFF) else tuple(refused)
    return Group(key, title, who, may[key], said, near)
