"""Figures over runs: what is put together, what stays apart, what is not known."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.models.model_call import Usage
from core.runs.journal import text_hash
from core.runs.manifest import Identity, Manifest, ModelPair
from core.runs.results import RunResults, TaskResult, totals_of
from tests.workshop.views.stats_runs import BEGAN, done, run_folder, wrong
from workshop.views.stats import By, Group, Reading, Run, Statistics, read_runs, statistics

SHA = {name: name * 64 for name in "abc"}


def figures(logs: Path, *bys: By) -> Statistics:
    return statistics(logs, read_runs(logs), bys)


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Three runs: two prompt versions, two models, two days, an old one."""
    old = {"evaluator": "decide", "worker": "code"}
    new = old | {"worker": "code well"}
    run_folder(tmp_path, "r1", done("tea"), done("cup", 0.0), prompts=old, model="lab/a")
    run_folder(
        tmp_path, "r2", done("tea", 0.9), wrong("cup"), prompts=new, model="lab/a", hours=1,
        options={"strategy": "next-step"},
    )  # fmt: skip
    failed = done("pot", None, outcome="error", failure="model", cost_usd=None, attempt=3)
    run_folder(tmp_path, "r3", done("tea"), failed, model="lab/b", hours=4, pack="large")
    return tmp_path


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        (By.DAY, {"2026-05-04": (2, 2, 4, 1), "2026-05-05": (1, 1, 2, 0)}),
        (By.MODEL, {"lab/a": (2, 2, 4, 1), "lab/b": (1, 1, 2, 0)}),
        (By.PACK, {"small": (2, 2, 4, 1), "large": (1, 1, 2, 0)}),
        (
            By.STRATEGY,
            {"evaluator-worker": (2, 2, 4, 0), "next-step": (1, 1, 2, 1)},
        ),
        (By.RUN, {"r1": (1, 1, 2, 0), "r2": (1, 1, 2, 1), "r3": (1, 1, 2, 0)}),
        (
            By.TASK,
            {
                "cup": (2, 0, 2, 1), "tea in large": (1, 1, 1, 0), "tea in small": (2, 2, 2, 0),
                "pot": (1, 0, 1, 0),
            },
        ),
    ],
)  # fmt: skip
def test_each_grouping(logs: Path, by: By, expected: dict[str, Any]) -> None:
    groups = figures(logs, by).groups[by]
    seen = {
        g.name: (g.runs, g.figures.passed.passed, g.figures.passed.of, g.figures.harm.passed)
        for g in groups
    }
    assert seen == expected
    assert list(seen) == list(expected), "in order of time, tasks from the worst on"


def test_prompt_versions_are_named_by_their_hashes_and_unknown_is_one_of_its_own(
    logs: Path,
) -> None:
    first, second, unknown = figures(logs, By.PROMPT).groups[By.PROMPT]
    decide = f"evaluator {text_hash('decide')[:8]}"
    assert first.name == f"{decide}, worker {text_hash('code')[:8]}"
    assert second.name == f"{decide}, worker {text_hash('code well')[:8]}"
    assert unknown.name == "unknown"


def test_the_total_is_over_all_that_is_known(logs: Path) -> None:
    total = figures(logs).totals[0]
    found = total.figures
    assert (total.runs, found.trials) == (3, 6)
    assert found.score == pytest.approx((1 + 0 + 0.9 + 0 + 1 + 0) / 6, abs=1e-6), "an error is 0"
    assert (found.failures, found.outside) == ({"model": 1}, 1)
    assert found.means["cost_usd"] == pytest.approx(0.01), "of the five that know it"
    means = found.means
    assert (means["tokens"], means["turns"], means["seconds"]) == (1000, 2, 0.5)
    assert total.first == BEGAN.isoformat()
    played = found.played_score
    assert played == pytest.approx((1 + 0 + 0.9 + 0 + 1) / 5, abs=1e-6), "what began and was scored"


def test_nothing_known_is_not_zero(tmp_path: Path) -> None:
    blind = done("tea", None, cost_usd=None, tokens=Usage())
    run_folder(tmp_path, "run", blind, hours=None)
    total = figures(tmp_path).totals[0]
    assert (total.first, total.figures.score) == (None, None)
    assert (total.figures.cost_usd, total.figures.means["tokens"]) == (None, None)


