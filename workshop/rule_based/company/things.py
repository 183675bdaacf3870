"""The things that rights are of: by which words sentences name them, and the rights to see and change them."""

from __future__ import annotations

from dataclasses import dataclass

from workshop.rule_based.company.patterns import TABLES, P, caseless

PLAIN = frozenset({"register", "wiki_read", "own_pay", "date", "place"})
"""Rights that whoever is signed in has unless a sentence refuses them."""
PUBLIC = frozenset({"date", "place", "wiki_read"})
"""What somebody without a login can be told at all."""
CHANGES = frozenset(
    "own_levels own_hours note_write levels_write status team pay_write draft_hours wiki_write".split()
)
LOOK = {"note_write": "notes", "levels_write": "levels"}
"""Who changes it may look at it."""
EVERY = PLAIN | CHANGES | frozenset("account_manager contact pay notes levels load hours".split())
WRITE = (
    "change|set|write|writes|edit|edits|move|record|records|log|logs|book|books|rename|remove|delete"
    "|update|correct|alter|adjust|maintain|enter|put|swap|pause|create|add|grant|decide|trim|shift|tune"
    "|raise|apply|carry out"
)
READ = (
    "see|look|look up|look at|read|learn|know|hear|view|have|ask|asks|compare|told|search|find|get"
    "|consult|use"
)


@dataclass(frozen=True)
class Thing:
    """``name``: its own words; ``near``: words that stand for it where something is changed too."""

    name: str
    see: str = ""
    change: str = ""
    own: str = ""
    near: str = "."
    alone: bool = False
    """Whether a clause that names it names nothing else."""


THINGS: dict[str, Thing] = {name: Thing(**told) for name, told in TABLES["things"].items()}
KIND_OF: dict[str, str] = {
    right: kind for kind, t in THINGS.items() for right in (t.change, t.own) if right in CHANGES
}


def meant(clause: str, mode: str, before: set[str], own: bool = False) -> set[str]:
    """The rights that a clause names; ``mode``: write, read or, without a verb, nothing.

    ``own``: whether it goes on with what is one's own. ``before``: what the clauses before it named; behind a status a team and pages are changed too.
    """
    own, write = own or bool(P["own"].search(clause)), mode == "write"
    found: set[str] = set()
    for kind, thing in THINGS.items():
        said = P["of_team"].sub(" ", clause) if kind == "team" and found else clause
        if not caseless(thing.name).search(said):
            continue
        right = (thing.change if write else thing.see) or ("" if mode == "read" else thing.change)
        if own and thing.own and (kind != "levels" or mode != "read"):
            right = thing.own
        elif kind == "pay" and P["sums"].search(clause):
            right = "pay_sum"
        elif kind == "pay" and caseless(r"\braise|\brises?\b").search(clause):
            right = "pay_write"
        elif kind == "hours" and caseless(r"approved|draft").search(clause):
            right = "approved_hours" if "approved" in clause.lower() else "draft_hours"
        elif kind == "team" and not write and "status" not in before:
            right = ""
        elif kind == "wiki" and not mode and "status" in before:
            right = "wiki_write"
        found |= {right} - {""}
        if thing.alone:
            return found
    return found
