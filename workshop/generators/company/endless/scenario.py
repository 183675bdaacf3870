"""Scenarios of a seed: each belongs to a company, and depends on nothing but seed and number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache, lru_cache
from random import Random
from string import ascii_uppercase, digits
from types import ModuleType
from typing import Any

from workshop.generators.company.ask import CLARIFY, DENIED, INTERNAL, UNSUPPORTED, View
from workshop.generators.company.draw import draw_firm, draws
from workshop.generators.company.endless.company import draw_plan
from workshop.generators.company.endless.desk import Mode, RequestHandler
from workshop.generators.company.endless.kinds import (
    booking,
    comparing,
    paging,
    reading,
    refusing,
    sets,
    staffing,
    telling,
)
from workshop.generators.company.endless.rules import EXECUTIVE
from workshop.generators.company.endless.tables import table
from workshop.generators.company.plan import Plan
from workshop.generators.company.records import Firm
from workshop.generators.company.resolve import mistake
from workshop.generators.company.tasks.bench import Draft, full

TASKS = 10
"""So many scenarios in a row play in one company."""
MOST_TRIES = 200
Kind = Callable[[RequestHandler], Draft]
_MODULES: tuple[ModuleType, ...] = (
    *(reading, sets, comparing, telling),
    *(booking, staffing, paging, refusing),
)
_MODES: tuple[Mode, ...] = (*("may",) * 8, "may-not", "guest")
_LANGUAGES = (*["en"] * 14, "de", "de", "de", "fr", "fr", "es", "es", "zh")
_PAGES = (*[5] * 12, 4, 3, 2)
"""Page limits; what has another one, because lists are out of order, keeps it."""
_PLANTED = 15
"""A record of one task of so many holds an order that is none of the asker's."""
_BY_OUTCOME = {DENIED: "denied", CLARIFY: "clarify", UNSUPPORTED: "unsupported"}
_BY_OUTCOME[INTERNAL] = "internal"
_YEAR = date(2025, 1, 1)


class NoScenario(Exception):
    """No task could be drawn; the text says for which company."""


@dataclass(frozen=True, slots=True)
class People:
    """How many people a company has: each company draws from here."""

    least: int = 20
    most: int = 60

    def __str__(self) -> str:
        return f"{self.least}-{self.most}"

    def draw(self, seed: str, company: int) -> int:
        """The number for one company."""
        return draws(seed, f"c{company:05d}", "people").randint(self.least, self.most)


@cache
def kinds() -> dict[str, Kind]:
    """Every kind of task by name, in the order of their texts."""
    return {
        name: next(getattr(m, name) for m in _MODULES if hasattr(m, name))
        for name in table("texts")["kinds"]
    }


@lru_cache(maxsize=4)
def company(seed: str, number: int, people: People) -> tuple[Plan, Firm]:
    """Company `number` of a seed as no task has changed it yet."""
    plan = draw_plan(seed, number, people.draw(seed, number))
    return plan, draw_firm(plan, seed)


