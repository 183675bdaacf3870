"""The benchmarks as a run plays them: with its options, prompts and worlds."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

from rich.console import Console

from cli.registry import declared, load, names
from coordinator.benchmark import AS_SHIPPED, Benchmark, TaskOptions
from coordinator.config import StrategyName
from core.models.sections import NONE, SectionError, Texts, prompt_overrides
from core.runs.errors import Usage
from core.terminal.console import say
from core.terminal.figures import counted

if TYPE_CHECKING:
    from core.ledger import Tool
    from workshop.simulator.world import World


def benchmark_named(id: str, options: TaskOptions = AS_SHIPPED) -> Benchmark:
    """The benchmark of that id, for one run. Raises Usage: an option does not fit it."""
    return declared(id).with_options(options)


def every_stage() -> tuple[str, ...]:
    """The names of the stages of all benchmarks."""
    stages = (stage.name for name in names() for stage in declared(name).stages)
    return tuple(dict.fromkeys(stages))


def shipped_sections() -> dict[str, str]:
    """The sections of all prompts of all benchmarks, by name."""
    sections: dict[str, str] = {}
    for name in names():
        sections |= declared(name).sections()
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
    own = declared(id).sections() if given else NONE

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
    """The world of that benchmark on the simulator. Raises Usage."""
    return cast("World", load(declared(id).world))


def know_worlds() -> None:
    """Have the embedded platform serve the packs of every benchmark, registered ones too."""
    from workshop.simulator import worlds

    for name in names():
        if name not in worlds.FORMATS:
            world = world_named(name)
            worlds.WORLDS.setdefault(world.format, world)


def tools_of(id: str) -> list[Tool]:
    """The tools of a benchmark, those of every stage too, without an environment. Raises Usage."""
    benchmark = declared(id)
    return benchmark.tools(benchmark.stages)
