"""What a benchmark brings for the lab: its packs, what they know of a task, players to beat."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from coordinator.benchmark import Benchmark
from coordinator.config import StrategyName
from core.runs.errors import Usage
from workshop.lab.leaks import Facts
from workshop.simulator.platform import Platform

ALL = "all"
"""Guards, where nothing else is asked for."""
Raw = dict[str, Any]
"""A scenario as it stands in the file, with the fields that the platform does not read."""


class Pack(Protocol):
    """A pack as its platform reads it."""

    @property
    def name(self) -> str:
        """What runs call it."""

    @property
    def scenarios(self) -> Sequence[Any]:
        """In pack order; each has a ``spec_id``."""


class Served(Protocol):
    """An embedded platform that serves a pack on loopback."""

    @property
    def base_url(self) -> str:
        """Its address."""

    @property
    def platform(self) -> Platform:
        """Its sessions and tasks."""

    def stop(self, *, wait: bool = True) -> None:
        """End it; its last moments may be left to itself."""


class Known(NamedTuple):
    """What a pack tells of a task, whoever plays it."""

    group: str | None
    mechanics: tuple[str, ...] = ()
    best: int | None = None
    """Dollars that the best answer costs; None where answers of this task have no price."""


class Ended(NamedTuple):
    """How a task's world stands, whoever has played in it."""

    verdict: str
    """The benchmark's word for it."""
    acts: int
    """As ``Benchmark.acts`` counts them."""
    events: tuple[str, ...]
    """All that was done for good, as the platform recorded it, oldest first; a line each."""


class Attempt(NamedTuple):
    """What a trivial player did in a task."""

    score: float
    acts: int
    requests: int
    paid: int | None = None


@dataclass(frozen=True)
class Floor:
    """A trivial player, which any brain must beat."""

    title: str
    play: Callable[[Any], Attempt]
    """Plays a scenario as the pack's platform reads it."""


@dataclass(frozen=True)
class Cut:
    """What a scenario may do without."""

    items: Sequence[Any]
    keeping: Callable[[Sequence[Any]], Raw]
    """The scenario with only some of the items."""


@dataclass(frozen=True)
class BenchmarkAdapter:
    """All that the lab needs of a benchmark."""

    guest: Benchmark
    format: str
    """Of its pack files."""
    packs: Mapping[str, Path]
    """Packs that are part of the project, by short name."""
    generated_name: Callable[[str], str]
    """The name of the pack that ``generated:SEED:COUNT[:options]`` asks for. Raises CannotRun."""
    generated: Callable[[str], Iterator[Raw]]
    """Its scenarios, drawn as they are asked for. Raises CannotRun."""
    read: Callable[[str, str], Pack]
    """A pack from JSON text; the second text says where it is from. Raises CannotRun."""
    serve: Callable[[Any, str], Served]
    """A platform for a pack, which takes this account key and no other."""
    known: Callable[[Any, Raw], Known]
    """What is known of a scenario, as its platform reads it and as it stands in the file."""
    paid: Callable[[Any, str], int | None]
    """Dollars of the first act in a task of a served pack; None without one or without a price."""
    ended: Callable[[Any], Ended]
    """How the world of a task on a served pack stands."""
    playbook: Callable[[str], str | None]
    """The playbook that an instruction names."""
    floors: Mapping[str, Floor]
    """By the name that trials give to the player."""
    holds: Callable[[Raw], bool]
    """Whether a scenario is valid and, where it has a proof, still expects the best answer."""
    cuts: tuple[Callable[[Raw], Cut], ...]
    """How a scenario can be made smaller while its expectation stays right."""
    baseline: Path
    """The stored results of the guest's own brain."""
    baseline_packs: tuple[str, ...]
    """What they are made of; each gives the same scenarios on every machine."""
    remade: Callable[[str, Mapping[str, str]], Benchmark] | None = None
    """The guest with other guards than all and with sections over the shipped ones; None: it takes
    neither. Raises Usage."""
    facts: Callable[[Raw], Facts] = lambda _raw: Facts()
    """What a scenario holds that no prompt may tell."""
    packed: Callable[[Sequence[Raw]], Raw] | None = None
    """Scenarios as a pack holds them, with what they share beside them; None: as they are."""
    unpacked: Callable[[Raw], Iterator[Raw]] | None = None
    """The scenarios of a pack, each with all that it needs; None: as they stand there."""

    def benchmark_with(self, guards: str, prompts: Mapping[str, str]) -> Benchmark:
        """The guest with these guards on and these sections in its prompts. Raises Usage."""
        as_it_is = guards == ALL and not prompts
        return self.remade(guards, prompts) if self.remade and not as_it_is else self.guest

    def pack_text(self, name: str, scenarios: Sequence[Raw]) -> str:
        """A pack of some scenarios, as JSON text."""
        body: Raw = {"format": self.format, "name": name, "scenarios": scenarios}
        if self.packed:
            body |= self.packed(scenarios)
        return json.dumps(body, ensure_ascii=False, separators=(",", ":"))

    def scenarios(self, body: Raw) -> Iterator[Raw]:
        """The scenarios of a pack out of JSON, each with all that it needs."""
        return self.unpacked(body) if self.unpacked else iter(body["scenarios"])


AdapterFactory = Callable[[], BenchmarkAdapter]
"""A function of a module: its name is all that goes to another process."""


@dataclass(frozen=True)
class LabContext:
    """The benchmarks that can be played; whoever starts the lab says which."""

    kits: Mapping[str, AdapterFactory]
    """By id; functions of a module, for the processes that play."""
    default: str
    models: Callable[[str, StrategyName, str | None, str | None], dict[str, str]]
    """The models that play a benchmark with a strategy; evaluator and worker may be named."""
    texts: Callable[[Path | None], Mapping[str, str]]
    """The sections that a folder lays over the shipped ones. Raises Usage."""
    environment: Mapping[str, str]
    """What the user's shell has handed down; nothing of a file of settings stands in it."""

    def kit(self, benchmark: str | None = None) -> BenchmarkAdapter:
        """What a benchmark brings, in this process. Raises Usage."""
        name = benchmark or self.default
        if name not in self.kits:
            raise Usage(f"the lab does not play {name!r}; it plays: {', '.join(self.kits)}")
        return self.kits[name]()