def test_a_changed_scenario_is_another_task_and_another_pack(tmp_path: Path) -> None:
    for place, digest in enumerate("aab"):
        run_folder(tmp_path, f"r{place}", done("tea"), scenarios={"tea": SHA[digest]}, hours=place)
    run_folder(tmp_path, "r9", done("tea"), hours=9)
    found = figures(tmp_path, By.TASK, By.PACK)
    tasks = {group.name: group.runs for group in found.groups[By.TASK]}
    assert tasks == {
        "tea in small, version aaaaaaaa": 2,
        "tea in small, version bbbbbbbb": 1,
        "tea in small, version unknown": 1,
    }
    packs = found.groups[By.PACK]
    assert [group.runs for group in packs] == [2, 1, 1]
    assert len({group.name for group in packs}) == 3


counts = st.fixed_dictionaries(
    {
        "outcome": st.sampled_from(["finished", "error"]),
        "harm": st.sampled_from([None, False, True]),
        "failure": st.sampled_from([None, "model", "limit"]),
        "attempt": st.integers(1, 2),
        "cost_usd": st.sampled_from([None, 0.5, 0.25]),
        "tokens": st.sampled_from([Usage(), Usage.nothing(), Usage(prompt=600, completion=100)]),
        "turns": st.integers(0, 7),
    },
    optional={"seconds": st.just(1.5)},
)
trials = st.builds(
    lambda spec, score, more: TaskResult(
        spec_id=spec, task_id=spec, task_text="", score=score, **more
    ),
    st.sampled_from(["tea", "cup", "pot"]),
    st.sampled_from([None, 0.0, 0.9, 1.0]),
    counts,
)
models = st.sampled_from(["lab/a", "lab/b"])
some_results = st.builds(
    RunResults,
    run_id=st.text(max_size=3),
    benchmark=st.sampled_from(["store", "company"]),
    pack=st.sampled_from([None, "small", "unknown"]),
    brain=st.builds(ModelPair, evaluator=models, worker=models),
    started=st.sampled_from(["some day", BEGAN.isoformat()]),
    finished=st.sampled_from([None, "later"]),
    harm_name=st.just("harm"),
    totals=st.just(totals_of([], 1.0)),
    tasks=st.lists(trials, max_size=6).map(tuple),
)
manifests = st.sampled_from(["evaluator-worker", "next-step"]).map(
    lambda name: Manifest(
        run_id="r", created="", benchmark="store", identity=Identity(), strategy=name
    )
)
some_runs = st.lists(
    st.builds(
        Run,
        folder=st.integers(0, 10**9).map(lambda n: Path(f"run-{n}")),
        results=some_results,
        manifest=manifests,
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda run: run.folder,
).map(tuple)


@given(some_runs, st.sampled_from(By))
def test_groups_share_out_the_total(runs: tuple[Run, ...], by: By) -> None:
    found = statistics(Path("logs"), Reading(runs, ()), [by])
    assert len({group.name for group in found.groups[by]}) == len(found.groups[by]), "told apart"
    benchmarks = sorted({run.results.benchmark for run in runs})
    for total, benchmark in zip(found.totals, benchmarks, strict=True):
        several = len(benchmarks) > 1
        groups = [g for g in found.groups[by] if g.name.startswith(f"{benchmark}: ")]
        check_shares(groups if several else found.groups[by], total)
    assert sum(total.figures.trials for total in found.totals) == sum(
        len(r.results.tasks) for r in runs
    )


def check_shares(groups: Sequence[Group], total: Group) -> None:
    parts, whole = [group.figures for group in groups], total.figures
    for name in ("trials", "unjudged", "outside"):
        assert sum(getattr(part, name) for part in parts) == getattr(whole, name)
    assert sum(part.harm.passed for part in parts) == whole.harm.passed
    assert sum(part.passed.of for part in parts) == whole.passed.of
    for kind, count in whole.failures.items():
        assert sum(part.failures.get(kind, 0) for part in parts) == count


def test_two_benchmarks_are_never_put_together(tmp_path: Path) -> None:
    run_folder(tmp_path, "one", done("tea"))
    run_folder(tmp_path, "two", done("who", 0.0), benchmark="company", hours=1)
    found = figures(tmp_path, By.MODEL)
    named = {group.name: group.figures.score for group in found.groups[By.MODEL]}
    assert named == {"store: lab/one": 1.0, "company: lab/one": 0.0}
    assert [(t.name, t.figures.score) for t in found.totals] == [
        ("all company", 0.0),
        ("all store", 1.0),
    ]
