"""Standard streams that are closed, full, or read no further: a run goes on to its end."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.kit.commands import BUY_TEA, write_pack
from tests.kit.records import results_at

ROOT = Path(__file__).parents[2]
OUT, ERR = 1, 2


@pytest.fixture
def pack(tmp_path: Path, shop_json: Any) -> Path:
    return write_pack(tmp_path / "pack.json", shop_json(expect=BUY_TEA))


Spoilt = dict[int, str]
CASES: list[Spoilt] = [
    *({number: what} for number in (OUT, ERR) for what in ("closed", "full", "unread")),
    {0: "closed", OUT: "closed", ERR: "closed"},
    {OUT: "full", ERR: "full"},
]


@pytest.mark.parametrize("streams", CASES, ids=str)
def test_a_run_ends_as_ever(lives: Callable[[], Any], pack: Path, streams: Spoilt) -> None:
    life = lives()
    words = ["--pack", pack, "--out", life.folder / "logs", "--require-wall"]
    child = life.begin(*words, streams=streams)
    assert life.end(child) == 0
    assert [t["score"] for t in life.results()["tasks"]] == [1.0]
    assert (life.run / "report.html").exists()
    output = life.said[-1]
    assert "error" not in output
    assert "Traceback" not in output
    assert ("sandbox: full Python, isolated" in output) == (ERR not in streams)
    assert ("journal and results: " in output) == (OUT not in streams)


@pytest.mark.parametrize(
    ("what", "why"),
    [("closed", "it is closed"), ("full", "No space left on device"), ("unread", "Broken pipe")],
)
def test_json_that_nobody_gets_is_an_error(
    lives: Callable[[], Any], pack: Path, what: str, why: str
) -> None:
    life = lives()
    words = ["--pack", pack, "--out", life.folder / "logs", "--json"]
    assert life.end(life.begin(*words, streams={OUT: what})) == 1
    where = life.run
    line = f"error: standard output cannot be written: {why}; the results are in {where}\n"
    assert line in life.said[-1]
    assert [t["score"] for t in life.results()["tasks"]] == [1.0]


@pytest.mark.parametrize("streams", [{ERR: "closed"}, {ERR: "full"}, {OUT: "closed", ERR: "full"}])
def test_an_error_keeps_its_code_where_it_cannot_be_said(
    lives: Callable[[], Any], pack: Path, streams: Spoilt
) -> None:
    life = lives()
    missing = pack.parent / "missing.json"
    assert life.end(life.begin("--pack", missing, streams=streams)) == life.live("--pack", missing)
    assert life.end(life.begin("--jobs", "none", streams=streams)) == 2


@pytest.mark.parametrize(
    ("what", "code"), [("closed", 2), ("full", 2), ("unread", 0)], ids=["closed", "full", "unread"]
)
def test_what_another_command_cannot_show_is_an_error(
    lives: Callable[[], Any], pack: Path, what: str, code: int
) -> None:
    life = lives()
    assert life.live("--pack", pack, "--out", life.folder / "logs", "--quiet") == 0
    assert life.end(life.begin("show", life.run, streams={OUT: what})) == code
    assert ("error: standard output cannot be written: " in life.said[-1]) == bool(code)


def test_as_a_shell_starts_it(pack: Path, tmp_path: Path) -> None:
    command = f"{sys.executable} {ROOT}/submission.py --pack {pack} --out logs --require-wall"
    done = subprocess.run(
        ["sh", "-c", f"{command} 0<&- >&- 2>&-"], cwd=tmp_path, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    (run,) = tmp_path.glob("logs/*")
    assert results_at(run)["totals"]["score_mean"] == 1.0
