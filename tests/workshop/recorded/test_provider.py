"""A recorded task is played by its replies alone, with real code; others by the scripted model."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.cli import app
from core.models.providers import Played
from tests.workshop.scripted.conftest import pack_at, play
from workshop.recorded import provider
from workshop.recorded.make import record
from workshop.recorded.replies import RecordedTask, RecordedTurn, Recording, load
from workshop.simulator import worlds
from workshop.simulator.store.pack import BUNDLED_PACK

PACK = pack_at(BUNDLED_PACK)
TASK = PACK["scenarios"][0]["task_text"]
DECLINED = "THOUGHT: no.\nDECISION: FINISH\nINSTRUCTION: DECLINED: not sold"
LOOK = (
    "THOUGHT: I look.\nDECISION: PROCEED\nINSTRUCTION: Count the products that {what}. End with it."
)
CODE = "Thought: I count.\n<code>\nfinal_answer({{'{what}': 1}})\n</code>"


def turn(what: str) -> RecordedTurn:
    return RecordedTurn(evaluator=(LOOK.format(what=what),), worker=(CODE.format(what=what),))


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Has the first bundled task played in these turns."""

    def record(*turns: RecordedTurn) -> None:
        task = RecordedTask(id="first", text=TASK, turns=turns)
        recording = Recording(recorded=date(2026, 1, 2), model="m", tasks=(task,))
        monkeypatch.setattr(provider, "load", lambda _name: recording)

    return record


def played(count: int) -> dict[str, Any]:
    pack = PACK | {"scenarios": PACK["scenarios"][:count]}
    return play("store", pack, model="recorded/store").trials


def test_code_runs_and_its_report_is_seen_in_the_next_turn(recorded: Any) -> None:
    recorded(turn("float"), turn("sink"), RecordedTurn(evaluator=(DECLINED, DECLINED)))
    (trial,) = played(1).values()
    assert trial.error is None
    assert trial.turns == 3


def test_a_reply_that_is_missing_fails_the_task_and_nothing_else_plays_it(recorded: Any) -> None:
    recorded(turn("float"))
    first, second = played(2).values()
    assert first.error is not None
    assert "turn 2 is not recorded" in first.error
    assert second.passed


def test_a_step_of_the_worker_that_is_missing_is_not_made_up(recorded: Any) -> None:
    broken = RecordedTurn(
        evaluator=(LOOK.format(what="float"),), worker=("Thought: x\n<code>\n1 / 0\n</code>",)
    )
    recorded(broken)
    (trial,) = played(1).values()
    assert trial.error is not None


def test_there_is_no_recording_for_another_name() -> None:
    with pytest.raises(LookupError):
        provider.check("../store")
    with pytest.raises(LookupError):
        provider.reply("nothing", [], Played())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("benchmark", "specs"),
    [("store", ("all_tents_ghost_stock", "hostile_product_name")), ("company", ())],
)
def test_what_a_run_replied_plays_its_tasks_again(
    benchmark: str, specs: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    world = worlds.load_pack(worlds.world_of(worlds.FORMATS[benchmark]).bundled)
    named = specs or [one.spec_id for one in world.scenarios][:6]
    pack = pack_at(worlds.world_of(worlds.FORMATS[benchmark]).bundled, named)
    run = run_with(benchmark, named, tmp_path)
    monkeypatch.setattr(provider, "load", lambda _name: record(run))
    monkeypatch.setattr(provider.scripted, "reply", refuse)
    again = play(benchmark, pack, model=f"recorded/{benchmark}")
    assert again.failed == {}
    assert len(again.trials) == len(named)


@pytest.mark.slow
@pytest.mark.parametrize("benchmark", ["store", "company"])
def test_what_ships_passes_every_task_that_is_recorded(benchmark: str) -> None:
    """A tool that changes under the recordings is noticed here."""
    recorded = {task.id for task in load(benchmark).tasks}
    pack = pack_at(worlds.world_of(worlds.FORMATS[benchmark]).bundled, sorted(recorded))
    again = play(benchmark, pack, model=f"recorded/{benchmark}")
    assert again.failed == {}
    assert not any(trial.harm for trial in again.trials.values())
    assert len(recorded) == len(again.trials) >= 32


def refuse(*_anything: object) -> str:
    raise LookupError("nothing is recorded")


def run_with(benchmark: str, specs: Sequence[str], out: Path) -> Path:
    """A run of the scripted model."""
    model = f"scripted/{benchmark}"
    options = ["--benchmark", benchmark, "--evaluator", model, "--worker", model]
    named = [word for spec in specs for word in ("--task", spec)]
    done = CliRunner().invoke(app, [*options, "--out", str(out), *named])
    assert done.exit_code == 0, done.output
    (run,) = out.glob("2*")
    return run
