"""`python -m workshop.generators.company.bundled`: writes the bundled pack again.

It is of two companies whose plans are files of `firms`; `firms/tasks.csv` says of which kind each
task is and which tags it shall have, or not have. The first draw of a fixed seed that does is
taken.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from workshop.generators.company.draw import draw_firm, draws
from workshop.generators.company.kinds import KINDS
from workshop.generators.company.plan import FIRMS, load_plan
from workshop.generators.company.records import Firm
from workshop.generators.company.scenario import LANGUAGES, NoScenario, Setting, draw_task

FILE = Path(__file__).parents[2] / "simulator" / "company" / "packs" / "bundled.json"
FORMAT = "company-pack/1"
PEOPLE, TASKS = "bundled-6", "tasks-1"
"""The seeds of the companies and of the tasks."""
COMPANIES = ("vinterhage", "verle")
_MOST_TRIES = 3_000
_OPENED = 4
"""So deep go the objects that have a line for each of their fields: a company's wiki is last."""


def pack(tasks: str = TASKS) -> dict[str, Any]:
    """The bundled pack, its tasks drawn by a seed. Raises `NoScenario`."""
    return {
        "format": FORMAT,
        "name": "bundled",
        "companies": {key: _firm(key).as_json() for key in COMPANIES},
        "scenarios": list(_scenarios(tasks)),
    }


def pack_text(tasks: str = TASKS) -> str:
    """The text of the pack file."""
    return _lines(pack(tasks), 0) + "\n"


@cache
def _firm(key: str) -> Firm:
    return draw_firm(load_plan(key), PEOPLE)


def _scenarios(seed: str) -> Iterator[dict[str, Any]]:
    with (FIRMS / "tasks.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            yield _scenario(row["name"], row["kind"], row["tags"].split(), seed)


def _scenario(name: str, kind: str, tags: list[str], seed: str) -> dict[str, Any]:
    """The first scenario of a kind that has the tags, and not those with a minus before them."""
    key = name.partition("-")[0]
    plan, firm, rng = load_plan(key), _firm(key), draws(seed, name)
    without = {tag[1:] for tag in tags if tag.startswith("-")}
    wanted = {tag for tag in tags if not tag.startswith("-")}
    # A slip of the pen may happen in any task; here it does only where it is asked for.
    without |= {"typo", "double-space"} - wanted
    setting = Setting(
        mode="guest" if "guest" in wanted else "may-not" if "denied" in wanted else "may",
        language=next((tag for tag in wanted if tag in LANGUAGES), "en"),
        bought=bool(wanted & {"policy-change", "ticket", "letter-for-digit"}),
        nameless="whoami" in wanted,
    )
    for _ in range(_MOST_TRIES):
        try:
            scenario = draw_task(KINDS[kind], name, plan, firm, rng, setting)
        except LookupError:
            continue
        if wanted <= {*scenario["tags"]} and not without & {*scenario["tags"]}:
            return scenario
    raise NoScenario(f"{name}: no draw has the tags {tags}")


def _lines(value: Any, depth: int) -> str:
    """JSON with a line for each record, so that a change of the file can be read."""
    if depth < _OPENED and isinstance(value, dict):
        parts = (f"{_json(key)}: {_lines(one, depth + 1)}" for key, one in value.items())
        return "{\n" + ",\n".join(parts) + "\n}"
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(map(_json, value)) + "\n]"
    return _json(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    FILE.write_text(pack_text(), encoding="utf-8")
    print(FILE)
