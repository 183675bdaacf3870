"""The packs of a run: files, those of the project, and those that are drawn from a seed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from pydantic import ValidationError

from core.models.file_checks import first_problem
from core.runs.errors import CannotRun
from core.text import instead
from workshop.generators.generating import PackOptions
from workshop.lab.benchmark_adapter import BenchmarkAdapter, Raw

GENERATED = "generated"
Drawn = TypeVar("Drawn", bound=PackOptions)
_ijson: Any = import_module("ijson") if find_spec("ijson") else None
"""Reads large files; None without the extra `lab`: a file is then held in memory whole."""
_NOT_JSON = (ValueError, *((_ijson.JSONError,) if _ijson else ()))


@dataclass(frozen=True)
class Source:
    """The source of one pack's scenarios."""

    adapter: BenchmarkAdapter
    asked: str
    """As on the command line."""
    name: str
    """The pack's own name."""
    path: Path | None
    """None for a generated pack."""

    def scenarios(self) -> Iterator[Raw]:
        """Yield every scenario in order; if self-contained, only one is in memory at a time.

        Raises CannotRun: the file cannot be read.
        """
        if self.path is None:
            yield from self.adapter.generated(self.asked)
            return
        with _opened(self.asked, self.path, self.adapter) as file:
            if self.adapter.unpacked or _ijson is None:
                yield from self.adapter.scenarios(json.load(file))
            else:
                yield from _ijson.items(file, "scenarios.item", use_float=True)


def source_of(asked: str, adapter: BenchmarkAdapter) -> Source:
    """Resolve a ``--pack``: a short name, ``generated:SEED:COUNT[:options]`` or a file.

    Raises CannotRun: there is no such pack.
    """
    if asked.split(":", 1)[0] == GENERATED:
        if adapter.generated_name is None:
            raise CannotRun(f"the pack {asked!r}: there is no generator for this benchmark")
        return Source(adapter, asked, adapter.generated_name(asked), None)
    path = adapter.packs.get(asked, Path(asked))
    with _opened(asked, path, adapter) as file:
        fields = _texts(file)
    name = fields.get("name")
    if fields.get("format") != adapter.format or not name:
        text = f"it has no format {adapter.format!r} and name"
        raise CannotRun(f"the pack {asked!r} cannot be used: {text}")
    return Source(adapter, asked, name, path)


def _texts(file: BinaryIO) -> dict[str, str]:
    """The fields of a pack that are texts, by name."""
    if _ijson is not None:
        return {key: value for key, event, value in _ijson.parse(file) if event == "string"}
    raw = json.load(file)
    fields = raw if isinstance(raw, dict) else {}
    return {key: value for key, value in fields.items() if isinstance(value, str)}


@contextmanager
def _opened(asked: str, path: Path, adapter: BenchmarkAdapter) -> Iterator[BinaryIO]:
    """A pack's file; what can go wrong while it is read is a CannotRun for the user."""
    try:
        with path.open("rb") as file:
            yield file
    except OSError as error:
        names = ", ".join([*adapter.packs, f"{GENERATED}:SEED:COUNT"])
        text = f"{error.strerror or error}; there are {names}, or give a file"
        raise CannotRun(f"the pack {asked!r} cannot be read: {text}") from None
    except _NOT_JSON as error:
        raise CannotRun(f"the pack {asked!r} is not JSON: {error}") from None


def sources_of(asked: Iterable[str], adapter: BenchmarkAdapter) -> list[Source]:
    """All packs of a run. Raises CannotRun where two have the same name."""
    sources = [source_of(one, adapter) for one in asked]
    names = [source.name for source in sources]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise CannotRun(f"two packs are named {twice!r}; their tasks could not be told apart")
    return sources


def canonical(scenario: Raw) -> bytes:
    """A scenario as the fingerprint of a pack takes it in."""
    text = json.dumps(scenario, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode() + b"\n"


def options_of(asked: str, record: type[Drawn]) -> Drawn:
    """Parse ``generated:SEED:COUNT[:option=value…]``; the options are the fields of a record.

    Raises CannotRun: there is no such option, or its value is invalid.
    """
    words = asked.split(":")[1:]
    values = dict(zip(("seed", "count"), words, strict=False))
    for word in words[2:]:
        option, _, value = word.partition("=")
        name = option.replace("-", "_")
        if name not in record.model_fields:
            known = [one.replace("_", "-") for one in record.model_fields]
            raise CannotRun(f"{asked!r}: there is no option {option!r}; {instead(option, known)}")
        values[name] = value
    try:
        return record.model_validate(values)
    except ValidationError as error:
        raise CannotRun(f"{GENERATED}:SEED:COUNT[:option=value…]: {first_problem(error)}") from None


def name_of(asked: str, record: type[PackOptions]) -> str:
    """The name of a generated pack: its count left out, so that runs of other sizes pair.

    Raises CannotRun: there is no such option, or its value is invalid.
    """
    return ":".join([f"generated-{options_of(asked, record).seed}", *asked.split(":")[3:]])
