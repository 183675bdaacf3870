"""Companies out of a seed in the lab: their names, their companies, played and told by kind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.cli import app
from cli.lab import LAB, lab_context
from core.runs.errors import CannotRun
from core.runs.results import read_results
from core.runs.summary import summarise
from workshop.generators.company.scenario import TASKS
from workshop.lab.context import is_valid, world_of
from workshop.lab.engines import Here
from workshop.lab.packs import source_of, sources_of
from workshop.lab.sampled_run import carry_out, new_run
from workshop.lab.settings import Settings

company = LAB["company"]

BRAIN = "scripted/company"


def test_the_name_leaves_the_count_out_and_keeps_the_options() -> None:
    adapter = company()
    assert source_of("generated:s:20", adapter).name == "generated-s"
    assert source_of("generated:s:20:people=12-30", adapter).name == "generated-s:people=12-30"
    for asked, why in (
        ("generated:s", "count: Field required"),
        ("generated:s:0", "greater than or equal to 1"),
        ("generated:s:2:people=9", "12 to 300"),
        ("generated:s:2:difficulty=hard", "there is no option 'difficulty'"),
    ):
        with pytest.raises(CannotRun, match=why):
            source_of(asked, adapter)


def test_it_is_the_pack_that_the_command_writes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    adapter = company()
    words = ["--seed", "lab", "--count", "12", "--people", "12"]
    done = CliRunner().invoke(app, ["generate", "--benchmark", "company", *words])
    path = tmp_path / "pack.json"
    path.write_text(done.stdout, encoding="utf-8")
    drawn = list(source_of("generated:lab:12:people=12", adapter).scenarios())
    assert drawn == list(source_of(str(path), adapter).scenarios())
    assert len({one["company"] for one in drawn}) == 2


def test_it_is_played_beside_the_trivial_players_and_told_by_kind_and_twist(
    tmp_path: Path,
) -> None:
    asked = ("generated:lab-run:20:people=12-20",)
    settings = Settings(
        benchmark="company", packs=asked, evaluator=BRAIN, worker=BRAIN, chunk=TASKS
    )
    run = new_run(tmp_path, sources_of(asked, company()), settings, lab_context({}))
    body = json.loads((tmp_path / "pack.json").read_text())
    assert len(body["companies"]) == 2
    assert not any("company_whole" in raw for raw in body["scenarios"])
    carry_out(run, company(), Here(company))
    results = read_results(tmp_path)
    ours, *trivial = summarise([*results.tasks, *results.trivial], by=lambda one: one.player)
    assert (ours.trials, ours.outside, ours.harm.passed) == (20, 0, 0)
    answers = [player.groups["answer"].passed for player in (ours, *trivial)]
    assert answers[0] > max(answers[1:])
    told = {one.name for one in summarise(results.tasks, by=lambda one: one.mechanics)}
    assert told == {tag for _, raw in run.scenarios(company()) for tag in raw["tags"]}
    assert sum(share.of for share in ours.groups.values()) == 20


def test_a_task_of_it_can_be_made_smaller_and_stays_valid() -> None:
    adapter = company()
    raw = next(
        one
        for one in source_of("generated:lab:40:people=12", adapter).scenarios()
        if not one.get("patch")
    )
    assert is_valid(adapter, raw)
    (cut,) = (made(raw) for made in world_of(adapter).cuts)
    smaller = cut.keeping(cut.items[:1])
    assert is_valid(adapter, smaller)
    assert len(smaller["company_whole"]["wiki"]) == 1
    assert not is_valid(adapter, {**raw, "user": "nobody"})
