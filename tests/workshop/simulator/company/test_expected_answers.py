"""Every scenario of every pack: over HTTP each known play scores as it must."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from tests.workshop.simulator.company.bakery import PACKS, Visit
from workshop.simulator.company.world import COMPANY
from workshop.simulator.server import serve
from workshop.simulator.worlds import load_pack


@pytest.mark.parametrize("path", PACKS, ids=lambda path: path.stem)
def test_each_known_play_scores_as_it_must(path: Path, connections: httpx.Client) -> None:
    pack = load_pack(path)
    wrong, ways = [], 0
    with serve(pack) as running:
        for scenario in pack.scenarios:
            for play in COMPANY.plays(scenario):
                visit = Visit(connections, running.base_url, scenario.spec_id)
                play.run(visit.ask)
                score, lines = visit.complete()
                if score != play.score or bool(lines) == bool(score):
                    wrong.append((scenario.spec_id, play.name, score, lines))
                ways += 1
    assert wrong == []
    assert ways > 4 * len(pack.scenarios)
