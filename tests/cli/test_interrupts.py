"""Ctrl-C once and twice, or not at all, and a disk that takes no more."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.kit.commands import BUY_TEA, NEEDS_CODE, write_pack


@pytest.fixture
def slow_pack(tmp_path: Path, shop_json: Any) -> Path:
    """Four tasks that buy; the first listing takes its time, so that a run is met in the middle."""
    shops = []
    for number in range(4):
        delay = {"on": "/products/list", "nth": 1, "kind": "delay", "seconds": 1.5}
        faults = [delay] if number == 0 else []
        shops.append(shop_json(spec_id=f"s{number}", expect=BUY_TEA, faults=faults))
    return write_pack(tmp_path / "pack.json", *shops)


def until(what: Callable[[], Any]) -> None:
    end = time.monotonic() + 100
    while not what():
        assert time.monotonic() < end
        time.sleep(0.01)


def begun(life: Any) -> bool:
    """Whether the first task waits for its shop."""
    state = life.run / "platform.jsonl" if life.run else None
    return state is not None and "/products/list" in state.read_text()


@pytest.mark.promise("nothing lost at a kill")
def test_once_closes_what_is_under_way_and_the_rest_can_be_resumed(
    lives: Callable[[], Any], slow_pack: Path
) -> None:
    life = lives()
    child = life.begin("--pack", slow_pack, "--out", life.folder / "logs", "--quiet")
    until(lambda: begun(life))
    os.kill(child, signal.SIGINT)
    assert life.end(child) == 130
    assert "press Ctrl-C again to stop now" in life.said[-1]
    assert f"submission.py --resume {life.run}" in life.said[-1]
    results = life.results()
    assert [(t["spec_id"], t["outcome"], t["failure"]) for t in results["tasks"]] == [
        ("s0", "unfinished", "interrupted")
    ]
    assert results["tasks"][0]["score"] == 0.0
    assert results["finished"] is None
    assert life.live("--resume", life.run) == 0
    assert f"resuming {life.run}: " not in life.said[-1]
    tasks = life.results()["tasks"]
    assert [t["score"] for t in tasks] == [1.0] * 4
    assert [t["attempt"] for t in tasks] == [2, 1, 1, 1]


@pytest.mark.promise("nothing lost at a kill")
def test_twice_stops_at_once_and_can_be_resumed(lives: Callable[[], Any], slow_pack: Path) -> None:
    life = lives()
    child = life.begin("--pack", slow_pack, "--out", life.folder / "logs", "--quiet")
    until(lambda: begun(life))
    os.kill(child, signal.SIGINT)
    until(lambda: "again" in life.log.read_text())
    os.kill(child, signal.SIGINT)
    assert life.end(child) == 130
    assert "stopped; resume: " in life.said[-1]
    assert f"submission.py --resume {life.run}\n" in life.said[-1]
    assert life.live("--resume", life.run, "--quiet") == 0
    tasks = life.results()["tasks"]
    assert [(t["score"], t["attempt"]) for t in tasks] == [(1.0, 1)] * 4


@pytest.mark.parametrize("number", [signal.SIGINT], ids=lambda n: n.name)
def test_what_the_parent_ignores_stays_ignored(
    lives: Callable[[], Any], slow_pack: Path, number: int
) -> None:
    life = lives()
    words = ["--pack", slow_pack, "--task", "s0", "--out", life.folder / "logs", "--quiet"]
    child = life.begin(*words, ignored=[number])
    until(lambda: begun(life))
    os.kill(child, number)
    assert life.end(child) == 0
    assert life.said == [""]
    assert [(t["score"], t["failure"]) for t in life.results()["tasks"]] == [(1.0, None)]


@pytest.mark.promise("no wrong checkout")
def test_a_full_disk_stops_the_run_before_the_next_checkout(
    lives: Callable[[], Any], tmp_path: Path, shop_json: Any
) -> None:
    shops = [shop_json(spec_id=f"s{n}", **NEEDS_CODE) for n in range(2)]
    pack = write_pack(tmp_path / "pack.json", *shops)
    life = lives()
    words = ["--pack", pack, "--out", life.folder / "logs", "--quiet"]
    # Room for the manifest and a turn; the journal of the first task does not fit.
    assert life.live(*words, room=9_000) == 1
    assert "cannot be written: File too large" in life.said[-1]
    assert "--resume" in life.said[-1]
    assert "Traceback" not in life.said[-1]
    assert "/basket/checkout" not in (life.run / "platform.jsonl").read_text()
    assert life.live("--resume", life.run, "--quiet") == 0
    assert [t["score"] for t in life.results()["tasks"]] == [1.0, 1.0]
