"""Goals, permissions and conditions of a task text that are not the things to buy."""

from __future__ import annotations

from dataclasses import dataclass, field

from workshop.rule_based.store.grammar.patterns import Patterns
from workshop.rule_based.store.grammar.phrases import cut

PATTERNS = Patterns("goals")


@dataclass
class Goals:
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


def take_goals(text: str) -> Goals:
    """Read goals, fillers, fallbacks and permissions; what was read is replaced by a comma."""
    goals = Goals(text)
    _take_fillers(goals)
    _take_fallback(goals)
    clause = PATTERNS["fewer"].search(goals.rest)
    while clause:
        if not PATTERNS["no_fewer"].search(clause[0]):
            goals.fewer_ok = True
            goals.fewer.append(clause[0])
        goals.rest = cut(goals.rest, clause)
        clause = PATTERNS["fewer"].search(goals.rest)
    for pattern, goal in ((PATTERNS["discount"], "discount"), (PATTERNS["total"], "total")):
        while clause := pattern.search(goals.rest):
            goals.goal = goal if goals.goal == "none" or goal == "total" else goals.goal
            goals.rest = cut(goals.rest, clause)
    for sentence in PATTERNS["end"].split(goals.rest):
        if PATTERNS["no_purchase"].search(sentence) and not PATTERNS["condition"].search(sentence):
            goals.no_purchase = True
    return goals


def _take_fillers(goals: Goals) -> None:
    if not PATTERNS["addition"].search(goals.rest):
        return
    for pattern in PATTERNS.each("fillers"):
        clause = pattern.search(goals.rest)
        if not clause or PATTERNS["not_fillers"].search(clause[0]):
            continue
        what = PATTERNS["then"].sub("", clause["what"])
        if not what.strip() or PATTERNS["anything"].search(what) or PATTERNS["it"].search(what):
            goals.fillers = ()
        else:
            parts = PATTERNS["joint"].split(what)
            goals.fillers = tuple(p.strip() for p in parts if p.strip())
        goals.rest = cut(goals.rest, clause)
        return


def _take_fallback(goals: Goals) -> None:
    for pattern in PATTERNS.each("fallback"):
        clause = pattern.search(goals.rest)
        if not clause:
            continue
        what = clause["what"].strip()
        if PATTERNS["as_many"].search(what):
            continue
        if not PATTERNS["nothing"].search(what):
            goals.fallback_if = clause[0][: clause.start("what") - clause.start()]
            goals.fallback = PATTERNS["around"].sub("", what).strip(" ,")
        goals.rest = cut(goals.rest, clause)
        return
