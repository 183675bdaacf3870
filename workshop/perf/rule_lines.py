"""Whether the lines that code chooses from a wiki hold the one that decides a generated task.

    python -m workshop.perf.rule_lines [--count 1000] [--seed NAME] [--pages 40]

The generator knows which right a task takes and how a wiki words it. A task that is allowed needs
a line that gives the right to a group of the requester; one that is refused needs the line on that
right, or all lines of the requester's own groups; after a takeover the line on tickets, too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import mean
from typing import Any

import typer

from company_tools.grants import Requester
from company_tools.rule_choice import chosen, excerpt_size
from company_tools.wiki_lines import Line, context_of, lines_of
from workshop.generators.company.policy import GUEST, Policy, Right, Target
from workshop.generators.company.records import Employee, Firm
from workshop.generators.company.scenario import TASKS, People, company, make_scenario
from workshop.generators.company.task import Draft, TaskBuilder

PEOPLE = People(20, 30)
NOBODY = ("several", "wipe", "together or side by side", "wiped", "deletion")
"""Words of the generator's own lines on what is refused to everybody."""


@dataclass
class Case:
    """A task with what decides it."""

    text: str
    who: Requester | None
    pages: dict[str, str]
    needs: list[set[tuple[str, int]]]
    """For each need its lines, of which one has to be shown."""
    layout: str


@dataclass
class Count:
    """What was counted of one layout."""

    cases: int = 0
    missed: int = 0
    lines: list[int] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)


@contextmanager
def drawn() -> Iterator[list[tuple[TaskBuilder, Draft]]]:
    """What the generator draws meanwhile."""
    held: list[tuple[TaskBuilder, Draft]] = []
    expected = TaskBuilder.expected

    def keep(self: TaskBuilder, draft: Draft) -> Any:
        held.append((self, draft))
        return expected(self, draft)

    TaskBuilder.expected = keep  # type: ignore[method-assign]
    try:
        yield held
    finally:
        TaskBuilder.expected = expected  # type: ignore[method-assign]


def case_of(seed: str, number: int, held: list[tuple[TaskBuilder, Draft]], fill: int) -> Case:
    """A scenario as a case; the last draft is that of the scenario."""
    held.clear()
    scenario = make_scenario(seed, number, PEOPLE)
    task, draft = held[-1]
    pages = dict(task.firm.wiki)
    for n in range(fill - len(pages)):
        pages[f"notes/{n:02}.md"] = filler(seed, number // TASKS, n)
    needs = [
        need for right, target in draft.needs
        for need in _needed(task.policy, right, target, draft.requester, pages)
    ]  # fmt: skip
    layout = next((p for parts in task.plan.book.pages.values() for p in parts if "right" in p), "")
    who = _requester(draft.requester, task.firm)
    return Case(scenario["task_text"], who, pages, needs, layout)


def filler(seed: str, number: int, n: int) -> str:
    """A page of another company's wiki that sets no rights: history, places, systems."""
    plan, firm = company(f"{seed}-filler", number * 4 + n // 7, PEOPLE)
    parts = plan.book.pages.items()
    plain = [path for path, names in parts if path in firm.wiki and not any(map(_rules, names))]
    return firm.wiki[plain[n % len(plain)]]


def _rules(template: str) -> bool:
    """Whether a section of a wiki rules something."""
    return template.split("/")[0] in ("rights", "refusals", "visitors", "bought")


def _requester(who: Employee | None, firm: Firm) -> Requester | None:
    if who is None:
        return None
    departments = tuple(sorted({one.department for one in firm.employees}))
    leads = any(project.lead == who.id for project in firm.projects)
    manages = any(one.account_manager == who.id for one in firm.customers)
    return Requester(who.department, departments, leads, manages)


def _needed(
    policy: Policy, right: Right | None, target: Target, who: Employee | None,
    pages: dict[str, str],
) -> Iterator[set[tuple[str, int]]]:  # fmt: skip
    every = [(path, line) for path, page in pages.items() for line in lines_of(page)]
    if right is None:
        lines = {(p, one.number) for p, one in every if any(w in one.text for w in NOBODY)}
        yield lines | _own(policy, target, who, every, pages)
        return
    on_right = {(p, one) for p, one in every if policy.words[right] in one.text}
    groups = policy.groups_of(who, target)
    giving = [group for group in groups if right in group.may]
    if giving:
        yield {(p, one.number) for p, one in on_right
               if any(group.title in f"{context_of(pages[p], one)} {one.text}"
                      for group in giving)}  # fmt: skip
    else:
        yield {(p, one.number) for p, one in on_right} | _own(policy, target, who, every, pages)
    if giving and policy.needs_ticket(right) and policy.takeover:
        yield {(p, one.number) for p, one in every if policy.takeover.example in one.text}


def _own(
    policy: Policy, target: Target, who: Employee | None, every: list[tuple[str, Line]],
    pages: dict[str, str],
) -> set[tuple[str, int]]:  # fmt: skip
    """The lines of the groups that somebody is in whatever the target is."""
    titles = {group.title for group in policy.groups_of(who, target)}
    if who is None:
        titles = {group.title for group in policy.groups if group.key == GUEST}
    return {(p, one.number) for p, one in every if any(t in one.text for t in titles)}


def main(count: int = 1000, seed: str = "rules", pages: int = 0) -> None:
    """Print a line for each layout: how often the deciding line is shown, in how many."""
    counts: defaultdict[str, Count] = defaultdict(Count)
    number = 0
    with drawn() as held:
        while number < 30 * count and any(c.cases < count for c in counts.values() or [Count()]):
            case = case_of(seed, number, held, pages)
            number += 1
            if case.needs and counts[case.layout].cases < count:
                _count(counts[case.layout], case)
    for layout, one in sorted(counts.items()):
        share = 1 - one.missed / one.cases
        lines = f"lines {mean(one.lines):3.1f}, most {max(one.lines)}"
        tokens = f"tokens {mean(one.tokens):3.0f}, most {max(one.tokens)}"
        print(f"{layout:20} {one.cases:5} shown {share:7.2%}  {lines}; {tokens}")


def _count(one: Count, case: Case) -> None:
    one.cases += 1
    places = chosen(case.pages, None, case.who, case.text)
    shown = {(p, n) for p, number in places for n in lines_of(case.pages[p])[number - 1].needs}
    one.missed += not all(need & shown for need in case.needs)
    lines, tokens = excerpt_size(case.pages, places)
    one.lines.append(lines)
    one.tokens.append(tokens)


if __name__ == "__main__":
    typer.run(main)
