"""Combo_* tools that change records: each sends at most what it says, once."""

from __future__ import annotations

from typing import Any

from company_tools.company_session import CompanySession
from company_tools.updates import (
    CHANGED,
    WRITTEN,
    EntryStatus,
    Member,
    log_time,
    rename_page,
    update_employee,
    update_entry,
    update_team,
    write_pages,
)
from company_tools.wiki_store import WikiStore
from core.ledger import Tool, tool


def writing_tools(session: CompanySession, wiki: WikiStore) -> list[Tool]:
    """The tools that change one company."""

    def Combo_Update_Employee_For_Changes(
        employee: str,
        salary: int | None = None,
        salary_delta: int | None = None,
        notes: str | None = None,
        location: str | None = None,
        department: str | None = None,
        skills: dict[str, int] = {},  # noqa: B006
        wills: dict[str, int] = {},  # noqa: B006
        skill_deltas: dict[str, int] = {},  # noqa: B006
        will_deltas: dict[str, int] = {},  # noqa: B006
    ) -> dict[str, Any]:
        """Keeps the rest; notes replace. Every update: {before: record, sent: {field: new value},
        null where nothing changed, after: record}"""
        levels = {"skills": skills, "wills": wills}
        deltas = {"skills": skill_deltas, "wills": will_deltas}
        scalars = {"salary": salary, "notes": notes}
        scalars |= {"location": location, "department": department}
        return update_employee(session, wiki, employee, scalars, salary_delta, levels, deltas)

    def Combo_Update_Team_For_Changes(
        project: str,
        add: list[Member] = [],  # noqa: B006
        remove: list[str] = [],  # noqa: B006
        change: list[Member] = [],  # noqa: B006
    ) -> dict[str, Any]:
        """Member: {employee, role: Lead, Engineer, Designer, QA, Ops or Other, time_slice: 0 to 1};
        change: only what is to be otherwise. {before: [member], sent, after}"""
        return update_team(session, project, add, remove, change)

    def Combo_Update_Time_Entry_For_Changes(
        id: str,
        date: str | None = None,
        hours: float | None = None,
        work_category: str | None = None,
        notes: str | None = None,
        billable: bool | None = None,
        status: EntryStatus | None = None,
    ) -> dict[str, Any]:
        """{before: entry, sent, after}"""
        changes = {"date": date, "hours": hours, "work_category": work_category, "notes": notes}
        return update_entry(session, id, {**changes, "billable": billable, "status": status})

    def Combo_Log_Time_For_Project(
        employee: str,
        project: str,
        date: str,
        hours: float,
        billable: bool,
        notes: str = "",
        status: EntryStatus = "draft",
        work_category: str = "",
        allow_non_member: bool = False,
    ) -> dict[str, Any]:
        """On its customer too: {entry, roles_of_employee: [role], roles_of_asker: [role]}. For
        members of the team; allow_non_member: only where the wiki allows others. work_category "":
        customer_project, on an own project internal"""
        entry = {"date": date, "hours": hours, "billable": billable, "notes": notes}
        entry |= {"status": status, "work_category": work_category}
        return log_time(session, employee, project, entry, allow_non_member=allow_non_member)

    def Combo_Write_Wiki_Pages(pages: dict[str, str]) -> dict[str, Any]:
        """{file: exact content}, "" deletes: {written: [file], unchanged: [file], sha1_before,
        sha1_after}"""
        return write_pages(session, wiki, pages)

    def Combo_Rename_Wiki_Page(old: str, new: str) -> dict[str, Any]:
        """Byte for byte: {written, unchanged, sha1_before, sha1_after}"""
        return rename_page(session, wiki, old, new)

    logged: dict[str, object] = {"entry": None, "roles_of_employee": [], "roles_of_asker": []}
    return [
        tool("write", function, fields=fields)
        for function, fields in (
            (Combo_Update_Employee_For_Changes, CHANGED),
            (Combo_Update_Team_For_Changes, CHANGED),
            (Combo_Update_Time_Entry_For_Changes, CHANGED),
            (Combo_Log_Time_For_Project, logged),
            (Combo_Write_Wiki_Pages, WRITTEN),
            (Combo_Rename_Wiki_Page, WRITTEN),
        )
    ]
