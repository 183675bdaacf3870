"""What speaks against an answer before it is sent: facts of the task, no model and no judgement.

Each guard can be switched off by its name. A hard one is never overruled: what it refuses is not
sent. A soft one objects once. The guards that are no check of an answer act where the deed is:
``one-response`` and the write half of ``identity`` and ``guest`` in the session, ``wiki`` where
the state is read.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from company_tools import listings
from company_tools.change import LOG_TIME, WIKI_UPDATE, Change
from company_tools.company_session import CompanySession
from company_tools.failed_writes import failed_writes
from company_tools.final_answer import FinalAnswer, links_of
from company_tools.registry import EMAIL, FIXED, ID, NOT_PUBLIC, held_literally
from core.erc3_client import company
from core.erc3_client.own import company_models as wire
from core.ledger import ToolCall, ToolFault
from core.tools.faults import OutOfReach
from core.tools.task_api import body_of

PRIVATE = frozenset({"employee", "customer", "project"})
"""Kinds of records that a guest's answer never points to."""
_CHANGED_KINDS = {
    "/employees/update": {"employee"},
    "/projects/team/update": {"employee", "project"},
    "/projects/status/update": {"project"},
    LOG_TIME: {"employee", "project"},
    "/time/update": {"employee", "project"},
    WIKI_UPDATE: {"wiki"},
}


class Guard(NamedTuple):
    """A check of an answer: what speaks against it, or None."""

    name: str
    hard: bool
    check: Callable[[FinalAnswer, CompanySession], str | None] | None = None
    """None: it acts elsewhere."""


def _identity(answer: FinalAnswer, session: CompanySession) -> str | None:
    if answer.outcome == "error_internal":
        return None
    why = unknown_requester(session)
    return f"nobody knows who asks ({why}): only error_internal can be answered" if why else None


def unknown_requester(session: CompanySession) -> str | None:
    """Why it is not known who asks; None where it is."""
    if session.requester or session.known_guest:
        return None
    return session.identity_fault or "whoami was not asked"


def _guest(answer: FinalAnswer, session: CompanySession) -> str | None:
    """What stands literally in the registry, whether or not a policy judges the words as well."""
    if not session.known_guest:
        return None
    links = any(link.kind in PRIVATE for link in answer.links or ())
    held = "links to records" if links else held_literally(answer.message, session)
    return f"the user is a guest, and the answer holds {held}" if held else None


def _tells(answer: FinalAnswer, session: CompanySession) -> str | None:
    if not session.known_guest or answer.message in FIXED:
        return None
    told = session.tells(answer.message)
    return f"the user is a guest, and the answer tells {told}" if told else None


def public_answer(
    answer: FinalAnswer, session: CompanySession, off: Collection[str]
) -> FinalAnswer:
    """The answer as it may be sent: a guest's that still holds something private is a refusal.

    Raises OutOfReach: it cannot be compared. ModelFailed: nobody judges it.
    """
    checks = [_tells] if "guest" in off else [_guest, _tells]
    held = any(check(answer, session) for check in checks)
    return FinalAnswer("denied_security", NOT_PUBLIC, ()) if held else answer


def _unseen(answer: FinalAnswer, session: CompanySession) -> str | None:
    evidence = session.evidence
    links = [
        f"{link.kind}:{link.id}"
        for link in answer.links or ()
        if link.kind != "location" and not evidence.has(link.kind, link.id)
    ]
    known = {i.casefold() for i in evidence.ids} | evidence.emails
    text = EMAIL.sub(" ", answer.message)
    for kind, page in evidence.records:
        text = text.replace(page, " ") if kind == "wiki" else text
    told = "\n".join([session.task, *evidence.pages.values(), *evidence.texts.values()]).casefold()
    texts = [i for i in ID.findall(text) if i.casefold() not in known and i.casefold() not in told]
    strange = [*links, *(texts if answer.outcome == "ok_answer" else ())]
    if strange:
        return (
            f"{', '.join(strange[:5])}: no answer of the system has shown that in this task; look "
            "it up, or leave it out"
        )
    return None


def _failed_write(answer: FinalAnswer, session: CompanySession) -> str | None:
    if answer.outcome != "ok_answer":
        return None
    evidence = session.evidence
    known = {*evidence.tokens, *(id for _, id in evidence.records)}
    open_ = failed_writes(session.facts.changes, session.calls, known)
    return f"a change did not go through: {'; '.join(open_[:3])}" if open_ else None


