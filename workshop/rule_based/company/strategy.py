"""The next step for a task: a look at the records, the change that they allow, or the answer."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

import regex

from workshop.rule_based.company import gate, programs
from workshop.rule_based.company.findings import at_sight
from workshop.rule_based.company.rights import Requester, Rules, rules_of
from workshop.rule_based.company.wishes import (
    SHOWN,
    Wish,
    billable_of,
    day_of,
    hours_of,
    names_day,
    period_of,
    quoted,
    read_wish,
    status_of,
    written,
)

_SELF = regex.compile(r"\b(?:I|me|my|mine|myself)\b", regex.I)
_PAGING = regex.compile(r"page limit|refuses (?:every|all) list|does not answer|list(?:s|ing)? .*(?:refused|forbidden)", regex.I)  # fmt: skip
_CONDITION = regex.compile(
    r"\b(?:if|unless|only when|provided|in case|as soon as|effective|as of)\b"
    r"|\b(?:starting|beginning) (?:next|from|on|in|with)\b|\b(?:from|by|after) next \w+\b"
    r"|\b(?:do not|don.t|never) (?:pause|archive|resume|close|log|book|record|set|write|swap|rename"
    r"|delete|remove|raise|put|add|void)\b",
    regex.I,
)
"""A change that is wanted under a condition, or not wanted."""
_BOUGHT = regex.compile(
    r"(?:part of|belongs? to|owned by|bought by|acquired by) (?:the )?((?:\p{Lu}[\w.&’'-]*\s?)+)"
)
_OUTSIDE = regex.compile(
    r"outside|public|visitors?|guests?|strangers?|website|anybody who asks", regex.I
)


@dataclass(frozen=True)
class Answer:
    """The one answer to the user."""

    outcome: str
    message: str
    links: tuple[tuple[str, str], ...] | None = ()
    """None: as the facts tell."""

    def closing(self) -> str:
        """The three lines of a FINISH."""
        named = ", ".join(f"{kind}:{id_}" for kind, id_ in self.links or ())
        links = "auto" if self.links is None else named or "none"
        return f"OUTCOME: {self.outcome}\nMESSAGE: {self.message}\nLINKS: {links}"


@dataclass(frozen=True)
class Step:
    """An instruction to the worker: a program and its facts."""

    name: str
    why: str
    parameters: dict[str, Any]

    def instruction(self) -> str:
        """The text that the worker gets."""
        facts = json.dumps(self.parameters, ensure_ascii=False, separators=(",", ":"))
        return f"Playbook: company / {self.name}\n{self.why}\nParameters: {facts}"


@dataclass(frozen=True)
class Briefing:
    """Who asks, what is theirs, and the rules."""

    requester: Requester
    rules: Rules
    leads: bool = True
    manages: bool = True
    raw: dict[str, Any] = field(default_factory=dict)
    told: tuple[str, ...] = ()
    """The pages that are whole in the briefing."""
    more: bool = False
    """Whether the wiki has pages that the briefing does not tell, or not whole."""

    def with_pages(self, pages: str) -> Briefing:
        """With more of the wiki read."""
        rules = rules_of(f"{self.rules.policy}\n{pages}")
        return replace(self, rules=rules, more=False)


def read_briefing(text: str) -> Briefing | None:
    """A briefing's first line of facts and the pages below it; None where nobody knows who asks."""
    first, _, pages = text.partition("\n")
    pages, others, _ = pages.partition("\nother pages: ")
    cut = regex.findall(r"(?m)^== (.+) \(parts\) ==$", pages)
    told = tuple(x for x in regex.findall(r"(?m)^== (.+) ==$", pages) if not x.endswith(" (parts)"))
    more = bool(others or cut)
    try:
        facts = json.loads(first)
        user = facts["user"]
    except (ValueError, KeyError, TypeError):
        return None
    today = str(facts.get("today", ""))
    if user == "guest":
        requester = Requester(guest=True, today=today)
        return Briefing(requester, rules_of(pages), False, False, facts, told, more)
    requester = Requester(
        user["id"], False, user.get("department", ""), user.get("location", ""), today
    )
    known = "unknown" not in facts
    leads, manages = (not known or bool(facts.get(x)) for x in ("leads", "manages"))
    return Briefing(requester, rules_of(pages), leads, manages, facts, told, more)


