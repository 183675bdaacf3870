"""The values of ``--stages`` and ``--guards``: which of some named parts are on."""

from __future__ import annotations

from collections.abc import Collection


def switched_on(asked: str, kind: str, names: Collection[str], usual: Collection[str]) -> set[str]:
    """The parts that are on.

    ``asked``: default, all, none, names with commas, and -NAME for all but one of them; ``kind``:
    what a part is called; ``usual``: those of ``default``.

    Raises ValueError: a name that no part has.
    """
    groups = {"default": set(usual), "all": set(names), "none": set[str]()}
    words = [word.strip() for word in asked.split(",") if word.strip()]
    without = {word[1:] for word in words if word.startswith("-")}
    named = {word for word in words if not word.startswith("-")}
    if strange := sorted((named | without) - set(names) - set(groups)):
        there = ", ".join((*groups, *names, "and -NAME for all but one"))
        raise ValueError(f"there is no {kind} {strange[0]!r}; there are: {there}")
    on = named or {"default"}
    return set().union(*(groups.get(word, {word}) for word in on)) - without
