"""The packs of a run: files, those of the project, and those that are drawn from a seed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from coordinator.benchmark import Benchmark
from core.files import read_bytes
from core.runs.errors import CannotRun
from workshop.generators.generating import GENERATED, Raw, generator_of, options_of
from workshop.lab.context import world_of


@dataclass(frozen=True)
class Source:
    """The source of one pack's scenarios."""

    asked: str
    name: str
    scenarios: Callable[[], Iterator[Raw]]
    """Its scenarios in order; generated ones are drawn as they are asked for."""


def source_of(asked: str, lab: Benchmark) -> Source:
    """Resolve a ``--pack``: a short name, ``generated:SEED:COUNT[:options]`` or a file.

    Raises CannotRun: there is no such pack, or its file cannot be read.
    """
    if asked.split(":", 1)[0] == GENERATED:
        generator = generator_of(lab.name)
        if generator is None:
            raise CannotRun(f"the pack {asked!r}: there is no generator for this benchmark")
        options = options_of(asked, generator.options)
        # The count is left out, so that runs of other sizes pair.
        name = ":".join([f"{GENERATED}-{options.seed}", *asked.split(":")[3:]])
        return Source(asked, name, partial(generator.scenarios, options))
    name = str(_body(asked, lab)["name"])
    # Read once more when it is played, so that it is not held until then.
    return Source(asked, name, lambda: world_of(lab).split(_body(asked, lab)))


def _body(asked: str, lab: Benchmark) -> Raw:
    try:
        body = json.loads(read_bytes(world_of(lab).packs.get(asked, Path(asked))))
    except OSError as error:
        names = ", ".join([*world_of(lab).packs, f"{GENERATED}:SEED:COUNT"])
        text = f"{error.strerror or error}; there are {names}, or give a file"
        raise CannotRun(f"the pack {asked!r} cannot be read: {text}") from None
    except (ValueError, RecursionError) as error:
        raise CannotRun(f"the pack {asked!r} is not JSON: {error}") from None
    fields: Raw = body if isinstance(body, dict) else {}
    if fields.get("format") != world_of(lab).format or not fields.get("name"):
        text = f"it has no format {world_of(lab).format!r} and name"
        raise CannotRun(f"the pack {asked!r} cannot be used: {text}")
    return fields


def sources_of(asked: Iterable[str], lab: Benchmark) -> list[Source]:
    """All packs of a run. Raises CannotRun where two have the same name."""
    sources = [source_of(one, lab) for one in asked]
    names = [source.name for source in sources]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise CannotRun(f"two packs are named {twice!r}; their tasks could not be told apart")
    return sources


def canonical(scenario: Raw) -> bytes:
    """A scenario as the fingerprint of a pack takes it in."""
    text = json.dumps(scenario, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode() + b"\n"
