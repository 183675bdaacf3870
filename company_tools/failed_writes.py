"""The changes that were tried and did not go through, and that no later one has made good."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from company_tools.arguments import bare_id
from company_tools.change import LOG_TIME, WIKI_UPDATE, Change
from core.ledger import ToolCall

_EMPLOYEE, _TEAM, _STATUS = "/employees/update", "/projects/team/update", "/projects/status/update"
_ENTRY = "/time/update"
_PATHS = {
    "Combo_Update_Employee_For_Changes": _EMPLOYEE,
    "Req_UpdateEmployeeInfo": _EMPLOYEE,
    "Combo_Update_Team_For_Changes": _TEAM,
    "Req_UpdateProjectTeam": _TEAM,
    "Req_UpdateProjectStatus": _STATUS,
    "Combo_Log_Time_For_Project": LOG_TIME,
    "Req_LogTimeEntry": LOG_TIME,
    "Combo_Update_Time_Entry_For_Changes": _ENTRY,
    "Req_UpdateTimeEntry": _ENTRY,
    "Combo_Write_Wiki_Pages": WIKI_UPDATE,
    "Combo_Rename_Wiki_Page": WIKI_UPDATE,
    "Req_UpdateWiki": WIKI_UPDATE,
}
"""By tool, the path that its change is sent to."""
_TARGETS = {
    _EMPLOYEE: ("employee",),
    _TEAM: ("project", "id"),
    _STATUS: ("id",),
    LOG_TIME: ("employee", "date"),
    _ENTRY: ("id",),
    WIKI_UPDATE: ("file", "old", "pages"),
}
"""By path, the arguments and fields that say what is changed."""

LIST = "Combo_Make_Changes_For_List"
WHAT_CHARS = 160
WHY_CHARS = 200
"""As much of each as tells which change is meant and why it was refused."""


class Attempt(NamedTuple):
    """One try at a change."""

    path: str
    target: frozenset[str]
    """What it is about; empty where the call had no readable arguments."""
    is_made: bool
    text: str


def failed_writes(
    changes: Sequence[Change], calls: Sequence[ToolCall], known: Collection[str]
) -> list[str]:
    """The changes that did not go through, in words, oldest first.

    ``changes``: those that were sent. ``calls``: every call of the task, also those that were
    refused before anything was sent. ``known``: ids that an answer has shown, and pages.

    A later change of the same kind and target makes one good. So does any later one of its kind
    where the target that failed does not exist: it was a wrong name.
    """
    # What is known to have had no effect, and was not refused, has been sent again.
    sent = [_of_change(change) for change in changes if change.outcome != "lost"]
    refused = [*_of_calls(calls)]
    return [*_open(sent, known), *_open(refused, known)]


def _open(attempts: Sequence[Attempt], known: Collection[str]) -> Iterator[str]:
    for number, attempt in enumerate(attempts):
        later = [one for one in attempts[number + 1 :] if one.is_made and one.path == attempt.path]
        exists = bool(attempt.target) and _names(attempt) <= set(known)
        made_good = any(attempt.target <= one.target or not exists for one in later)
        if not attempt.is_made and not made_good:
            yield attempt.text


def _names(attempt: Attempt) -> set[str]:
    # A day is no record that could be shown.
    return {one for one in attempt.target if not one[:4].isdecimal()}


def _of_change(change: Change) -> Attempt:
    target = _target(change.path, change.body)
    return Attempt(change.path, target, change.outcome == "done", change.summary)


def _of_calls(calls: Sequence[ToolCall]) -> Iterator[Attempt]:
    for call in (one for given in calls for one in _listed(given)):
        path = _PATHS.get(call.name)
        writes = {one.outcome for one in call.requests if one.kind == "write"}
        # What the platform did not make is known as a change that was sent.
        if path is None or not writes.isdisjoint(("failed", "unknown")):
            continue
        target = _target(path, call.arguments)
        what = " ".join([call.name, *sorted(target)])
        text = f"{what[:WHAT_CHARS]} ({(call.error or call.outcome)[:WHY_CHARS]})"
        yield Attempt(path, target, call.outcome == "done", text)


def _listed(call: ToolCall) -> Iterator[ToolCall]:
    """A call, or one for each change of a list of them."""
    changes = call.arguments.get("changes")
    if call.name != LIST or not isinstance(changes, list):
        yield call
        return
    for one in changes:
        if isinstance(one, dict) and isinstance(one.get("arguments"), dict):
            yield call.model_copy(update={"name": one.get("tool"), "arguments": one["arguments"]})


def _target(path: str, fields: Mapping[str, object]) -> frozenset[str]:
    values = [fields[name] for name in _TARGETS[path] if fields.get(name)]
    texts = [text for one in values for text in (one if isinstance(one, dict) else [one])]
    return frozenset(bare_id(str(text)) for text in texts)
