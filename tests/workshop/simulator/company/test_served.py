"""The company as the platform serves it: faults, state, baselines, beside the store."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from cli.cli import app
from tests.workshop.simulator.company.bakery import (
    SiteOf,
    pack_of,
    raw_of,
    scenario,
)
from tests.workshop.simulator.company.test_bad_input import VALID
from workshop.simulator.company.pack import CompanyScenario
from workshop.simulator.company.world import COMPANY
from workshop.simulator.open_world import OpenWorld
from workshop.simulator.pack_files import PackError
from workshop.simulator.server import serve
from workshop.simulator.world import TrivialPlayer


def on(path: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"on": path, "nth": 1, "kind": kind, **more}


def test_a_fault_may_stand_on_every_path(site_of: SiteOf) -> None:
    assert set(CompanyScenario.paths) == set(VALID)
    visit = site_of(scenario(faults=[on(path, "status", status=503) for path in VALID])).visit()
    for path, body in VALID.items():
        assert visit.send(path, **body).status_code == 503
        assert visit.send(path, **body).status_code == 200


def test_one_process_serves_both_kinds(
    tmp_path: Path, connections: httpx.Client, make_pack: Any
) -> None:
    packs = (make_pack(), pack_of(scenario(spec_id="tea")))

    def post(path: str, **body: Any) -> httpx.Response:
        return connections.post(f"{running.base_url}{path}", json=body)

    with serve(*packs, state=tmp_path / "state") as running:
        listed = [one["id"] for one in post("/benchmarks/list").json()["benchmarks"]]
        assert listed == ["store", "company", "erc3-dev", "erc3-test", "erc3-prod"]
        routes = [
            len(post("/benchmarks/view", benchmark=one).json()["routes"]) for one in listed[:2]
        ]
        assert routes == [7, 24]
        shop, company = (
            post("/tasks/start", benchmark=one, spec_id="tea").json()["task_id"]
            for one in ("store", "erc3-prod")
        )
        assert post(f"/store/{shop}/basket/view").status_code == 200
        assert post(f"/erc3/{company}/whoami").json()["current_user"] == "mara"
        for path in (f"/erc3/{shop}/basket/view", f"/store/{company}/whoami"):
            assert (post(path).status_code, post(path).json()["error"]) == (404, "Not found")
        session = post("/sessions/start", account_key="key-x", benchmark="company", workspace="w")
        assert session.json()["task_count"] == 1
    with serve(*packs[::-1], state=tmp_path / "state") as running:
        assert post(f"/erc3/{company}/whoami").json()["current_user"] == "mara"


def test_two_packs_of_one_kind_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PackError, match="'small' and 'small' are both for the benchmark 'comp"):
        serve(pack_of(), pack_of())
    path = tmp_path / "pack.json"
    path.write_text(json.dumps(raw_of()))
    done = CliRunner().invoke(app, ["serve", "--pack", str(path), "--pack", str(path)])
    assert (done.exit_code, "serve one pack of each kind" in done.output) == (2, True)


ASKS = (
    scenario(expect={"outcomes": ["denied_security"]}),
    scenario(spec_id="b", expect={"outcomes": ["none_clarification_needed", "ok_not_found"]}),
    scenario(
        spec_id="c",
        task_text="What does Voss Mara do in ROLLS AT DAWN for Harbour Inn? See a/places.md.",
        page_limit=2,
        expect={
            "outcomes": ["ok_answer"],
            "links": {
                "employee": {"must": ["mara"]},
                "project": {"must": ["proj_rolls"]},
                "customer": {"must": ["cust_inn"]},
                "wiki": {"must": ["a/places.md"]},
            },
            "message": {"contains": ["Mara Voss"]},
        },
    ),
    scenario(spec_id="d", page_limit=-1, task_text="Mara Voss", expect={"outcomes": ["ok_answer"]}),
)


def test_what_players_score_that_understand_nothing() -> None:
    pack = pack_of(*ASKS)

    def score(player: TrivialPlayer) -> float:
        worlds = [OpenWorld(pack, one) for one in pack.scenarios]
        for world in worlds:
            player.act(world.ask, world.task)
        return sum(world.score().score for world in worlds) / 4

    assert {player.title: score(player) for player in COMPANY.trivial.values()} == {
        "always denied_security": 0.25,
        "always none_clarification_needed": 0.25,
        "always ok_not_found": 0.25,
        "name lookup": 0.5,
    }
