"""Who may import whom: the rooms stand one above the other, without cycles."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ALLOWED = {
    "submission": {"launch"},
    "launch": {
        "lab", "views", "coordinator", "evaluator", "nextstep", "worker", "runs", "playbooks",
        "store_tools", "company_tools", "models", "ledger", "erc3_compat", "simulator",
    },
    "lab": {
        "views", "coordinator", "evaluator", "worker", "runs", "playbooks",
        "store_tools", "models", "ledger", "erc3_compat", "simulator",
    },
    "views": {"evaluator", "nextstep", "worker", "runs", "ledger", "models"},
    "coordinator": {"evaluator", "nextstep", "worker", "runs", "models", "ledger"},
    "evaluator": {"runs", "models"},
    "nextstep": {"runs", "models", "ledger"},
    "worker": {"runs", "models", "ledger"},
    "runs": {"models", "ledger", "erc3_compat"},
    "playbooks": {"store_tools", "company_tools", "tooling", "models", "ledger"},
    "store_tools": {"tooling", "ledger", "erc3_compat"},
    "company_tools": {"tooling", "models", "ledger", "erc3_compat"},
    "tooling": {"ledger", "erc3_compat"},
    "models": {"wire"},
    "ledger": set(),
    "erc3_compat": {"wire"},
    "wire": set(),
    "simulator": {"erc3_compat"},
}  # fmt: skip
LATE: set[tuple[str, str]] = set()
"""Nothing is named by a text and loaded late."""
ROOMS = sorted(ALLOWED)
NEUTRAL = (
    "coordinator", "evaluator", "nextstep", "worker", "runs", "views", "ledger", "models",
    "tooling", "wire", "lab",
)  # fmt: skip
"""Rooms that know no benchmark; each benchmark's words live in rooms of its own."""
OF_A_BENCHMARK = {
    ROOT / "workshop" / "lab" / "store",
    ROOT / "workshop" / "lab" / "company",
    ROOT / "core" / "runs" / "version_1.py",
}
"""A benchmark's own part of such a room, and the translator of files that spoke its words."""
TEXTS = frozenset({".py", ".jinja", ".js", ".css", ".toml", ".html", ".json"})
NEUTRAL_FILES = [
    path
    for room in NEUTRAL
    for path in sorted((ROOT / room).rglob("*"))
    if path.suffix in TEXTS and not OF_A_BENCHMARK & {path, *path.parents}
]
GUESTS_WORDS = re.compile(
    r"(?<![a-z])(?:baskets?|coupons?|checkouts?|products?|shop(?:s|ping|per)?|purchas\w*|salar\w+"
    r"|employees?|wikis?|whoami|customers?|departments?|skills?|compan(?:y|ies)|timesheets?"
    r"|payrolls?|denied_security)(?![a-z])"
)
OTHER_MEANINGS = re.compile(r"_?checkout(?:_timeout|_seconds)?(?=[=(, ])|itertools.*")
"""What a library calls its own: a pool's worker is checked out, itertools has a product."""


def files(room: str) -> list[Path]:
    single = ROOT / f"{room}.py"
    return [single] if single.exists() else sorted((ROOT / room).rglob("*.py"))


def names(path: Path) -> set[str]:
    """Top-level packages that a file imports, wherever the import stands."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.split(".")[0])
    return found


@cache
def imports(room: str) -> frozenset[str]:
    every = {name for path in files(room) for name in names(path)}
    return frozenset((every & set(ROOMS)) - {room})


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_what_stands_below(room: str) -> None:
    assert files(room)
    assert imports(room) <= ALLOWED[room]


def test_agents_and_simulator_meet_only_on_the_wire() -> None:
    agents = set(ROOMS) - {"simulator", "submission", "launch", "lab", "erc3_compat"}
    assert not imports("simulator") & agents
    assert not [room for room in agents if "simulator" in imports(room)]


def test_there_are_no_cycles() -> None:
    below: dict[str, set[str]] = {room: set(imports(room)) for room in ROOMS}
    while below:
        free = [room for room, needs in below.items() if not needs]
        assert free, f"a cycle among {sorted(below)}"
        for room in free:
            del below[room]
        for needs in below.values():
            needs.difference_update(free)


def test_a_late_import_by_name_is_the_only_way_up() -> None:
    found = set()
    for room in ROOMS:
        for path in files(room):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    head = node.value.split(".")[0]
                    looks_so = head in ROOMS and "." in node.value and " " not in node.value
                    if looks_so and not node.value.endswith(".py"):
                        found.add((room, head))
    assert {pair for pair in found if pair[0] != pair[1]} <= LATE


@pytest.mark.parametrize("path", NEUTRAL_FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_neutral_room_speaks_of_a_benchmark(path: Path) -> None:
    text = OTHER_MEANINGS.sub("", path.read_text(encoding="utf-8").casefold())
    assert GUESTS_WORDS.findall(text) == []
