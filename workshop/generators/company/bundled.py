"""`python -m workshop.generators.company.bundled`: writes the bundled pack again.

It is of two companies of a fixed seed; `words/tasks.csv` says of which kind each task is and which
tags it shall have, or not have. The first draw that does is taken.
"""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

from workshop.generators.company.company import Plan, draw_company
from workshop.generators.company.generate import Block, pack_text
from workshop.generators.company.kinds import KINDS
from workshop.generators.company.policy import LANGUAGES
from workshop.generators.company.records import Firm
from workshop.generators.company.scenario import NoScenario, Setting, draw_task
from workshop.generators.company.tables import FOLDER, draws

FILE = Path(__file__).parents[2] / "simulator" / "company" / "packs" / "bundled.json"
PEOPLE, TASKS = "bundled-25", "tasks-3"
"""The seeds of the companies and of the tasks."""
COMPANIES = {"ardenn": (0, 150), "yarrowby": (1, 14)}
"""By the name in which its tasks begin, the number of a company and how many people it has."""
_MOST_TRIES = 3_000


def bundled_text(tasks: str = TASKS) -> str:
    """The text of the pack file, its tasks drawn by a seed. Raises `NoScenario`."""
    with (FOLDER / "tasks.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    blocks = []
    for key, (number, people) in COMPANIES.items():
        plan, firm = draw_company(PEOPLE, number, people)
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
    raise NoScenario(f"{name}: no draw has the tags {tags}")


if __name__ == "__main__":
    FILE.write_text(bundled_text(), encoding="utf-8")
    print(FILE)
