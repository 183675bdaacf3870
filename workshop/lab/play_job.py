"""Playing a job in this process, on an embedded platform of its own."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from coordinator.benchmark import Benchmark
from coordinator.clients import base_urls, client_factory
from coordinator.config import RunConfig
from coordinator.session import Session
from core.erc3_client import ERC3, ApiException, transport_errors
from core.erc3_client.retrying_platform import RetryingPlatform
from core.models.model_call import Transport, Usage
from core.models.model_client import open_transport
from core.models.models_file import Backend, load_models
from core.models.providers import Played
from core.runs.cassette import Tapes
from core.runs.journal import journal_file
from core.runs.prompts import FOLDER as PROMPTS
from core.runs.reader import read_task
from core.runs.results import Known, TaskResult
from core.runs.task import Watcher
from workshop.agent_adapter.outcome import note_faults
from workshop.lab.context import BenchmarkFactory, adapted, known_of, read_pack, world_of
from workshop.lab.engines import Job
from workshop.simulator.open_world import OpenWorld
from workshop.simulator.server import serve
from workshop.simulator.world import Pack

KEY = "key-lab"
NO_ANSWER: tuple[type[Exception], ...] = (ApiException, *transport_errors(), OSError)


def play_job(job: Job, factory: BenchmarkFactory) -> list[TaskResult]:
    """Play a job; its results in pack order. Raises CannotRun: a scenario is not valid."""
    lab, raw = factory(), json.loads(job.pack)
    some = [one for one in world_of(lab).split(raw) if one["spec_id"] in job.specs]
    name = str(raw["name"])
    pack = read_pack(world_of(lab).pack_text(name, some), name)
    known = known_of(lab, pack)
    beside = play_trivial(lab, pack) if job.settings.with_trivial and not job.epoch else []
    try:
        with tempfile.TemporaryDirectory(prefix="run-") as folder:
            return [*_play(lab, pack, known, job, Path(folder)), *beside]
    except NO_ANSWER as error:
        text = f"the embedded platform could not be used: {type(error).__name__}: {error}"
        failed = [
            TaskResult(
                pack=name,
                spec_id=one.spec_id,
                epoch=job.epoch,
                task_text=one.task_text,
                journal=job.stems.get(one.spec_id, ""),
                outcome="error",
                error=text,
                failure="benchmark",
                **known[one.spec_id]._asdict(),
            )
            for one in pack.scenarios
        ]
        return [*failed, *beside]


def _play(
    lab: Benchmark, pack: Pack, known: dict[str, Known], job: Job, folder: Path
) -> list[TaskResult]:
    """Run every task of a pack as one session on a platform of its own; results in pack order.

    ``folder`` is for the session's files alone.
    """
    settings = job.settings
    config = RunConfig(
        **settings.model_dump(include=set(RunConfig.model_fields), exclude={"jobs"}),
        pack_name=pack.name,
        jobs=job.threads,
        name="lab",
        # A run of many samples has its own books of failures, and plays them again.
        breaker=0,
    )
    served = serve(pack, key=KEY, faults=settings.faults)
    try:
        client = RetryingPlatform(ERC3(key=KEY, base_url=served.base_url))
        benchmark = adapted(lab, config.guards, settings.prompts)
        with _transport_factory(job, pack) as transport_factory:
            clients = client_factory(
                config.ids,
                load_models(Path(settings.models)) if settings.models else None,
                base_urls=base_urls(ids=config.ids),
                transport_factory=transport_factory,
            )
            session = Session(
                client, config, benchmark, folder, Watcher(), clients=clients, known=known
            )
            session.run(session.plans(session.tasks()))
            played = session.close_open().tasks
        for one in played:
            note_faults(served.platform, one.task_id, journal_file(folder, one.journal))
        worlds = {task.task_id: task.world for task in served.platform.tasks}
        paid = {id: world_of(lab).paid(world) for id, world in worlds.items() if world}
        results = [
            one.model_copy(
                update={
                    "epoch": job.epoch,
                    "journal": job.stems.get(one.spec_id, ""),
                    "failure": _failure_of(one, folder),
                    "paid": paid.get(one.task_id),
                    **served.platform.effects_of(one.task_id),
                }
            )
            for one in played
        ]
        _keep_journals(job, folder, played, results)
        return results
    finally:
        # Its end takes a tenth of a second, in which the next chunk can begin.
        served.stop(wait=False)


@contextmanager
def _transport_factory(job: Job, pack: Pack) -> Iterator[Callable[[Backend], Transport]]:
    opened = partial(open_transport, played=Played((pack,), job.epoch))
    if job.folder is None or not job.settings.tapes:
        yield opened
        return
    # A chunk may be gone on with for some of its tasks alone.
    path = job.folder / "tapes" / f"{job.chunk:05d}-{job.epoch}"
    with closing(Tapes(path)) as tapes:
        yield tapes.transport_factory(opened)


def _failure_of(result: TaskResult, folder: Path) -> str | None:
    """What ended a task early; a sandbox that died in its last turn is told by the journal."""
    failure = result.failure or ("benchmark" if result.score is None else None)
    if failure or result.outcome != "unfinished":
        return failure
    turns = read_task(journal_file(folder, result.journal)).whole
    steps = turns[-1].report.steps if turns and turns[-1].report else ()
    return "sandbox" if steps and steps[-1].error_kind == "crash" else None


def _keep_journals(
    job: Job, folder: Path, played: Sequence[TaskResult], results: Sequence[TaskResult]
) -> None:
    """Move the journals that are to be kept, and the prompts that they name, into the run's."""
    if job.folder is None or job.settings.journals == "none":
        return
    prompts = (folder / PROMPTS).glob("*.txt")
    kept = {path: job.folder / PROMPTS / path.name for path in prompts}
    for was, now in zip(played, results, strict=True):
        if job.settings.journals == "all" or not now.passed:
            kept[journal_file(folder, was.journal)] = journal_file(job.folder, now.journal)
    for path, target in kept.items():
        target.parent.mkdir(exist_ok=True)
        shutil.move(path, target)


def play_trivial(lab: Benchmark, pack: Pack) -> list[TaskResult]:
    """The results of the trivial players in the tasks of a pack."""
    known, results = known_of(lab, pack), list[TaskResult]()
    for one in pack.scenarios:
        for name, player in world_of(lab).trivial.items():
            world = OpenWorld(pack, one)
            player.act(world.ask, world.task)
            verdict = world.score()
            result = TaskResult(
                pack=pack.name,
                spec_id=one.spec_id,
                player=name,
                score=verdict.score,
                outcome="finished",
                acts=verdict.side_effects,
                harm=verdict.harm,
                paid=world.paid,
                requests=len(world.calls),
                tokens=Usage.nothing(),
                cost_usd=0.0,
                **known[one.spec_id]._asdict(),
            )
            results.append(result)
    return results
