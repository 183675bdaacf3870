"""How tasks are divided among processes of an agent."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from cli.registry import declared
from workshop.lab.agents import shares_of
from workshop.lab.engines import Job
from workshop.lab.settings import Settings

SETTINGS = Settings(benchmark="b", packs=(), evaluator="e", worker="w")
BENCHMARK = declared("store")


def job(chunk: int, epoch: int, specs: list[str]) -> Job:
    scenarios = [{"spec_id": s, "task_text": f"do {s}"} for s in specs]
    text = json.dumps({"name": "p", "scenarios": scenarios})
    stems = {s: f"{s}.{epoch}" for s in specs}
    return Job(chunk, text, frozenset(specs), SETTINGS, epoch=epoch, stems=stems)


@given(
    sizes=st.lists(st.integers(1, 7), min_size=1, max_size=5),
    epochs=st.integers(1, 3),
    side_by_side=st.integers(1, 9),
)
def test_every_task_is_in_one_share_and_shares_are_alike(
    sizes: list[int], epochs: int, side_by_side: int
) -> None:
    chunks = [[f"{c}-{n}" for n in range(size)] for c, size in enumerate(sizes)]
    jobs = [job(c, e, specs) for c, specs in enumerate(chunks) for e in range(epochs)]
    shares = shares_of(jobs, side_by_side, BENCHMARK)
    every = [(share.epoch, spec) for share in shares for spec in share.raws]
    assert len(every) == len(set(every)) == epochs * sum(sizes)
    assert len(shares) == epochs * min(side_by_side, sum(sizes))
    assert max(len(s.raws) for s in shares) - min(len(s.raws) for s in shares) <= 1
    for share in shares:
        order = [tuple(map(int, spec.split("-"))) for spec in share.raws]
        assert order == sorted(order)
        assert share.stems == {spec: f"{spec}.{share.epoch}" for spec in share.raws}
