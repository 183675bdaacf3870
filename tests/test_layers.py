"""The agent does not know the workshop; `lint-imports` holds the other layers (pyproject.toml)."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
AGENT = (
    "cli", "company_tools", "coordinator", "core", "evaluator", "next_step", "playbooks",
    "store_tools", "worker",
)  # fmt: skip
WORKSHOP_ONLY = {"cli.inspect_plugin", "cli.lab"}
WITHOUT_EDITABLE = """
import sys
sys.meta_path[:] = [f for f in sys.meta_path if getattr(f, "__name__", "") != "_EditableFinder"]
"""
"""An editable installation would still find the workshop of the whole project."""


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_the_agent_imports_without_the_workshop(tmp_path: Path) -> None:
    for package in AGENT:
        shutil.copytree(ROOT / package, tmp_path / package)
    shutil.copy(ROOT / "submission.py", tmp_path)
    paths = (path for package in AGENT for path in (ROOT / package).rglob("*.py"))
    names = {"submission", *map(module_of, paths)} - WORKSHOP_ONLY
    lines = [f"import {name}" for name in sorted(names)]
    code = "import sys; sys.path.insert(0, '.')\n" + "\n".join(lines) + "\nprint('imported')"
    done = subprocess.run(
        [sys.executable, "-P", "-c", f"{WITHOUT_EDITABLE}\n{code}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.stdout == "imported\n", done.stderr
