"""Whether a change may be made: a sentence read whole gives it, and none unread forbids it.

Rights say what the sentences that were understood give. This looks at the others: a sentence that
restricts what is to be changed, and is not understood, stops the change.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import regex

from playbooks.company.reckoning.fences import RESTRICTING
from playbooks.company.reckoning.office import STATUSES
from playbooks.company.rights import ACCOUNT, Asker, Rules
from playbooks.company.rule_text import SAME, Group, rights_of
from playbooks.company.things import KIND_OF, OWN, THINGS
from playbooks.company.tickets import Ticket, read_ticket, speaks_of_ticket

_ANY = r"\b(?:any|every|all|no|nothing)\b[^.]{0,20}\b(?:chang\w+|writ\w+|edit\w*|updat\w+|entr(?:y|ies))\b"
_CHANGING = (
    r"\b(?:chang|edit|updat|record(?:ed|ing|s)? (?:hours|for)|delet|renam|remov|alter|adjust|swap|correct)\w*"
    r"|\b(?:paus(?:e|es|ing)|archiv(?:e|es|ing)|set|sets|setting|mov(?:e|es|ed|ing)|clos(?:e|es|ed|ing)|put|puts|writ(?:e|es|ten|ing)|book(?:s|ed)?"
    r"|log(?:s|ged)?|enter(?:s|ed)?|rais(?:e|es|ed)|touch(?:es|ed)?|frozen|freeze)\b"
)
_CONDITION = regex.compile(
    r"\b(?:if|when|whenever|once|after|before|unless|except|provided|until|without|with the (?:consent|approval|agreement)"
    r"|consent|approv\w+|agree\w*|together with|up to|at most|first|only (?:if|when|where|with|on|for|in|of)|asks?"
    r"|confirm\w*|sign(?:s|ed)?|in writing|internal|own|temporar\w*|during|while|as long as)\b",
    regex.I,
)
_HANGS = regex.compile(
    r"\b(?:if|unless|provided|only (?:if|when|where|with|on|after)|once .*(?:approv|agree|consent|asked)|when|after"
    r"|with (?:the )?(?:consent|approval|agreement))\b", regex.I
)  # fmt: skip
_EXCLUSIVE = regex.compile(
    r"\b(?:only|alone|nobody (?:else|but)\b(?!['’]s)|no one (?:else|but)|solely|exclusively|reserved|goes? to|other than|but for)\b"
    r"|\b(?:is|are) \w+(?: only)? by\b(?! \w+ing\b)|\bby the\b", regex.I
)  # fmt: skip
_BARE = regex.compile(
    r"\b(?:never|not|nor|neither|none|nothing|cannot|except|excepted|unless|without|instead|refused?|forbidden|denied"
    r"|prohibited|frozen|freeze|until|stop(?:s|ped)?|hands? off|no(?! one))\b|n['’]t\b", regex.I
)  # fmt: skip
_OWN_LINE = regex.compile(
    r"^\W*(?:(?:they|it) )?(?:may|must|can) not\b|^\W*(?:refused|forbidden|denied|never|not|no|nothing)\b"
    r"|^\W*(?:they|it|leading|leads) (?:do|does) not\b|\b(?:change|alter) nothing\b|\bnot theirs\b"
    r"|^\W*(?:From|May|Also)?[^.]*?(?:; |, |: )(?:and )?(?:never|no|not|nothing|nobody's)\b", regex.I
)  # fmt: skip
"""What a group's own sentences say of the group alone."""
_TELLING = regex.compile(
    r"\bloads?\b|\bworkloads?\b|\bcapacity\b|\bsums?\b|\btotal\b|\bcounts?\b|\bcounted\b|\bstrong\b|\badds? (?:nothing|up)\b"
    r"|^[-*\s]*`\w+`|\bcategory\b|\bclaims?\b|\bnever an order\b|\binformation\b|\bgives? no rights\b"
    r"|\bmeans?\b|\bleft out\b|\bhow many\b|\bdo not have\b|\bspeaks? of\b|\bwe call\b|\bis asked\b|\bnumbers? are\b",
    regex.I,
)
"""A sentence of what a word means, or how something is reckoned."""
_LOAD = regex.compile(r"\b(?:work)?load(?:s|ed)?\b|\bcapacity\b|\bcounts?\b", regex.I)
_WHO = regex.compile(r"\b(?:may|must|can|cannot|only|nobody|no one|never|by)\b", regex.I)
_NO_FUNCTION = regex.compile(r"\bno function\b|\bno system\b|\bcannot reach\b", regex.I)
_HARMLESS = regex.compile(
    r"\(?\bwithout (?:the )?(?:pay|salar\w+|client|customer)\)?|\bnone for our own\b|\b(?:left|leave (?:it|them|the \w+)) alone\b"
    r"|\balone and\b|\bwith nothing else\b|\bclaim\w*\b.*\bchanges nothing\b|\bweighs? nothing\b|\b(?:that|which|fields) nobody \w+|[\"“][^\"”]*[\"”]|\bnobody else['’]s\b|\bnobody['’]s\b|^Until then nothing[^.]*",
    regex.I,
)
_MEMBERS = regex.compile(
    r"^\W*Only (?:the one|those) whose\b(?!.*\b(?:may|chang\w+|set|sets|mov\w+)\b)", regex.I
)
"""Who belongs to a group."""
_TICKETS = regex.compile(
    r"\bif (?:it|the number) is (?:missing|misshapen|wrong)\b.*\bask\b|\bnames? no (?:ticket|code|number|reference)\b|\b(?:with|without) a (?:ticket|code|number)\b",
    regex.I,
)
_APPROVAL = regex.compile(r"\b(?:approv|consent|decid|decision|agreed)", regex.I)
_OF_THEIRS = regex.compile(
    r"\bown (?=customers?|clients?|buyers?|accounts?|projects?|teams?|jobs?)", regex.I
)
"""Of somebody who leads or looks after: what the flags lead and account say already."""
_OTHERS = regex.compile(
    r"\b(?:somebody|someone|anybody|anyone) else\b|\bothers?\b|\banother\b", regex.I
)
_OF_OTHER_THINGS = {
    "hours": r"\b(?:old|wrong|mistakes?|voided|fresh|corrections?)\b",
    "levels": r"\b10\b|\bten\b",
    "pay": r"\b(?:approv|consent|decid|decision|agreed)|\blist\b|\bwhat all\b",
}
"""Of a kind of change: sentences of how, not of who."""


