"""A run is complete, in pack order, and goes on where it was stopped."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.adapters import ADAPTERS
from core.runs.errors import CannotRun
from workshop.lab.engines import Here
from workshop.lab.lab_folder import LabFolder, carry_out
from workshop.lab.lab_run import LabRun, Trial

store = ADAPTERS["store"]

Make = Callable[..., Trial]
NewRun = Callable[..., tuple[LabFolder, LabRun]]
PackFile = Callable[..., Path]


def keys(folder: LabFolder) -> list[tuple[str, str, int]]:
    return [(t.pack, t.spec_id, t.epoch) for t in folder.trials()]


def test_trials_stand_in_pack_order_whatever_is_done_first(
    new_run: NewRun, pack_file: PackFile, pretended: Any, trial: Make
) -> None:
    folder, run = new_run(pack_file(5), pack_file(2, "q"), epochs=2)

    class Backwards(pretended):  # type: ignore[misc]
        def work(self, jobs: Any) -> Any:
            yield from reversed(list(super().work(jobs)))

    engine = Backwards(lambda spec, epoch: trial(spec, epoch=epoch))
    done = carry_out(folder, run, engine)
    assert [(s, e) for _, s, e in keys(folder)] == [
        *((f"s{n:03d}", e) for n in range(5) for e in range(2)),
        *((f"s{n:03d}", e) for n in range(2) for e in range(2)),
    ]
    assert [t.player for t in folder.baselines()] == ["nothing", "first-match"] * 7
    assert [s.player for s in done.summaries] == ["agent", "nothing", "first-match"]
    assert folder.read() == done
    assert sorted(p.name for p in folder.path.iterdir()) == [
        "baselines.jsonl",
        "chunks",
        "lab.json",
        "trials.jsonl",
    ]


@pytest.mark.promise("nothing lost at a kill")
def test_a_stopped_run_goes_on_without_playing_again_what_is_done(
    new_run: NewRun, pack_file: PackFile, pretended: Any, trial: Make
) -> None:
    folder, run = new_run(pack_file(6))
    first = pretended(lambda spec, epoch: trial(spec), stop_after=2)
    with pytest.raises(KeyboardInterrupt):
        carry_out(folder, run, first)
    assert folder.read().finished is None
    with (folder.path / "trials.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"pack": "p", "spec_id": "s00')  # a crash leaves half a line
    again = LabFolder(folder.path)
    second = pretended(lambda spec, epoch: trial(spec, False))
    done = carry_out(again, again.read(), second)
    assert second.asked == [(2, 0, frozenset({"s004", "s005"}))]
    assert done.summaries[0].passed.passed == 4
    assert done.finished


def test_what_failed_outside_is_played_again(
    new_run: NewRun, pack_file: PackFile, pretended: Any, trial: Make
) -> None:
    folder, run = new_run(pack_file(4), epochs=2)
    ill = {("s001", 1), ("s002", 0)}
    dead = {"outcome": "error", "score": None, "failure": "model", "acts": 0}
    answer = lambda s, e: trial(s, epoch=e, **(dead if (s, e) in ill else {}))  # noqa: E731
    broken = carry_out(folder, run, pretended(answer))
    assert (broken.summaries[0].infrastructure, broken.summaries[0].passed.passed) == (2, 6)
    before = list(folder.trials())
    second = pretended(lambda spec, epoch: trial(spec, epoch=epoch))
    healed = carry_out(folder, folder.read(), second)
    assert {(e, s) for _, e, specs in second.asked for s in specs} == {(e, s) for s, e in ill}
    assert healed.summaries[0].passed.passed == 8
    assert keys(folder) == [(t.pack, t.spec_id, t.epoch) for t in before]
    assert healed.wall_seconds is not None
    assert broken.wall_seconds is not None
    assert healed.wall_seconds >= broken.wall_seconds


def test_a_finished_run_is_not_played_again(
    new_run: NewRun, pack_file: PackFile, pretended: Any, trial: Make
) -> None:
    folder, run = new_run(pack_file(2))
    carry_out(folder, run, pretended(lambda spec, epoch: trial(spec)))
    second = pretended(lambda spec, epoch: trial(spec, False))
    carry_out(folder, folder.read(), second)
    assert second.asked == []


def test_the_brain_plays_for_real(new_run: NewRun, pack_file: PackFile) -> None:
    folder, run = new_run(pack_file(2))
    done = carry_out(folder, run, Here(store, threads=2))
    bought, refused = folder.trials()
    assert (bought.verdict, bought.paid, bought.best, bought.gap) == ("purchased", 8, 8, 0)
    assert (bought.playbook, bought.mechanics) == ("plain-purchase", ("plain",))
    assert (refused.verdict, refused.group, refused.passed) == ("declined", "refuse", True)
    assert "Saffron Rug" in refused.why
    assert done.summaries[0].cost_usd == 0
    assert [g.name for g in done.summaries[0].by_mechanic] == ["plain", "refusal"]


def test_a_spec_that_stands_twice_is_refused_also_across_chunks(
    new_run: NewRun, pack_file: PackFile
) -> None:
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
        ('{"name": "x", "format": "store-pack/1", "scenarios": [', "not JSON"),
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
