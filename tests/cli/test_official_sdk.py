"""``ERC3_CLIENT=sdk``: the agent plays with the official SDK, here a package of its shapes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.benchmarks import world_named
from tests.kit.commands import BUY_TEA
from tests.kit.records import results_at
from tests.kit.rehearsal import rehearsal

ROOT = Path(__file__).parents[2]
SDK = ROOT / "tests/kit/official_sdk"
PROGRAM = """
import sys
from cli.cli import main
try:
    main()
finally:
    import erc3
    print("SENT", erc3.base.BaseClient.sent, file=sys.stderr)
"""
"""The command line, which then says how many requests went through the SDK."""


def type_it(folder: Path, *words: object, **env: str) -> subprocess.CompletedProcess[str]:
    clean = dict.fromkeys(("EVALUATOR_MODEL", "WORKER_MODEL", "MODELS_FILE", "ERC3_API_KEY"), "")
    path = {"PYTHONPATH": f"{ROOT}{os.pathsep}{SDK}", "ERC3_CLIENT": "sdk"}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, words)],
        cwd=folder, env={**os.environ, **clean, **path, **env}, capture_output=True, text=True,
        timeout=100, check=False,
    )  # fmt: skip


def sent(done: subprocess.CompletedProcess[str]) -> int:
    """The requests that went through the SDK."""
    return int(done.stderr.rsplit("SENT ", 1)[1])


def faulty(task: dict[str, Any], *faults: dict[str, Any]) -> dict[str, Any]:
    return task | {"faults": list(faults)}


@pytest.mark.parametrize(
    ("benchmark", "specs"),
    [
        ("store", ["required_coupon_works", "cheapest_mix_ghost_fill_in"]),
        ("company", ["corvane-log-member", "corvane-rename-page"]),
    ],
)
def test_both_benchmarks_are_played_through_it_whatever_is_lost_on_the_way(
    tmp_path: Path, benchmark: str, specs: list[str]
) -> None:
    pack = json.loads(world_named(benchmark).bundled.read_text(encoding="utf-8"))
    last = "/basket/checkout" if benchmark == "store" else "/respond"
    lost = {"on": last, "nth": 1, "kind": "drop", "after": True}
    busy = {"on": "/tasks/start", "nth": 1, "kind": "status", "status": 503}
    chosen = [one for one in pack["scenarios"] if one["spec_id"] in specs]
    pack["scenarios"] = [faulty(one, lost, busy) for one in chosen]
    (tmp_path / "pack.json").write_text(json.dumps(pack))
    done = type_it(tmp_path, "--benchmark", benchmark, "--pack", "pack.json", "--json")
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)
    assert [(one["score"], one["failure"]) for one in results["tasks"]] == [(1.0, None)] * 2
    assert [results["totals"][name] for name in ("lost", "doubled", "unauthorised")] == [0, 0, 0]
    assert sent(done) > results["totals"]["requests"]


def test_a_session_of_the_real_platform_is_opened_reported_and_submitted(
    tmp_path: Path, platform_of: Any, shop_json: Any
) -> None:
    simulator = platform_of(shop_json(expect=BUY_TEA))
    env = {"ERC3_API_KEY": "key-mine", "ERC3_BASE_URL": simulator.base_url}
    done = type_it(tmp_path, *rehearsal(simulator, tmp_path / "run"), "--yes", **env)
    assert done.returncode == 0, done.stderr
    (session,) = simulator.platform.sessions.values()
    assert session.status == "evaluated"
    (run,) = (tmp_path / "logs").iterdir()
    assert results_at(run)["submitted"]


def test_a_platform_out_of_reach_is_told_in_one_line(
    tmp_path: Path, platform_of: Any, shop_json: Any
) -> None:
    simulator = platform_of(shop_json())
    words = [*rehearsal(simulator, tmp_path / "run"), "--yes", "--retry-seconds", "0"]
    done = type_it(tmp_path, *words, ERC3_API_KEY="key-mine", ERC3_BASE_URL="http://127.0.0.1:9")
    assert done.returncode == 1
    assert "cannot be reached" in done.stderr
    assert "Traceback" not in done.stderr
