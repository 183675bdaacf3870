"""Makes a benchmark out of what its module declares."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from cli.registry import Registration, every_benchmark, registered
from coordinator import verify
from coordinator.benchmark import (
    Benchmark,
    BenchmarkPrompts,
    Environment,
    EnvironmentSpec,
    ResultWords,
)
from coordinator.stages import StageSpec, with_stage_tools
from core.erc3_client.retry_policy import RetryPolicy
from core.ledger.tool import retold
from core.models.prompts import template_sections
from core.models.sections import NONE, SectionError, Texts, prompt_overrides
from core.runs.errors import Usage
from playbooks import library

if TYPE_CHECKING:
    from core.ledger import Tool
    from workshop.replay.debugger.debug_state import Workbench
    from workshop.simulator.world import World

TEMPLATES = {
    "evaluator": ("system",),
    "worker": ("system",),
    "next_step": ("system",),
    "coordinator": ("verify",),
}
"""Templates, by package, that are sections of every benchmark's prompts."""


@dataclass(frozen=True)
class RunContext:
    """The parts of a run that a benchmark needs."""

    retry_policy: RetryPolicy | None = None
    """How long the platform is waited for."""
    guards: str = "all"
    """Those that are on."""
    cache: Path | None = None
    """A folder for what its tasks share with other runs."""
    overrides: Texts = field(default_factory=dict)
    """Sections of prompts that replace shipped ones."""
    rulebooks: tuple[str, ...] = ()
    """Pages that a briefing has whole."""
    books: Path | None = None
    """A folder for what models have read; None where every call has to be made."""
    stages: str = "default"
    """Those that are on."""


ToolTexts: TypeAlias = Mapping[str, str]
"""Overridden texts of tools, by the tool's name."""


@dataclass(frozen=True)
class Playbooks:
    """The strategies of a benchmark as text."""

    guide: Callable[[Texts], str]
    """For the evaluator, with sections in place of shipped ones."""
    guide_of_steps: Callable[[Texts], str]
    """For a strategy whose every step is one call."""
    sections: Callable[[], Texts] = dict


@dataclass(frozen=True)
class Declaration:
    """The declaration of a benchmark; everything else is common to all."""

    rules: str
    final_answer: str
    results: ResultWords
    open: Callable[[Any, str, ToolTexts], Environment]
    """The environment of a task: platform, task id, texts of tools."""
    tools: Callable[[], list[Tool]]
    """The tools of its instructions, without an environment."""
    playbooks: Playbooks | None = None
    """None: the files in ``playbooks/NAME``."""
    stages: tuple[StageSpec, ...] = ()
    """Its own; the general one comes behind them."""
    sections: Callable[[], Texts] = dict
    """Sections of its stages."""
    page_tool: str = ""
    """The tool that reads pages for an evaluator without a worker."""
    stage_tools: Callable[[], list[Tool]] = list
    """Tools that are stages; their texts are sections as well."""


def declared(id: str, entry: Registration, run: RunContext) -> Benchmark:
    """The benchmark under one of its ids. Raises Usage: an option of the run does not fit it."""
    name, overrides = entry.name, run.overrides
    own: Declaration = entry.load(entry.declaration).declare(run)
    head = f"{name}/tools/"
    playbooks = own.playbooks or _library(name)
    texts = {k.removeprefix(head): text for k, text in overrides.items() if k.startswith(head)}

    def shipped() -> Texts:
        every = [*own.tools(), *own.stage_tools()]
        docs = {f"{head}{tool.name}": tool.doc for tool in every if tool.told}
        return {
            **_common_sections(),
            f"{name}/rules": own.rules,
            **playbooks.sections(),
            **own.sections(),
            **docs,
        }

    return Benchmark(
        id=id,
        prompts=BenchmarkPrompts(
            rules=overrides.get(f"{name}/rules", own.rules),
            guide=partial(playbooks.guide, overrides),
            guide_of_steps=partial(playbooks.guide_of_steps, overrides),
            final_answer=own.final_answer,
            shipped=shipped,
            overrides=overrides,
        ),
        environments=EnvironmentSpec(
            open=lambda platform, task_id: own.open(platform, task_id, texts),
            tools=lambda: retold(own.tools(), texts),
            stages=(*own.stages, verify_stage(overrides)),
            page_tool=own.page_tool,
        ),
        results=own.results,
    )


def _library(name: str) -> Playbooks:
    return Playbooks(
        guide=partial(library.prose, name),
        guide_of_steps=partial(library.prose_of_steps, name),
        sections=partial(library.sections, name),
    )


def _common_sections() -> dict[str, str]:
    every = (template_sections(package, *names) for package, names in TEMPLATES.items())
    return {name: text for part in every for name, text in part.items()}


def verify_stage(overrides: Texts) -> StageSpec:
    """The stage that every benchmark has."""
    return StageSpec(
        "verify",
        "one model call checks the final answer and may object once",
        "objects",
        lambda _: verify.Verify(overrides),
        default=False,
        prompt=partial(verify.system, overrides),
    )


def benchmark_named(id: str, run: RunContext = RunContext()) -> Benchmark:
    """The benchmark of that id. Raises Usage."""
    return declared(id, registered(id), run)


def every_stage() -> tuple[str, ...]:
    """The names of the stages of all benchmarks."""
    names = (
        stage.name
        for entry in every_benchmark()
        for stage in benchmark_named(entry.name).environments.stages
    )
    return tuple(dict.fromkeys(names))


def shipped_sections() -> dict[str, str]:
    """The sections of all prompts of all benchmarks, by name."""
    every = (benchmark_named(entry.name).prompts.shipped() for entry in every_benchmark())
    return {name: text for part in every for name, text in part.items()}


def sections_at(folder: Path | None) -> Texts:
    """The sections of a folder that replace shipped ones. Raises Usage."""
    try:
        return prompt_overrides(folder, shipped_sections()) if folder else NONE
    except SectionError as error:
        raise Usage(f"--prompts: {error}") from None


def world_named(id: str) -> World:
    """Return the factory of that benchmark on the simulator. Raises Usage."""
    entry = registered(id)
    world: World = entry.load(entry.world)
    return world


def know_world(entry: Registration) -> None:
    """Have the embedded platform serve the packs of a benchmark that it does not bring itself."""
    from workshop.simulator import worlds

    if entry.name not in worlds.FORMATS:
        world: World = entry.load(entry.world)
        worlds.WORLDS.setdefault(world.format, world)


def tools_of(id: str) -> list[Tool]:
    """The tools of a benchmark, those of every stage too, without an environment. Raises Usage."""
    benchmark = benchmark_named(id)
    return with_stage_tools(benchmark, benchmark.environments.stages).environments.tools()


def workbench_of(id: str) -> Workbench:
    """Return what a benchmark offers to the debugger. Raises Usage."""
    entry = registered(id)
    workbench: Workbench = entry.load(entry.workbench)
    return workbench
