"""What earlier work on a task has done: sent again in a new world, taken over in the same one."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import ValidationError

from company_tools.change import CHANGES, READS, RESPOND, Change, request_at
from company_tools.company_session import CompanySession
from core.erc3_client import company
from core.ledger import Intent, LedgerEntry, Resolved, ToolFault, WireCall
from core.tools.faults import OutOfReach
from core.tools.paging import limit_told

_OUTCOMES = {"done": "done", "failed": "refused", "lost": "lost", "unknown": "unknown"}


def repeat_request(session: CompanySession, request: WireCall) -> str | None:
    """Send a recorded change again; in words, what was answered otherwise now.

    Of a read only the page limit is taken over; a change that had no effect is not sent. One of
    which nothing is known is sent and not compared.

    Raises:
        OutOfReach: the system does not answer.
        ToolFault: the request is an answer to the user, which is not given twice.
    """
    if request.path in READS or request.outcome == "lost":
        _learn(session, request)
        return None
    if request.path not in CHANGES:
        raise ToolFault(f"a recorded request to {request.path} cannot be repeated", fatal=True)
    try:
        session.send(request_at(request.path, request.body))
        now, error = "done", None
    except OutOfReach:
        raise
    except ToolFault as fault:
        now, error = "failed", fault.text
    if request.outcome in ("unknown", now):
        return None
    was = f"{request.outcome} ({request.error})" if request.error else request.outcome
    is_now = f"{now} ({error})" if error else now
    return f"{request.path} {request.body}: recorded {was}, now {is_now}"


def read_again(session: CompanySession, reads: Sequence[WireCall]) -> None:
    """Send recorded reads again, each once: an answer may name only what was seen.

    Raises OutOfReach.
    """
    done = {f"{read.path} {read.body}": read for read in reads if read.outcome == "done"}
    for read in done.values():
        try:
            session.send(request_at(read.path, read.body))
        except OutOfReach:
            raise
        except (ToolFault, ValidationError):
            continue  # what is refused now shows nothing


def restore(session: CompanySession, entries: Sequence[LedgerEntry]) -> None:
    """Take over what recorded entries have taught and done; nothing is sent.

    An answer to the user of which nothing but its intent is known, or a failure, is pending.
    """
    for entry in entries:
        if isinstance(entry, Intent):
            if entry.path == RESPOND:
                session.pending = company.Req_ProvideAgentResponse.model_validate(entry.body)
            else:
                session.take_over(Change(request_at(entry.path, entry.body)), entry.about)
        elif entry.path == RESPOND:
            took = entry.took_effect if isinstance(entry, Resolved) else entry.outcome == "done"
            if took:
                sent = session.pending
                if sent is None and isinstance(entry, WireCall):
                    sent = company.Req_ProvideAgentResponse.model_validate(entry.body)
                session.responses, session.pending = [sent] if sent else [], None
        elif isinstance(entry, Resolved):
            open_ = (c for c in reversed(session.changes) if c.path == entry.path)
            if change := next((c for c in open_ if c.outcome in ("unknown", "sent")), None):
                change.outcome = "done" if entry.took_effect else "lost"
        elif entry.kind == "read":
            _learn(session, entry)
        else:
            _take_over(session, entry)


def _take_over(session: CompanySession, call: WireCall) -> None:
    """Note what became of the change intended last; of one without an intent, that it was made."""
    last = session.changes[-1] if session.changes else None
    if last is None or last.outcome != "sent" or last.path != call.path:
        last = Change(request_at(call.path, call.body))
        session.take_over(last, None)
    last.outcome, last.error = _OUTCOMES[call.outcome], call.error or ""


def _learn(session: CompanySession, request: WireCall) -> None:
    limit = limit_told(request.error)
    if limit is not None and limit >= 0:
        session.listing.limit = limit
