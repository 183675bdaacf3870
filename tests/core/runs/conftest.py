"""Recorded work to read, made as the worker's tests make it; results and tapes made by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.core.runs.tapes import TapeOf, record_to
from tests.worker.conftest import record
from tests.workshop.lab.conftest import trial

__all__ = ["record", "tape_of", "trial"]


@pytest.fixture
def tape_of(tmp_path: Path) -> TapeOf:
    """Records pairs of request and outcome to a new tape, and reads it."""

    def make(*pairs: Any) -> Any:
        return record_to(tmp_path / f"tape-{len(list(tmp_path.iterdir()))}.jsonl", *pairs)

    return make
