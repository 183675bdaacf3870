"""Trivial players understand nothing: any agent has to score more than they do.

They play in this process, and the platform's own evaluator scores them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from workshop.simulator.world import Pack, Scenario, TrivialPlay, TrivialPlayer, Wire

Ask = Callable[..., Wire]
"""Posts a body to a path of the task; an answer with an `error` is a refusal."""
_LIMIT = re.compile(r"page limit exceeded: \d+ > (-?\d+)")


def trivial_player(title: str, act: Callable[[Ask, str], object]) -> TrivialPlayer:
    """A player that acts on a task, whose text it is given."""

    def play(pack: Pack, scenario: Scenario) -> TrivialPlay:
        # Late: it knows every world, and worlds know their players.
        from workshop.simulator.open_world import OpenWorld

        world = OpenWorld(pack, scenario)
        act(world.ask, world.task)
        verdict = world.score()
        return TrivialPlay(verdict.score, verdict.side_effects, len(world.calls), world.paid)

    return TrivialPlayer(title, play)


def listed(ask: Ask, path: str, field: str, limit: int) -> Iterator[Mapping[str, Any]]:
    """Every record of a list, page by page; none where the list is refused."""
    offset = 0
    while offset >= 0:
        page = ask(path, offset=offset, limit=limit)
        if "error" in page:
            refusal = _LIMIT.match(page["error"])
            if refusal is None or not 0 < int(refusal[1]) < limit:
                return
            limit = int(refusal[1])
            continue
        yield from page[field] or ()
        offset = page["next_offset"]
