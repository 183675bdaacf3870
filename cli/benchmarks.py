"""Makes a benchmark out of what its module declares."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from rich.console import Console

from cli.registry import Registration, every_benchmark, registered
from coordinator import verify
from coordinator.benchmark import (
    Benchmark,
    BenchmarkPrompts,
    Environment,
    EnvironmentSpec,
    ResultWords,
)
from coordinator.config import StrategyName
from coordinator.stages import StageSpec, with_stage_tools
from core.erc3_client.retry_policy import RetryPolicy
from core.ledger.tool import retold
from core.models.prompts import template_sections
from core.models.sections import NONE, SectionError, Texts, prompt_overrides
from core.runs.errors import Usage
from core.terminal.console import say
from core.terminal.figures import counted
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
    embedding: str | None = None
    """The model that a wiki is searched with by meaning; None: it is not."""


ToolTexts: TypeAlias = Mapping[str, str]
"""Overridden texts of tools, by the tool's name."""


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
    playbooks: str | None = None
    """Its strategies as text; None: the files in ``playbooks/NAME``."""
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
    texts = {k.removeprefix(head): text for k, text in overrides.items() if k.startswith(head)}

    def shipped() -> Texts:
        sections: dict[str, str] = {}
        for package, names in TEMPLATES.items():
            sections |= template_sections(package, *names)
        sections[f"{name}/rules"] = own.rules
        if own.playbooks is None:
            sections |= library.sections(name)
        sections |= own.sections()
        tools = (*own.tools(), *own.stage_tools())
        return sections | {f"{head}{tool.name}": tool.doc for tool in tools if tool.told}

    def guide(*, of_steps: bool = False) -> str:
        return own.playbooks or library.prose(name, overrides, of_steps=of_steps)

    return Benchmark(
        id=id,
        prompts=BenchmarkPrompts(
            rules=overrides.get(f"{name}/rules", own.rules),
            guide=guide,
            guide_of_steps=partial(guide, of_steps=True),
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
    benchmarks = (benchmark_named(entry.name) for entry in every_benchmark())
    return tuple(dict.fromkeys(s.name for one in benchmarks for s in one.environments.stages))


def shipped_sections() -> dict[str, str]:
    """The sections of all prompts of all benchmarks, by name."""
    sections: dict[str, str] = {}
    for entry in every_benchmark():
        sections |= benchmark_named(entry.name).prompts.shipped()
    return sections


def sections_at(folder: Path | None) -> Texts:
    """The sections of a folder that replace shipped ones, of any benchmark. Raises Usage."""
    try:
        return prompt_overrides(folder, shipped_sections()) if folder else NONE
    except SectionError as error:
        raise Usage(f"--prompts: {error}") from None


_OF_ONE_STRATEGY: Mapping[str, StrategyName] = {
    "evaluator": "evaluator-worker",
    "worker": "evaluator-worker",
    "guide/worker": "evaluator-worker",
    "next_step": "next-step",
    "guide/steps": "next-step",
}
"""The strategy whose prompts alone have a section: by its package, or a guide by its name."""
SECTIONS_NAMED = 8


def used_sections(
    folder: Path | None, id: str, strategies: Collection[StrategyName], note: Console
) -> Texts:
    """The sections of a folder that prompts of this benchmark and these strategies have.

    The others are left out, and one line on ``note`` counts and names them. Raises Usage.
    """
    given = sections_at(folder)
    own = benchmark_named(id).prompts.shipped() if given else NONE

    def is_used(name: str) -> bool:
        package, _, rest = name.partition("/")
        only = _OF_ONE_STRATEGY.get(rest if rest.startswith("guide/") else package)
        return name in own and (only is None or only in strategies)

    used = {name: text for name, text in given.items() if is_used(name)}
    if left := [name for name in given if name not in used]:
        named = ", ".join(left[:SECTIONS_NAMED])
        more = f" and {len(left) - SECTIONS_NAMED} more" if len(left) > SECTIONS_NAMED else ""
        kinds = f"--benchmark {id} with {' and '.join(strategies)}"
        text = f"{counted(len(left), 'section')} not used, because {kinds} has no such"
        say(note, f"note: --prompts: {text}: {named}{more}")
    return used


def world_named(id: str) -> World:
    """Return the factory of that benchmark on the simulator. Raises Usage."""
    entry = registered(id)
    return cast("World", entry.load(entry.world))


def know_world(entry: Registration) -> None:
    """Have the embedded platform serve the packs of a benchmark that it does not bring itself."""
    from workshop.simulator import worlds

    if entry.name not in worlds.FORMATS:
        world = cast("World", entry.load(entry.world))
        worlds.WORLDS.setdefault(world.format, world)


def tools_of(id: str) -> list[Tool]:
    """The tools of a benchmark, those of every stage too, without an environment. Raises Usage."""
    benchmark = benchmark_named(id)
    return with_stage_tools(benchmark, benchmark.environments.stages).environments.tools()


def workbench_of(id: str) -> Workbench:
    """Return what a benchmark offers to the debugger. Raises Usage."""
    entry = registered(id)
    return cast("Workbench", entry.load(entry.workbench))
