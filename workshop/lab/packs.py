"""The packs of a run as streams of scenarios: files, those of the project, generated ones."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import ijson  # type: ignore[import-untyped, unused-ignore]

from core.runs.errors import CannotRun
from workshop.lab.benchmark_adapter import BenchmarkAdapter, Raw

GENERATED = "generated"


@dataclass(frozen=True)
class Source:
    """Where the scenarios of one pack come from."""

    adapter: BenchmarkAdapter
    asked: str
    """As the command line says it."""
    name: str
    """The pack's own name."""
    path: Path | None
    """None for a generated pack."""

    def scenarios(self) -> Iterator[Raw]:
        """Every scenario in order; only one is in memory at a time.

        Raises CannotRun: the file cannot be read.
        """
        if self.path is None:
            yield from self.adapter.generated(self.asked)
            return
        if self.adapter.unpacked:
            with _explained(self.asked, self.adapter):
                yield from self.adapter.scenarios(json.loads(self.path.read_text(encoding="utf-8")))
            return
        with _explained(self.asked, self.adapter), self.path.open("rb") as file:
            yield from ijson.items(file, "scenarios.item", use_float=True)


def source_of(asked: str, adapter: BenchmarkAdapter) -> Source:
    """What a ``--pack`` means: a short name, ``generated:SEED:COUNT[:options]`` or a file.

    Raises CannotRun: there is no such pack.
    """
    if asked.split(":", 1)[0] == GENERATED:
        if adapter.generated_name is None:
            raise CannotRun(f"the pack {asked!r}: no generator draws packs of this benchmark")
        return Source(adapter, asked, adapter.generated_name(asked), None)
    path = adapter.packs.get(asked, Path(asked))
    with _explained(asked, adapter), path.open("rb") as file:
        fields = {key: value for key, event, value in ijson.parse(file) if event == "string"}
    name = fields.get("name")
    if fields.get("format") != adapter.format or not name:
        text = f"it has no format {adapter.format!r} and name"
        raise CannotRun(f"the pack {asked!r} cannot be used: {text}")
    return Source(adapter, asked, name, path)


def sources_of(asked: Iterable[str], adapter: BenchmarkAdapter) -> list[Source]:
    """All packs of a run. Raises CannotRun where two have the same name."""
    found = [source_of(one, adapter) for one in asked]
    names = [source.name for source in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise CannotRun(f"two packs are named {twice!r}; their tasks could not be told apart")
    return found


def canonical(scenario: Raw) -> bytes:
    """A scenario as the fingerprint of a pack takes it in."""
    text = json.dumps(scenario, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode() + b"\n"


@contextmanager
def _explained(asked: str, adapter: BenchmarkAdapter) -> Iterator[None]:
    """What can go wrong with a pack's file, as a text for the user."""
    try:
        yield
    except OSError as error:
        names = ", ".join([*adapter.packs, f"{GENERATED}:SEED:COUNT"])
        text = f"{error.strerror or error}; there are {names}, or give a file"
        raise CannotRun(f"the pack {asked!r} cannot be read: {text}") from None
    except (ijson.JSONError, UnicodeDecodeError) as error:
        raise CannotRun(f"the pack {asked!r} is not JSON: {error}") from None