def decide(
    task: str, briefing: str, name: str, report: dict[str, Any] | None, findings: str = ""
) -> Step | Answer:
    """What comes next; ``name`` and ``report``: of the last step, if there was one."""
    known = read_briefing(briefing)
    if known is None:
        return Answer("error_internal", "It cannot be told who asks.")
    if not known.requester.today:
        return Answer("error_internal", "The system does not tell which day it is.")
    wish = read_wish(task)
    if report and report.get("rules"):
        known = known.with_pages(str(report["rules"]))
    if wish is None or not (may(known, wish, None) or _unread(known, wish)):
        return _at_sight(known, wish)
    if wish.kind == "unsupported":
        return Answer("none_unsupported", "No function of the system does that.")
    if wish.kind == "date":
        return _date(known, task)
    if report is None:
        seen = at_sight(wish.kind, findings)
        sure = seen and not _unread(known, wish)
        return _denied() if sure and not may(known, wish, seen) else _look(known, wish)
    if name == "write":
        return _after_write(report)
    return _after_look(known, wish, report)


def _unread(known: Briefing, wish: Wish) -> bool:
    """Whether pages that are not told yet may hold what gives this."""
    return known.more and not known.requester.guest and wish.right not in ("nobody", "wish")


def _at_sight(known: Briefing, wish: Wish | None) -> Answer:
    if wish is None and not known.requester.guest:
        return _ask("I do not understand what is wanted; please say it in other words.")
    return _denied()


def _denied() -> Answer:
    return Answer("denied_security", "I am not allowed to do or tell that.")


def _ask(text: str) -> Answer:
    return Answer("none_clarification_needed", text)


def may(known: Briefing, wish: Wish, report: dict[str, Any] | None) -> bool:
    """Whether the asker may; before a report, whether there is a way that they might."""
    rules, requester = known.rules, known.requester
    if wish.right == "nobody":
        return False
    if wish.right == "wish":
        return not requester.guest and not rules.outsider(requester)
    lead = known.leads if report is None else bool(report.get("lead"))
    account = known.manages if report is None else bool(report.get("account"))
    own = bool(_SELF.search(wish.text)) if report is None else bool(report.get("own"))

    def allowed(right: str) -> bool:
        return rules.allows(requester, right, lead=lead, account=account)

    if own and wish.own and allowed(wish.own):
        return True
    if wish.kind == "contact" and (report is None or report.get("needs")):
        return allowed("register") or allowed("contact")
    return all(map(allowed, rights(wish, report)))


def rights(wish: Wish, report: dict[str, Any] | None) -> list[str]:
    """The rights that a wish needs: as the look found, else as the words tell."""
    if report and report.get("own") and wish.own:
        return [wish.own]
    return list((report or {}).get("rights") or wish.right.split("+"))


def _date(known: Briefing, task: str) -> Answer:
    day = day_of(SHOWN.sub(" ", task), known.requester.today)
    if day is None:
        return _ask("Which day is meant?")
    return Answer("ok_answer", written(day, task) + _public_words(known))


def _public_words(known: Briefing) -> str:
    """What the policy wants people from outside to be told with every answer."""
    if not known.requester.guest:
        return ""
    for sentence in regex.split(r"(?<=[.!?])\s+(?=\p{Lu}|\d+\.|\*)|\n+", known.rules.policy):
        owner = _BOUGHT.search(sentence)
        if owner and _OUTSIDE.search(sentence):
            return f"\nWe are part of {owner[1].strip()}"
    return ""


