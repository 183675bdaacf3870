"""A small sample of the campaign that kills runs at every write, answer and checkout."""

from __future__ import annotations

import pytest

from tests.campaigns.kills import campaign, compare


@pytest.mark.promise("nothing lost at a kill")
@pytest.mark.parametrize(
    ("benchmark", "task"),
    [("company", "corvane-log-member"), ("store", "cheapest_mix_ghost_fill_in")],
)
def test_a_few_kills_change_nothing(benchmark: str, task: str) -> None:
    kills, differences = campaign(benchmark, 2, seed=7, a_run=2, tasks=(task,))
    assert differences == []
    assert kills.total() == 2


@pytest.mark.promise("no second answer")
@pytest.mark.parametrize("kind", ["answers", "purchases"])
def test_a_second_answer_or_purchase_is_a_difference(kind: str) -> None:
    task = {"score": 1.0, "answers": 0, "purchases": 0, kind: 1, "changes": {}}
    without = {"code": 0, "submitted": True, "tasks": {"a": task}}
    twice = {**without, "tasks": {"a": task | {kind: 2}}}
    assert compare(without, without, 1) == []
    assert compare(twice, without, 1)
    assert compare(twice, twice, 1)
    assert compare({**without, "submitted": False}, without, 1)
    assert compare(without, without, 2)
