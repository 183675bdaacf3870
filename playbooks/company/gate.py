"""Whether a change may be made: a sentence read whole gives it, and none unread forbids it.

Rights say what the sentences that were understood give. This looks at the others: a sentence that
restricts what is to be changed, and is not understood, stops the change.
"""

from __future__ import annotations

from collections.abc import Iterable

import regex

from playbooks.company.reckoning.fences import RESTRICTING
from playbooks.company.rights import ACCOUNT, LEAD, Asker, Rules
from playbooks.company.rule_text import SAME as _SAME
from playbooks.company.rule_text import Group, rights_of
from playbooks.company.tickets import Ticket, read_ticket, speaks_of_ticket

NOUNS = {
    "status": r"\bstatus|\bpaus|\barchiv",
    "team": r"\bteams?\b|\bstaffing\b|\bwho is on\b",
    "hours": r"\bhours?\b|\btime\b",
    "note": r"\bnotes?\b",
    "levels": r"\blevels?\b|\bskills?\b|\bwills?\b|competen|abilit",
    "pay": r"\bpay\b|salar|\braises?\b|\bwages?\b|\bearns?\b|compensation",
    "wiki": r"\bwiki\b|\bpages?\b|\bhandbook\b",
}
"""What a change is of, by its own name."""
NEAR = {
    "status": r"\bprojects?\b|\bjobs?\b|\bphases?\b",
    "team": r"\brol(?:e|es)\b|\bshares?\b|\bslices?\b|\bmembers?\b|\bpeople\b|\bprojects?\b",
    "hours": r"\bentr(?:y|ies)\b|\bbook(?:s|ings?)?\b|\blogs?\b",
    "note": r"\bprofiles?\b|\brecords?\b|\bpeople\b",
    "levels": r"\bcrafts?\b|\binterests?\b|\brecords?\b|\bpeople\b|\bprofiles?\b",
    "pay": r"\brecords?\b|\bamounts?\b|\bprofiles?\b",
    "wiki": r"\bbook\b|\barticles?\b|\btexts?\b",
}
"""What may stand for it, where a sentence also speaks of changing."""
_ANY = r"\b(?:any|every|all|no|nothing)\b[^.]{0,20}\b(?:chang\w+|writ\w+|edit\w*|updat\w+|entr(?:y|ies))\b"
_CHANGING = (
    r"\b(?:chang|edit|updat|record(?:ed|ing|s)? (?:hours|for)|delet|renam|remov|alter|adjust|swap|correct)\w*"
    r"|\b(?:paus(?:e|es|ing)|archiv(?:e|es|ing)|set|sets|setting|mov(?:e|es|ed|ing)|clos(?:e|es|ed|ing)|put|puts|writ(?:e|es|ten|ing)|book(?:s|ed)?"
    r"|log(?:s|ged)?|enter(?:s|ed)?|rais(?:e|es|ed)|touch(?:es|ed)?|frozen|freeze)\b"
)
_OF = {
    "status": "status", "team": "team", "draft_hours": "hours", "own_hours": "hours",
    "note_write": "note", "levels_write": "levels", "own_levels": "levels", "pay_write": "pay",
    "wiki_write": "wiki",
}  # fmt: skip
_CONDITION = regex.compile(
    r"\b(?:if|when|whenever|once|after|before|unless|except|provided|until|without|with the (?:consent|approval|agreement)"
    r"|consent|approv\w+|agree\w*|together with|up to|at most|first|only (?:if|when|where|with|on|for|in|of)|asks?"
    r"|confirm\w*|sign(?:s|ed)?|in writing|internal|own|temporar\w*|during|while|as long as)\b",
    regex.I,
)
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
    r"|^\W*(?:they|it|leading|leads) (?:do|does) not\b|\bchange nothing\b", regex.I
)  # fmt: skip
_MIXED = regex.compile(
    r"^\W*(?:From|May|Also)?[^.]*?(?:; |, |: )(?:and )?(?:never|no|not|nothing|nobody's)\b", regex.I
)
_OLD = regex.compile(r"\b(?:old|wrong|mistakes?|voided|fresh|corrections?)\b", regex.I)
_TELLING = regex.compile(
    r"\bloads?\b|\bworkloads?\b|\bcapacity\b|\bsums?\b|\btotal\b|\bcounts?\b|\bcounted\b|\bstrong\b"
    r"|^[-*\s]*`\w+`|\bcategory\b|\bclaims?\b|\bnever an order\b|\binformation\b|\bgives? no rights\b"
    r"|\bmeans?\b|\bleft out\b|\bhow many\b|\bdo not have\b|\bspeaks? of\b|\bwe call\b|\bis asked\b|\bnumbers? are\b",
    regex.I,
)
"""A sentence of what a word means, or how something is reckoned."""
_LOAD = regex.compile(r"\b(?:work)?loads?\b|\bcapacity\b|\bcounts?\b", regex.I)
_WHO = regex.compile(r"\b(?:may|must|can|cannot|only|nobody|no one|never|by)\b", regex.I)
_NO_FUNCTION = regex.compile(r"\bno function\b|\bno system\b|\bcannot reach\b", regex.I)
_CEILING = regex.compile(r"\b10\b|\bten\b", regex.I)
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
    r"\bif it is (?:missing|misshapen|wrong)\b.*\bask\b|\bnames? no (?:ticket|code|number|reference)\b|\b(?:with|without) a (?:ticket|code|number)\b",
    regex.I,
)
_APPROVAL = regex.compile(r"\b(?:approv|consent|decid|decision|agreed)", regex.I)


