"""The packs of a run as streams of scenarios: files, bundled ones, generated ones."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import ijson  # type: ignore[import-untyped, unused-ignore]

from lab.store import generated
from runs.errors import CannotRun
from simulator.store.pack import BUNDLED_PACK, FORMAT, Pack, PackError, parse_pack

NAMED = {
    "bundled": BUNDLED_PACK,
    "variations": BUNDLED_PACK.with_name("store-variations.json"),
}
"""Packs that are part of the project, by short name."""
GENERATED = "generated"

Raw = dict[str, Any]
"""A scenario as it stands in the file, with the fields that the platform does not read."""


@dataclass(frozen=True)
class Source:
    """Where the scenarios of one pack come from."""

    asked: str
    """As the command line says it."""
    name: str
    """The pack's own name."""
    path: Path | None
    """None for a generated pack."""

    def scenarios(self) -> Iterator[Raw]:
        """Every scenario in order; only one is in memory at a time.

        Raises:
            CannotRun: the file cannot be read.
        """
        if self.path is None:
            yield from generated.scenarios(self.asked)
            return
        with _explained(self.asked), self.path.open("rb") as file:
            yield from ijson.items(file, "scenarios.item", use_float=True)


def source_of(asked: str) -> Source:
    """What a ``--pack`` means: a short name, ``generated:SEED:COUNT[:options]`` or a file.

    Raises:
        CannotRun: there is no such pack.
    """
    if asked.split(":", 1)[0] == GENERATED:
        return Source(asked, generated.name_of(asked), None)
    path = NAMED.get(asked, Path(asked))
    with _explained(asked), path.open("rb") as file:
        fields = {key: value for key, value in _scalars(file) if key in ("format", "name")}
    name = fields.get("name")
    if fields.get("format") != FORMAT or not isinstance(name, str) or not name:
        raise CannotRun(f"the pack {asked!r} cannot be used: it has no format {FORMAT!r} and name")
    return Source(asked, name, path)


def sources_of(asked: Iterable[str]) -> list[Source]:
    """All packs of a run. Raises CannotRun where two have the same name."""
    found = [source_of(one) for one in asked]
    names = [source.name for source in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise CannotRun(f"two packs are named {twice!r}; their tasks could not be told apart")
    return found


def pack_text(name: str, scenarios: list[Raw]) -> str:
    """A pack of some scenarios, as JSON text."""
    body = {"format": FORMAT, "name": name, "scenarios": scenarios}
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def checked(name: str, scenarios: list[Raw], source: str) -> Pack:
    """The platform's reading of some scenarios. Raises CannotRun where one is not valid."""
    try:
        return parse_pack(pack_text(name, scenarios), source)
    except PackError as error:
        raise CannotRun(f"the pack cannot be used: {error}") from None


def in_chunks(scenarios: Iterator[Raw], size: int) -> Iterator[list[Raw]]:
    """The scenarios in lists of at most ``size``."""
    while some := list(islice(scenarios, size)):
        yield some


def _scalars(file: BinaryIO) -> Iterator[tuple[str, object]]:
    """The fields of a JSON object that are neither objects nor lists."""
    for prefix, event, value in ijson.parse(file):
        if event in ("string", "number", "boolean"):
            yield prefix, value


class Digest:
    """A fingerprint of the scenarios that were shown to it, in order."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self.count = 0

    def add(self, scenario: Raw) -> None:
        """Take one scenario in."""
        self.count += 1
        text = json.dumps(scenario, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        self._hash.update(text.encode() + b"\n")

    def text(self) -> str:
        """The fingerprint so far, in hex."""
        return self._hash.hexdigest()


class _explained:
    """What can go wrong with a pack's file, as a text for the user."""

    def __init__(self, asked: str) -> None:
        self._asked = asked

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: object, _trace: object) -> None:
        if isinstance(error, OSError):
            names = ", ".join([*NAMED, f"{GENERATED}:SEED:COUNT"])
            text = error.strerror or str(error)
            raise CannotRun(
                f"the pack {self._asked!r} cannot be read: {text}; there are {names}, "
                "or give a file"
            ) from None
        if isinstance(error, ijson.JSONError | UnicodeDecodeError):
            raise CannotRun(f"the pack {self._asked!r} is not JSON: {error}") from None
