"""Whether a change may be made: a sentence read whole gives it, and none unread forbids it.

Rights say what the sentences that were understood give. This looks at the others: a sentence that
restricts what is to be changed, and is not understood, stops the change.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import regex

from workshop.rule_based.company.patterns import P, cased, caseless
from workshop.rule_based.company.reckoning.fences import RESTRICTING
from workshop.rule_based.company.reckoning.meanings import STATUSES
from workshop.rule_based.company.reckoning.office import NUMBERS
from workshop.rule_based.company.rights import Requester, Rules
from workshop.rule_based.company.rule_text import Group, changes_in, rights_of
from workshop.rule_based.company.things import CHANGES, KIND_OF, THINGS
from workshop.rule_based.company.tickets import Ticket, read_ticket, sentences, speaks_of_ticket
from workshop.rule_based.company.wishes import hours_of

_OF_OTHER_THINGS = {
    "hours": r"\bthan (?:as )?(?:a )?drafts?\b|\b(?:old|wrong|mistakes?|voided|fresh|corrections?)\b",
    "levels": r"\b10\b|\bten\b",
    "pay": r"\b(?:approv|consent|decid|decision|agreed)|\blist\b|\bwhat all\b",
}
"""Of a kind of change: sentences of how, not of who."""


@dataclass(frozen=True)
class Scope:
    """What exactly is to be changed: to which status, which pages."""

    status: str = ""
    paths: tuple[str, ...] = ()
    text: str = ""
    """The task's own words: `after a review` is met where they speak of one."""

    def met(self, sentence: str) -> str:
        """A sentence without the conditions that the task says are met."""
        return caseless(r"\b(?:after|following) (?:a|an|the|each|every)(?: \w+)? (\w+)").sub(
            lambda m: " " if caseless(rf"\b{m[1]}").search(self.text) else m[0], sentence
        )

    def within(self, right: str, sentence: str) -> bool:
        """Whether a sentence that gives or keeps a right speaks of this: its statuses, its folders."""
        if (
            right == "status"
            and self.status
            and not caseless(r"\b(?:any|every|all)\b").search(sentence)
        ):
            named = {s for s, p in STATUSES if caseless(p).search(sentence)}
            return not named or self.status in named
        folders = cased(r"(?<![\w/])((?:[\w-]+/)+)(?![\w-])").findall(sentence)
        if right == "wiki_write" and folders:
            return all(any(p.startswith(f) for f in folders) for p in self.paths) and bool(
                self.paths
            )
        return True


def noun(right: str) -> str:
    """The pattern of what a change of this right changes."""
    thing = THINGS[KIND_OF[right]] if right in KIND_OF else None
    return f"{thing.name if thing else '.'}|{thing.near if thing else '.'}|{P['any'].pattern}"


def verdict(
    rules: Rules,
    requester: Requester,
    right: str,
    fences: Iterable[str],
    *,
    lead: bool,
    account: bool,
    scope: Scope | None = None,
) -> str:
    """Of a change: "yes", "denied", or "unread" where a sentence is in the way or gives too little."""
    if rules.outsider(requester):
        lead = account = False
    scope = scope or Scope()
    if not rules.allows(requester, right, lead=lead, account=account):
        return "denied"
    mine = [g for g in rules.theirs(requester, lead, account) if right in g.may]
    giving = [
        P["of_theirs"].sub(" ", said) if rules.lead.search(g.title) or P["account"].search(g.title) else said
        for g in mine for said in g.by.get(right, ())
    ]  # fmt: skip
    within = [said for said in giving if scope.within(right, said)]
    if giving and not within:
        return "denied"
    if not any(_whole(right, scope.met(said)) for said in within):
        return "unread"
    judge = _Judge(rules, requester, right, mine, lead, account, scope)
    found = {judge.of(said) for said in fences}
    return "denied" if "denied" in found else "unread" if "unread" in found else "yes"


