"""A run of many samples is complete, in pack order, and goes on where it was stopped."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.lab import LAB
from core.runs.errors import CannotRun
from core.runs.manifest import read_manifest
from core.runs.results import AGENT, TaskResult, read_results
from core.runs.summary import summarise
from workshop.lab.engines import Here
from workshop.lab.sampled_run import SampledRun, read_sampled

store = LAB["store"]

Make = Callable[..., TaskResult]
NewRun = Callable[..., SampledRun]
PackFile = Callable[..., Path]
Carry = Callable[..., list[TaskResult]]


def keys(run: SampledRun) -> list[tuple[str, str, int]]:
    return [(t.pack, t.spec_id, t.epoch) for t in run.results.read() if t.player == AGENT]


def passed(run: SampledRun) -> int:
    return sum(one.passed for one in read_results(run.path).tasks)


def test_results_stand_in_pack_order_whatever_is_done_first(
    new_run: NewRun, pack_file: PackFile, pretended: Any, trial: Make, carry: Carry
) -> None:
    run = new_run(pack_file(5), pack_file(2, "q"), epochs=2)

    class Backwards(pretended):  # type: ignore[misc]
        def work(self, jobs: Any) -> Any:
            yield from reversed(list(super().work(jobs)))

    done = carry(run, Backwards(lambda spec, epoch: trial(spec, epoch=epoch)))
    assert [(s, e) for _, s, e in keys(run)] == [
        *((f"s{n:03d}", e) for n in range(5) for e in range(2)),
        *((f"s{n:03d}", e) for n in range(2) for e in range(2)),
    ]
    assert [t.player for t in done if t.player != AGENT] == ["nothing", "first-match"] * 7
    assert sorted(p.name for p in run.path.iterdir()) == [
        "pack.2.json", "pack.json", "prompts", "results.jsonl", "run.json",
    ]  # fmt: skip
    results = read_results(run.path)
    assert (results.pack, len(results.tasks), len(results.trivial)) == ("p + q", 14, 14)
    assert len({one.journal for one in results.tasks}) == 14


@pytest.mark.promise("nothing lost at a kill")
def test_a_stopped_run_goes_on_without_playing_again_what_is_done(
    new_run: NewRun, pack_file: PackFile, pretended: Any, trial: Make, carry: Carry
) -> None:
    run = new_run(pack_file(6))
    with pytest.raises(KeyboardInterrupt):
        carry(run, pretended(lambda spec, epoch: trial(spec), stop_after=2))
    assert read_manifest(run.path).finished is None
    with (run.path / "results.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"pack": "p", "spec_id": "s00')  # a crash leaves half a line
    second = pretended(lambda spec, epoch: trial(spec, False))
    carry(read_sampled(run.path), second)
    assert second.asked == [(2, 0, frozenset({"s004", "s005"}))]
    assert passed(run) == 4
    assert read_manifest(run.path).finished


def test_what_failed_outside_is_played_again(
    new_run: NewRun, pack_file: PackFile, pretended: Any, trial: Make, carry: Carry
) -> None:
    run = new_run(pack_file(4), epochs=2)
    ill = {("s001", 1), ("s002", 0)}
    dead = {"outcome": "error", "score": None, "failure": "model", "acts": 0}
    carry(run, pretended(lambda s, e: trial(s, epoch=e, **(dead if (s, e) in ill else {}))))
    before, seconds = keys(run), read_manifest(run.path).seconds
    assert passed(run) == 6
    second = pretended(lambda spec, epoch: trial(spec, epoch=epoch))
    carry(read_sampled(run.path), second)
    assert {(e, s) for _, e, specs in second.asked for s in specs} == {(e, s) for s, e in ill}
    assert passed(run) == 8
    assert keys(run) == before
    assert read_manifest(run.path).seconds >= seconds
    third = pretended(lambda spec, epoch: trial(spec, False))
    carry(read_sampled(run.path), third)
    assert third.asked == []


def test_what_a_run_was_asked_for_is_read_again(new_run: NewRun, pack_file: PackFile) -> None:
    run = new_run(pack_file(2), prompts={"store/rules": "Buy nothing."}, epochs=3, max_turns=2)
    assert read_sampled(run.path).settings == run.settings


def test_the_model_plays_for_real(new_run: NewRun, pack_file: PackFile, carry: Carry) -> None:
    run = new_run(pack_file(2))
    carry(run, Here(store, threads=2))
    results = read_results(run.path)
    bought, refused = results.tasks
    assert (bought.verdict, bought.paid, bought.best) == ("purchased", 8, 8)
    assert bought.mechanics == ("plain",)
    assert (refused.verdict, refused.group, refused.passed) == ("declined", "refuse", True)
    assert results.totals.cost_usd == 0
    assert [g.name for g in summarise(results.tasks, by=lambda one: one.mechanics)] == [
        "plain", "refusal",
    ]  # fmt: skip


def test_a_large_pack_is_kept_in_parts(
    new_run: NewRun, pack_file: PackFile, pretended: Any, trial: Make, carry: Carry,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr("workshop.lab.sampled_run.PART", 3)
    run = new_run(pack_file(7))
    assert [name for name, _ in run.scenarios(store())] == ["p"] * 7
    assert len(list(run.path.glob("pack*.json"))) == 3
    carry(run, pretended(lambda spec, epoch: trial(spec)))
    assert [spec for _, spec, _ in keys(run)] == [f"s{n:03d}" for n in range(7)]


def test_a_spec_that_stands_twice_is_refused_also_across_parts(
    new_run: NewRun, pack_file: PackFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workshop.lab.sampled_run.PART", 2)
    path = pack_file(3)
    body = json.loads(path.read_text(encoding="utf-8"))
    body["scenarios"].append(body["scenarios"][0])
    path.write_text(json.dumps(body), encoding="utf-8")
    with pytest.raises(CannotRun, match=r"'s000' appears twice"):
        new_run(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[1,", "not JSON"),
        ("[1]", "format"),
        ('{"name": "x", "format": "store-pack/1", "scenarios": [{"spec_id": "a"}]}', "task_text"),
        ('{"name": "x", "format": "store-pack/1", "scenarios": []}', "no scenario"),
        ('{"name": "x", "format": "other", "scenarios": []}', "format"),
    ],
)
def test_a_pack_that_cannot_be_used_is_refused_before_anything_runs(
    new_run: NewRun, tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CannotRun, match=said):
        new_run(path)
