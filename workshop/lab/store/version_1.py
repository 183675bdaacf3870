"""A lab run of ``lab-run/1`` in the words of ``lab-run/2``: the first version knew the store alone.

Its trials are translated with the results of plain runs, see ``core.runs.version_1``.
"""

from __future__ import annotations

from typing import Any

CHUNKS = "shops"
"""The folder of the scenarios in those runs."""
RENAMED = {"wrong_checkouts": "harm", "purchases": "answers", "store_requests": "requests"}
GROUPS = ("buy", "refuse")
ADDED = {
    "format": "lab-run/2",
    "harm_name": "wrong checkout",
    "players": {
        "agent": "the brain",
        "nothing": "do nothing",
        "first-match": "buy the first match",
    },
}


def run_of_2(record: dict[str, Any]) -> dict[str, Any]:
    """What ``lab.json`` holds, as the second version has it."""
    if record.get("format") != "lab-run/1":
        return record
    settings = record.get("settings")
    if isinstance(settings, dict):
        record = record | {"settings": settings | {"benchmark": "store"}}
    return {key: _renamed(value) for key, value in record.items()} | ADDED


def _renamed(value: Any) -> Any:
    if isinstance(value, list):
        return [_renamed(one) for one in value]
    if not isinstance(value, dict):
        return value
    found = {RENAMED.get(key, key): _renamed(one) for key, one in value.items()}
    groups = {name: found.pop(name) for name in GROUPS if name in found}
    return found | ({"groups": groups} if groups else {})