def _whole(right: str, sentence: str) -> bool:
    """Whether a sentence gives a right without anything else being said about it."""
    if right == "pay_write" and P["approval"].search(sentence):
        return True
    if P["states"].search(sentence) and not P["grants"].search(sentence):
        return False
    own = right in ("own_levels", "own_hours")

    def plain(part: str) -> bool:
        return not P["condition"].search(cased(r"\bown\b").sub("", part) if own else part)

    for clause in cased(";").split(sentence):
        parts = cased(r",|\band\b").split(clause)
        told = [p for p in parts if right in rights_of(f"May change {p}")[0] | rights_of(p)[0]]
        if any(map(plain, told)) and (not P["hangs"].search(clause) or _of_the_last(clause, told)):
            return True
    everything = P["same"].search(sentence) or cased(r"\beverything\b").search(sentence)
    return bool(everything) and plain(sentence)


def _of_the_last(clause: str, told: list[str]) -> bool:
    """Whether a condition hangs on the last entry of a longer list alone, and that is another one."""
    *before, last = [p for p in cased(r",\s*(?:and\s)?|\band\b").split(clause) if p.strip()]
    listed = (
        len(before) >= 2
        and not P["hangs"].search(",".join(before))
        and not cased(rf"\s*(?:{P['hangs'].pattern})").match(last)
    )
    return listed and not any(p.strip() in last for p in told)


