"""`generate --benchmark company`: packs of fresh companies and tasks, each of which is checked.

`python -m workshop.generators.company.generate` writes the bundled pack again: two companies of a
fixed seed, for each row of `words/tasks.csv` the first task drawn of its kind that has its tags.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from core.runs.errors import CannotRun
from workshop.generators.company.company import Plan, draw_company
from workshop.generators.company.kinds import KINDS
from workshop.generators.company.options import USUAL_PEOPLE, CompanyOptions
from workshop.generators.company.policy import FOLDER, LANGUAGES
from workshop.generators.company.records import Firm
from workshop.generators.company.scenario import (
    TASKS,
    Setting,
    company,
    draw_task,
    make_scenario,
)
from workshop.generators.generating import Generator, Raw, draws
from workshop.simulator.company.pack import FORMAT
from workshop.simulator.company.parts import split
from workshop.simulator.open_world import check
from workshop.simulator.worlds import read_pack


class Block(NamedTuple):
    """A company and the scenarios that play in it, as a pack file has them."""

    key: str
    company: dict[str, Any]
    scenarios: list[dict[str, Any]]

    def pack(self, name: str) -> dict[str, Any]:
        """A pack of these alone."""
        companies = {self.key: self.company}
        return {"format": FORMAT, "name": name, "companies": companies, "scenarios": self.scenarios}


def blocks(seed: str, count: int, people: str = USUAL_PEOPLE) -> Iterator[Block]:
    """Scenarios 0 to `count` of a seed, company by company.

    Raises CannotRun: none can be drawn, or, a fault of ours, an expected answer does not score or
    a spoilt one does.
    """
    for first in range(0, count, TASKS):
        plan, firm = company(seed, first // TASKS, people)
        numbers = range(first, min(first + TASKS, count))
        scenarios = [make_scenario(seed, number, people) for number in numbers]
        block = Block(plan.key, firm.as_json(), scenarios)
        raw = block.pack("check")
        for checked in check(read_pack(_json(raw), f"seed {seed}")):
            for wrong in checked.wrong or filter(None, [checked.underivable]):
                raise CannotRun(f"{checked.spec_id}: {wrong}")
        yield block


def pack_text(name: str, parts: Iterable[Block]) -> Iterator[str]:
    """The text of a pack file, piece by piece, a record a line."""
    yield f'{{"format": {_json(FORMAT)}, "name": {_json(name)}, "companies": {{\n'
    scenarios: list[str] = []
    for number, block in enumerate(parts):
        yield f"{',' if number else ''}\n{_json(block.key)}: {_json(block.company)}"
        scenarios += map(_json, block.scenarios)
    yield '\n}, "scenarios": [\n'
    yield ",\n".join(scenarios)
    yield "\n]}\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


FILE = Path(__file__).parents[2] / "simulator" / "company" / "packs" / "bundled.json"
COMPANY_SEED, TASK_SEED = "bundled-58", "tasks-2"
"""The seeds of the companies and of the tasks."""
COMPANIES = {"corvane": (0, 150), "jorvale": (1, 14)}
"""By the name in which its tasks begin, the number of a company and how many people it has."""
_MOST_TRIES = 3_000


def bundled_text(tasks: str = TASK_SEED) -> str:
    """The text of the pack file, its tasks drawn by a seed. Raises CannotRun."""
    with (FOLDER / "tasks.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    blocks = []
    for key, (number, people) in COMPANIES.items():
        plan, firm = draw_company(COMPANY_SEED, number, people)
        plan = replace(plan, key=key)
        theirs = [row for row in rows if row["name"].startswith(key)]
        scenarios = [_scenario(plan, firm, tasks, **row) for row in theirs]
        blocks.append(Block(key, firm.as_json(), scenarios))
    return "".join(pack_text("bundled", blocks))


def _scenario(plan: Plan, firm: Firm, seed: str, name: str, kind: str, tags: str) -> dict[str, Any]:
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
    rng = draws(seed, name)
    for _ in range(_MOST_TRIES):
        try:
            scenario = draw_task(KINDS[kind], name, plan, firm, rng, setting)
        except LookupError:
            continue
        if wanted <= {*scenario["tags"]} and not without & {*scenario["tags"]}:
            return scenario
    raise CannotRun(f"{name}: no draw has the tags {tags}")


if __name__ == "__main__":
    FILE.write_text(bundled_text(), encoding="utf-8")
    print(FILE)


def _scenarios(asked: CompanyOptions) -> Iterator[Raw]:
    for block in blocks(asked.seed, asked.count, asked.people):
        yield from split(block.pack("generated"))


def _draw(seed: str, number: int) -> Raw:
    plan, firm = company(seed, number // TASKS)
    block = Block(plan.key, firm.as_json(), [make_scenario(seed, number)])
    return next(split(block.pack("generated")))


GENERATOR = Generator(CompanyOptions, _scenarios, _draw)
