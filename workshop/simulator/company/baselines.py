"""Players that understand nothing: what any agent has to score more than.

Three send the same answer to everything; the fourth looks up which records the task names and links
them all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from workshop.simulator.company.pack import CompanyPack, CompanyScenario
from workshop.simulator.world import TrivialPlay, TrivialPlayer, Wire

if TYPE_CHECKING:
    from workshop.simulator.open_world import OpenWorld

Ask = Callable[..., Wire]
"""Posts a body to a path of the task; an answer with an `error` is a refusal."""
Player = Callable[[Ask, str], Wire]
"""Of a task and its text, the body of the response."""
LISTS = {
    "employee": ("/employees/list", "employees"),
    "customer": ("/customers/list", "companies"),
    "project": ("/projects/list", "projects"),
}
"""By kind of link: a list and the field of its page that has the records."""
_LIMIT = re.compile(r"page limit exceeded: \d+ > (-?\d+)")
_LARGEST = 5


def score_of(player: Player, world: OpenWorld) -> float:
    """Have a player answer a task, and judge it."""
    world.ask("/respond", **player(world.ask, world.task))
    return world.score().score


def _plays(player: Player) -> Callable[[CompanyPack, CompanyScenario], TrivialPlay]:
    def play(pack: CompanyPack, scenario: CompanyScenario) -> TrivialPlay:
        # Late: it knows every world.
        from workshop.simulator.open_world import OpenWorld

        world = OpenWorld(pack, scenario)
        score = score_of(player, world)
        return TrivialPlay(score, acts=0, requests=len(world.calls))

    return play


def _always(outcome: str) -> Player:
    return lambda ask, text: {"outcome": outcome, "message": ""}


def look_up_names(ask: Ask, text: str) -> Wire:
    """An `ok_answer` that links, and names, every record whose name or id stands in the text."""
    named = {}
    for kind, (path, field) in LISTS.items():
        for record in _all(ask, path, field):
            names = [record["id"], record["name"]]
            first, space, last = record["name"].rpartition(" ")
            if kind == "employee" and space:
                names.append(f"{last} {first}")
            if _stands_in(text, *names):
                named[kind, record["id"]] = record["name"]
    pages = ask("/wiki/list").get("paths") or ()
    named.update({("wiki", path): path for path in pages if _stands_in(text, path)})
    links = [{"kind": kind, "id": id_} for kind, id_ in named]
    return {"outcome": "ok_answer", "message": ", ".join(named.values()), "links": links}


def _all(ask: Ask, path: str, field: str) -> Iterator[Mapping[str, Any]]:
    """Every record of a list, page by page; none where the list is refused."""
    offset, limit = 0, _LARGEST
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


def _stands_in(text: str, *names: str) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) for name in names)


PLAYERS: dict[str, Player] = {
    "always denied_security": _always("denied_security"),
    "always none_clarification_needed": _always("none_clarification_needed"),
    "always ok_not_found": _always("ok_not_found"),
    "name lookup": look_up_names,
}
TRIVIAL = {
    title.replace(" ", "-"): TrivialPlayer(title, _plays(player))
    for title, player in PLAYERS.items()
}
