"""A change that a process died over is made once, and whoever makes it again gets its record."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from cli.company_benchmark import STAGES
from company_tools import listings
from company_tools.change import CHANGES
from coordinator.stages import StageRunner
from core.ledger import Ledger, ToolFault, WireCall
from core.runs.task import TaskRun
from tests.company_tools.kites import HOURS
from tests.company_tools.played_task import PlayedTask
from tests.company_tools.test_stages import entities

MADE: dict[str, tuple[str, dict[str, Any]]] = {
    "hours": ("Combo_Log_Time_For_Project", HOURS),
    "note": ("Combo_Update_Employee_For_Changes", {"employee": "una_berg", "notes": "new"}),
    "raise": ("Combo_Update_Employee_For_Changes", {"employee": "una_holm", "salary_delta": 500}),
    "step up": (
        "Combo_Update_Employee_For_Changes",
        {"employee": "una_berg", "skill_deltas": {"skill_sewing": 1}},
    ),
    "add": (
        "Combo_Update_Team_For_Changes",
        {
            "project": "proj_sails",
            "add": [{"employee": "una_holm", "role": "QA", "time_slice": 0.1}],
        },
    ),
    "remove": ("Combo_Update_Team_For_Changes", {"project": "proj_sails", "remove": ["una_berg"]}),
    "status": ("Req_UpdateProjectStatus", {"id": "proj_sails", "status": "paused"}),
    "entry": ("Combo_Update_Time_Entry_For_Changes", {"id": "te_001", "hours": 3}),
    "page": ("Combo_Write_Wiki_Pages", {"pages": {"new.md": "one", "rules.md": "two"}}),
    "rename": ("Combo_Rename_Wiki_Page", {"old": "places/Bergen.md", "new": "places/Oslo.md"}),
}  # fmt: skip


class Killed(BaseException):
    """The end of a process."""


def kill_at(played: PlayedTask, write: int, *, after: bool) -> None:
    """Have the process die at its nth write, before or after that takes effect."""
    dispatch, seen = played.line.dispatch, [0]

    def mortal(request: Any) -> Any:
        if request.tool not in CHANGES:
            return dispatch(request)
        seen[0] += 1
        if seen[0] == write and not after:
            raise Killed
        answer = dispatch(request)
        if seen[0] == write:
            raise Killed
        return answer

    played.line.dispatch = mortal  # type: ignore[method-assign]


def resumed(played: PlayedTask, *, recorded: bool) -> PlayedTask:
    """The same task in another process; ``recorded``: the last write had its record."""
    entries = [
        d for d in played.entries if not (isinstance(d, WireCall) and d.outcome == "unknown")
    ]
    cut = [d for d in played.entries if d not in entries]
    if recorded:
        entries += [d.model_copy(update={"outcome": "done", "error": None}) for d in cut]
    played.line.__dict__.pop("dispatch", None)
    played.line.sent.clear()
    again = PlayedTask(line=played.line, brief=False)
    again.benchmark.restore(entries)
    again.benchmark.briefing(Ledger())
    again.state()
    return again


def told(result: Any) -> Any:
    """What a tool gives, without what depends on when it was asked."""
    for row in result.get("results", ()):
        row["data"].pop("sha1_before", None)
        if entry := row["data"].get("entry"):
            row["data"]["entry"] = {k: v for k, v in entry.items() if k != "id" and v is not None}
    return result


@pytest.mark.promise("no wrong write")
@pytest.mark.slow
@pytest.mark.parametrize("where", ["before", "after", "recorded"])
@pytest.mark.parametrize("write", [1, 2])
@pytest.mark.parametrize("change", MADE)
def test_it_is_made_once_and_its_record_given_once(change: str, write: int, where: str) -> None:
    name, arguments = MADE[change]
    whole = PlayedTask()
    wanted = told(whole.call(name, **arguments))
    played = PlayedTask()
    kill_at(played, write, after=where != "before")
    with suppress(Killed):
        played.call(name, **arguments)
    again = resumed(played, recorded=where == "recorded")
    result = told(again.call(name, **arguments))
    assert result == wanted
    assert again.line.events == whole.line.events
    assert "(done)" in again.state()
    sent = len(again.line.paths(*CHANGES))
    with suppress(ToolFault):
        again.call(name, **arguments)
    assert len(again.line.paths(*CHANGES)) == sent


def test_a_page_that_was_emptied_before_a_death_may_be_named() -> None:
    played = PlayedTask()
    name, arguments = MADE["rename"]
    played.call(name, **arguments)
    again = resumed(played, recorded=True)
    again.call(name, **arguments)
    links = "wiki:places/Bergen.md, wiki:places/Oslo.md"
    assert again.finish("ok_answer", "It has its new name.", links) is None
    assert again.answered == ["ok_answer"]


@pytest.mark.promise("no wrong write")
def test_another_step_is_not_taken_for_the_one_that_was_made() -> None:
    played = PlayedTask()
    kill_at(played, 1, after=True)
    with suppress(Killed):
        played.call("Combo_Update_Employee_For_Changes", employee="una_holm", salary_delta=500)
    again = resumed(played, recorded=True)
    with pytest.raises(ToolFault, match="was changed in this task already"):
        again.call("Combo_Update_Employee_For_Changes", employee="una_holm", salary_delta=900)


def test_what_a_step_had_read_for_the_solver_may_be_named_after_a_death() -> None:
    """The solver was given it from what was kept, so no request of its own tells of it."""
    played = PlayedTask()
    with played.benchmark.reading(Ledger()) as (session, _):
        listings.employees(session)
    played.line.sent.clear()
    ledger = Ledger()
    with played.benchmark.bind(ledger) as tools:
        ledger.offer(tools)
        ledger.call("Combo_List_All_Employees", [], {})
    assert played.line.paths("/employees/list", "/employees/get") == []
    reads = [wire for call in ledger.calls for wire in call.kept]
    assert all(call.requests == () for call in ledger.calls)
    again = PlayedTask(line=played.line)
    again.benchmark.restore(reads)
    again.finish("ok_answer", "Una Holm")
    assert again.responses[-1]["links"] == [{"kind": "employee", "id": "una_holm"}]


def test_what_a_step_had_told_may_be_named_after_a_death() -> None:
    played = PlayedTask()
    found = entities(played, "Who is Una Holm?", "Una Holm")
    again = PlayedTask(line=played.line)
    run: Any = TaskRun(findings=[found])
    nobody: Any = None
    StageRunner(STAGES, again.benchmark, lambda _: None, nobody, run, nobody)
    assert again.finish("ok_answer", "Una Holm", "employee:una_holm") is None
    assert again.answered == ["ok_answer"]
