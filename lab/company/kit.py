"""What the company brings for the lab."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import regex

import simulator.app
import simulator.pages.site  # noqa: F401
from coordinator.benchmark import Guest
from lab.kit import Attempt, Cut, Floor, Kit, Known, Raw
from lab.leaks import Facts
from runs.errors import CannotRun
from simulator.company.api import ROUTES
from simulator.company.floors import PLAYERS, Player
from simulator.company.pack import FORMAT, CompanyPack, CompanyScenario, PackError, read_pack
from simulator.company.world import COMPANY
from simulator.pack_files import raw_pack
from simulator.server import Simulator, serve
from simulator.world import Refusal, read_request

BASELINE = Path(__file__).parent / "baseline-playbook-company.json"
WHOLE = "company_whole"
"""A field of ours: the company that a scenario plays in, so that it stands alone."""
_HEADER = regex.compile(r"^Playbook: company / (\w+)$", regex.MULTILINE)


class Task(NamedTuple):
    """A scenario with the pack that has its company."""

    spec_id: str
    scenario: CompanyScenario
    pack: CompanyPack


class Tasks(NamedTuple):
    """A pack as the lab plays it."""

    name: str
    scenarios: Sequence[Task]
    pack: CompanyPack


def kit(guest: Guest, remade: Callable[[str, Mapping[str, str]], Guest]) -> Kit:
    """All that the lab needs of the company; ``remade`` makes it with other guards and texts."""
    return Kit(
        guest=guest,
        remade=remade,
        format=FORMAT,
        packs={"bundled": guest.bundled_pack},
        generated_name=_no_generator,
        generated=_no_generator,
        read=_read,
        serve=_serve,
        known=partial(_known, guest),
        paid=lambda _served, _task_id: None,
        playbook=_playbook,
        floors={
            title.replace(" ", "-"): Floor(title, partial(_play, player))
            for title, player in PLAYERS.items()
        },
        holds=_holds,
        cuts=(_tables,),
        baseline=BASELINE,
        facts=_facts,
        baseline_packs=("bundled",),
        scenarios=_scenarios,
        shared=_shared,
    )


def _no_generator(asked: str) -> Any:
    raise CannotRun(f"{asked}: companies are not drawn from a seed here; give a pack file")


def _scenarios(path: Path) -> Iterator[Raw]:
    """The scenarios of a file, each with its company. Raises OSError, ValueError."""
    body = json.loads(path.read_text(encoding="utf-8"))
    for raw in body["scenarios"]:
        yield {**raw, WHOLE: body["companies"].get(raw.get("company"))}


def _shared(scenarios: Sequence[Raw]) -> Raw:
    return {"companies": {raw["company"]: raw[WHOLE] for raw in scenarios}}


def _read(text: str, source: str) -> Tasks:
    try:
        pack = read_pack(raw_pack(text, source, FORMAT), text, source)
    except PackError as error:
        raise CannotRun(f"the pack cannot be used: {error}") from None
    return Tasks(pack.name, [Task(one.spec_id, one, pack) for one in pack.scenarios], pack)


def _serve(tasks: Tasks) -> Simulator:
    return serve(tasks.pack)


def _known(guest: Guest, task: Task, raw: Raw) -> Known:
    tags = raw.get("tags")
    return Known(
        group=guest.expected("", task.scenario.expect.outcomes[0]),
        mechanics=tuple(map(str, tags)) if isinstance(tags, list) else (),
    )


def _playbook(instruction: str) -> str | None:
    named = _HEADER.search(instruction)
    return str(named[1]) if named else None


def _play(player: Player, task: Task) -> Attempt:
    office = COMPANY.opener(task.pack, task.scenario)()
    asked = 0

    def ask(path: str, **body: Any) -> Raw:
        nonlocal asked
        asked += 1
        route = ROUTES[path]
        try:
            return route.answer(office, read_request(route.request, body))
        except Refusal as no:
            return {"error": str(no)}

    ask("/respond", **player(ask, task.scenario.task_text))
    return Attempt(office.evaluate(logged=True).score, acts=0, requests=asked)


def _tables(raw: Raw) -> Cut:
    """Time entries and pages are what a company can most easily do without."""
    whole = raw[WHOLE]
    rows = [("time_entries", one) for one in whole["time_entries"]]
    rows += [("wiki", path) for path in whole["wiki"]]

    def keeping(some: Sequence[tuple[str, Any]]) -> Raw:
        entries = [one for table, one in some if table == "time_entries"]
        pages = {path: whole["wiki"][path] for table, path in some if table == "wiki"}
        return {**raw, WHOLE: {**whole, "time_entries": entries, "wiki": pages}}

    return Cut(rows, keeping)


def _facts(raw: Raw) -> Facts:
    whole = raw[WHOLE]
    tables = ("employees", "customers", "projects", "time_entries")
    rows = [row for table in tables for row in whole[table]]
    people = {row["name"] for row in whole["employees"]}
    people |= {str(row[key]) for row in rows for key in row if "contact_name" in key}
    mails = {str(row[key]) for row in rows for key in row if "email" in key}
    return Facts(
        names=frozenset(r["name"] for table in tables[1:3] for r in whole[table]),
        people=frozenset(people),
        codes=frozenset({*(str(row["id"]) for row in rows), *mails, raw["spec_id"]}),
        texts=(raw["task_text"], json.dumps([raw["expect"], raw.get("patch")]), json.dumps(whole)),
    )


def _holds(raw: Raw) -> bool:
    text = json.dumps({"format": FORMAT, "name": "candidate", "scenarios": [raw], **_shared([raw])})
    try:
        _read(text, "candidate")
    except (CannotRun, KeyError, ValueError):
        return False
    return True
