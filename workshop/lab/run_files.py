"""The files of a plain run in the folder of a lab run: whatever opens runs opens it as well."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from coordinator.stages import chosen
from core.runs.folder import PACK_COPY
from core.runs.journal import text_hash, write_whole
from core.runs.manifest import Identity, Manifest
from core.runs.prompts import Prompts
from core.runs.results import NAME, ModelPair, RunResults, TaskResult, totals_of
from workshop.lab.benchmark_adapter import BenchmarkAdapter, LabContext
from workshop.lab.lab_folder import LabFolder
from workshop.lab.lab_run import AGENT, LabRun, Trial
from workshop.lab.packs import canonical
from workshop.views.report.run_page import write_report
from workshop.views.report.setup import BASELINES

PACK_AT_MOST = 2_000
"""Tasks of which the pack is kept a second time, for `debug`, `--fork` and `minimise`."""
NO_OPTIONS = {"prompts", "packs", "chunk", "journals", "floors", "stories", "tapes", "agent"}
"""Settings that other fields tell, or that change no result."""
SHOWN_AT_MOST = 20_000
"""Trials that one page can show, and one reader hold."""


def note_run(
    folder: LabFolder, run: LabRun, context: LabContext, asked: Mapping[str, Path | str | None]
) -> None:
    """Write ``run.json`` with the prompts that it names, and the pack if it is small enough.

    ``asked``: options that are not in the settings, such as the name.
    """
    settings, adapter = run.settings, context.adapter(run.settings.benchmark)
    scenarios = list(islice(folder.scenarios(adapter), PACK_AT_MOST + 1))
    by_spec = {raw["spec_id"]: text_hash(canonical(raw).decode()) for raw in scenarios}
    name = _pack_name(run)
    if len(by_spec) == len(scenarios) <= PACK_AT_MOST:
        write_whole(folder.path / PACK_COPY, adapter.pack_text(name, scenarios))
    benchmark = adapter.benchmark_with(settings.guards, settings.prompts)
    shipped = benchmark.prompts.shipped()
    replaced = {section: shipped[section] for section in settings.prompts}
    prompts = {} if settings.agent else context.prompts(benchmark, settings)
    prompt_files = Prompts(folder.path)
    for text in (*prompts.values(), *settings.prompts.values(), *replaced.values()):
        prompt_files.keep(text)
    options = settings.model_dump(mode="json", exclude=NO_OPTIONS) | {
        option: str(value) for option, value in asked.items() if value
    }
    Manifest(
        run_id=run.run_id,
        created=run.started,
        identity=Identity(
            models={"evaluator": settings.evaluator, "worker": settings.worker},
            prompts={role: text_hash(text) for role, text in prompts.items()},
            sections={section: text_hash(text) for section, text in settings.prompts.items()},
            pack=name,
            scenarios=by_spec if len(scenarios) <= PACK_AT_MOST else {},
        ),
        options=options | {"pack": " ".join(settings.packs)},
        shipped={section: text_hash(text) for section, text in replaced.items()},
        versions=context.versions(),
    ).write(folder.path)


def write_results(
    folder: LabFolder,
    run: LabRun,
    adapter: BenchmarkAdapter,
    session_id: str | None = None,
    submitted: bool = False,
) -> bool:
    """Write ``results.json``, the baselines and the report, of the trials that are done so far.

    False: there are too many for them.
    """
    settings, words = run.settings, adapter.benchmark.results
    trials = folder.trials()
    if len(trials) > SHOWN_AT_MOST:
        return False
    texts = folder.texts()
    tasks = tuple(_result_of(trial, n, texts) for n, trial in enumerate(trials))
    stages = chosen(settings.steps, adapter.benchmark.environments.stages)
    results = RunResults(
        run_id=run.run_id,
        benchmark=settings.benchmark,
        pack=_pack_name(run),
        brain=ModelPair(evaluator=settings.evaluator, worker=settings.worker),
        strategy=settings.strategy,
        steps=tuple(stage.name for stage in stages),
        sandboxes=run.sandboxes,
        session_id=session_id,
        submitted=submitted,
        started=run.started,
        finished=run.finished,
        harm_name=run.harm_name,
        idle_group=words.idle_group,
        totals=totals_of(tasks, run.wall_seconds or 0.0, words.groups),
        tasks=tasks,
    )
    write_whole(folder.path / NAME, results.model_dump_json(indent=1))
    if scores := {run.players[s.player]: s.score for s in run.summaries if s.player != AGENT}:
        write_whole(folder.path / BASELINES, json.dumps(scores))
    write_report(folder.path)
    return True


def _pack_name(run: LabRun) -> str:
    return " + ".join(pack.name for pack in run.packs)


def _result_of(trial: Trial, number: int, texts: Mapping[tuple[str, str], str]) -> TaskResult:
    """The trial as a line of ``results.json``; one that no platform began has no id of its own."""
    text = trial.task_text or texts.get(trial.task, "")
    task_id = trial.task_id or f"trial-{number}"
    return trial.result.model_copy(update={"task_id": task_id, "task_text": text})
