"""Finds what ``debug`` steps through: a turn of a run, and a simulator for unrecorded calls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cli.earlier import located
from cli.options import Options
from cli.platform import pack_at
from core.runs.errors import NotRecorded, Usage
from core.runs.hints import command
from core.runs.packs import pack_with
from core.runs.reader import read_one_task
from core.runs.run_view import read_run_view
from core.runs.task import Turn
from core.terminal.console import notes, say


def turn_of(run: Path, task: str | None, turn: int | None) -> tuple[str, int]:
    """Return the selected turn; by default the last turn with code of the first failed task.

    Raises NotRecorded: there is none.
    """
    if task is None and turn is not None:
        raise Usage("--turn needs --task")
    if task is None:
        failed = [one.key for one in read_run_view(run).tasks if one.failed]
        coded = (spec for spec in failed if coded_turns(run, spec))
        task = next(coded, None)
        if task is None:
            why = (
                "none of its failed tasks ran any code" if failed else "no task of this run failed"
            )
            tell = command("show", run)
            raise NotRecorded(f"{run}: {why}; name a --task, or see {tell}")
    if turn is None:
        turns = coded_turns(run, task)
        if not turns:
            tell = command("show", run, "--task", task)
            raise NotRecorded(f"{task} ran no code to step through; {tell} tells what it did")
        turn = turns[-1]
    return task, turn


def coded_turns(run: Path, spec_id: str) -> list[int]:
    """Numbers of a task's turns whose code can be stepped through. Raises NotRecorded."""
    from workshop.replay.recorded import is_typed

    return [
        act.number
        for act in read_one_task(run, spec_id).work
        if act.turn and act.turn.report and act.turn.report.pins and not is_typed(act)
    ]


def fork_options(run: Path, spec: str, edited: Turn, pack: Path | None) -> Options:
    """Play a task on behind an edited turn, with the models and texts of its run.

    Raises Usage: nothing follows that turn.
    """
    asked = {"fork": run, "tasks": (spec,), "turn": edited.number + 1, "edited": edited}
    asked |= {"out": run.parent} | ({"pack": pack} if pack else {})
    options = located(Options.model_validate(asked))
    if options.turn > options.max_turns:
        raise Usage(f"turn {edited.number} was the last of {options.max_turns}; nothing follows it")
    return options


@contextmanager
def world_of(run: Path, spec: str, pack: Path | None) -> Iterator[str | None]:
    """Address of a platform that serves the named pack, else the run's own one with this task.

    None where the run keeps none that can be used. Raises Usage: the named one cannot be.
    """
    from workshop.simulator.server import serve

    served = None
    try:
        if pack_file := pack or pack_with(run, spec):
            served = pack_at(pack_file)
    except Usage as error:
        if pack:
            raise
        say(notes(), f"warning: no simulator can answer calls that are not recorded: {error}")
    if served is None:
        yield None
        return
    with serve(served) as platform:
        yield platform.base_url
