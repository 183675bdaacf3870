"""A small sample of the campaign that kills large runs of the lab."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.campaigns.many_samples import Outcome, campaign, differences
from tests.workshop.lab.conftest import made_trial

NIGHTLY = "plays 120 tasks; by day a worker, a scheduler and a run of few tasks are killed"


@pytest.mark.nightly(NIGHTLY)
@pytest.mark.promise("nothing lost at a kill")
@pytest.mark.parametrize("workers", [0, 3])
def test_a_run_that_is_killed_twice_loses_and_doubles_nothing(tmp_path: Path, workers: int) -> None:
    assert campaign(tmp_path, tasks=60, kills=2, jobs=2, workers=workers, seed=7) == []


def test_a_lost_a_doubled_and_another_result_are_differences() -> None:
    one, two, other = made_trial("a"), made_trial("b"), made_trial("b", passed=False)
    whole = Outcome([one, two], 2, 1.0)
    assert differences(whole, whole) == []
    assert len(differences(Outcome([one], 1, 1.0), whole)) == 1
    assert len(differences(whole, Outcome([one], 1, 1.0))) == 1
    assert len(differences(Outcome([one, other], 2, 1.0), whole)) == 1
    assert len(differences(Outcome([one, two], 3, 1.0), whole)) == 1