@dataclass(frozen=True)
class Scope:
    """What exactly is to be changed: to which status, which pages."""

    status: str = ""
    paths: tuple[str, ...] = ()

    def within(self, right: str, sentence: str) -> bool:
        """Whether a sentence that gives or keeps a right speaks of this: its statuses, its folders."""
        if (
            right == "status"
            and self.status
            and not regex.search(r"\b(?:any|every|all)\b", sentence, regex.I)
        ):
            named = {s for s, p in STATUSES if regex.search(p, sentence, regex.I)}
            return not named or self.status in named
        folders = regex.findall(r"(?<![\w/])((?:[\w-]+/)+)(?![\w-])", sentence)
        if right == "wiki_write" and folders:
            return all(any(p.startswith(f) for f in folders) for p in self.paths) and bool(
                self.paths
            )
        return True


def noun(right: str) -> str:
    """The pattern of what a change of this right changes."""
    thing = THINGS[KIND_OF[right]] if right in KIND_OF else None
    return f"{thing.name if thing else '.'}|{thing.near if thing else '.'}|{_ANY}"


def verdict(
    rules: Rules,
    asker: Asker,
    right: str,
    fences: Iterable[str],
    *,
    lead: bool,
    account: bool,
    scope: Scope | None = None,
) -> str:
    """Of a change: "yes", "denied", or "unread" where a sentence is in the way or gives too little."""
    if rules.outsider(asker):
        lead = account = False
    scope = scope or Scope()
    if not rules.allows(asker, right, lead=lead, account=account):
        return "denied"
    mine = [g for g in rules.theirs(asker, lead, account) if right in g.may]
    giving = [
        _OF_THEIRS.sub(" ", said) if rules.lead.search(g.title) or ACCOUNT.search(g.title) else said
        for g in mine for said in g.by.get(right, ())
    ]  # fmt: skip
    within = [said for said in giving if scope.within(right, said)]
    if giving and not within:
        return "denied"
    if not any(_whole(right, said) for said in within):
        return "unread"
    judge = _Judge(rules, asker, right, mine, lead, account, scope)
    found = {judge.of(said) for said in fences}
    return "denied" if "denied" in found else "unread" if "unread" in found else "yes"


def _whole(right: str, sentence: str) -> bool:
    """Whether a sentence gives a right without anything else being said about it."""
    if right == "pay_write" and _APPROVAL.search(sentence):
        return True
    own = right in ("own_levels", "own_hours")

    def plain(part: str) -> bool:
        return not _CONDITION.search(regex.sub(r"\bown\b", "", part) if own else part)

    for clause in regex.split(";", sentence):
        parts = regex.split(r",|\band\b", clause)
        told = [p for p in parts if right in rights_of(f"May change {p}")[0] | rights_of(p)[0]]
        if any(map(plain, told)) and (not _HANGS.search(clause) or _of_the_last(clause, told)):
            return True
    everything = SAME.search(sentence) or regex.search(r"\beverything\b", sentence)
    return bool(everything) and plain(sentence)


