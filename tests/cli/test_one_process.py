"""Two resumptions of one run at the same moment: one plays, the other is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.kit.commands import BUY_TEA, write_pack

DEATHS = [
    range(12, 13),
    pytest.param(range(8, 20), marks=pytest.mark.nightly("more moments of the same")),
]
"""At which of its writes the run ends before the two go on with it."""


@pytest.mark.promise("one process plays a run")
@pytest.mark.parametrize("deaths", DEATHS, ids=["few", "all"])
@pytest.mark.parametrize("real", [True, False])
def test_of_two_resumptions_at_once_one_plays(
    lives: Callable[..., Any],
    platform_of: Any,
    shop_json: Any,
    tmp_path: Any,
    real: bool,
    deaths: range,
) -> None:

    shops = [shop_json(spec_id=f"s{i}", expect=BUY_TEA) for i in range(2)]
    pack = write_pack(tmp_path / "pack.json", *shops)
    env = {}
    if real:
        simulator = platform_of(*shops)
        env = {"ERC3_API_KEY": "key-mine", "ERC3_BASE_URL": simulator.base_url}
    for until in deaths:
        life, other = lives(env=env), lives(env=env)
        where = ["--real", "--allow-scripted", "--yes"] if real else []
        where += ["--pack", pack]
        assert life.live(*where, "--out", life.folder / "logs", "--quiet", until=until) == 137
        words = ("--resume", life.run, "--quiet", *(["--yes"] if real else []))
        both = (life.begin(*words), other.begin(*words))
        codes = [life.end(both[0]), other.end(both[1])]
        outputs = [life.said[-1], other.said[-1]]
        # The later one may have come when all was done: then there was nothing left to do.
        refused = [
            "already running (pid" in text or "already submitted" in text for text in outputs
        ]
        assert sorted(codes) in ([0, 1], [0, 0]), outputs
        assert sum(refused) == 1 or (not real and codes == [0, 0]), outputs
        results = life.results()
        assert [t["score"] for t in results["tasks"]] == [1.0, 1.0]
        assert [t["acts"] for t in results["tasks"]] == [1, 1]
        assert results["submitted"] is real
        for path in (life.run / "tasks").glob("*.jsonl"):
            lines = [json.loads(line) for line in path.read_text().splitlines()]
            numbers = [line["number"] for line in lines if line["type"] == "turn"]
            assert numbers == list(range(1, len(numbers) + 1))
            assert sum(line["type"] == "result" for line in lines) == 1
