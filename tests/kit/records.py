"""What a run folder tells, as plain data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core.runs.results import read_results


def results_at(folder: Path) -> dict[str, Any]:
    """The results of a run, as ``show --json`` prints them."""
    return read_results(folder).model_dump(mode="json")
