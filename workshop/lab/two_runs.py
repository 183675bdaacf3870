"""The page of two runs, also of two of the lab, whose trials tell less than journals."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from core.runs.journal import journals, text_hash, write_whole
from core.runs.reader import read_task
from core.runs.results import ModelPair
from core.runs.run_view import RunView
from core.runs.task_record import TaskRecord
from workshop.lab.lab_folder import LAB, LabFolder
from workshop.lab.lab_run import LabRun, Trial
from workshop.views.report.differences import Change, Differences, differences
from workshop.views.report.pairs import Half, Step, read_half
from workshop.views.report.versus import page_of
from workshop.views.verdict import Comparison

ELSEWHERE = {"packs", "prompts", "chunk", "keep_journals", "floors", "stories", "tapes"}
"""Settings that other lines tell, or that change no result."""
JOURNALS = "journals"
"""Where ``--keep-journals`` leaves them: a run folder for each chunk and epoch."""


def write_page(left: Path, right: Path, verdict: Comparison, path: Path) -> None:
    """Write the page of two runs, of the lab or plain. Raises NotRecorded, OSError."""
    a, b = (_lab_half(LabFolder(f)) if _is_lab(f) else read_half(f) for f in (left, right))
    write_whole(path, page_of(a, b, verdict, _differences(left, right)))


def _is_lab(folder: Path) -> bool:
    return (folder / LAB).exists()


def _lab_half(folder: LabFolder) -> Half:
    """The trials of the agent as tasks, with the turns of those whose journals were kept."""
    run = folder.read()
    steps: dict[Path, tuple[Step, ...]] = {}
    journal_of = dict(_kept(folder.path, steps))
    texts = folder.texts()
    tasks = []
    for number, trial in enumerate(folder.trials()):
        # Without a journal a name of its own for each trial: those of one task share their spec.
        alone = folder.path / "tasks" / f"{number}.jsonl"
        at = journal_of.get((trial.pack, trial.spec_id, trial.epoch), alone)
        tasks.append(_task(at, trial, texts.get((trial.pack, trial.spec_id), ""), run.harm_name))
    return Half(_view(run, tuple(tasks)), steps, _whole)


def _task(path: Path, trial: Trial, text: str, harm_name: str) -> TaskRecord:
    return TaskRecord(
        path=path,
        spec_id=trial.spec_id,
        task_id=trial.task_id,
        text=text,
        result=trial.model_copy(update={"eval_log": trial.eval_log or trial.why}),
        labels=trial.mechanics,
        harm_name=harm_name,
    )


def _kept(
    folder: Path, steps: dict[Path, tuple[Step, ...]]
) -> Iterator[tuple[tuple[str, str, int], Path]]:
    """Where the journal of a trial lies, by pack, spec and epoch; its turns go into ``steps``."""

    for chunk in sorted((folder / JOURNALS).glob("*-*")):
        epoch = chunk.name.rpartition("-")[2]
        # A chunk whose platform failed has none.
        if epoch.isdecimal() and journals(chunk):
            half = read_half(chunk)
            steps |= half.steps
            for record in half.view.tasks:
                yield (half.view.pack or "", record.spec_id, int(epoch)), record.path


def _whole(record: TaskRecord) -> TaskRecord:
    """The task with its turns, where a journal was kept."""
    if not record.path.is_file():
        return record
    return read_task(record.path).told(record.result, record.labels, record.harm_name)


def _view(run: LabRun, tasks: tuple[TaskRecord, ...]) -> RunView:
    settings = run.settings
    return RunView(
        name=run.run_id,
        benchmark=settings.benchmark,
        pack=", ".join(pack.name for pack in run.packs),
        brain=ModelPair(evaluator=settings.evaluator, worker=settings.worker),
        started=run.started,
        finished=run.finished,
        seconds=run.wall_seconds,
        tasks=tasks,
        harm_name=run.harm_name,
    )


def _differences(left: Path, right: Path) -> Differences:
    """Of two lab runs their settings and packs; their prompts are not kept."""
    if not _is_lab(left) and not _is_lab(right):
        return differences(left, right)
    if _is_lab(left) != _is_lab(right):
        return Differences(
            notes=("one is a run of the lab: what they are made of differs in kind",)
        )
    was, now = (_made_of(LabFolder(path).read()) for path in (left, right))
    changes = (Change(what=what, was=was.get(what), now=now.get(what)) for what in {**was, **now})
    return Differences(tuple(change for change in changes if change.was != change.now))


def _made_of(run: LabRun) -> dict[str, str]:
    settings = run.settings.model_dump(mode="json", exclude=ELSEWHERE)
    texts = run.settings.prompts
    sections = {f"section {name}": text_hash(text)[:10] for name, text in texts.items()}
    packs = {f"pack {pack.name}": pack.sha256[:10] for pack in run.packs}
    return {name: str(value) for name, value in settings.items()} | packs | sections
