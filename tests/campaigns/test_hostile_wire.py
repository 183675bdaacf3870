"""A sample of the campaign of tests/campaigns/hostile_wire.py: nothing wrong is bought."""

from __future__ import annotations

from typing import Any

import pytest

from tests.campaigns.hostile_wire import cases, play

BY_DAY = {("/products/list", "a field is missing"), ("/basket/add", "twice")}
BY_NIGHT = {("/products/list", "texts are huge"), ("/tasks/complete", "numbers have no end")}
NIGHTLY = pytest.mark.nightly("tests/cli/test_wire.py plays such answers by day")


@pytest.mark.promise("no wrong write")
@pytest.mark.parametrize(
    ("path", "mutation", "rule"),
    [
        pytest.param(*case, marks=NIGHTLY if case[:2] in BY_NIGHT else [])
        for case in cases("store")
        if case[:2] in BY_DAY | BY_NIGHT
    ],
)
def test_a_tampered_wire_leads_to_no_wrong_purchase(
    no_waiting: Any, path: str, mutation: str, rule: Any
) -> None:
    outcome = play("store", path, mutation, rule)
    assert (outcome.wrong, outcome.internal, outcome.hung) == (0, 0, False)
    # The process is forked from one of the tests, which may be large itself.
    assert outcome.grown_mb < 300
