"""Makes the file of recorded replies from runs that a language model has played.

    python -m workshop.recorded.make NAME RUN... [--model WORDS]

Tasks that were not passed are left out, and so are those with a wrong write or checkout.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from core.models.model_call import ModelCall
from core.runs.reader import read_tasks
from core.runs.task_record import TaskRecord, TurnLog
from workshop.recorded.provider import pages_of
from workshop.recorded.replies import (
    RecordedTask,
    RecordedTurn,
    RecordedVerdict,
    RecordedWiki,
    Recording,
    written,
)
from workshop.scripted.prompt import Prompt

WHO = "a capable language model"


def main(
    name: str,
    runs: Annotated[list[Path], typer.Argument(exists=True, file_okay=False)],
    model: str = WHO,
) -> None:
    """Write NAME.toml beside this module from the tasks of runs that were passed."""
    recording = record(*runs, model=model)
    path = Path(__file__).with_name(f"{name}.toml")
    path.write_text(written(recording), encoding="utf-8")
    typer.echo(f"{path}: {len(recording.tasks)} tasks")


def record(*runs: Path, model: str = WHO) -> Recording:
    """The replies of the tasks that were passed. Raises NotRecorded: one is no run."""
    every = (task for run in runs for task in read_tasks(run))
    tasks = [task for task in every if task.status == "passed" and not task.harm]
    started = max(call.started for task in tasks for call in task.calls)
    return Recording(
        recorded=datetime.fromtimestamp(started, UTC).date(),
        model=model,
        wikis=tuple({one.pages: one for task in tasks for one in _wikis(task)}.values()),
        tasks=tuple(map(_task, tasks)),
    )


def _task(task: TaskRecord) -> RecordedTask:
    calls = dict[str, str]()
    verdicts = list[RecordedVerdict]()
    for turn in task.last:
        for call in turn.asked:
            if call.role == "policy":
                change = _prompt(turn, call).section("change") or ""
                verdicts.append(RecordedVerdict(change=change, reply=call.text))
            elif call.role not in ("evaluator", "worker", "rule_book"):
                calls[call.role] = call.text
    turns = tuple(_turn(turn) for turn in task.last if turn.turn is not None)
    return RecordedTask(
        id=task.spec_id, text=task.text, calls=calls, verdicts=tuple(verdicts), turns=turns
    )


def _turn(log: TurnLog) -> RecordedTurn:
    """The replies that counted: of one that could not be read and the next the next."""
    assert log.turn is not None
    replies = [call.text for call in log.asked if call.role == "evaluator"]
    worked = [call.text for call in log.of_worker]
    counted = 2 if log.turn.challenge else 1
    return RecordedTurn(
        evaluator=tuple(replies[-counted:]),
        worker=tuple(worked[-len(log.steps) :] if worked else ()),
    )


def _wikis(task: TaskRecord) -> list[RecordedWiki]:
    return [
        RecordedWiki(pages=pages_of(_prompt(turn, call)), reply=call.text)
        for turn in task.last
        for call in turn.asked
        if call.role == "rule_book"
    ]


def _prompt(turn: TurnLog, call: ModelCall) -> Prompt:
    return Prompt.of([{"role": role, "content": text} for role, text in turn.prompt(call)])


if __name__ == "__main__":
    typer.run(main)
