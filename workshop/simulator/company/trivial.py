"""Trivial players of the company.

Three send the same answer to everything; the fourth looks up which records the task names and links
them all.
"""

from __future__ import annotations

import re
from functools import partial

from workshop.simulator.trivial import listed
from workshop.simulator.world import Ask, TrivialPlayer

_LISTS = {
    "employee": ("/employees/list", "employees"),
    "customer": ("/customers/list", "companies"),
    "project": ("/projects/list", "projects"),
}
"""By kind of link: a list and the field of its page that has the records."""
_LARGEST = 5


def look_up_names(ask: Ask, text: str) -> None:
    """Answer `ok_answer`; link, and name, every record whose name or id stands in the text."""
    named = {}
    for kind, (path, field) in _LISTS.items():
        for record in listed(ask, path, field, _LARGEST):
            names = [record["id"], record["name"]]
            first, space, last = record["name"].rpartition(" ")
            if kind == "employee" and space:
                names.append(f"{last} {first}")
            if _stands_in(text, *names):
                named[kind, record["id"]] = record["name"]
    pages = ask("/wiki/list").get("paths") or ()
    named.update({("wiki", path): path for path in pages if _stands_in(text, path)})
    links = [{"kind": kind, "id": id_} for kind, id_ in named]
    ask("/respond", outcome="ok_answer", message=", ".join(named.values()), links=links)


def always(outcome: str, ask: Ask, _text: str) -> None:
    """Give the same answer to everything."""
    ask("/respond", outcome=outcome, message="")


def _stands_in(text: str, *names: str) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) for name in names)


TRIVIAL = {
    f"always-{outcome}": TrivialPlayer(f"always {outcome}", partial(always, outcome))
    for outcome in ("denied_security", "none_clarification_needed", "ok_not_found")
} | {"name-lookup": TrivialPlayer("name lookup", look_up_names)}
