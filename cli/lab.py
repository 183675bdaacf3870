"""The models, prompts and benchmarks that the lab plays with."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console

from cli import preflight
from cli.adapters import ADAPTERS
from cli.benchmarks import used_sections
from cli.options import Options
from cli.preflight import Asked
from cli.run_models import check_evaluator, prompts_of, run_models, versions
from coordinator.benchmark import Benchmark
from coordinator.config import StrategyName
from core.models.models_file import default_models
from workshop.lab.benchmark_adapter import LabContext
from workshop.lab.lab_run import Settings


def lab_context(environment: Mapping[str, str]) -> LabContext:
    """The benchmarks that the lab can play; ``environment``: as the program was started with."""
    return LabContext(
        ADAPTERS, default="store", models=_models, texts=used_sections, prompts=_prompts,
        versions=versions, environment=environment, ask_once=_ask_once,
    )  # fmt: skip


def _models(
    benchmark: str, strategy: StrategyName, evaluator: str | None, worker: str | None
) -> dict[str, str]:
    named = {"evaluator": evaluator, "worker": worker}
    chosen = {role: model for role, model in named.items() if model}
    options = Options.model_validate({"benchmark": benchmark, "strategy": strategy, **chosen})
    check_evaluator(options)
    return {"evaluator": options.evaluator, "worker": options.worker}


def _prompts(benchmark: Benchmark, settings: Settings) -> Mapping[str, str]:
    fields = settings.model_dump(include=set(Options.model_fields), exclude={"prompts"})
    options = Options.model_validate(fields | {"stages": settings.steps})
    return prompts_of(benchmark, options, run_models(options, benchmark.environments.stages))


def _ask_once(asked: Asked, note: Console) -> None:
    models = default_models()
    preflight.check_ids(models, asked)
    preflight.check_keys(models, asked, note)
    preflight.ask(models, asked, note)
