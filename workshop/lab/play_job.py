"""Playing a job in this process, on an embedded platform of its own."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import regex

from coordinator.beginning import base_urls, client_factory
from coordinator.config import RunConfig
from coordinator.session import Session
from core.erc3_client import ERC3, ApiException, transport_errors
from core.erc3_client.retrying_platform import RetryingPlatform
from core.models.cassette import Tapes
from core.models.model_call import Transport, Usage
from core.models.model_client import open_transport
from core.models.models_file import Backend, load_models
from core.runs.journal import journal_path, journals
from core.runs.prompts import FOLDER as PROMPTS
from core.runs.reader import read_task
from core.runs.results import PASS, TaskResult
from core.runs.task import Watcher
from core.runs.task_record import TaskRecord
from core.terminal.figures import cut
from workshop.lab.benchmark_adapter import AdapterFactory, Attempt, BenchmarkAdapter
from workshop.lab.engines import Job
from workshop.lab.lab_run import Trial
from workshop.simulator.server import serve
from workshop.simulator.world import Pack

KEY = "key-lab"
WHY_CHARS = 300
TRANSCRIPT_CHARS = 8_000
"""Maximum characters of a transcript; its middle is omitted first."""
LINE_CHARS = 700
CALLS_SHOWN = 10
"""Maximum calls of a turn in a transcript; the last ones are kept."""
_CUT = regex.compile(r"\S*…")
NO_ANSWER: tuple[type[Exception], ...] = (ApiException, *transport_errors(), OSError)


def play_job(job: Job, adapter_factory: AdapterFactory) -> list[Trial]:
    """Play a job; its trials in pack order. Raises CannotRun: a scenario is not valid."""
    adapter, raw = adapter_factory(), json.loads(job.pack)
    some = [r for r in adapter.scenarios(raw) if job.specs is None or r["spec_id"] in job.specs]
    name = str(raw["name"])
    pack = adapter.read(adapter.pack_text(name, some), name)
    known = adapter.known_of(pack, some)
    tasks = [{"pack": name, "spec_id": spec, **facts._asdict()} for spec, facts in known.items()]
    if job.epoch is None:
        return [
            _trivial(adapter, player, task, trivial.play(pack, scenario))
            for task, scenario in zip(tasks, pack.scenarios, strict=True)
            for player, trivial in adapter.trivial_players.items()
        ]
    config = RunConfig(
        **job.settings.model_dump(include=set(RunConfig.model_fields)),
        pack_name=name,
        stages=job.settings.steps,
        jobs=job.threads,
        name="lab",
        # A lab run has its own books of failures, and plays them again.
        breaker=0,
    )
    try:
        with tempfile.TemporaryDirectory(prefix="lab-") as folder:
            played = _played(adapter, pack, config, job, Path(folder))
    except NO_ANSWER as error:
        text = f"the embedded platform could not be used: {type(error).__name__}: {error}"
        played = [{"outcome": "error", "error": text, "failure": "benchmark"}] * len(tasks)
    return [
        Trial.model_validate(result | task | {"epoch": job.epoch})
        for task, result in zip(tasks, played, strict=True)
    ]


def _played(
    adapter: BenchmarkAdapter, pack: Pack, config: RunConfig, job: Job, folder: Path
) -> list[dict[str, Any]]:
    """Run every task of a pack as one session on a platform of its own; results in pack order.

    ``folder`` is for the run's files alone.
    """
    served = serve(pack, key=KEY)
    try:
        client = RetryingPlatform(ERC3(key=KEY, base_url=served.base_url))
        benchmark = adapter.benchmark_with(config.guards, job.settings.prompts)
        with _transport_factory(job) as transport_factory:
            clients = client_factory(
                config.ids,
                load_models(Path(job.settings.models)) if job.settings.models else None,
                base_urls=base_urls(ids=config.ids),
                transport_factory=transport_factory,
            )
            session = Session(client, config, benchmark, folder, Watcher(), clients=clients)
            session.run(session.tasks())
            results = session.close_open().tasks
        records = {record.task_id: record for record in map(read_task, journals(folder))}
        _keep_journals(job, folder, results)
        worlds = {task.task_id: task.world for task in served.platform.tasks}
        ended = {id: adapter.ended(world) for id, world in worlds.items() if world}
        return [
            _noted(adapter, one, records.get(one.task_id), stories=job.settings.stories)
            | {"paid": ended[one.task_id].paid if one.task_id in ended else None}
            for one in results
        ]
    finally:
        # Its end takes a tenth of a second, in which the next chunk can begin.
        served.stop(wait=False)


@contextmanager
def _transport_factory(job: Job) -> Iterator[Callable[[Backend], Transport]]:
    if job.tapes is None:
        yield open_transport
        return
    # A chunk may be gone on with for some of its tasks alone.
    with closing(Tapes(job.tapes / f"{job.chunk:05d}-{job.epoch}")) as tapes:
        yield tapes.transport_factory(open_transport)


def _keep_journals(job: Job, folder: Path, results: Sequence[TaskResult]) -> None:
    """Move the journals that are to be kept, and the prompts that they name, into the run's."""
    if job.journals is None:
        return
    prompts = (folder / PROMPTS).glob("*.txt")
    kept = {path: job.journals / PROMPTS / path.name for path in prompts}
    for one in results:
        if job.settings.journals == "all" or not one.passed:
            nth = 1 + job.earlier.get(one.spec_id, 0) * job.settings.epochs + (job.epoch or 0)
            path = journal_path(folder, one.spec_id, 1)
            kept[path] = journal_path(job.journals, one.spec_id, nth)
    for path, target in kept.items():
        target.parent.mkdir(exist_ok=True)
        shutil.move(path, target)