def noun(right: str) -> str:
    """The pattern of what a change of this right changes."""
    kind = _OF.get(right, "")
    return f"{NOUNS.get(kind, '.')}|{NEAR.get(kind, '.')}|{_ANY}"


def _speaks_of(kind: str, said: str) -> bool:
    """Whether a sentence speaks of changes of a kind."""
    if _NO_FUNCTION.search(said) or (_LOAD.search(said) and not _WHO.search(said)):
        return False
    changing = regex.search(_CHANGING, said, regex.I)
    return bool(
        (
            regex.search(NOUNS.get(kind, "."), said, regex.I)
            and (changing or not _TELLING.search(said))
        )
        or (changing and regex.search(NEAR.get(kind, "."), said, regex.I))
        or regex.search(_ANY, said, regex.I)
    )


def verdict(
    rules: Rules, asker: Asker, right: str, fences: Iterable[str], *, lead: bool, account: bool
) -> str:
    """Of a change: "yes", "denied", or "unread" where a sentence is in the way or gives too little."""
    if rules.outsider(asker):
        lead = account = False
    if not rules.allows(asker, right, lead=lead, account=account):
        return "denied"
    mine = [g for g in rules.theirs(asker, lead, account) if right in g.may]
    if not any(_whole(right, said) for g in mine for said in g.by.get(right, ())):
        return "unread"
    found = {_judged(rules, asker, right, said, mine, lead, account) for said in fences}
    return "denied" if "denied" in found else "unread" if "unread" in found else "yes"


def _whole(right: str, sentence: str) -> bool:
    """Whether a sentence gives a right without anything else being said about it."""
    if right == "pay_write" and _APPROVAL.search(sentence):
        return True
    own = right in ("own_levels", "own_hours")

    def plain(part: str) -> bool:
        return not _CONDITION.search(regex.sub(r"\bown\b", "", part) if own else part)

    for clause in regex.split(";", sentence):
        told = [
            part
            for part in regex.split(r",|\band\b", clause)
            if right in rights_of(f"May change {part}")[0] | rights_of(part)[0]
        ]
        if any(map(plain, told)) and not _hangs(clause):
            return True
        before = regex.split(r", once\b|, if\b", clause)
        if len(before) == 2 and right != "pay_write" and _APPROVAL.search(before[1]):
            last = regex.split(r",|\band\b", before[0])[-1]
            if regex.search(NOUNS["pay"], last) and any(map(plain, told)) and last not in told:
                return True
    return bool(_SAME.search(sentence) or regex.search(r"\beverything\b", sentence)) and plain(
        sentence
    )


def _hangs(clause: str) -> bool:
    return bool(regex.search(
        r"\b(?:if|unless|provided|only (?:if|when|where|with|on|after)|once .*(?:approv|agree|consent|asked)|when|after"
        r"|with (?:the )?(?:consent|approval|agreement))\b", clause, regex.I,
    ))  # fmt: skip


