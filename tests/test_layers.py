"""Holds the layers: who may import whom, lazy and typing imports counted."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
AGENT_LAYERS = (
    {"submission"},
    {"cli"},
    {"workshop"},
    {"coordinator"},
    {"evaluator", "worker", "next_step"},
    {"store_tools", "company_tools", "playbooks"},
    {"core"},
)
"""From the top down. A package imports what stands in a layer below its own."""
CORE = {
    "files": set(),
    "http": set(),
    "ledger": set(),
    "models": {"files", "http", "text"},
    "erc3_client": {"http"},
    "runs": {"erc3_client", "files", "ledger", "models", "text"},
    "tools": {"ledger", "models", "erc3_client"},
    "terminal": {"ledger", "models", "runs", "text"},
    "text": set(),
}
WORKSHOP = {
    "simulator": set(),
    "generators": {"simulator"},
    "environments": {"generators", "simulator"},
    "scripted": {"generators", "simulator"},
    "views": set(),
    "replay": set(),
    "lab": {"agent_adapter", "generators", "replay", "simulator", "views"},
    "agent_adapter": {"simulator"},
    "command": {"simulator"},
    "check": {"generators", "simulator"},
}
"""What the packages of the workshop may import of each other."""
SIMULATOR_NEEDS = ("core.erc3_client", "core.files")
MEASURING = ROOT / "workshop" / "perf"
"""Scripts that measure the command line from outside; nothing imports them."""


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> dict[str, Path]:
    tops = sorted(set().union(*AGENT_LAYERS) - {"submission"})
    paths = [ROOT / "submission.py", *(p for top in tops for p in (ROOT / top).rglob("*.py"))]
    return {module_of(path): path for path in paths if MEASURING not in path.parents}


def imported_by(path: Path) -> set[str]:
    """The modules of this project that a file imports, wherever the import stands."""
    known = modules()
    targets: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            targets |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            targets |= {name if name in known else node.module for name in inner}
    return {name for name in targets if name in known}


@cache
def arrows() -> tuple[tuple[str, str], ...]:
    every = ((name, imported_by(path)) for name, path in modules().items())
    return tuple((name, target) for name, targets in every for target in sorted(targets))


def layer_of(module: str) -> int:
    top = module.partition(".")[0]
    return next(number for number, layer in enumerate(AGENT_LAYERS) if top in layer)


def part_of(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def test_a_package_imports_only_what_stands_below() -> None:
    upwards = [
        (name, target)
        for name, target in arrows()
        if name.partition(".")[0] != target.partition(".")[0] and layer_of(name) >= layer_of(target)
    ]
    assert not upwards


@pytest.mark.parametrize(("top", "allowed"), [("core", CORE), ("workshop", WORKSHOP)])
def test_packages_of_core_and_workshop_import_only_what_the_table_names(
    top: str, allowed: dict[str, set[str]]
) -> None:
    found: dict[str, set[str]] = {}
    for name, target in arrows():
        if name.startswith(f"{top}.") and target.startswith(f"{top}."):
            found.setdefault(part_of(name), set()).add(part_of(target))
    odd = {name: parts - allowed[name] - {name} for name, parts in found.items()}
    assert not {name: parts for name, parts in odd.items() if parts}


def test_the_simulator_knows_of_the_agent_only_its_wire_models_and_how_files_are_read() -> None:
    agents = {
        target
        for name, target in arrows()
        if name.startswith("workshop.simulator") and not target.startswith("workshop.")
    }
    assert agents
    assert {target for target in agents if not target.startswith(SIMULATOR_NEEDS)} == set()


def test_only_the_command_line_imports_the_workshop() -> None:
    tops = {name.partition(".")[0] for name, to in arrows() if to.startswith("workshop")}
    assert tops <= {"cli", "workshop"}


def test_the_agent_imports_without_the_workshop(tmp_path: Path) -> None:
    copy = tmp_path / "agent"
    copy.mkdir()
    for layer in AGENT_LAYERS:
        for top in layer - {"workshop", "submission"}:
            shutil.copytree(ROOT / top, copy / top)
    shutil.copy(ROOT / "submission.py", copy)
    names = sorted(name for name in modules() if not name.startswith("workshop"))
    lab_only = {"cli.inspect_plugin", "cli.lab"}
    # The sandbox runs it as the first code of a process of its own.
    lab_only.add("worker.sandbox.inside.boot")
    lines = [f"import {name}" for name in names if name not in lab_only]
    code = "import sys; sys.path.insert(0, '.')\n" + "\n".join(lines) + "\nprint('imported')"
    done = subprocess.run(
        [sys.executable, "-P", "-c", f"{WITHOUT_EDITABLE}\n{code}"],
        cwd=copy,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.stdout == "imported\n", done.stderr


WITHOUT_EDITABLE = """
import sys
sys.meta_path[:] = [f for f in sys.meta_path if getattr(f, "__name__", "") != "_EditableFinder"]
"""
"""An editable installation would still find the workshop of the whole project."""


def test_there_are_no_cycles_between_packages() -> None:
    below: dict[str, set[str]] = {}
    for name, target in arrows():
        source, to = name.partition(".")[0], target.partition(".")[0]
        if source != to:
            below.setdefault(source, set()).add(to)
            below.setdefault(to, set())
    while below:
        free = [name for name, needs in below.items() if not needs]
        assert free, f"a cycle among {sorted(below)}"
        for name in free:
            del below[name]
        for needs in below.values():
            needs.difference_update(free)
