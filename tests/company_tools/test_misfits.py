"""Nothing is written from a record that does not fit what was asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from company_tools.change import CHANGES
from core.tools.faults import Inconsistent
from tests.company_tools.kites import HOURS, toolbox

Change = Callable[[Any], None]


def another_id(field: str) -> Change:
    return lambda answer: setattr(getattr(answer, field), "id", "somebody_else")


def none(field: str) -> Change:
    return lambda answer: setattr(answer, field, None)


def first_twice(field: str, inner: str) -> Change:
    def change(answer: Any) -> None:
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
    ("/projects/get", none("project"), "Req_UpdateProjectStatus",
     {"id": "proj_sails", "status": "archived"}),
    # A project whose customer is not known would be taken for one of the company's own.
    ("/customers/get", none("company"), "Combo_Log_Time_For_Project", HOURS),
    ("/wiki/load", lambda answer: setattr(answer, "file", "other.md"), "Combo_Rename_Wiki_Page",
     {"old": "rules.md", "new": "new.md"}),
]  # fmt: skip


@pytest.mark.promise("no wrong write")
@pytest.mark.parametrize(("path", "change", "tool", "arguments"), WRITES)
def test_nothing_is_written_from_a_record_that_does_not_fit(
    path: str, change: Change, tool: str, arguments: dict[str, Any]
) -> None:
    at = toolbox()
    at.line.tamper[path] = change
    with pytest.raises(Inconsistent):
        at.call(tool, **arguments)
    assert not at.line.paths(*CHANGES)


def test_a_stale_answer_that_comes_once_is_asked_for_again() -> None:
    at, ids = toolbox(), ["una_berg", "una_berg", "somebody_else"]
    at.line.tamper["/employees/get"] = lambda answer: setattr(answer.employee, "id", ids.pop())
    who = at.session.user().id
    assert at.call("Req_GetEmployee", id=who)["employee"]["id"] == who


@pytest.mark.promise("no wrong write")
def test_a_user_who_changes_within_a_task_is_believed_of_nobody() -> None:
    at, users = toolbox(), ["somebody_else", "kit_falk"]
    at.line.tamper["/whoami"] = lambda answer: setattr(answer, "current_user", users.pop())
    at.session.user()
    with pytest.raises(Inconsistent, match="another user"):
        at.session.look_again()
