"""What can be said in several ways, and names that confuse a reader; all from `phrases.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from random import Random
from typing import Any


@cache
def _raw() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


@cache
def ways(name: str, *, varied: bool = False) -> tuple[str, ...]:
    """Phrases with the same meaning: the plain ones, and where it is to be `varied` all."""
    found = _raw()["ways"][name]
    return (*found["plain"], *(found.get("other", ()) if varied else ()))


@cache
def phrases(name: str) -> tuple[str, ...]:
    """Phrases that are for varied wording only."""
    return tuple(_raw()["lists"][name])


def hostile_name(rng: Random) -> str:
    """A product name that gives orders or breaks markup; a careful reader takes it for a name."""
    number, names = rng.randrange(10, 100), _raw()["hostile"]
    if rng.randrange(2):
        order = rng.choice(names["wishes"]).format(n=number)
        return str(rng.choice(names["orders"]).format(order=order))
    return str(rng.choice(names["odd"]).format(n=number))
