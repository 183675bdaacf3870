"""What all generators share: their common options and random numbers of a seed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from random import Random
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from core.models.file_checks import first_problem
from core.options import option
from core.runs.errors import CannotRun
from core.text import instead

GENERATED = "generated"
SEED = re.compile(r"[A-Za-z0-9_.-]+")
"""What a seed is: it becomes part of names."""


class PackOptions(BaseModel):
    """What every generated pack is asked for; each field is an option and may be text."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seed: str = option(
        "Draw from this seed (letters, digits, - _ . only): the same one gives the same scenarios."
    )
    count: int = option("Generate this many scenarios.", ge=1)

    @field_validator("seed")
    @classmethod
    def _part_of_names(cls, seed: str) -> str:
        if not SEED.fullmatch(seed):
            raise ValueError(f"{seed!r}: use letters, digits, - _ . only")
        return seed


Raw = dict[str, Any]
"""A scenario as JSON, with all that it needs."""


@dataclass(frozen=True)
class Generator:
    """What draws the scenarios of one benchmark."""

    options: type[PackOptions]
    """What may be asked for in ``generated:SEED:COUNT[:options]``."""
    draw: Callable[[Any, int], Raw]
    """Of these options, scenario number n, which depends on no other one. Raises CannotRun."""
    proven: Callable[[Raw], bool] = lambda _raw: True
    """Whether a scenario that has a proof still expects the best answer."""

    def scenarios(self, asked: PackOptions) -> Iterator[Raw]:
        """Scenarios of these options, drawn as they are asked for."""
        return (self.draw(asked, number) for number in range(asked.count))


_GENERATORS = {
    "store": "workshop.generators.store.scenario",
    "company": "workshop.generators.company.scenario",
}
"""The module of each benchmark's generator, which is loaded when something is drawn."""


def generator_of(benchmark: str) -> Generator | None:
    """The generator of a benchmark; None: nothing is drawn of it."""
    module = _GENERATORS.get(benchmark)
    return cast(Generator, import_module(module).GENERATOR) if module else None


def draws(seed: str, *purpose: str) -> Random:
    """Random numbers that depend on nothing but these."""
    digest = sha256("\0".join((seed, *purpose)).encode()).digest()
    return Random(int.from_bytes(digest, "big"))


def bounds(text: str, least: int, most: int, example: str) -> tuple[int, int]:
    """The ends of a range such as ``4-6``, or of a single number.

    Raises ValueError: it is none, or not within ``least`` and ``most``.
    """
    first, _, last = text.strip().partition("-")
    ends = (first, last or first)
    if all(end.isascii() and end.isdigit() and len(end) < 10 for end in ends):
        low, high = map(int, ends)
        if least <= low <= high <= most:
            return low, high
    raise ValueError(f"{text!r}: give numbers from {least} to {most}, such as {example}")


def options_of(asked: str, record: type[PackOptions]) -> PackOptions:
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
