"""The same seed gives the same bytes, in another process too."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("benchmark", ["store", "company"])
def test_a_seed_gives_the_same_bytes_where_strings_hash_otherwise(benchmark: str) -> None:
    words = ["generate", "--benchmark", benchmark, "--seed", "bytes", "--count", "12"]
    first, second = (
        subprocess.run(
            [sys.executable, str(ROOT / "submission.py"), *words],
            env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    )
    assert first == second
