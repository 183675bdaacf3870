"""Companies out of a seed in the lab: their names, their companies, played and told by kind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.adapters import ADAPTERS
from cli.cli import app
from core.runs.errors import CannotRun
from workshop.generators.company.scenario import TASKS
from workshop.lab.engines import Dask, Here
from workshop.lab.lab_folder import LabFolder, carry_out
from workshop.lab.lab_run import Settings
from workshop.lab.packs import source_of, sources_of

company = ADAPTERS["company"]

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


def test_it_is_played_beside_the_floors_and_told_by_kind_and_twist(tmp_path: Path) -> None:
    adapter, asked = company(), ("generated:lab-run:20:people=12-20",)
    settings = Settings(
        benchmark="company", packs=asked, evaluator=BRAIN, worker=BRAIN, chunk=TASKS
    )
    folder = LabFolder(tmp_path)
    run = folder.fill(adapter, sources_of(asked, adapter), settings)
    chunks = sorted((tmp_path / "chunks").glob("*.json"))
    bodies = [json.loads(one.read_text()) for one in chunks]
    assert [len(body["companies"]) for body in bodies] == [1, 1]
    assert not any("company_whole" in raw for body in bodies for raw in body["scenarios"])
    done = carry_out(folder, run, Here(company))
    brain, *floors = done.summaries
    assert (brain.trials, brain.infrastructure, brain.harm.passed) == (20, 0, 0)
    answers = [player.groups["answer"].passed for player in (brain, *floors)]
    assert answers[0] > max(answers[1:])
    told = {slice_.name for slice_ in brain.by_mechanic}
    tags = {tag for raw in folder.scenarios(adapter) for tag in raw["tags"]}
    assert told == tags
    assert sum(share.of for share in brain.groups.values()) == 20


def test_a_task_of_it_can_be_made_smaller_and_stays_valid() -> None:
    adapter = company()
    raw = next(
        one
        for one in source_of("generated:lab:40:people=12", adapter).scenarios()
        if not one.get("patch")
    )
    assert adapter.holds(raw)
    (cut,) = (made(raw) for made in adapter.cuts)
    smaller = cut.keeping(cut.items[:1])
    assert adapter.holds(smaller)
    assert len(smaller["company_whole"]["wiki"]) == 1
    assert not adapter.holds({**raw, "user": "nobody"})


@pytest.mark.nightly("by day a cluster plays the store, with the same engine")
def test_two_processes_of_a_dask_cluster_give_what_one_process_gives(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    from distributed import LocalCluster

    found = []
    for name in ("here", "cluster"):
        adapter, asked = company(), ("generated:dask:12:people=12",)
        settings = Settings(
            benchmark="company", packs=asked, evaluator=BRAIN, worker=BRAIN, chunk=3
        )
        path = tmp_path / name
        path.mkdir()
        folder = LabFolder(path)
        run = folder.fill(adapter, sources_of(asked, adapter), settings)
        if name == "here":
            carry_out(folder, run, Here(company))
        else:
            with LocalCluster(  # type: ignore[no-untyped-call]
                n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
            ) as cluster:
                carry_out(folder, run, Dask(company, cluster.scheduler_address))
        trials = [*folder.trials(), *folder.baselines()]
        found.append(
            [
                one.model_copy(update={"seconds": 0, "task_id": ""}).model_dump_json()
                for one in trials
            ]
        )
    assert found[0] == found[1]
    assert len(found[0]) == 12 * 5
