"""A small sample of the campaign that kills runs at every write and answer."""

from __future__ import annotations

import pytest

from tests.campaigns.company_kills import campaign, compare


@pytest.mark.promise("nothing lost at a kill")
def test_a_few_kills_change_nothing() -> None:
    kills, differences = campaign(2, seed=7, tasks=("corvane-log-member",), a_run=2)
    assert differences == []
    assert kills.total() == 2


@pytest.mark.promise("no second answer")
def test_a_second_answer_is_a_difference() -> None:
    task = {"score": 1.0, "responses": 1, "changes": {}}
    without = {"code": 0, "submitted": True, "tasks": {"a": task}}
    twice = {**without, "tasks": {"a": task | {"responses": 2}}}
    assert compare(without, without) == []
    assert compare(twice, without)
    assert compare({**without, "submitted": False}, without)
