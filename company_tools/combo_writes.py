"""Combo_* tools that change records: each sends at most what it says, once."""

from __future__ import annotations

from company_tools.company_session import CompanySession
from company_tools.time_entries import (
    EntryChanges,
    EntryStatus,
    NewEntry,
    log_time,
    update_entry,
)
from company_tools.updates import CHANGED, EmployeeChanges, Member, update_employee, update_team
from company_tools.wiki_store import WikiStore
from company_tools.wiki_writes import WRITTEN, rename_page, write_pages
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
    ) -> dict[str, object]:
        """Keeps the rest; notes replace. Every update: {before: record, sent: {field: new value},
        null where nothing changed, after: record}"""
        changes = EmployeeChanges(
            salary=salary,
            salary_delta=salary_delta,
            notes=notes,
            location=location,
            department=department,
            skills=skills,
            wills=wills,
            skill_deltas=skill_deltas,
            will_deltas=will_deltas,
        )
        return update_employee(session, wiki, employee, changes)

    def Combo_Update_Team_For_Changes(
        project: str,
        add: list[Member] = [],  # noqa: B006
        remove: list[str] = [],  # noqa: B006
        change: list[Member] = [],  # noqa: B006
    ) -> dict[str, object]:
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
    ) -> dict[str, object]:
        """{before: entry, sent, after}"""
        changes = EntryChanges(
            date=date,
            hours=hours,
            work_category=work_category,
            notes=notes,
            billable=billable,
            status=status,
        )
        return update_entry(session, id, changes)

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
    ) -> dict[str, object]:
        """On its customer too: {entry, roles_of_employee: [role], roles_of_asker: [role]}. For
        members of the team; allow_non_member: only where the wiki allows others. work_category "":
        customer_project, on an own project internal"""
        entry = NewEntry(
            date=date,
            hours=hours,
            billable=billable,
            notes=notes,
            status=status,
            work_category=work_category,
        )
        return log_time(session, employee, project, entry, allow_non_member=allow_non_member)

    def Combo_Write_Wiki_Pages(pages: dict[str, str]) -> dict[str, object]:
        """{file: exact content}, "" deletes: {written: [file], unchanged: [file], sha1_before,
        sha1_after}"""
        return write_pages(session, wiki, pages)

    def Combo_Rename_Wiki_Page(old: str, new: str) -> dict[str, object]:
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
