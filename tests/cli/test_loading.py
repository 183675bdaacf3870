"""Nothing is collected while the program loads; from the beginning of its work on all is usual."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = """
import gc, sys
from coordinator.session import Session
from cli import cli, loading

def told(where):
    def tell(*_):
        print(where, gc.isenabled(), gc.get_freeze_count() > 0, file=sys.stderr)
    return tell

began, ran = loading.begin, Session.run
loading.begin = lambda: (began(), told("loads")())
Session.run = lambda *all: (told("plays")(), ran(*all))[1]
try:
    cli.main()
finally:
    told("ends")()
    assert "litellm" not in sys.modules
"""


@pytest.mark.parametrize(
    ("words", "plays"),
    [(["--task", "stock_exactly_enough", "--quiet"], True), (["stats", "--help"], False)],
)
def test_it_collects_from_the_beginning_of_its_work_on(
    tmp_path: Path, words: list[str], plays: bool
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words], cwd=tmp_path, env={"PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    expected = ["loads False False", *(["plays True True"] if plays else []), "ends True True"]
    assert [
        line for line in done.stderr.splitlines() if line.endswith(("True", "False"))
    ] == expected
