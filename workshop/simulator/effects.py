"""Which effects of a task are missing, came twice, or were wanted by nobody.

They are counted from what took effect in its world, not from what was answered or scored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

W = TypeVar("W")
F = TypeVar("F")


class EffectCounts(NamedTuple):
    """How many effects of a task went wrong, and how."""

    lost: int
    """Wanted ones that are missing although a request for them was sent: it never arrived."""
    doubled: int
    """Those that had come already."""
    unauthorised: int
    """Others that are not wanted; an answer to the user is none."""


@dataclass(frozen=True, slots=True)
class WantedEffect:
    """An effect that a scenario wants: of a request to `path`, an act that `fits`."""

    path: str
    fits: Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class Effect:
    """An act of a task; of acts with the same `identity` the later one is the earlier one again."""

    act: Any
    identity: str


def count_effects(
    wanted: Sequence[WantedEffect], done: Sequence[Effect], undelivered: Mapping[str, int]
) -> EffectCounts:
    """Compare what took effect with what is wanted.

    `undelivered` are the requests that a fault kept from arriving and that were not sent again, by
    path.
    """
    partners = paired(wanted, done, lambda want, effect: want.fits(effect.act))
    missing = Counter(
        want.path for want, partner in zip(wanted, partners, strict=True) if partner is None
    )
    lost = sum(min(number, undelivered.get(path, 0)) for path, number in missing.items())
    seen = {done[place].identity for place in partners if place is not None}
    doubled = unauthorised = 0
    for place, effect in enumerate(done):
        if place in partners:
            continue
        if effect.identity in seen:
            doubled += 1
        else:
            unauthorised += 1
        seen.add(effect.identity)
    return EffectCounts(lost, doubled, unauthorised)


def paired(
    wanted: Sequence[W], actual: Sequence[F], fit: Callable[[W, F], bool]
) -> list[int | None]:
    """For each that is wanted the place of its own one in `actual`, or None: as many as possible.

    An earlier one keeps a partner as long as the number of pairs allows it.
    """
    edges = [[place for place, one in enumerate(actual) if fit(each, one)] for each in wanted]
    holder: dict[int, int] = {}

    def place_for(one: int, tried: set[int]) -> bool:
        for place in edges[one]:
            if place not in tried:
                tried.add(place)
                if place not in holder or place_for(holder[place], tried):
                    holder[place] = one
                    return True
        return False

    for one in range(len(wanted)):
        place_for(one, set())
    partners = {one: place for place, one in holder.items()}
    return [partners.get(one) for one in range(len(wanted))]
