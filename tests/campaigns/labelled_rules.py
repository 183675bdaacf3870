"""What a faithful model would name as the rules of a generated wiki, and whether they are shown.

    python -m tests.campaigns.labelled_rules [--count 1000] [--filler 40] [--crossed] [--wrong 0.1]

The generator marks the lines that decide. A task that is allowed needs a line that gives the right
to a group of the requester, and each definition that it goes by. One that is refused needs a line
on that right, or all lines on the requester's groups. Of the labels a share is --wrong: another
subject, or a group left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product
from random import Random
from statistics import mean
from typing import Any

import typer

from company_tools.rule_book import TOPICS, Book, Rule
from company_tools.rule_choice import Requester, chosen
from company_tools.wiki_lines import context_of, excerpt, lines_of
from core.models.tokens import count_text
from workshop.generators.company.options import LAYOUTS, People
from workshop.generators.company.policy import ACCOUNT, GUEST, LANGUAGES, LEAD, STAFF, Right
from workshop.generators.company.scenario import make_scenario
from workshop.generators.company.task import Draft, TaskBuilder
from workshop.generators.generating import draws

Place = tuple[str, int]
"""A page and the number of a line."""
NOISE = 0.05
"""Of the lines that decide nothing: a model names so many as rules as well."""
SUBJECTS: dict[Right, str] = {
    "place": "places", "date": "date", "register": "records", "account_manager": "customers",
    "wiki_read": "pages", "own_pay": "pay", "own_levels": "skills", "own_hours": "hours",
    "contact": "contacts", "pay": "pay", "notes": "notes", "note_write": "notes",
    "levels": "skills", "levels_write": "skills", "load": "load", "hours": "hours",
    "status": "status", "team": "team", "pay_write": "pay", "draft_hours": "hours",
    "approved_hours": "hours", "wiki_write": "pages",
}  # fmt: skip
"""What a model would say that a right is about."""
CHANGES: dict[Right, str] = {
    "own_levels": "change own", "own_hours": "change own", "note_write": "change",
    "levels_write": "change", "status": "change", "team": "change", "pay_write": "change",
    "draft_hours": "change", "approved_hours": "change", "wiki_write": "change",
}  # fmt: skip
"""What a model would say that a right lets somebody do; any other lets them see."""
SUBJECTS_OF_MARKS = {
    "site": "places", "strong": "skills", "best": "skills", "review": "skills", "load": "load",
    "busy": "load", "mine": "projects", "own": "customers, projects", "hours": "hours",
    "team": "hours, team", "void": "hours", "pay": "pay", "tools": "systems", "ticket": "all",
    "buyer": "all", "never": "pay, records", "nobody": "all",
}  # fmt: skip
WHO = {GUEST: "guest", STAFF: "everybody", LEAD: "lead", ACCOUNT: "account manager"}
WHO_OF_MARKS = {"buyer": "guest", "never": "nobody", "nobody": "nobody"}


@dataclass(frozen=True)
class Need:
    """Lines of which one has to be shown, or in their stead all of others."""

    lines: set[Place]
    or_all: set[Place] = field(default_factory=set)
    defines: bool = False
    """Whether it says what words of the task mean, and not who may."""

    def is_met(self, shown: set[Place]) -> bool:
        """Whether a task that is shown these lines can be decided."""
        return bool(self.lines & shown) or bool(self.or_all and self.or_all <= shown)


@dataclass
class Case:
    """A task with what decides it."""

    text: str
    who: Requester | None
    pages: dict[str, str]
    needs: list[Need]
    about: list[str]
    book: Book


@dataclass
class Count:
    """What was counted of one kind of wiki and task."""

    cases: int = 0
    shown: int = 0
    rights_shown: int = 0
    tokens: list[int] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    """Texts of tasks that were not shown a right that decides."""

    def add(self, case: Case) -> None:
        """Choose the lines of a case and count them."""
        self.cases += 1
        places = chosen(case.pages, case.book, case.who, case.about)
        shown = {(p, n) for p, number in places for n in lines_of(case.pages[p])[number - 1].needs}
        self.shown += all(need.is_met(shown) for need in case.needs)
        rights = all(need.is_met(shown) for need in case.needs if not need.defines)
        self.rights_shown += rights
        self.missed += [] if rights else [case.text]
        self.tokens.append(count_text(excerpt(case.pages, places)))

    def __str__(self) -> str:
        share, rights = self.shown / self.cases, self.rights_shown / self.cases
        tokens = f"tokens {mean(self.tokens):4.0f}, most {max(self.tokens)}"
        return f"{self.cases:5} shown {share:7.2%}, rights {rights:7.2%}; {tokens}"


@contextmanager
def drawn() -> Iterator[list[tuple[TaskBuilder, Draft]]]:
    """What the generator draws meanwhile; the last one is that of the scenario."""
    drafts: list[tuple[TaskBuilder, Draft]] = []
    expected = TaskBuilder.expected

    def keep(self: TaskBuilder, draft: Draft) -> Any:
        drafts.append((self, draft))
        return expected(self, draft)

    TaskBuilder.expected = keep  # type: ignore[method-assign]
    try:
        yield drafts
    finally:
        TaskBuilder.expected = expected  # type: ignore[method-assign]


def cases(seed: str, count: int, people: People, wrong: float = 0.0) -> Iterator[Case]:
    """So many generated tasks of which a line of the wiki decides."""
    with drawn() as drafts:
        number = 0
        while count:
            drafts.clear()
            scenario = make_scenario(seed, number, people)
            task, draft = drafts[-1]
            needs = list(_needs(task, draft))
            if needs:
                count -= 1
                rng = draws(seed, "labels", str(number))
                about = [SUBJECTS[right] for right, _ in draft.needs if right]
                about += [SUBJECTS_OF_MARKS[name] for name in task.marks]
                book = tuple(labelled_rules(task, rng, wrong))
                who, pages = _requester(task, draft), dict(task.firm.wiki)
                yield Case(scenario["task_text"], who, pages, needs, about, book)
            number += 1


def _requester(task: TaskBuilder, draft: Draft) -> Requester | None:
    who, firm = draft.requester, task.firm
    if who is None:
        return None
    departments = tuple(sorted({one.department for one in firm.employees}))
    leads = any(project.lead == who.id for project in firm.projects)
    manages = any(one.account_manager == who.id for one in firm.customers)
    return Requester(who.department, departments, leads, manages)


def _needs(task: TaskBuilder, draft: Draft) -> Iterator[Need]:
    """Of each right that the task takes, and of each definition, the lines that decide."""
    policy, requester = task.policy, draft.requester
    for right, target in draft.needs:
        mine = [group.key for group in policy.groups_of(requester, target)]
        if right and policy.allows(requester, right, target):
            yield Need(_marked(task, (f"may:{right}:{key}" for key in mine)))
            continue
        everybody = [group.key for group in policy.groups]
        names = [*(f"may:{right}:{key}" for key in everybody), *(f"not:{right}:{k}" for k in mine)]
        on_right = _marked(task, names) or _marked(task, ("nobody", "never"))
        of_mine = (n for n in task.firm.marks if ":" in n and n.split(":")[2] in mine)
        yield Need(on_right, _marked(task, of_mine))
        return
    for name in dict.fromkeys(task.marks):
        if places := _marked(task, [name]):
            yield Need(places, defines=name not in ("ticket", "buyer"))


def _marked(task: TaskBuilder, names: Iterable[str]) -> set[Place]:
    """The lines that carry one of these marks."""
    return {place for name in names for place in _places(task, name)}


def _places(task: TaskBuilder, name: str) -> Iterator[Place]:
    """The lines that carry a mark; of several in a row those that have the words of the right."""
    policy = task.policy
    _, right, key = name.split(":") if ":" in name else ("", "", "")
    for path, row in task.firm.marks.get(name, ()):
        page = task.firm.wiki[path]
        parts = [one for one in lines_of(page) if one.row <= row <= one.row + one.text.count("\n")]
        for line in parts:
            text = f"{context_of(page, line)} {line.text}"
            titles = [group.title for group in policy.groups if group.key == key]
            if len(parts) == 1 or not right or (
                policy.words[right] in line.text and all(title in text for title in titles)  # type: ignore[index]
            ):  # fmt: skip
                yield path, line.number


def labelled_rules(task: TaskBuilder, rng: Random, wrong: float) -> Iterator[Rule]:
    """What a faithful model would name, with labels of which a share is wrong, and some noise."""
    labels: dict[tuple[Place, str], tuple[list[str], list[str]]] = {}
    titles = {group.key: group.title for group in task.policy.groups}
    for name in (name for name in task.firm.marks if name not in ("hostile", "later")):
        kind, right, key = [*name.split(":"), "", ""][:3]
        does = "refuse" if kind == "not" else CHANGES.get(right, "see") if right else ""  # type: ignore[call-overload]
        group = WHO.get(key, titles[key]) if key else WHO_OF_MARKS.get(name, "")
        subject = SUBJECTS[right] if right else SUBJECTS_OF_MARKS[name]  # type: ignore[index]
        for place in _places(task, name):
            groups, subjects = labels.setdefault((place, does), ([], []))
            groups += [group] * (group not in groups and group != "")
            subjects += [subject] * (subject not in subjects)
    marked = {place for place, _ in labels}
    for place in _ruling(task):
        if place not in marked and rng.random() < NOISE:
            labels[place, ""] = [], [rng.choice(TOPICS.split(", "))]
    order = {path: n for n, path in enumerate(task.firm.wiki)}
    rows = sorted(labels.items(), key=lambda row: (order[row[0][0][0]], row[0][0][1]))
    for (place, does), (groups, subjects) in rows:
        about = ", ".join(subjects)
        if rng.random() < wrong:
            if rng.randrange(2):
                about = rng.choice(TOPICS.split(", "))
            else:
                left_out = rng.randrange(len(groups) or 1)
                del groups[left_out : left_out + 1]
        yield Rule(*place, ", ".join(groups), about, does)


def _ruling(task: TaskBuilder) -> Iterator[Place]:
    """The lines that may decide something."""
    for path, page in task.firm.wiki.items():
        yield from ((path, line.number) for line in lines_of(page) if line.rules)


def main(count: int = 1000, filler: int = 0, crossed: bool = False, wrong: float = 0) -> None:
    """Print for each layout, or each pair of languages, how often all that decides is shown."""
    pairs = product(LANGUAGES, LANGUAGES) if crossed else [("en", "en")]
    for (wiki, task), layout in product(pairs, [""] if crossed else LAYOUTS):
        people = People(
            people="20-30",
            layout=layout or None,
            wiki_language=wiki,
            task_language=task,
            filler=filler,
        )
        one = Count()
        for case in cases("rules", count, people, wrong):
            one.add(case)
        print(f"wiki {wiki}, task {task}, {layout or 'any layout':11} {one}", flush=True)


if __name__ == "__main__":
    typer.run(main)
