"""The lab knows no benchmark: their words stand elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
import regex

from cli.adapters import ADAPTERS
from workshop.lab.engines import Job
from workshop.lab.lab_run import Settings
from workshop.lab.packs import sources_of
from workshop.lab.play_job import play_job

store = ADAPTERS["store"]

ROOM = Path(__file__).parents[3] / "workshop" / "lab"
NEUTRAL = sorted(ROOM.glob("*.py"))
WORDS = regex.compile(
    r"basket|coupon|checkout|product|(?<!work)shop|purchase|salary|employee|wiki", regex.IGNORECASE
)


@pytest.mark.parametrize("path", NEUTRAL, ids=lambda path: path.name)
def test_no_word_of_a_benchmark_stands_in_the_lab(path: Path) -> None:
    assert not WORDS.findall(path.read_text(encoding="utf-8"))


def test_a_task_whose_worker_has_no_model_is_a_failure_of_the_world() -> None:
    adapter = store()
    some = [next(sources_of(["bundled"], adapter)[0].scenarios())]
    settings = Settings(
        benchmark="store", packs=(), evaluator="scripted/store", worker="scripted/none"
    )
    (found,) = play_job(Job(0, 0, adapter.pack_text("one", some), None, settings), store)
    assert (found.failure, found.infrastructure_failure, found.passed) == ("model", True, False)