def _written(answer: FinalAnswer, session: CompanySession) -> str | None:
    if session.facts.changed and answer.outcome != "ok_answer":
        done = "; ".join(c.summary for c in session.facts.changed[:3])
        return f"you answer {answer.outcome}, yet this was changed: {done}"
    return None


def _looked(answer: FinalAnswer, session: CompanySession) -> str | None:
    """Nothing was found, and nothing was looked through: no list, and no record but the user's."""
    evidence = session.evidence
    if answer.outcome != "ok_not_found" or evidence.listed:
        return None
    if evidence.whole - {("employee", session.requester)}:
        return None
    return (
        "you answer ok_not_found, but no kind of record was listed whole (archived ones and both "
        "orders of a name included), and no record was read. Is it certain that nothing is there?"
    )


def unintended(
    answer: FinalAnswer, session: CompanySession, calls: Sequence[ToolCall]
) -> str | None:
    """Why an answer that was prepared with an instruction does not fit what its calls have changed.

    None: at least one change took effect, all of them did, and what the answer links of the kinds
    that were changed stands in one of them. Raises OutOfReach.
    """
    if answer.outcome != "ok_answer":
        return f"it says {answer.outcome}"
    writes = [call for call in calls if call.kind == "write"]
    sent = [(one.path, one.body) for call in writes for one in call.requests]
    changes = [change for change in session.facts.changes if (change.path, change.body) in sent]
    if not changes:
        return "nothing was changed"
    if open_ := [change.summary for change in changes if change.outcome != "done"]:
        return "; ".join(open_[:3])
    written = {*_texts([call.arguments for call in writes]), *_texts_of(changes, session)}
    kinds = {kind for change in changes for kind in _CHANGED_KINDS[change.path]}
    strange = [
        session.evidence.name_of(*link)
        for link in links_of(answer, session)
        if link.kind in kinds and link.id not in {*written, session.requester}
    ]
    return f"it names {', '.join(strange[:3])}, not changed there" if strange else None


def _texts_of(changes: Sequence[Change], session: CompanySession) -> Iterator[str]:
    """The texts of changes and of the time entries that they update. Raises OutOfReach."""
    for change in changes:
        yield from _texts(change.body)
        if isinstance(change.request, company.Req_UpdateTimeEntry):
            request = company.Req_GetTimeEntry(id=change.request.id)
            yield from _texts(body_of(session.read(request, wire.Resp_GetTimeEntry)))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (text for part in value.items() for text in _texts(part))
    elif isinstance(value, list | tuple):
        yield from (text for part in value for text in _texts(part))


GUARDS = (
    Guard("identity", True, _identity),
    Guard("guest", True, _guest),
    Guard("unseen", True, _unseen),
    Guard("failed-write", False, _failed_write),
    Guard("written", False, _written),
    Guard("one-response", True),
    Guard("looked", False, _looked),
    Guard("wiki", False),
)
NAMES = tuple(guard.name for guard in GUARDS)


def may_write(session: CompanySession, off: Collection[str]) -> str | None:
    """What speaks against any change in this task; nothing where it may be made.

    Raises OutOfReach: it cannot be looked up who asks.
    """
    if "identity" not in off and (why := unknown_requester(session)):
        return f"nobody knows who asks ({why})"
    if "guest" not in off and session.known_guest:
        return "the user is a guest"
    if "identity" not in off and session.requester:
        return without_record(session)
    return None


def without_record(session: CompanySession) -> str | None:
    """Why the user that whoami names is nobody whom the system has a record of; None: it has one.

    Raises OutOfReach: the system does not answer.
    """
    requester = session.requester
    if ("employee", requester) in session.evidence.whole:
        return None
    try:
        found = listings.employee(session, requester)
    except OutOfReach:
        raise
    except ToolFault as fault:
        return f"whoami names {requester[:80]!r}, and {fault.text}"
    if found.id != requester:
        return f"whoami names {requester[:80]!r}, and the record is of somebody else"
    return None


def objections(
    answer: FinalAnswer, session: CompanySession, *, hard: bool, off: Collection[str] = ()
) -> list[str]:
    """What speaks against an answer; ``hard``: only what cannot be overruled.

    Raises OutOfReach: what has to be looked up has no answer. ModelFailed: nobody judges an answer
    to a guest.
    """
    checks = [
        guard.check for guard in GUARDS
        if guard.check and guard.name not in off and (guard.hard or not hard)
    ]  # fmt: skip
    reasons = [text for check in checks if (text := check(answer, session))]
    # What a model is asked comes last, and only where nothing else speaks against it.
    told = None if reasons else _tells(answer, session)
    return [told] if told else reasons
