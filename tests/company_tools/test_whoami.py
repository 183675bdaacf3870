"""A whoami that contradicts itself, names nobody, or tells no day: least right, and it is said."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_tools.company_session import consistent
from core.erc3_client.own import company_models as wire
from core.ledger import Ledger, ToolFault
from tests.company_tools.kites import Direct, kites
from tests.company_tools.played_task import PlayedTask

CHANGES = {"/projects/status/update", "/employees/update", "/time/log"}


def twisted(path: str = "/whoami", record: str = "", **said: Any) -> Direct:
    """A line on which the answers of a path, or the records in them, say something else."""
    line = Direct(kites())

    def change(answer: Any) -> None:
        for name, value in said.items():
            setattr(getattr(answer, record) if record else answer, name, value)

    line.tamper[path] = change
    return line


def pause(played: PlayedTask) -> None:
    played.call("Req_UpdateProjectStatus", id="proj_sails", status="paused")


def log_time(played: PlayedTask) -> None:
    fields = {"employee": "una_berg", "project": "proj_sails", "hours": 1.0, "date": "2025-01-02"}
    played.call("Combo_Log_Time_For_Project", **fields)


@pytest.mark.promise("no wrong write")
@pytest.mark.parametrize(
    "said",
    [
        *({"current_user": n} for n in ("nobody_known", "una_berg ", "UNA_BERG", "proj_sails")),
        {"path": "/employees/get", "record": "employee", "id": "someone_else"},
    ],
    ids=str,
)
@pytest.mark.parametrize("write", [pause, log_time])
def test_a_user_whom_no_record_knows_changes_nothing(
    said: dict[str, Any], write: Callable[[PlayedTask], None]
) -> None:
    line = twisted(**said)
    played = PlayedTask(line=line)
    with pytest.raises(ToolFault):
        write(played)
    assert not CHANGES & set(line.paths())


def test_a_user_on_record_is_looked_up_once_for_all_changes() -> None:
    line = Direct(kites())
    played = PlayedTask(line=line)
    looked = len(line.paths("/employees/get"))
    pause(played)
    played.call("Req_UpdateProjectStatus", id="proj_sails", status="active")
    assert len(line.paths("/employees/get")) == looked == 1
    assert len(line.paths("/projects/status/update")) == 2


@pytest.mark.promise("no wrong write")
def test_who_is_public_is_a_guest_whoever_is_named_beside() -> None:
    played = PlayedTask(line=twisted(is_public=True))
    assert json.loads(played.briefing.splitlines()[-1])["user"] == "guest"
    with played.benchmark.bind(Ledger()) as tools:
        names = {tool.name for tool in tools}
    with PlayedTask(user=None).benchmark.bind(Ledger()) as tools:
        assert names == {tool.name for tool in tools}
    assert "guest" in (played.asked_back("ok_answer", "Una Berg works here.") or "")


@pytest.mark.parametrize("today", ["not a day", "", "2025-13-01", "9999-12-31", "0001-01-01"])
def test_a_day_that_is_none_is_unknown_and_said(today: str) -> None:
    played = PlayedTask(line=twisted(today=today))
    told = json.loads(played.briefing.splitlines()[-1])
    assert told["today"] == ""
    assert told["unknown"] == f"today (whoami says {today!r})"


@given(st.text(max_size=30))
def test_any_day_is_a_date_or_unknown(text: str) -> None:
    user = consistent(wire.Resp_WhoAmI(today=text, is_public=False, current_user="x", wiki_sha1=""))
    if user.today:
        assert date.fromisoformat(user.today).isoformat() == user.today
    else:
        assert user.today_said == text
