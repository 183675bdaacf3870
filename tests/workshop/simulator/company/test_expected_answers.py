"""Every scenario of every pack: right over HTTP is 1.0, spoilt in any way is 0."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest

from tests.workshop.simulator.company.bakery import PACKS, Visit
from workshop.generators.company.play import Play, spoilt
from workshop.simulator.company.pack import load_pack
from workshop.simulator.server import serve


@pytest.mark.parametrize("path", PACKS, ids=lambda path: path.stem)
def test_right_is_one_and_spoilt_is_zero(path: Path, connections: httpx.Client) -> None:
    raw = json.loads(path.read_text(encoding="utf-8"))
    wrong, ways = [], 0
    with serve(load_pack(path)) as running:
        for scenario in raw["scenarios"]:
            plays = [("right", Play(scenario)), *spoilt(scenario)]
            for way, play in plays:
                visit = Visit(connections, running.base_url, scenario["spec_id"])
                play.run(visit.ask)
                score, lines = visit.complete()
                if score != float(way == "right") or bool(lines) == bool(score):
                    wrong.append((scenario["spec_id"], way, score, lines))
                ways += 1
    assert wrong == []
    assert ways > 2 * len(raw["scenarios"])