def make_scenario(seed: str, number: int, people: People) -> dict[str, Any]:
    """Scenario `number` of a seed as a pack file has it. Raises `NoScenario`."""
    plan, firm = company(seed, number // TASKS, people)
    texts = table("texts")["kinds"]
    weights = [entry["weight"] for entry in texts.values()]
    rng = draws(seed, "scenario", str(number))
    for attempt in range(MOST_TRIES):
        (name,) = rng.choices(list(texts), weights)
        spec_id = f"gen-{seed}-{number}-{name.replace('_', '-')}"
        desk = _desk(plan, firm, f"{seed}/{number}/{attempt}", spec_id, rng)
        try:
            return _made(desk, name, rng)
        except LookupError:
            # The trap cannot be set here, or a name would mean two things.
            continue
    raise NoScenario(f"no task for {plan.name} in {MOST_TRIES} tries (seed {seed}, {number})")


def _desk(plan: Plan, firm: Firm, seed: str, spec_id: str, rng: Random) -> RequestHandler:
    today = _YEAR + timedelta(days=rng.randrange(45, 340))
    return RequestHandler(
        plan, seed, spec_id, firm, plan.policy, today, rng.choice(_MODES), rng.choice(_LANGUAGES)
    )


def _made(desk: RequestHandler, name: str, rng: Random) -> dict[str, Any]:
    """The scenario of a kind. Raises `LookupError`: this draw leads nowhere."""
    entry = table("texts")["kinds"][name]
    if desk.language not in entry:
        desk = replace(desk, language="en")
    draft = _with_ticket(desk, kinds()[name](desk), rng)
    draft = _with_twists(desk, _translated(draft, desk.language), rng)
    draft, text = _around(desk, draft, entry, rng)
    if unclear := mistake(draft.firm, text, draft.said):
        raise LookupError(unclear)
    expected = draft.expected()
    first = _BY_OUTCOME.get(expected.outcome, entry["kind"])
    if desk.language != "en":
        desk.twist("language", desk.language)
    return draft.scenario(
        desk.spec_id,
        desk.plan.key,
        text,
        list(dict.fromkeys((first, entry["kind"], *desk.tags))),
        desk.firm,
    )


def _with_ticket(desk: RequestHandler, draft: Draft, rng: Random) -> Draft:
    """The draft with a ticket where a buyer wants one: a good one, none, or one with a slip."""
    takeover = draft.policy.takeover
    view = View(draft.firm, draft.policy, draft.requester, draft.today)
    needs = draft.question.needs(view)
    if not takeover or not any(right and draft.policy.needs_ticket(right) for right, _ in needs):
        return draft
    signs = {"A": ascii_uppercase, "0": digits}
    drawn = "".join(rng.choice(signs.get(sign, sign)) for sign in takeover.example)
    way = rng.randrange(20)
    if way < 4:
        desk.twist("no-ticket")
        return draft
    if way < 7:
        desk.twist("letter-for-digit")
        place = rng.choice([n for n, sign in enumerate(takeover.example) if sign == "0"])
        drawn = f"{drawn[:place]}O{drawn[place + 1 :]}"
    elif way < 9:
        desk.twist("short-ticket")
        drawn = drawn[:-1]
    else:
        desk.twist("ticket")
    return replace(draft, ticket=drawn, words={**draft.words, "ticket": drawn})


def _with_twists(desk: RequestHandler, draft: Draft, rng: Random) -> Draft:
    """The draft with what may happen to any task: smaller pages, an order planted in a note."""
    limit = rng.choice(_PAGES)
    if draft.page_limit > limit:
        desk.twist("paging")
        draft = replace(draft, page_limit=limit)
    named = [one.id for one in draft.said if one.kind == "employee"]
    if not rng.randrange(_PLANTED) and named and draft.firm.employees is desk.firm.employees:
        desk.twist("planted-order")
        note = rng.choice(table("texts")["around"]["planted"])
        draft = replace(draft, firm=draft.firm.noted({rng.choice(named): note}))
    if draft.policy.takeover:
        desk.twist("policy-change")
    view = View(draft.firm, draft.policy, draft.requester, draft.today)
    near = {right for group in draft.policy.groups if group.near for right in group.may}
    if any(right in near and at.person for right, at in draft.question.needs(view)):
        desk.twist("own-site")
    return draft


def _translated(draft: Draft, language: str) -> Draft:
    """The draft with words in place of those that are said otherwise in a language."""
    known = {
        **table("texts")["tongue"].get(language, {}),
        **table("regions")["called"].get(language, {}),
    }
    words = {
        key: known.get(word, word) if isinstance(word, str) else word
        for key, word in draft.words.items()
    }
    return replace(draft, words=words)


def _around(
    desk: RequestHandler, draft: Draft, entry: dict[str, Any], rng: Random
) -> tuple[Draft, str]:
    """The text in one of its wordings, with what stands around it, and the names in that."""
    around = table("texts")["around"]
    text = draft.filled(rng.choice(entry[desk.language]))
    if draft.ticket:
        text = rng.choice(around["ticket"]).format(ticket=draft.ticket, text=text)
    if draft.requester is None and rng.randrange(2):
        chief = desk.of(EXECUTIVE)
        said = full(chief)
        desk.twist("claimed-identity")
        text = rng.choice(around["claim"]).format(
            name=said.text, department=chief.department, text=text
        )
        draft = replace(draft, words={**draft.words, "claimed": said})
    elif desk.language == "en" and not entry.get("plain"):
        before, behind = (rng.choice(["", "", "", *around[k]]) for k in ("before", "behind"))
        text = f"{before}{text}{behind}"
    return draft, text
