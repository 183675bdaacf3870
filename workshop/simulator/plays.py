"""Plays of a task whose score is known: a scenario is right where each of them scores as it must.

A world derives them from what a scenario expects, see `plays` of `World`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workshop.simulator.open_world import OpenWorld
from workshop.simulator.world import Refusal, Wire
from workshop.simulator.worlds import world_of

if TYPE_CHECKING:
    from workshop.simulator.world import Pack

Ask = Callable[..., Wire]
"""Posts a body to a path of the task. Raises `Refusal`."""


class Underivable(Exception):
    """What is expected says too little to tell a right play; the text names what is missing."""


@dataclass(frozen=True, slots=True)
class KnownPlay:
    """A way to play a task, and the score that it must have."""

    name: str
    score: float
    run: Callable[[Ask], object]
    """Raises `Refusal` where the task refuses a call, and `Underivable`."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What the known plays of one scenario have shown; it is right where nothing is wrong."""

    spec_id: str
    plays: int
    wrong: tuple[str, ...] = ()
    underivable: str = ""
    """Why a right play is not known; nothing was played then."""


def check(pack: Pack) -> Iterator[Checked]:
    """Play every scenario of a pack in each known way, in this process; none has faults here."""
    plays = world_of(pack.format).plays
    for scenario in pack.scenarios:
        wrong, number = list[str](), 0
        try:
            for play in plays(scenario):
                number += 1
                if line := _wrong(OpenWorld(pack, scenario), play):
                    wrong.append(line)
        except Underivable as error:
            yield Checked(scenario.spec_id, 0, underivable=str(error))
        else:
            yield Checked(scenario.spec_id, number, tuple(wrong))


def _wrong(world: OpenWorld, play: KnownPlay) -> str:
    """What is wrong with the score of a play, or ""."""

    def ask(path: str, **body: Any) -> Wire:
        status, answer = world.call(path, body)
        if "error" in answer:
            raise Refusal(answer["error"], status)
        return answer

    why = ""
    try:
        play.run(ask)
    except Refusal as refusal:
        why = str(refusal)
    found = world.score()
    if found.score == play.score:
        return ""
    failed = (line for line in found.logs.splitlines() if line.startswith("FAIL"))
    why = why or next(failed, "nothing speaks against it")
    return f"{play.name}: score {found.score:g}, not {play.score:g}: {why}"
