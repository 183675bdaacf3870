"""What the platform's own log of a task tells of the one answer to the user.

A log line of a request has the type ``request`` and the name of the request model as its text;
the line of its outcome follows, of the type ``response`` or ``error`` (facts of the platform).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import regex

Log = Callable[[], Sequence[object]]
"""Reads the platform's log of the task: entries with a ``type`` and a ``text``, oldest first."""
MARKER = "Req_WhoAmI"
"""The request that shows how far the log goes: one that was sent after an answer must be in it."""
_ANSWER = "Req_ProvideAgentResponse"
_REQUEST = regex.compile(r"(?:^|[\s.])(Req_\w+)\s*$")
_REFUSED = regex.compile(r"Status: 4\d\d\b")


@dataclass(frozen=True)
class LoggedAnswer:
    """What one reading of the log shows."""

    taken: bool
    """An answer arrived and was not refused."""
    refused: str | None
    """The words with which the last answer was refused; None: none was, or one was taken."""
    unclear: bool
    """An answer arrived and the system failed over it: whether it counts cannot be told."""
    markers: int
    """How many requests of the kind ``MARKER`` it shows."""


def read_log(entries: Sequence[object]) -> LoggedAnswer:
    """Look for answers and markers among log entries.

    An answer whose outcome the log does not show counts as taken: two fail the task for certain.
    """
    outcomes: list[str] = []
    """Of each answer: "" until a line tells, then "taken" or the text of its error."""
    markers, open_ = 0, False
    for entry in entries:
        kind, text = str(getattr(entry, "type", "")), str(getattr(entry, "text", ""))
        named = _REQUEST.search(text[-200:]) if kind in ("request", "") else None
        if named:
            open_ = named[1] == _ANSWER
            outcomes += [""] if open_ else []
            markers += named[1] == MARKER
        elif open_ and kind in ("response", "error"):
            outcomes[-1] = text if kind == "error" else "taken"
            open_ = False
    errors = [text for text in outcomes if text not in ("", "taken")]
    refused = [text for text in errors if _REFUSED.search(text[:200])]
    return LoggedAnswer(
        taken=len(errors) < len(outcomes),
        refused=refused[-1][:500] if refused else None,
        unclear=len(refused) < len(errors),
        markers=markers,
    )
