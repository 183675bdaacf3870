"""Nothing is written from a record that does not fit what was asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from company_tools.change import CHANGES
from core.ledger import ToolFault
from core.tools.faults import Inconsistent
from tests.company_tools.kites import Toolbox, toolbox

Change = Callable[[Any, Any], None]


def tampered(path: str, change: Change) -> Toolbox:
    """Tools whose line changes every answer of a path."""
    at = toolbox()
    real = at.line.dispatch

    def dispatch(request: Any) -> Any:
        answer = real(request)
        if request.tool == path:
            change(request, answer)
        return answer

    at.line.dispatch = dispatch  # type: ignore[method-assign]
    return at


def another_id(field: str) -> Change:
    return lambda _, answer: setattr(getattr(answer, field), "id", "somebody_else")


def first_twice(field: str, inner: str) -> Change:
    def change(_: Any, answer: Any) -> None:
        held = getattr(getattr(answer, field), inner)
        held.append(held[0].model_copy())

    return change


WRITES: list[tuple[str, Change, str, dict[str, Any]]] = [
    ("/employees/get", another_id("employee"), "Combo_Update_Employee_For_Changes",
     {"employee": "una_berg", "notes": "Likes gulls."}),
    ("/employees/get", first_twice("employee", "skills"), "Combo_Update_Employee_For_Changes",
     {"employee": "una_berg", "notes": "Likes gulls."}),
    ("/projects/get", another_id("project"), "Req_UpdateProjectStatus",
     {"id": "proj_sails", "status": "archived"}),
    ("/projects/get", first_twice("project", "team"), "Combo_Update_Team_For_Changes",
     {"project": "proj_sails", "remove": ["una_berg"]}),
    ("/projects/get", lambda _, answer: setattr(answer, "project", None),
     "Req_UpdateProjectStatus", {"id": "proj_sails", "status": "archived"}),
    # A project whose customer is not known would be taken for one of the company's own.
    ("/customers/get", lambda _, answer: setattr(answer, "company", None),
     "Combo_Log_Time_For_Project",
     {"employee": "una_berg", "project": "proj_sails", "date": "2025-05-06", "hours": 2,
      "billable": True}),
    ("/wiki/load", lambda _, answer: setattr(answer, "file", "other.md"), "Combo_Rename_Wiki_Page",
     {"old": "rules.md", "new": "new.md"}),
]  # fmt: skip


@pytest.mark.promise("no wrong write")
@pytest.mark.parametrize(("path", "change", "tool", "arguments"), WRITES)
def test_nothing_is_written_from_a_record_that_does_not_fit(
    path: str, change: Change, tool: str, arguments: dict[str, Any]
) -> None:
    at = tampered(path, change)
    with pytest.raises(ToolFault) as caught:
        at.call(tool, **arguments)
    assert isinstance(caught.value, Inconsistent)
    assert not at.line.paths(*CHANGES)


def test_a_stale_answer_that_comes_once_is_asked_for_again() -> None:
    left = ["once"]

    def change(_: Any, answer: Any) -> None:
        if left:
            left.pop()
            answer.employee.id = "somebody_else"

    at = tampered("/employees/get", change)
    who = at.session.user().id
    assert at.call("Req_GetEmployee", id=who)["employee"]["id"] == who


@pytest.mark.promise("no wrong write")
def test_a_user_who_changes_within_a_task_is_believed_of_nobody() -> None:
    def change(_: Any, answer: Any) -> None:
        answer.current_user = users.pop()

    users = ["somebody_else", "kit_falk"]
    at = tampered("/whoami", change)
    at.session.user()
    with pytest.raises(Inconsistent, match="another user"):
        at.session.look_again()