def _judged(
    rules: Rules, asker: Asker, right: str, told: str, mine: list[Group], lead: bool, account: bool
) -> str:
    """What one restricting sentence means for a change of the asker's."""
    kind = _OF.get(right, "")
    said = _about(kind, _HARMLESS.sub(" ", told))
    if not said or not regex.search(RESTRICTING, said, regex.I) or not _speaks_of(kind, said):
        return "yes"
    if _understood(kind, said):
        return "yes"
    if told.startswith("|"):
        cell = told.strip("| ").split("|")[0].strip(" *`")
        rows = [g for g in rules.groups if g.title == cell and (g.may or g.refused)]
        return (
            "yes" if rows and not any(right in g.refused for g in rows if g in mine) else "unread"
        )
    homes = [g for g in rules.groups if _is_home(g, told)]
    local = homes and (_OWN_LINE.search(said) or _MIXED.search(said) or _MEMBERS.match(said))
    if local and (not _EXCLUSIVE.search(said) or _MEMBERS.match(said)):
        return (
            "denied" if any(h is g and right in h.refused for h in homes for g in mine) else "yes"
        )
    if _BARE.search(said):
        return "unread"
    if not _EXCLUSIVE.search(said):
        giving = [x for g in mine for x in g.by.get(right, ()) if x and x in told]
        return "yes" if any(_whole(right, x) for x in giving) else "unread"
    return "yes" if _named(rules, asker, said, lead, account) else "unread"


def _about(kind: str, said: str) -> str:
    """The parts of a sentence that speak of a kind; a part that speaks of none goes with the one before."""
    parts: list[str] = []
    for part in said.split(";"):
        speaks = any(regex.search(n, part, regex.I) for n in [*NOUNS.values(), *NEAR.values()])
        if parts and not speaks:
            parts[-1] += ";" + part
        else:
            parts.append(part)
    kept = [p for p in parts if _speaks_of(kind, p)]
    return ";".join(kept)


def _understood(kind: str, said: str) -> bool:
    """Whether a sentence is of something else than who may change what."""
    gives, refuses = rights_of(said)
    if refuses and refuses <= {"approved_hours", "pay_sum"} and not gives:
        return True
    if kind == "pay" and (_APPROVAL.search(said) or regex.search(r"\blist\b", said, regex.I)):
        return True
    of_pay = regex.search(r"\brais(?:e|es|ed|ing)\b|\bsalar", said, regex.I)
    if kind in ("note", "levels") and of_pay and _APPROVAL.search(said):
        return True
    if kind == "hours" and _OLD.search(said):
        return True
    if kind == "levels" and _CEILING.search(said):
        return True
    looking = regex.search(r"\bmay (?:say|see|learn|know|read|tell)\b", said, regex.I)
    if looking and not regex.search(_CHANGING, said, regex.I):
        return True
    return bool(speaks_of_ticket(said) or _TICKETS.search(said))


def _is_home(group: Group, said: str) -> bool:
    """Whether a sentence stands among those about a group."""
    bare = regex.sub(r"^[-*#\d.)\s]+", "", said)
    return said in group.body or bool(group.title and bare.startswith(group.title))


def _named(rules: Rules, asker: Asker, said: str, lead: bool, account: bool) -> bool:
    """Whether a sentence that gives something to one group alone gives it to the asker's."""
    if account and regex.search(r"\b(?:own|internal|house)\b", said, regex.I):
        return True
    who = regex.split(r"\bgoes? to\b", said)[-1]
    if (lead and LEAD.search(who)) or (account and ACCOUNT.search(who)):
        return True
    own = regex.escape(asker.department)
    return bool(own and regex.search(rf"\b{own}\b", who))


def ticket_of(rules: Rules, fences: Iterable[str]) -> Ticket | None:
    """The number that changes need, wherever the wiki speaks of it."""
    if rules.ticket is not None:
        return rules.ticket
    return read_ticket("\n".join(fences), lambda _: set(), frozenset(_OF))


__all__ = ["noun", "ticket_of", "verdict"]
