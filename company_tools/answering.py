"""The one answer to the user: sent once, settled by the platform's log of the task.

Two answers fail a task for certain, and so does none. Nothing in the company shows an answer, but
the log of the task does. Whatever the answer to ``/respond`` was that is no clear success, an
error status included, the log is asked: a proxy may have made that status after the platform had
taken the answer. An answer is sent again only after the log has shown none, and a request that was
sent after it: a log that lags behind, or shows nothing at all, proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import regex
from pydantic import BaseModel

from company_tools.change import RESPOND, Request
from core.erc3_client import company
from core.erc3_client.own import company_models as wire
from core.erc3_client.retry_policy import RetryPolicy, trouble_of
from core.ledger import ToolFault
from core.tools.api_session import ApiClient, ApiSession, body_of
from core.tools.faults import Missed, NeverLeft, OutOfReach, Refused, Unsettled

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


LATE_SECONDS = 3.0
"""Least pause before an answer is sent again: a request that was given up may still arrive."""


class AnsweringSession(ApiSession):
    """A session that gives one answer, and knows whether it has."""

    def __init__(
        self, client: ApiClient, reads: Collection[str], retry_policy: RetryPolicy | None = None
    ) -> None:
        super().__init__(client, reads, retry_policy)
        self.responses: list[company.Req_ProvideAgentResponse] = []
        """The responses sent to the user; more than one is an error that cannot be undone."""
        self.pending: company.Req_ProvideAgentResponse | None = None
        """An answer that was sent, or was about to be, and is not known to have arrived."""
        self.log: Log = tuple
        """The platform's log of the task; an empty one settles nothing."""

    def answer(self, request: company.Req_ProvideAgentResponse) -> None:
        """Give the one answer; on return it has arrived.

        Raises:
            Refused: the system refuses it, which its log says as well.
            OutOfReach: it is not known to have arrived. Where it may have, it stays ``pending``.
        """
        self.send(request, final=True, about=body_of(request))

    def settle_answer(self) -> None:
        """See what became of a pending answer, and send it where it has not arrived.

        One that turns out to be refused is none: then the task goes on. Raises OutOfReach.
        """
        if self.pending is None:
            return
        try:
            self.answer(self.pending)
        except Refused:
            self.pending = None

    def fault_of(self, request: Request, error: Exception) -> ToolFault | None:
        """As the session's; of an answer to the user every status leaves it in doubt."""
        fault = super().fault_of(request, error)
        if request.tool != RESPOND or fault is None or isinstance(fault, NeverLeft):
            return fault
        return OutOfReach(fault.text, getattr(fault, "retry_after", None))

    def write(self, request: Request, final: bool, about: object) -> BaseModel:
        """One attempt at a write; a pending answer is looked for before it is sent again."""
        if not isinstance(request, company.Req_ProvideAgentResponse):
            answer: BaseModel = super().write(request, final, about)
            return answer
        if self.pending is not None and self._has_arrived():
            return wire.Resp_ProvideAgentResponse()
        before, self.pending = self.pending, request
        try:
            answer = self.once(request, final=True, about=about)
        except OutOfReach as fault:
            return self.without_answer(request, about, fault)
        except ToolFault:  # nothing was sent
            self.pending = before
            raise
        self._given()
        return answer

    def without_answer(self, request: Request, about: object, fault: OutOfReach) -> BaseModel:
        """Look in the log for an answer to the user. Raises as the session's, and Refused."""
        if request.tool != RESPOND:
            raised: BaseModel = super().without_answer(request, about, fault)
            return raised
        if self._has_arrived():
            return wire.Resp_ProvideAgentResponse()
        pause = max(fault.retry_after or 0.0, LATE_SECONDS)
        raise Missed(f"{fault.text}; the log of the task shows no answer to the user", pause)

    def _has_arrived(self) -> bool:
        """Whether the log shows the pending answer; what it shows is recorded.

        Raises:
            Refused: it shows that the answer was refused.
            Unsettled: it cannot be told yet.
            OutOfReach: it cannot be told.
        """
        before = self._logged()
        if not before.taken:
            try:
                self.send(company.Req_WhoAmI())
            except OutOfReach as fault:
                raise _unsettled(fault.text) from None
            except ToolFault:
                pass  # what is refused stands in the log as well
        after = before if before.taken else self._logged()
        if after.taken:
            self.resolved(RESPOND, took_effect=True)
            self._given()
            return True
        if after.unclear:
            raise _unsettled("the log of the task shows that the system failed over it")
        if after.markers <= before.markers:
            raise _unsettled(f"the log of the task does not show {MARKER}, sent after it")
        self.resolved(RESPOND, took_effect=False)
        if after.refused is not None:
            self.unanswered.pop(RESPOND, None)
            self.pending = None
            raise Refused(after.refused)
        return False

    def _logged(self) -> LoggedAnswer:
        try:
            return read_log(self.log())
        except Exception as error:
            trouble = trouble_of(error)
            if trouble is None:
                raise
            text = f"the log of the task cannot be read ({type(error).__name__})"
            if trouble == "refused":
                raise OutOfReach(f"{_UNKNOWN}: {text}") from None
            raise _unsettled(text) from None

    def _given(self) -> None:
        """Note that the pending answer has arrived."""
        if self.pending is not None:
            self.responses.append(self.pending)
        self.unanswered.pop(RESPOND, None)
        self.pending = None


_UNKNOWN = "whether the answer to the user arrived cannot be told"


def _unsettled(text: str) -> Unsettled:
    return Unsettled(f"{_UNKNOWN}: {text}")
