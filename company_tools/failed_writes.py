"""The changes that were tried and did not go through, and that no later one has made good."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from company_tools.arguments import bare_id
from company_tools.change import Change
from core.ledger import ToolCall

TARGETS = ("employee", "project", "id", "file", "old", "date")
"""Arguments and fields that say what is changed."""
LIST = "Combo_Make_Changes_For_List"
WHAT_CHARS = 160
WHY_CHARS = 200
"""As much of each as tells which change is meant and why it was refused."""


class Attempt(NamedTuple):
    """One try at a change."""

    kind: str
    """The path of a change, the tool of a call."""
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
    sent = [
        Attempt(one.path, _target(one.body), one.outcome == "done", one.summary)
        for one in changes
        if one.outcome != "lost"
    ]
    return [*_open(sent, known), *_open([*_of_calls(calls)], known)]


def _open(attempts: Sequence[Attempt], known: Collection[str]) -> Iterator[str]:
    for number, attempt in enumerate(attempts):
        later = [one for one in attempts[number + 1 :] if one.is_made and one.kind == attempt.kind]
        # A day is no record that could be shown.
        names = {one for one in attempt.target if not one[:4].isdecimal()}
        exists = bool(attempt.target) and names <= set(known)
        made_good = any(attempt.target <= one.target or not exists for one in later)
        if not attempt.is_made and not made_good:
            yield attempt.text


def _of_calls(calls: Sequence[ToolCall]) -> Iterator[Attempt]:
    for call in (one for given in calls if given.kind == "write" for one in _listed(given)):
        writes = {one.outcome for one in call.requests if one.kind == "write"}
        # What the platform did not make is known as a change that was sent.
        if writes.isdisjoint(("failed", "unknown")):
            target = _target(call.arguments)
            what = " ".join([call.name, *sorted(target)])
            text = f"{what[:WHAT_CHARS]} ({(call.error or call.outcome)[:WHY_CHARS]})"
            yield Attempt(call.name, target, call.outcome == "done", text)


def _listed(call: ToolCall) -> Iterator[ToolCall]:
    """A call, or one for each change of a list of them."""
    changes = call.arguments.get("changes")
    if call.name != LIST or not isinstance(changes, list):
        yield call
        return
    for one in changes:
        if isinstance(one, dict) and isinstance(one.get("arguments"), dict):
            yield call.model_copy(update={"name": one.get("tool"), "arguments": one["arguments"]})


def _target(fields: Mapping[str, object]) -> frozenset[str]:
    pages = fields.get("pages")
    texts = [fields[name] for name in TARGETS if fields.get(name)]
    return frozenset(
        bare_id(str(one)) for one in [*texts, *(pages if isinstance(pages, dict) else ())]
    )
