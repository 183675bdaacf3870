"""What earlier work on a task has done: sent again in a new world, taken over in the same one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from pydantic import ValidationError

from company_tools.company_session import CHANGES, READS, RESPOND, Change, CompanySession
from core.erc3_client import switch
from core.ledger import Intent, LedgerEntry, Resolved, ToolFault, WireCall
from core.tools.faults import OutOfReach
from core.tools.paging import limit_told


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
        session.send(_model(request.path).model_validate(request.body))
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
    sent: set[str] = set()
    for request in reads:
        key = f"{request.path} {request.body}"
        if key in sent or request.outcome != "done":
            continue
        sent.add(key)
        try:
            session.send(_model(request.path).model_validate(request.body))
        except OutOfReach:
            raise
        except (ToolFault, ValidationError):
            continue  # what is refused now shows nothing


def restore(session: CompanySession, entries: Sequence[LedgerEntry]) -> None:
    """Take over what recorded deeds have taught and done; nothing is sent.

    An answer to the user of which nothing but its intent is known, or a failure, is pending.
    """
    for deed in entries:
        if isinstance(deed, Intent):
            if deed.path == RESPOND:
                session.pending = dict(deed.body)
            else:
                session.take_over(Change(deed.path, dict(deed.body)), deed.about)
        elif deed.path == RESPOND:
            took = deed.took_effect if isinstance(deed, Resolved) else deed.outcome == "done"
            if took:
                session.responses, session.pending = [session.pending or {}], None
        elif isinstance(deed, Resolved):
            _settle(session, deed)
        elif deed.kind == "read":
            _learn(session, deed)
        else:
            _took(session, deed)


_OUTCOMES = {"done": "done", "failed": "refused", "lost": "lost", "unknown": "unknown"}


def _took(session: CompanySession, deed: WireCall) -> None:
    """What became of the change that was intended last; of one without an intent, that it was."""
    last = session.changes[-1] if session.changes else None
    if last is None or last.outcome != "sent" or last.path != deed.path:
        last = Change(deed.path, dict(deed.body))
        session.take_over(last, None)
    last.outcome, last.error = _OUTCOMES[deed.outcome], deed.error or ""


def _settle(session: CompanySession, deed: Resolved) -> None:
    for change in reversed(session.changes):
        if change.path == deed.path and change.outcome in ("unknown", "sent"):
            change.outcome = "done" if deed.took_effect else "lost"
            return


def _learn(session: CompanySession, request: WireCall) -> None:
    limit = limit_told(request.error)
    if limit is not None and limit >= 0:
        session.listing.limit = limit


@cache
def _models() -> dict[str, Any]:
    """The request of each path, as the chosen client has it."""
    names = vars(switch.load("company"))
    models: list[Any] = [m for name, m in names.items() if name.startswith("Req_")]
    return {model.model_fields["tool"].default: model for model in models}


def _model(path: str) -> Any:
    return _models()[path]
