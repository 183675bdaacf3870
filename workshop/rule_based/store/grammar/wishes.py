"""Goals, permissions and conditions of a task text that are not the things to buy."""

from __future__ import annotations

from dataclasses import dataclass, field

from workshop.rule_based.store.grammar.patterns import Patterns
from workshop.rule_based.store.grammar.phrases import cut

PATTERNS = Patterns("wishes")


@dataclass
class Wishes:
    """What was read, and the text without it."""

    rest: str
    goal: str = "none"
    fillers: tuple[str, ...] | None = None
    fewer_ok: bool = False
    fewer: list[str] = field(default_factory=list)
    """The clauses that allow to send fewer."""
    fallback: str = ""
    fallback_if: str = ""
    """When the fallback holds, in the words of the text."""
    no_purchase: bool = False
    unclear: list[str] = field(default_factory=list)


def take_wishes(text: str) -> Wishes:
    """Read goals, fillers, fallbacks and permissions; what was read is replaced by a comma."""
    wishes = Wishes(text)
    _take_fillers(wishes)
    _take_fallback(wishes)
    found = PATTERNS["fewer"].search(wishes.rest)
    while found:
        if not PATTERNS["no_fewer"].search(found[0]):
            wishes.fewer_ok = True
            wishes.fewer.append(found[0])
        wishes.rest = cut(wishes.rest, found)
        found = PATTERNS["fewer"].search(wishes.rest)
    for pattern, goal in ((PATTERNS["discount"], "discount"), (PATTERNS["total"], "total")):
        while found := pattern.search(wishes.rest):
            wishes.goal = goal if wishes.goal == "none" or goal == "total" else wishes.goal
            wishes.rest = cut(wishes.rest, found)
    for sentence in PATTERNS["end"].split(wishes.rest):
        if PATTERNS["no_purchase"].search(sentence) and not PATTERNS["condition"].search(sentence):
            wishes.no_purchase = True
    return wishes


def _take_fillers(wishes: Wishes) -> None:
    if not PATTERNS["addition"].search(wishes.rest):
        return
    for pattern in PATTERNS.each("fillers"):
        found = pattern.search(wishes.rest)
        if not found or PATTERNS["not_fillers"].search(found[0]):
            continue
        what = PATTERNS["then"].sub("", found["what"])
        if not what.strip() or PATTERNS["anything"].search(what) or PATTERNS["it"].search(what):
            wishes.fillers = ()
        else:
            parts = PATTERNS["joint"].split(what)
            wishes.fillers = tuple(p.strip() for p in parts if p.strip())
        wishes.rest = cut(wishes.rest, found)
        return


def _take_fallback(wishes: Wishes) -> None:
    for pattern in PATTERNS.each("fallback"):
        found = pattern.search(wishes.rest)
        if not found:
            continue
        what = found["what"].strip()
        if PATTERNS["as_many"].search(what):
            continue
        if not PATTERNS["nothing"].search(what):
            wishes.fallback_if = found[0][: found.start("what") - found.start()]
            wishes.fallback = PATTERNS["around"].sub("", what).strip(" ,")
        wishes.rest = cut(wishes.rest, found)
        return
