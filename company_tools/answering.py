"""The one answer to the user: sent once, settled by the platform's log of the task.

Two answers fail a task for certain, and so does none. Nothing in the company shows an answer, but
the log of the task does. Whatever the answer to ``/respond`` was that is no clear success, an
error status included, the log is asked: a proxy may have made that status after the platform had
taken the answer. An answer is sent again only after the log has shown none, and a request that was
sent after it: a log that lags behind, or shows nothing at all, proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import regex

from core.erc3_client import company
from core.erc3_client.own import company_models as wire
from core.erc3_client.retry_policy import trouble_of
from core.ledger import ToolFault
from core.tools.faults import OutOfReach, Refused, Unsettled

if TYPE_CHECKING:
    from company_tools.company_session import CompanySession

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
    refused: str | None
    """The words with which the last answer was refused; None: none was, or one was taken."""
    unclear: bool
    """An answer arrived and the system failed over it: whether it counts cannot be told."""
    markers: int


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


_UNKNOWN = "whether the answer to the user arrived cannot be told"


def shown_answer(
    session: CompanySession, request: Any, before: Any
) -> wire.Resp_ProvideAgentResponse | None:
    """What an answer to the user is answered with where the log shows it; None: it shows none.

    Raises:
        Refused: the log shows that the last answer was refused.
        Unsettled: it cannot be told yet.
        OutOfReach: it cannot be told.
    """
    first = _logged(session)
    logged = first if first.taken else _logged_after_marker(session)
    if logged.taken:
        return wire.Resp_ProvideAgentResponse()
    if logged.unclear:
        raise _unsettled("the log of the task shows that the system failed over it")
    if logged.markers <= first.markers:
        raise _unsettled(f"the log of the task does not show {MARKER}, sent after it")
    if logged.refused is not None:
        raise Refused(logged.refused)
    return None


def _logged_after_marker(session: CompanySession) -> LoggedAnswer:
    """What the log shows once a request was sent that must be in it."""
    try:
        session.read(company.Req_WhoAmI())
    except OutOfReach as fault:
        raise _unsettled(fault.text) from None
    except ToolFault:
        pass  # what is refused stands in the log as well
    return _logged(session)


def _logged(session: CompanySession) -> LoggedAnswer:
    try:
        return read_log(session.log())
    except Exception as error:
        trouble = trouble_of(error)
        if trouble is None:
            raise
        text = f"the log of the task cannot be read ({type(error).__name__})"
        if trouble == "refused":
            raise OutOfReach(f"{_UNKNOWN}: {text}") from None
        raise _unsettled(text) from None


def _unsettled(text: str) -> Unsettled:
    return Unsettled(f"{_UNKNOWN}: {text}")
