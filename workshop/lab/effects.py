"""The command ``effects``: agents by faults, and what really took effect.

A score cannot tell an agent that sends a purchase again when its reply is lost from one that looks
first. The simulator can: it loses the reply after the effect, and counts what took effect.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer
from pydantic import BaseModel
from rich.table import Table

from coordinator.config import STRATEGIES
from core.options import option
from core.runs.errors import CannotRun, Usage
from core.runs.find import LOGS
from core.runs.results import TaskResult, read_results
from core.runs.summary import EFFECTS, summary_of
from core.terminal.console import answers, notes, say
from core.terminal.record_command import takes
from core.text import clean
from workshop.lab.command import PACKS, Sitting
from workshop.lab.context import LabContext, check_faults, world_of
from workshop.lab.regress import RegressOptions, play, settings_of
from workshop.lab.settings import KEYS_HELP
from workshop.views.report.render import page

NO_FAULT = "none"
COLUMNS = (NO_FAULT, "write:lost-after", "write:lost-before", "write:503", "write:garbage")
"""No fault; the first write of each kind without its reply, not delivered, refused, answered with
garbage. A write that a fault delivers twice tells no agents apart, so it is not among them."""
HEADINGS = ("agent", "fault", "tasks", "passed", *EFFECTS, "unfinished", "run")
PAGE = "effects.html"


class EffectsOptions(BaseModel):
    """The command line of ``effects``."""

    agent: tuple[str, ...] = option(
        "Play with this agent: NAME=COMMAND of an external one, or a strategy of this project. "
        "Repeatable [both strategies].",
        tuple(STRATEGIES),
    )
    faults: tuple[str, ...] = option(
        "Play under this plan of faults; `none` is one, too. Repeatable [none; and the first write "
        "of each kind lost after or before its effect, refused with 503, answered with garbage].",
        COLUMNS,
    )
    benchmark: str = option("Play this benchmark: store or company.", "store")
    pack: tuple[str, ...] = option(f"Play this pack: {PACKS} [bundled]. Repeatable.", ("bundled",))
    evaluator: str | None = option(
        "Let this model play the strategies of this project [the benchmark's scripted one].", None
    )
    jobs: int | None = option("Play this many tasks at once [one per core].", None, ge=1, le=256)
    agent_key: tuple[str, ...] = option(KEYS_HELP, ())
    agent_timeout: float = option(
        "Stop an agent that neither starts nor completes a task for so many seconds.", 60.0, ge=0.1
    )
    out: Path = option(f"Write run folders and {PAGE} into this folder.", LOGS)
    as_json: bool = option("Print the table as JSON, and nothing else.", False, alias="json")


Row = dict[str, str | int | None]
"""What one agent did under one plan of faults, by heading; effects of None are not known."""


@takes(EffectsOptions)
def effects(options: EffectsOptions, context: typer.Context) -> int:
    """Play agents under faults and count effects: lost, doubled, unauthorised.

    Each agent plays the same tasks under each plan of faults.
    """
    lab: LabContext = context.obj()
    world = world_of(lab.benchmark(options.benchmark))
    for plan in options.faults:
        check_faults(None if plan == NO_FAULT else plan, world)
    players = {name: _player(name, command) for name, command in _named(options.agent).items()}
    rows = list[Row]()
    for name, player in players.items():
        for plan in options.faults:
            row = _played(name, plan, player, options, lab)
            rows.append(row)
            if not options.as_json:
                told = ", ".join(f"{what} {_shown(row[what])}" for what in EFFECTS)
                done = f"{row['passed']} of {row['tasks']} passed"
                say(notes(), clean(f"{name}, {plan}: {done}, {told}"))
    return _show(rows, options)


def _named(asked: Sequence[str]) -> Mapping[str, str]:
    """Name and command of each agent; "" for a strategy of this project. Raises Usage."""
    agents = dict[str, str]()
    for text in asked:
        name, is_command, command = text.partition("=")
        if not is_command and name not in STRATEGIES:
            known = ", ".join(STRATEGIES)
            raise Usage(f"--agent {text!r}: give NAME=COMMAND, or one of {known}")
        if is_command and not (name.strip() and command.strip()):
            raise Usage(f"--agent {text!r}: give a name and a command, as mine='python main.py'")
        if name in agents:
            raise Usage(f"--agent {name!r} is given twice; rows could not be told apart")
        agents[name] = command
    return agents


def _player(name: str, command: str) -> dict[str, Any]:
    """The options of a run that say who plays."""
    return {"agent": command} if command else {"strategy": name}


def _played(
    name: str, plan: str, player: Mapping[str, Any], options: EffectsOptions, lab: LabContext
) -> Row:
    """Play all tasks once. Raises Usage, CannotRun: nothing could be played."""
    external = "agent" in player
    asked: dict[str, Any] = {
        "benchmark": options.benchmark,
        "pack": options.pack,
        "out": options.out,
        "name": f"{name}, {plan}",
        "faults": None if plan == NO_FAULT else plan,
        **player,
    }
    if external:
        asked["agent_timeout"] = options.agent_timeout
    elif options.evaluator:
        asked["evaluator"] = options.evaluator
    regress = RegressOptions.model_validate({k: v for k, v in asked.items() if v is not None})
    sitting = Sitting(
        lab, options.jobs, quiet=True, agent_keys=options.agent_key, agent_command=regress.agent
    )
    run = play(sitting, settings_of(regress, lab), regress)
    results = read_results(run.path).tasks
    if not results:
        raise CannotRun(f"{name}: no task was played; see {run.path}")
    if external and not any(one.requests or one.seconds for one in results):
        raise CannotRun(f"{name} sent nothing: {results[0].error or 'no reason is known'}")
    return {
        "agent": name,
        "fault": plan,
        "tasks": len(results),
        "passed": sum(one.passed for one in results),
        **summary_of(name, results).effects,
        "unfinished": sum(map(_is_unfinished, results)),
        "run": run.path.name,
        "what": str(player.get("agent") or run.settings.evaluator),
    }


def _shown(value: str | int | None) -> str:
    return "–" if value is None else str(value)


def _is_unfinished(result: TaskResult) -> bool:
    """Whether a task was left open or ended by something that is no answer."""
    return result.failure is not None or result.outcome == "unfinished"


def _show(rows: Sequence[Row], options: EffectsOptions) -> int:
    """Print the table and write the page; 0 whatever the counts are."""
    if options.as_json:
        print(json.dumps(rows, ensure_ascii=False, indent=1))
    else:
        table = Table(*HEADINGS)
        for row in rows:
            table.add_row(
                *(clean(_shown(row[heading])) for heading in HEADINGS),
                end_section=row["fault"] == options.faults[-1],
            )
        answers().print(table)
    path = options.out / PAGE
    text = page("effects.html.jinja", {}, rows=rows, headings=HEADINGS, packs=options.pack)
    path.write_text(text, encoding="utf-8")
    if not options.as_json:
        say(answers(), f"page: {path}")
    return 0
