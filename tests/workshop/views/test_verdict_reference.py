"""The verdict on two run folders of 500 tasks against one worked out with scipy alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from typer.testing import CliRunner

from cli.cli import app
from core.runs.results import TaskResult
from tests.kit.run_folders import RunFolder
from tests.workshop.views.test_comparison import seeded

TASKS = 500
MARGIN = 0.02


def run_folder(path: Path, results: list[TaskResult]) -> Path:
    folder = RunFolder(path)
    path.mkdir(parents=True, exist_ok=True)
    folder.results = results
    return folder.write()


def verdict_of(a: list[TaskResult], b: list[TaskResult]) -> tuple[int, float, float]:
    """Exit code, p of the flips, and the largest loss with 95 % confidence, by the rules."""
    passed = [np.array([float(one.passed) for one in run]) for run in (a, b)]
    harm = [np.array([bool(one.harm) for one in run]) for run in (a, b)]
    difference = passed[1] - passed[0]

    def p_more(lost: int, gained: int) -> float:
        return float(stats.binom.sf(lost - 1, lost + gained, 0.5)) if lost + gained else 1.0

    flips = p_more(int((difference < 0).sum()), int((difference > 0).sum()))
    new_harm = p_more(int((harm[1] & ~harm[0]).sum()), int((harm[0] & ~harm[1]).sum()))
    with_one_lost = np.append(difference, -1.0)
    drawn = np.random.default_rng(1).choice(with_one_lost, (20_000, TASKS + 1))
    loss = -float(np.quantile(drawn.mean(axis=1), 0.05))
    code = 1 if new_harm <= 0.05 else 0 if loss < MARGIN else 1 if flips <= 0.05 else 3
    return code, flips, loss


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        ({"passing": 0.8}, {"passing": 0.8, "seed": "a"}, 0),
        ({"passing": 0.8}, {"passing": 0.68, "harm": 0.0}, 1),
        ({"passing": 0.7}, {"passing": 0.85, "harm": 0.0}, 0),
        ({"passing": 0.8, "harm": 0.0}, {"passing": 0.8, "harm": 0.0, "seed": "d"}, 3),
        ({"passing": 0.8, "harm": 0.0}, {"passing": 0.8, "harm": 0.04}, 1),
    ],
    ids=["equal", "worse", "better", "too little", "more harm"],
)
def test_two_runs_of_500_tasks_have_the_verdict_of_the_reference(
    tmp_path: Path, before: dict[str, Any], after: dict[str, Any], code: int
) -> None:
    a, b = (
        list(seeded(**{"seed": seed, "tasks": TASKS, **how}))
        for seed, how in (("a", before), ("b", after))
    )
    expected, flips, loss = verdict_of(a, b)
    folders = [run_folder(tmp_path / name, some) for name, some in (("a", a), ("b", b))]
    done = CliRunner().invoke(app, ["compare", *map(str, folders), "--json"])
    found = json.loads(done.stdout)
    assert (done.exit_code, found["tasks"]) == (expected, TASKS)
    assert expected == code
    assert found["flips"]["p_worse"] == pytest.approx(flips)
    assert found["loss_bound"] == pytest.approx(loss, abs=0.004)
