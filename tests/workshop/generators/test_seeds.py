"""The same seed gives the same bytes, in another process too."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
DRAW = """
import json
from workshop.generators.generating import generator_of
for name in ("store", "company"):
    generator = generator_of(name)
    asked = generator.options(seed="bytes", count=8)
    print(json.dumps(list(generator.scenarios(asked))))
"""


def test_a_seed_gives_the_same_bytes_where_strings_hash_otherwise() -> None:
    first, second = (
        subprocess.run(
            [sys.executable, "-c", DRAW],
            env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    )
    assert first == second
