"""What becomes of each task of a run that goes on."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from coordinator.attempt import Attempt
from coordinator.resume import CannotGoOn, Continuation, continuation
from core.erc3_client import ApiError, ApiException
from core.runs.journal import Journal, journal_paths
from core.runs.task import TaskInfo

TASK = TaskInfo("one", "tsk-1", "Buy one lamp.")


class Forgetful:
    """A platform that knows none of the run's tasks, and counts what is started anew."""

    def __init__(self) -> None:
        self.started: list[str] = []

    def task_detail(self, task_id: str) -> Any:
        if task_id in self.started:
            return SimpleNamespace(status="in_progress", text=TASK.text)
        raise ApiException(ApiError(status=404, error="task not found", code=""))

    def start_new_task(self, _benchmark: str, _spec: str) -> Any:
        self.started.append(f"tsk-new-{len(self.started)}")
        return SimpleNamespace(task_id=self.started[-1])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run folder with one task that was begun and not ended."""
    path = journal_paths(tmp_path, [(TASK.task_id, TASK.spec_id)])[TASK.task_id]
    journal = Journal(path)
    journal.write("task", {"spec_id": "one", "task_id": TASK.task_id, "text": "", "attempt": 1})
    journal.close()
    return tmp_path


def test_an_unknown_task_is_started_anew_where_that_is_allowed(folder: Path) -> None:
    platform = Forgetful()
    plan = continuation(platform, "store", [TASK], folder, None)
    assert plan.order == platform.started == [one.task.task_id for one in plan.plans]


@pytest.mark.promise("nothing lost at a kill")
def test_an_unknown_task_is_never_started_anew_elsewhere(folder: Path) -> None:
    platform = Forgetful()
    with pytest.raises(CannotGoOn, match=r"does not know tsk-1 \(one\)"):
        continuation(platform, "store", [TASK], folder, None, may_start=False)
    assert platform.started == []


def model_call(started: float, seconds: float) -> dict[str, Any]:
    return {"role": "worker", "model": "m", "started": started, "seconds": seconds}


def test_the_time_before_is_that_in_which_something_was_done(folder: Path) -> None:
    """Two tasks side by side for 30 s, and 10 s more in a part after a night."""
    other = TaskInfo("two", "tsk-2", "Buy two.")
    paths = journal_paths(folder, [(t.task_id, t.spec_id) for t in (TASK, other)])
    for task, spans in ((TASK, [(1_000, 20), (90_000, 10)]), (other, [(1_010, 20)])):
        journal = Journal(paths[task.task_id])
        if task is other:
            named = {"spec_id": "two", "task_id": task.task_id, "text": "", "attempt": 1}
            journal.write("task", named)
        for span in spans:
            journal.write("model_call", model_call(*span))
        journal.close()
    plan = continuation(Forgetful(), "store", [TASK, other], folder, None)
    assert plan.seconds == 40.0


def test_a_run_that_goes_on_has_its_seconds_no_second_time(make_run: Any, tea_buyer: Any) -> None:
    run = make_run(tea_buyer, max_seconds=60)
    run.folder.mkdir()
    tasks = run.session.tasks()
    run.session.take_over(Continuation(seconds=61.0), None, "2026-01-01T00:00:00+00:00")
    run.session.run(run.session.plans(tasks))
    assert run.session.close_open().tasks == ()
    assert "60 seconds for a run" in run.session.limit


@pytest.mark.promise("no wrong checkout")
@pytest.mark.parametrize(("goes_on", "told"), [(True, [()]), (False, [])])
def test_an_environment_hears_of_an_earlier_process_also_if_that_recorded_nothing(
    make_run: Any, tea_buyer: Any, goes_on: bool, told: list[tuple[Any, ...]]
) -> None:
    """It may have died over its first move of the basket."""
    run = make_run(tea_buyer)
    run.folder.mkdir()
    (plan,) = run.session.plans(run.session.tasks())
    plan.goes_on = goes_on
    heard: list[Any] = []
    attempt = Attempt(run.session, plan)
    with closing(Journal(plan.path)) as attempt._journal:
        attempt._begin(SimpleNamespace(restore=heard.append))  # type: ignore[arg-type]
    assert heard == told