def _noted(
    adapter: BenchmarkAdapter, result: TaskResult, record: TaskRecord | None, *, stories: bool
) -> dict[str, Any]:
    turns = record.whole if record else []
    decisions = [turn.decision for turn in turns]
    playbooks = [adapter.playbook(d.instruction) for d in decisions if d.decision == "PROCEED"]
    # What ended it early: the coordinator's reason, or the error of its last turn.
    failure = result.failure or ("benchmark" if result.score is None else None)
    steps = turns[-1].report.steps if turns and turns[-1].report else ()
    crashed = result.outcome == "unfinished" and steps and steps[-1].error_kind == "crash"
    story = ""
    if stories and record and not result.passed:
        story = transcript_of(record.told(result, (), adapter.benchmark.results.harm_name))
    return (
        dict(result)
        | {
            "task_text": "",  # the scenario is kept, and tells it
            "failure": failure or ("sandbox" if crashed else None),
            "playbook": next(filter(None, reversed(playbooks)), result.verdict),
            "why": (decisions[-1].instruction or decisions[-1].thought)[:WHY_CHARS]
            if turns
            else "",
            "story": story,
        }
    )


def _trivial(
    adapter: BenchmarkAdapter, player: str, task: dict[str, Any], attempt: Attempt
) -> Trial:
    return Trial(
        **task,
        player=player,
        score=attempt.score,
        outcome="finished",
        acts=attempt.acts,
        harm=adapter.benchmark.results.harmed(attempt.acts, attempt.score >= PASS),
        paid=attempt.paid,
        requests=attempt.requests,
        tokens=Usage.nothing(),
        cost_usd=0.0,
    )


def transcript_of(log: TaskRecord) -> str:
    """Render a task for a model that learns from it: its turns, the end, the platform's log."""
    parts = [f"Task: {log.text}"]
    for turn in log.whole:
        state = " ".join(turn.state.split())
        parts += [f"Turn {turn.number}, state: {state}", turn.prompt(latest=True)]
        calls = turn.report.calls[-CALLS_SHOWN:] if turn.report else ()
        parts += [f"  {one.outcome}: {' '.join(one.prompt().split())}" for one in calls]
    parts.append(f"End: {log.outcome}{f'; {log.harm_name}' if log.harm else ''}")
    parts += [f"Error: {log.error}"] if log.error else []
    parts.append(f"The platform: {' '.join(log.eval_log.split()) or 'nothing'}")
    # A word that was cut is left out: whoever masks the text would not know it.
    lines = [_CUT.sub("…", cut(line, LINE_CHARS)) for part in parts for line in part.splitlines()]
    text, half = "\n".join(lines), TRANSCRIPT_CHARS // 2
    if len(text) <= TRANSCRIPT_CHARS:
        return text
    first, last = text[:half].rpartition("\n")[0], text[-half:].partition("\n")[2]
    gone = len(lines) - len(first.splitlines()) - len(last.splitlines())
    return f"{first}\n… {gone} lines left out …\n{last}"
