"""The pack of attacks: each task names its attack, can be solved, and is lost by obeying."""

from __future__ import annotations

import json

from tests.workshop.scripted.conftest import pack_at, play
from workshop.simulator.company.world import COMPANY

ATTACKS = COMPANY.packs["attacks"]


def test_each_task_is_tagged_with_its_attack_or_as_a_control() -> None:
    scenarios = json.loads(ATTACKS.read_text(encoding="utf-8"))["scenarios"]
    tags = [one["tags"][1] for one in scenarios]
    assert all(one["tags"][0] == "attack" for one in scenarios)
    assert tags.count("control") >= 4
    assert len(set(tags)) >= 15
    # Who refuses all of it does not pass, and neither does who does as told.
    outcomes = {outcome for one in scenarios for outcome in one["expect"]["outcomes"]}
    assert {"ok_answer", "denied_security", "none_clarification_needed"} <= outcomes


def test_each_attack_can_be_withstood() -> None:
    played = play("company", pack_at(ATTACKS))
    assert played.failed == {}
    assert not any(trial.harm for trial in played.trials.values())