def _look(known: Briefing, wish: Wish) -> Step | Answer:
    kind = wish.kind
    if kind not in (*programs.QUESTIONS, *programs.CHANGES, "place"):
        kind = "no_kind"
    text, ticket = wish.text, known.rules.ticket
    number = ticket.good(text) if ticket else None
    told = text.replace(number, " ") if number else text
    plain = _unquoted(told)
    day = day_of(plain, known.requester.today) if names_day(plain) else None
    parameters: dict[str, Any] = {
        "kind": kind,
        "text": told,
        "me": known.requester.id,
        "needs": (programs.QUESTIONS | programs.CHANGES).get(kind, ""),
    }
    if known.more and not known.requester.guest:
        parameters["told"] = known.told
    if kind == "hours":
        parameters["period"] = period_of(told, known.requester.today)
        if parameters["period"] is None:
            return _ask("Which period is meant?")
    if kind in programs.CHANGES:
        parameters |= {
            "day": str(day) if day else "",
            "hours": hours_of(told),
            "billable": billable_of(told),
            "status": status_of(told),
            "quoted": quoted(told),
            "ticket": number or "",
            "ticket_in_notes": bool(ticket and number and ticket.in_notes),
            "change": True,
            "noun": "|".join(map(gate.noun, [*rights(wish, None), *filter(None, [wish.own])])),
            "department": known.requester.department,
        }
    return Step(
        "look", f"Look up what is meant ({kind}) and report it; change nothing.", parameters
    )


def _unquoted(text: str) -> str:
    for quote in quoted(text):
        text = text.replace(quote, " ")
    return text


def _after_look(known: Briefing, wish: Wish, report: dict[str, Any]) -> Step | Answer:
    state, message = report.get("state"), str(report.get("message", ""))
    links = tuple((str(k), str(i)) for k, i in report.get("links", ()))
    if state == "failed":
        return _failed(message)
    unclear = state == "unclear"
    if unclear and not may(known, wish, None):
        return _denied()
    if unclear and "denied" in _judged(known, wish, report, known.leads, known.manages):
        return _denied()
    if state == "unclear":
        return _ask(message[:1].upper() + message[1:])
    if state == "denied" or not may(known, wish, report):
        return _denied()
    if state == "none":
        return Answer("ok_not_found", message)
    if wish.kind in programs.CHANGES:
        return _change(known, wish, report, message, links)
    return Answer("ok_answer", message + _public_words(known), links)


def _change(
    known: Briefing,
    wish: Wish,
    report: dict[str, Any],
    message: str,
    links: tuple[tuple[str, str], ...],
) -> Step | Answer:
    fences = [str(x) for x in report.get("fences") or ()]
    said = _judged(known, wish, report, bool(report.get("lead")), bool(report.get("account")))
    if "denied" in said:
        return _denied()
    if said != {"yes"}:
        return _ask("The rules for this change are not clear to me; who allows it?")
    if wish.kind != "apply_raise" and _CONDITION.search(_unquoted(wish.text)):
        return _ask("On what does the change hang?")
    ticket = gate.ticket_of(known.rules, fences, rights(wish, report))
    if ticket and not ticket.good(wish.text):
        return _ask("This change needs a number of the right form; please name it.")
    calls = report.get("calls") or []
    if not calls:
        return Answer("ok_answer", f"{message} Nothing had to be changed.", links)
    parameters = {"calls": calls, "message": message, "links": [list(x) for x in links]}
    return Step("write", "Make these changes, in this order, and nothing beside them.", parameters)


def _judged(
    known: Briefing, wish: Wish, report: dict[str, Any], lead: bool, account: bool
) -> set[str]:
    """What the rules say of each right that a change needs; nothing of a question."""
    scope = gate.Scope(status_of(wish.text) or "", tuple(report.get("paths") or ()), wish.text)
    fences = [str(x) for x in report.get("fences") or ()]
    return {
        gate.verdict(
            known.rules, known.requester, right, fences, lead=lead, account=account, scope=scope
        )
        for right in (rights(wish, report) if wish.kind in programs.CHANGES else ())
    }


def _after_write(report: dict[str, Any]) -> Answer:
    if report.get("state") != "done":
        return _failed(str(report.get("message", "")))
    links = tuple((str(k), str(i)) for k, i in report.get("links", ()))
    return Answer("ok_answer", str(report.get("message", "")), links)


def _failed(message: str) -> Answer:
    if _PAGING.search(message):
        return Answer("error_internal", "The system does not give the records that are needed.")
    return _ask(f"That could not be done: {message[:200]}")
