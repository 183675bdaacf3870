"""Whether what was done is what a pack wants: values, texts, and events one to one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from workshop.simulator.company.expectation import CONTAINS, ONE_OF, matcher

if TYPE_CHECKING:
    from workshop.simulator.company.company_state import Event
    from workshop.simulator.company.expectation import Wanted

W = TypeVar("W")
F = TypeVar("F")


def matches(wanted: Wanted, actual: Event) -> bool:
    """Whether an event is of the wanted type and has all fields that are named, as wanted."""
    return wanted.type == actual.type and all(
        name in actual.fields and fits(value, actual.fields[name])
        for name, value in wanted.fields.items()
    )


def fits(wanted: Any, actual: Any) -> bool:
    """Whether a value is the wanted one; numbers compare as numbers, lists without order."""
    special = matcher(wanted)
    if special:
        name, values = special
        if name == ONE_OF:
            return any(fits(one, actual) for one in values)
        assert name == CONTAINS
        return isinstance(actual, str) and not missing(values, actual)
    if isinstance(wanted, dict):
        return (
            isinstance(actual, dict)
            and wanted.keys() == actual.keys()
            and all(fits(value, actual[name]) for name, value in wanted.items())
        )
    if isinstance(wanted, list):
        return (
            isinstance(actual, list)
            and len(wanted) == len(actual)
            and None not in paired(wanted, actual, fits)
        )
    # For Python, true is 1.
    return isinstance(wanted, bool) == isinstance(actual, bool) and bool(wanted == actual)


def missing(wanted: Sequence[str | Sequence[str]], text: str) -> list[tuple[str, ...]]:
    """The literals that a text does not hold, each with its alternatives."""
    every = [(one,) if isinstance(one, str) else tuple(one) for one in wanted]
    return [words for words in every if not any(word in text for word in words)]


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