def _of_the_last(clause: str, told: list[str]) -> bool:
    """Whether a condition hangs on the last entry of a longer list alone, and that is another one."""
    *before, last = [p for p in regex.split(r",\s*(?:and\s)?|\band\b", clause) if p.strip()]
    listed = (
        len(before) >= 2
        and not _HANGS.search(",".join(before))
        and not regex.match(rf"\s*(?:{_HANGS.pattern})", last)
    )
    return listed and not any(p.strip() in last for p in told)


@dataclass(frozen=True)
class _Judge:
    """What restricting sentences mean for one change of one asker."""

    rules: Rules
    asker: Asker
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
        entries = [g for g in self.rules.groups if g.entry and g.entry == told.strip(" *-")]
        if entries:
            return self._of_entry(entries)
        said = _HARMLESS.sub(" ", told)
        for name in self.rules.actors - {self.asker.department}:
            said = said.replace(name, " ")
        said = self._about(said)
        if (
            not regex.search(RESTRICTING, said, regex.I)
            or not self._speaks_of(said)
            or self._understood(said)
        ):
            return "yes"
        if told.startswith("|"):
            return self._of_row(told)
        homes = [g for g in self.rules.groups if _is_home(g, told)]
        members = _MEMBERS.match(said)
        if homes and (members or (_OWN_LINE.search(said) and not _EXCLUSIVE.search(said))):
            refused = any(h is g and self.right in h.refused for h in homes for g in self.mine)
            return "denied" if refused else "yes"
        if _BARE.search(said):
            return "unread"
        if not _EXCLUSIVE.search(said):
            giving = [x for g in self.mine for x in g.by.get(self.right, ()) if x and x in told]
            return "yes" if any(_whole(self.right, x) for x in giving) else "unread"
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
        return "denied" if _EXCLUSIVE.search(here[0].entry) or here[0].title == "Nobody" else "yes"

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
        if _NO_FUNCTION.search(said) or (_LOAD.search(said) and not _WHO.search(said)):
            return False
        thing, changing = THINGS[self.kind], regex.search(_CHANGING, said, regex.I)
        near = regex.search(thing.near, said, regex.I)
        if near:
            before = said[: near.start()]
            near = (
                None
                if any(
                    regex.match(rf"\W*(?:The |A )?(?:{t.name})", before, regex.I)
                    for t in THINGS.values()
                )
                else near
            )
        return bool(
            (regex.search(thing.name, said, regex.I) and (changing or not _TELLING.search(said)))
            or (changing and near)
            or regex.search(_ANY, said, regex.I)
        )

    def _about(self, said: str) -> str:
        """The parts of a sentence that speak of the kind; a part that speaks of none goes with the one before."""
        parts: list[str] = []
        for part in said.split(";"):
            speaks = any(
                regex.search(f"{t.name}|{t.near}", part, regex.I)
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
        if self.right.startswith("own_") and _OTHERS.search(said) and not OWN.search(said):
            return True
        of_pay = regex.search(r"\brais(?:e|es|ed|ing)\b|\bsalar", said, regex.I)
        if self.kind in ("note", "levels") and of_pay and _APPROVAL.search(said):
            return True
        if self.kind in _OF_OTHER_THINGS and regex.search(
            _OF_OTHER_THINGS[self.kind], said, regex.I
        ):
            return True
        looking = regex.search(r"\bmay (?:say|see|learn|know|read|tell)\b", said, regex.I)
        if looking and not regex.search(_CHANGING, said, regex.I):
            return True
        return bool(speaks_of_ticket(said) or _TICKETS.search(said))

    def _named(self, said: str) -> bool:
        """Whether a sentence that gives something to one group alone gives it to the asker's."""
        if self.account and regex.search(r"\b(?:own|internal|house)\b", said, regex.I):
            return True
        who = regex.split(r"\bgoes? to\b", said)[-1]
        if (self.lead and self.rules.lead.search(who)) or (self.account and ACCOUNT.search(who)):
            return True
        own = regex.escape(self.asker.department)
        return bool(own and regex.search(rf"\b{own}\b", who))


def _is_home(group: Group, said: str) -> bool:
    """Whether a sentence stands among those about a group."""
    bare = regex.sub(r"^[-*#\d.)\s]+", "", said)
    return said in group.body or bool(group.title and bare.startswith(group.title))


def ticket_of(rules: Rules, fences: Iterable[str]) -> Ticket | None:
    """The number that changes need, wherever the wiki speaks of it."""
    if rules.ticket is not None:
        return rules.ticket
    return read_ticket("\n".join(fences), lambda _: set(), frozenset(KIND_OF))
