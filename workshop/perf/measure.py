"""What the measures share: the bundled packs, a run of the agent, a spread in words."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PACKS = {
    "store": ROOT / "workshop" / "simulator" / "store" / "packs" / "store-bundled.json",
    "company": ROOT / "workshop" / "simulator" / "company" / "packs" / "bundled.json",
}


def command(*words: object) -> list[str]:
    """The agent's command line."""
    return [sys.executable, "submission.py", *map(str, words)]


def run(*words: object, environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What the agent prints with ``--json``. Raises CalledProcessError."""
    done = subprocess.run(
        [*command(*words), "--json"], cwd=ROOT, env=os.environ | (environment or {}),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed


def spread(values: Sequence[float], unit: str) -> str:
    """Median, extremes and number of some values."""
    low, middle, high = min(values), statistics.median(values), max(values)
    return f"median {middle:.2f} {unit} ({low:.2f} to {high:.2f}, {len(values)} runs)"
