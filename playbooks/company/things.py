"""The things that rights are of: by which words sentences name them, and the rights to see and change them."""

from __future__ import annotations

from dataclasses import dataclass

import regex

PLAIN = frozenset({"register", "wiki_read", "own_pay", "date", "place"})
"""Rights that whoever is signed in has unless a sentence refuses them."""
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
OWN = regex.compile(r"\b(?:their|his|her|one's|your|our) own\b|\bown\b|\boneself\b", regex.I)
POSITIVE = regex.compile(
    r"^\W*(?:they |and |but )?(?:may|can|are allowed to)\b(?! not| never)", regex.I
)
NEGATIVE = regex.compile(
    r"^\W*(?:(?:they |who )?may not|must not|cannot|can't|are not|refused|denied|forbidden"
    r"|not|never|nor|no|nothing|nobody|they do not|do not|does not|they (?:change|alter) nothing)\b"
    r"|\b(?:may|must|can) (?:not|never)\b|\bdo(?:es)? not\b|\bnot even\b|\bnever\b"
    r"|\boff.limits\b|\b(?:is|are|remains?|stays?) (?:not(?! signed| logged| known)|refused|forbidden|denied|prohibited|secret|closed)\b"
    r"|\b(?:change|alter) nothing\b|\bnothing about\b|\bgo(?:es)? to nobody\b|\bto nobody\b|\bneither\b", regex.I
)  # fmt: skip


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


THINGS = {
    "pay": Thing(
        r"\bpay\b|\bpaid\b|salar|\braises?\b|\b(?:a|the|any|approved|pay) rises?\b|\bwages?\b|\bearns?\b|compensation", "pay", "pay_write",
        "own_pay", r"\brecords?\b|\bamounts?\b|\bprofiles?\b", alone=True),
    "hours": Thing(
        r"\bhours?\b|\btime\b", "hours", "draft_hours", "own_hours",
        r"\bentr(?:y|ies)\b|\bbook(?:s|ings?)?\b|\blogs?\b", alone=True),
    "note": Thing(r"\bnotes?\b", "notes", "note_write", near=r"\bprofiles?\b|\brecords?\b|\bpeople\b", alone=True),
    "contact": Thing(r"contact", "contact", "contact", alone=True),
    "levels": Thing(
        r"\bskills?\b|\bwills?\b|\blevels?\b|can do|abilit|competenc|motivation|\breadiness\b", "levels", "levels_write",
        "own_levels", r"\bcrafts?\b|\binterests?\b|\brecords?\b|\bpeople\b|\bprofiles?\b"),
    "load": Thing(r"\bload(?:ed|s)?\b|workload|\bbus(?:y|ier|iest)\b|utili[sz]ation|capacity", "load", "load"),
    "status": Thing(r"\bstatus|\bphases?\b|\bpaus|\barchiv", "", "status", near=r"\bprojects?\b|\bjobs?\b|\bphases?\b"),
    "team": Thing(
        r"\bteams?\b|who is on|\bstaffing\b", "", "team",
        near=r"\brol(?:e|es)\b|\bshares?\b|\bslices?\b|\bmembers?\b|\bpeople\b|\bprojects?\b"),
    "wiki": Thing(
        r"\bwiki\b|\bpages?\b|handbook|\b(?:this|house|our|the) book\b|\bmanual\b", "wiki_read", "wiki_write",
        near=r"\bbook\b|\barticles?\b|\btexts?\b"),
    "account": Thing(r"looks after|account manager", "account_manager", "account_manager"),
    "place": Thing(
        r"\bsites?\b|\bplaces?\b|\btowns?\b|\bcit(?:y|ies)\b|where|studios?|offices?|locations?|countr|stations?|workshops?|quays?"
        r"|\bshops?\b|\bstores?\b|branch|premises|depots?\b|plants?\b|\bmills?\b|\byards?\b", "place", "place"),
    "date": Thing(r"\bdates?\b|what day|which day|\btoday|\bdays?\b", "date", "date"),
    "register": Thing(
        r"names?\b|\bmail|directory|register|projects?|\bjobs?\b|people|customers?|clients?|buyers?|departments?|roles?", "register"),
}  # fmt: skip
KIND_OF = {
    right: kind for kind, t in THINGS.items() for right in (t.change, t.own) if right in CHANGES
}
_SUMS = regex.compile(
    r"\blist|sum|total|average|added up|several|everybody|everyone|all of|all people", regex.I
)


def meant(clause: str, mode: str, before: set[str]) -> set[str]:
    """The rights that a clause names; ``mode``: write, read or, without a verb, nothing.

    ``before``: what the clauses before it named; behind a status a team and pages are changed too.
    """
    own, write = bool(OWN.search(clause)), mode == "write"
    found: set[str] = set()
    for kind, thing in THINGS.items():
        if not regex.search(thing.name, clause, regex.I):
            continue
        right = (thing.change if write else thing.see) or ("" if mode == "read" else thing.change)
        if own and thing.own and (kind != "levels" or mode != "read"):
            right = thing.own
        elif kind == "pay" and _SUMS.search(clause):
            right = "pay_sum"
        elif kind == "pay" and regex.search(r"\braise|\brises?\b", clause, regex.I):
            right = "pay_write"
        elif kind == "hours" and regex.search(r"approved|draft", clause, regex.I):
            right = "approved_hours" if "approved" in clause.lower() else "draft_hours"
        elif kind == "team" and not write and "status" not in before:
            right = ""
        elif kind == "wiki" and not mode and "status" in before:
            right = "wiki_write"
        found |= {right} - {""}
        if thing.alone:
            return found
    return found
