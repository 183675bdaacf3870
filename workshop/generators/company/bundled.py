"""`python -m workshop.generators.company.bundled`: writes the bundled pack again.

It is of two companies whose plans are files of `firms`; `firms/tasks.csv` says of which kind each
task is and which tags it shall have, or not have. The first draw of a fixed seed that does is
taken.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from workshop.generators.company.draw import draw_firm, draws
from workshop.generators.company.generate import Block, pack_text
from workshop.generators.company.kinds import KINDS
from workshop.generators.company.plan import FIRMS, Plan, load_plan
from workshop.generators.company.records import Firm
from workshop.generators.company.scenario import LANGUAGES, NoScenario, Setting, draw_task

FILE = Path(__file__).parents[2] / "simulator" / "company" / "packs" / "bundled.json"
PEOPLE, TASKS = "bundled-6", "tasks-1"
"""The seeds of the companies and of the tasks."""
COMPANIES = ("vinterhage", "verle")
_MOST_TRIES = 3_000


def bundled_text(tasks: str = TASKS) -> str:
    """The text of the pack file, its tasks drawn by a seed. Raises `NoScenario`."""
    with (FIRMS / "tasks.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    blocks = []
    for key in COMPANIES:
        plan, firm = load_plan(key), draw_firm(load_plan(key), PEOPLE)
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
