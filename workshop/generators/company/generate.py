"""`generate --benchmark company`: fresh companies and tasks, each of which is checked.

`python -m workshop.generators.company.generate` writes the bundled pack again: two companies of a
fixed seed, for each row of `words/tasks.csv` the first task drawn of its kind that has its tags.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from core.runs.errors import CannotRun
from workshop.generators.company.company import Plan, draw_company
from workshop.generators.company.kinds import KINDS
from workshop.generators.company.policy import FOLDER, LANGUAGES
from workshop.generators.company.records import Firm
from workshop.generators.company.scenario import (
    TASKS,
    CompanyOptions,
    Setting,
    company,
    draw_task,
    make_scenario,
)
from workshop.generators.generating import Generator, Raw, draws, pack_lines
from workshop.simulator.company.parts import WHOLE
from workshop.simulator.company.world import COMPANY
from workshop.simulator.open_world import check
from workshop.simulator.worlds import read_pack


def draw(asked: CompanyOptions, number: int) -> Raw:
    """Scenario `number` of a seed with its company.

    Raises CannotRun: none can be drawn, or, a fault of ours, an expected answer does not score or
    a spoilt one does.
    """
    _, firm = company(asked.seed, number // TASKS, asked.people)
    raw = {**make_scenario(asked.seed, number, asked.people), WHOLE: firm.as_json()}
    (checked,) = check(read_pack(COMPANY.pack_text("check", [raw]), f"seed {asked.seed}"))
    for wrong in checked.wrong or filter(None, [checked.underivable]):
        raise CannotRun(f"{checked.spec_id}: {wrong}")
    return raw


GENERATOR = Generator(CompanyOptions, draw)
FILE = COMPANY.bundled
COMPANY_SEED, TASK_SEED = "bundled-58", "tasks-2"
"""The seeds of the companies and of the tasks."""
COMPANIES = {"corvane": (0, 150), "jorvale": (1, 14)}
"""By the name in which its tasks begin, the number of a company and how many people it has."""
_MOST_TRIES = 3_000


def bundled_text() -> str:
    """The text of the pack file. Raises CannotRun."""
    return "".join(pack_lines(COMPANY, "bundled", _bundled()))


def _bundled() -> Iterator[Raw]:
    with (FOLDER / "tasks.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for key, (number, people) in COMPANIES.items():
        plan, firm = draw_company(COMPANY_SEED, number, people)
        plan, whole = replace(plan, key=key), firm.as_json()
        for row in rows:
            if row["name"].startswith(key):
                yield {**_scenario(plan, firm, **row), WHOLE: whole}


def _scenario(plan: Plan, firm: Firm, name: str, kind: str, tags: str) -> Raw:
    """The first scenario of a kind that has the tags, and not those with a minus before them."""
    without = {tag[1:] for tag in tags.split() if tag.startswith("-")}
    wanted = {tag for tag in tags.split() if not tag.startswith("-")}
    # A slip of the pen may happen in any task; here it does only where it is asked for.
    without |= {"typo", "double-space"} - wanted
    setting = Setting(
        mode="guest" if "guest" in wanted else "may-not" if "denied" in wanted else "may",
        language=next((tag for tag in wanted if tag in LANGUAGES), "en"),
        bought=bool(wanted & {"policy-change", "ticket", "letter-for-digit"}),
        nameless="whoami" in wanted,
    )
    rng = draws(TASK_SEED, name)
    for _ in range(_MOST_TRIES):
        try:
            scenario = draw_task(KINDS[kind], name, plan, firm, rng, setting)
        except LookupError:
            continue
        if wanted <= {*scenario["tags"]} and not without & {*scenario["tags"]}:
            return scenario
    raise CannotRun(f"{name}: no draw has the tags {tags}")


if __name__ == "__main__":
    Path(FILE).write_text(bundled_text(), encoding="utf-8")
    print(FILE)
