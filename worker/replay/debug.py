"""The command ``debug``: one recorded turn, step by step.

Runs the recorded snippets of a turn again, in the sandbox and against the recorded answers, and
stops at each tool call; nothing is sent anywhere, unless ``--pack`` gives a shop to go on with.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from runs.recorded import RecordedTask, RecordedTurn
    from worker.replay.debugger.answers import Live
    from worker.replay.debugger.playback import Playback
    from worker.replay.debugger.prompt import Prompt
    from worker.replay.debugger.scene import Scene


def debug(
    run: Annotated[Path, typer.Argument(help="A run folder, as a run leaves it behind.")],
    task: Annotated[str, typer.Option(help="Spec of the task.")],
    turn: Annotated[int, typer.Option(min=1, help="Number of the turn.")],
    pack: Annotated[
        Path | None,
        typer.Option(
            help="A store-pack/1 file: where the work leaves the record, this shop answers, after "
            "the recorded writes were repeated in it."
        ),
    ] = None,
) -> None:
    """Step through one recorded turn, tool call by tool call.

    h at the prompt shows the commands.
    """
    from rich.console import Console

    from ledger import ToolFault
    from runs.recorded import NotRecorded, read_run
    from worker.replay.debugger.prompt import Prompt
    from worker.replay.debugger.screen import Screen

    with ExitStack() as stack:
        try:
            found = read_run(run, task)[0]
            work = found.turn(turn)
            open_live = _live(run, pack, task, stack)
            scene = _scene(run, found, work, open_live)
        except ToolFault as error:
            raise NotRecorded(str(error)) from None
        screen = Screen(scene, Console(soft_wrap=True))
        screen.opening()
        stack.callback(scene.playback.close)
        try:
            drive(scene.playback, Prompt(scene, screen), scene)
        except KeyboardInterrupt:
            typer.echo("interrupted", err=True)


def drive(playback: Playback, prompt: Prompt, scene: Scene) -> None:
    """Let the user move through the work until they leave."""
    from worker.replay.debugger.prompt import Back, Quit

    moment = playback.start([])
    while True:
        move = prompt.at(moment)
        if isinstance(move, Quit):
            return
        if isinstance(move, Back):
            moment = playback.start(scene.calls)
        else:
            moment = playback.answer(move.call)


def _live(
    run: Path, pack: Path | None, spec_id: str, stack: ExitStack
) -> Callable[[], Live] | None:
    """How to open a live shop; tried once, so that a wrong pack is found now."""
    if pack is None:
        return None
    from worker.replay.debugger.platform import serving
    from worker.replay.debugger.scene import workbench_of

    url = stack.enter_context(serving(pack))
    bench = workbench_of(run)
    bench.open_live(url, spec_id)
    return lambda: bench.open_live(url, spec_id)


def _scene(
    run: Path, task: RecordedTask, work: RecordedTurn, open_live: Callable[[], Live] | None
) -> Scene:
    from runs.recorded import NotRecorded, read_tools
    from worker.replay.debugger.answers import Answers
    from worker.replay.debugger.playback import Playback
    from worker.replay.debugger.scene import Scene, Subject, workbench_of
    from worker.sandbox import Pins

    report = work.report
    if work.typed:
        raise NotRecorded(
            f"turn {work.number} ran no code to step through: its tool was called directly; "
            "submission.py show tells what it did"
        )
    if report.pins is None:
        raise NotRecorded(f"turn {work.number} was recorded without clock and seed")
    tools = read_tools(run)
    before = tuple(c for t in task.turns if t.number < work.number for c in t.report.calls)
    subject = Subject(
        spec_id=task.spec_id,
        text=task.text,
        turn=work.number,
        instruction=work.instruction,
        state=work.state,
        before=before,
        after=tuple(c for t in task.turns if t.number > work.number for c in t.report.calls),
        result=task.result,
        outcome=(report.answered, report.result),
    )
    playback = Playback([s.code for s in report.steps], Pins(*report.pins), tools)
    past = [w for c in before for w in c.requests]
    answers = Answers(report.calls, tools, past, open_live)
    return Scene(subject, playback, answers, workbench_of(run))
