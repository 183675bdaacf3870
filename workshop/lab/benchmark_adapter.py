"""The adapter of a benchmark for the lab: its packs, what they say of a task, baselines."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from coordinator.benchmark import Benchmark
from coordinator.config import StrategyName
from core.models.model_call import Role
from core.runs.errors import CannotRun, Usage
from workshop.generators.generating import PackOptions
from workshop.lab.leaks import Facts
from workshop.simulator import worlds
from workshop.simulator.pack_files import PackError
from workshop.simulator.world import Pack

if TYPE_CHECKING:
    from rich.console import Console

    from workshop.lab.lab_run import Settings

ALL = "all"
"""Guards, where nothing else is asked for."""
Raw = dict[str, Any]
"""A scenario as in the file, with the fields that the platform ignores."""


class Known(NamedTuple):
    """The pack's facts about a task, for every player."""

    group: str | None
    mechanics: tuple[str, ...] = ()
    best: int | None = None
    """Dollars that the best answer costs; None where answers of this task have no price."""


class Ended(NamedTuple):
    """The state of a task's world after it was played."""

    verdict: str
    acts: int
    """As ``Benchmark.acts`` counts them."""
    events: tuple[str, ...]
    """All that was done for good, as the platform recorded it, oldest first; a line each."""
    paid: int | None = None
    """Dollars of the first act; None without one or without a price."""


class Attempt(NamedTuple):
    """The actions of a trivial player in a task."""

    score: float
    acts: int
    requests: int
    paid: int | None = None


@dataclass(frozen=True)
class TrivialPlayer:
    """A trivial player, which any model must beat."""

    title: str
    play: Callable[[Any, Any], Attempt]
    """Plays a scenario of a pack, both as the platform reads them."""


@dataclass(frozen=True)
class Cut:
    """Parts that a scenario may do without."""

    items: Sequence[Any]
    keeping: Callable[[Sequence[Any]], Raw]
    """The scenario with only some of the items."""


@dataclass(frozen=True)
class BaselineOf:
    """The settings and the file of a benchmark's stored baseline."""

    path: Path
    model: str
    """Its rule-based model, as evaluator and worker."""
    packs: tuple[str, ...]


Rebuild: TypeAlias = Callable[[str, Mapping[str, str]], Benchmark]
"""The benchmark with these guards on and these sections in its prompts. Raises Usage."""


@dataclass(frozen=True)
class BenchmarkAdapter:
    """All that the lab needs of a benchmark."""

    benchmark: Benchmark
    rebuild: Rebuild
    format: str
    """Of its pack files."""
    known: Callable[[Any, Raw], Known]
    """The facts about a scenario, as the platform reads it and as it is in the file."""
    ended: Callable[[Any], Ended]
    """How the environment of a task on a served pack ended."""
    packs: Mapping[str, Path] = field(default_factory=dict)
    """Packs that are part of the project, by short name."""
    options: type[PackOptions] | None = None
    """What may be asked for in ``generated:SEED:COUNT[:options]``; None: nothing is generated."""
    generated: Callable[[Any], Iterator[Raw]] = lambda _options: iter(())
    """Scenarios of these options, drawn as they are asked for."""
    playbook: Callable[[str], str | None] = lambda _instruction: None
    trivial_players: Mapping[str, TrivialPlayer] = field(default_factory=dict)
    """The trivial baselines, by the name that trials give to the player."""
    baseline: BaselineOf | None = None
    """None: nothing is stored of this benchmark."""
    proven: Callable[[Raw], bool] = lambda _raw: True
    """Whether a scenario that has a proof still expects the best answer."""
    cuts: tuple[Callable[[Raw], Cut], ...] = ()
    """How a scenario can be made smaller while its expectation stays right."""
    facts: Callable[[Raw], Facts] = lambda _raw: Facts()
    """Data of a scenario that a prompt must not contain."""
    packed: Callable[[Sequence[Raw]], Raw] = lambda scenarios: {"scenarios": scenarios}
    """Scenarios as a pack holds them, with what they share beside them."""
    scenarios: Callable[[Raw], Iterator[Raw]] = lambda body: iter(body.get("scenarios") or ())
    """The scenarios of a pack out of JSON, each with all that it needs."""

    def benchmark_with(self, guards: str, prompts: Mapping[str, str]) -> Benchmark:
        """The benchmark with these guards on and these sections in its prompts. Raises Usage."""
        return self.benchmark if guards == ALL and not prompts else self.rebuild(guards, prompts)

    def stored_baseline(self) -> BaselineOf:
        """Return the settings of its stored baseline. Raises Usage: it has none."""
        if self.baseline is None:
            raise Usage(f"the benchmark {self.benchmark.id!r} has no stored baseline")
        return self.baseline

    def read(self, text: str, source: str) -> Pack:
        """Read a pack from JSON text; ``source`` names it in errors. Raises CannotRun."""
        try:
            return worlds.read_pack(text, source)
        except PackError as error:
            raise CannotRun(f"the pack cannot be used: {error}") from None

    def known_of(self, pack: Pack, raws: Sequence[Raw]) -> dict[str, Known]:
        """The facts about each scenario of a pack that was read from ``raws``, by spec."""
        both = zip(pack.scenarios, raws, strict=True)
        return {one.spec_id: self.known(one, raw) for one, raw in both}

    def pack_text(self, name: str, scenarios: Sequence[Raw]) -> str:
        """A pack of some scenarios, as JSON text."""
        body: Raw = {"format": self.format, "name": name} | self.packed(scenarios)
        return json.dumps(body, ensure_ascii=False, separators=(",", ":"))

    def holds(self, raw: Raw) -> bool:
        """Whether a scenario is valid and still expects the best answer."""
        try:
            self.read(self.pack_text("candidate", [raw]), "candidate")
            return self.proven(raw)
        except (CannotRun, KeyError, ValueError):
            return False


AdapterFactory: TypeAlias = Callable[[], BenchmarkAdapter]
"""Makes an adapter, in any process: it is sent there."""


@dataclass(frozen=True)
class LabContext:
    """The benchmarks that can be played, and what the command line knows of them."""

    adapters: Mapping[str, AdapterFactory]
    default: str
    models: Callable[[str, StrategyName, str | None, str | None], dict[str, str]]
    """The models that play a benchmark with a strategy; evaluator and worker may be named."""
    texts: Callable[[Path | None, str, Collection[StrategyName], Console], Mapping[str, str]]
    """The prompt overrides in a folder that a benchmark and strategies have; what it names beside
    them is told on the console. Raises Usage."""
    prompts: Callable[[Benchmark, Settings], Mapping[str, str]]
    """The fixed beginning of each role's prompts. Raises Usage."""
    versions: Callable[[], dict[str, str]]
    """Versions of what decides how a run goes."""
    environment: Mapping[str, str]
    """The environment of the user's shell, without additions from a .env file."""
    ask_once: Callable[[Mapping[Role, tuple[str, str | None]], Console], None]
    """Ask models by role, with their base URLs, for one short answer. Raises CannotRun."""

    def adapter(self, benchmark: str | None = None) -> BenchmarkAdapter:
        """Return a benchmark's adapter in this process. Raises Usage."""
        name = benchmark or self.default
        if name not in self.adapters:
            raise Usage(f"the lab does not play {name!r}; it plays: {', '.join(self.adapters)}")
        return self.adapters[name]()
