"""How tasks are divided among processes of an agent."""

from __future__ import annotations

import json
from operator import itemgetter

from hypothesis import given
from hypothesis import strategies as st

from workshop.lab.engines import Job
from workshop.lab.external.agent_session import shares_of
from workshop.lab.lab_run import Settings

SETTINGS = Settings(benchmark="b", packs=(), evaluator="e", worker="w")
scenarios = itemgetter("scenarios")


def job(chunk: int, epoch: int, specs: list[str], only: frozenset[str] | None = None) -> Job:
    world = {"rules": ["a", "b"]}
    scenarios = [{"spec_id": s, "task_text": f"do {s}", "world": world} for s in specs]
    return Job(chunk, epoch, json.dumps({"name": "p", "scenarios": scenarios}), only, SETTINGS)


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
    shares = shares_of(jobs, side_by_side, scenarios)
    every = [(share.epoch, spec) for share in shares for spec in share.texts]
    assert len(every) == len(set(every)) == epochs * sum(sizes)
    assert len(shares) == epochs * min(side_by_side, sum(sizes))
    assert max(len(s.tasks) for s in shares) - min(len(s.tasks) for s in shares) <= 1
    for share in shares:
        order = [tuple(map(int, spec.split("-"))) for spec in share.texts]
        assert order == sorted(order)
        assert all(share.jobs[spec].chunk == int(spec.split("-")[0]) for spec in share.texts)


def test_tasks_that_are_done_are_left_out() -> None:
    jobs = [job(0, 0, ["a", "b", "c"], frozenset({"a", "c"})), job(1, 0, ["d"])]
    (share,) = shares_of(jobs, 1, scenarios)
    assert list(share.texts) == ["a", "c", "d"]