@dataclass(frozen=True)
class _Judge:
    """What restricting sentences mean for one change of one asker."""

    rules: Rules
    requester: Requester
    right: str
    mine: list[Group]
    lead: bool
    account: bool
    scope: Scope

    @property
    def kind(self) -> str:
        return KIND_OF.get(self.right, "")

    def of(self, told: str) -> str:
        """Of one sentence: "yes", "denied" or "unread"."""
        most = P["at_most"].search(told) if self.kind == "hours" else None
        if most:
            number = most["n"].lower()
            bound = float(number) if number.isdigit() else NUMBERS.index(number) + 1
            return "denied" if any(h > bound for h in hours_of(self.scope.text)) else "yes"
        entries = [g for g in self.rules.groups if g.entry and g.entry == told.strip(" *-")]
        if entries:
            return self._of_entry(entries)
        said = P["harmless"].sub(" ", told)
        for name in self.rules.actors - {self.requester.department}:
            said = said.replace(name, " ")
        said = self._about(said)
        if (
            not caseless(RESTRICTING).search(said)
            or not self._speaks_of(said)
            or self._understood(said)
            or self._of_else(told)
        ):
            return "yes"
        if told.startswith("|"):
            return self._of_row(told)
        homes = [g for g in self.rules.groups if _is_home(g, told)]
        members = P["members"].match(said)
        if homes and (members or (P["own_line"].search(said) and not P["exclusive"].search(said))):
            refused = any(h is g and self.right in h.refused for h in homes for g in self.mine)
            return "denied" if refused else "yes"
        if P["bare"].search(said):
            return "unread"
        if not P["exclusive"].search(said):
            giving = [x for g in self.mine for x in g.by.get(self.right, ()) if x and x in told]
            return "yes" if any(_whole(self.right, self.scope.met(x)) for x in giving) else "unread"
        return "yes" if self._named(said) else "unread"

    def _of_entry(self, entries: list[Group]) -> str:
        """Of an entry that names an action and those who may do it."""
        here = [
            g
            for g in entries
            if self.right in g.may | g.refused and self.scope.within(self.right, g.body)
        ]
        if not here or any(g in self.mine for g in here):
            return "yes"
        return (
            "denied" if P["exclusive"].search(here[0].entry) or here[0].title == "Nobody" else "yes"
        )

    def _of_else(self, told: str) -> bool:
        """Whether a sentence gives this to the asker's group alone, or refuses other things only."""
        said = P["dropped"].sub(" ", told)
        gives, refuses = rights_of(said)
        thing = THINGS[self.kind]
        if refuses and self.right not in gives | refuses:
            if not P["changing"].search(said):
                return True
            return bool(refuses & CHANGES and not caseless(thing.name).search(said))
        bare = told.strip(" *-")
        homes = [g for g in self.rules.groups if g.sure and bare in g.body]
        if any(h.title == "Nobody" for h in homes):
            closed = rights_of(f"May not {bare}")[1]
            return bool(closed) and self.right not in closed
        if homes and not P["nobody_at_all"].search(said) and not P["exclusive"].search(said):
            return not any(
                h in self.mine or h in self.rules.theirs(self.requester, self.lead, self.account)
                for h in homes
            )
        mine = [g for g in self.mine if g.title and g.title[:1].isupper() and _is_home(g, told)]
        return bool(P["exclusive"].search(said) and not P["bare"].search(said) and mine)

    def _of_row(self, told: str) -> str:
        cell = told.strip("| ").split("|")[0].strip(" *`")
        rows = [g for g in self.rules.groups if g.title == cell and (g.may or g.refused)]
        return (
            "yes"
            if rows and not any(self.right in g.refused for g in rows if g in self.mine)
            else "unread"
        )

    def _speaks_of(self, said: str) -> bool:
        """Whether a sentence speaks of changes of this kind."""
        if P["no_function"].search(said) or (P["load"].search(said) and not P["who"].search(said)):
            return False
        thing, changing = THINGS[self.kind], P["changing"].search(said)
        near = caseless(thing.near).search(said)
        if near:
            before = said[: near.start()]
            near = (
                None
                if any(
                    caseless(rf"\W*(?:The |A )?(?:{t.name})").match(before) for t in THINGS.values()
                )
                else near
            )
        return bool(
            (caseless(thing.name).search(said) and (changing or not P["telling"].search(said)))
            or (changing and near)
            or P["any"].search(said)
        )

    def _about(self, said: str) -> str:
        """The parts of a sentence that speak of the kind; a part that speaks of none goes with the one before."""
        parts: list[str] = []
        for part in said.split(";"):
            speaks = any(
                caseless(f"{t.name}|{t.near}").search(part)
                for t in THINGS.values()
                if t.near != "."
            )
            if parts and not speaks:
                parts[-1] += ";" + part
            else:
                parts.append(part)
        return ";".join(p for p in parts if self._speaks_of(p))

    def _understood(self, said: str) -> bool:
        """Whether a sentence is of something else than who may change what."""
        gives, refuses = rights_of(said)
        if refuses and refuses <= {"approved_hours", "pay_sum"} and not gives:
            return True
        if P["by_default"].search(said) or (
            self.right.startswith("own_") and P["only_own"].search(said)
        ):
            return True
        if self.right.startswith("own_") and P["others"].search(said) and not P["own"].search(said):
            return True
        of_pay = caseless(r"\brais(?:e|es|ed|ing)\b|\bsalar").search(said)
        if self.kind in ("note", "levels") and of_pay and P["approval"].search(said):
            return True
        if self.kind in _OF_OTHER_THINGS and caseless(_OF_OTHER_THINGS[self.kind]).search(said):
            return True
        looking = caseless(r"\bmay (?:say|see|learn|know|read|tell)\b").search(said)
        if looking and not P["changing"].search(said):
            return True
        return bool(speaks_of_ticket(said) or P["tickets"].search(said))

    def _named(self, said: str) -> bool:
        """Whether a sentence that gives something to one group alone gives it to the asker's."""
        if self.account and caseless(r"\b(?:own|internal|house)\b").search(said):
            return True
        who = cased(r"\bgoes? to\b").split(said)[-1]
        if (self.lead and self.rules.lead.search(who)) or (
            self.account and P["account"].search(who)
        ):
            return True
        own = regex.escape(self.requester.department)
        return bool(own and cased(rf"\b{own}\b").search(who))


def _is_home(group: Group, said: str) -> bool:
    """Whether a sentence stands among those about a group."""
    bare = cased(r"^[-*#\d.)\s]+").sub("", said)
    return (
        said in group.body
        or said[-60:].strip(" *_") in group.body
        or bool(group.title and bare.startswith(group.title))
    )


def ticket_of(rules: Rules, fences: Iterable[str], rights: Iterable[str]) -> Ticket | None:
    """The number that a change of these rights needs, wherever the wiki speaks of it.

    Where all that is said of numbers names other changes it needs none; hours may need another one.
    """
    fences, wanted = list(fences), set(rights)
    told = [s for s in (*sentences(rules.policy), *fences) if speaks_of_ticket(s)]
    others = [changes_in(s) for s in told if not caseless(r"\b(?:any|every|all|each)\b").search(s)]
    elsewhere = all(named and not named & wanted for named in others)
    if (
        elsewhere
        and told
        and not wanted & {"draft_hours", "own_hours"}
        and len(others) == len(told)
    ):
        return None
    if rules.ticket is not None:
        return rules.ticket
    return read_ticket("\n".join(fences), lambda _: set(), frozenset(KIND_OF))
