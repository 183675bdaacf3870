"""Players that understand nothing: what any agent has to score more than.

They play over HTTP, as an agent does. Three send the same answer to everything; the fourth looks
up which records the task names and links them all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from workshop.simulator.world import Wire

if TYPE_CHECKING:
    from workshop.simulator.company.pack import CompanyPack

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


def baselines(pack: CompanyPack) -> dict[str, float]:
    """The mean score of each player over a pack, by what it does."""
    import httpx

    from workshop.simulator.server import serve

    with serve(pack) as simulator, httpx.Client(trust_env=False) as http:

        def post(path: str, **body: Any) -> Wire:
            answer: Wire = http.post(simulator.base_url + path, json=body).json()
            return answer

        return {
            name: sum(_played(player, post, one.spec_id, one.task_text) for one in pack.scenarios)
            / len(pack.scenarios)
            for name, player in PLAYERS.items()
        }


def _played(player: Player, post: Callable[..., Wire], spec_id: str, text: str) -> float:
    task = post("/tasks/start", benchmark="company", spec_id=spec_id)["task_id"]

    def ask(path: str, **body: Any) -> Wire:
        return post(f"/company/{task}{path}", **body)

    ask("/respond", **player(ask, text))
    post("/tasks/log", task_id=task, model="none", duration_sec=0, completion="")
    score: float = post("/tasks/complete", task_id=task)["eval"]["score"]
    return score


def _always(outcome: str) -> Player:
    return lambda ask, text: {"outcome": outcome, "message": ""}


def look_up_names(ask: Ask, text: str) -> Wire:
    """An `ok_answer` that links, and names, every record whose name or id stands in the text."""
    named = {
        (kind, record["id"]): record["name"]
        for kind, (path, field) in LISTS.items()
        for record in _all(ask, path, field)
        if _stands_in(text, record["id"], record["name"], *_turned(kind, record["name"]))
    }
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
            told = _LIMIT.match(page["error"])
            if told is None or not 0 < int(told[1]) < limit:
                return
            limit = int(told[1])
            continue
        yield from page[field] or ()
        offset = page["next_offset"]


def _turned(kind: str, name: str) -> list[str]:
    """A person's name with the last part first."""
    first, space, last = name.rpartition(" ")
    return [f"{last} {first}"] if kind == "employee" and space else []


def _stands_in(text: str, *names: str) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) for name in names)


PLAYERS: dict[str, Player] = {
    "always denied_security": _always("denied_security"),
    "always none_clarification_needed": _always("none_clarification_needed"),
    "always ok_not_found": _always("ok_not_found"),
    "name lookup": look_up_names,
}
