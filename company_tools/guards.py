"""What speaks against an answer before it is sent: facts of the task, no model and no judgement.

Each guard can be switched off by its name. A hard one is never overruled: what it refuses is not
sent. A soft one objects once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

import regex

from company_tools.closing import LINKLESS, Closing, links_of, named_in, targets
from company_tools.company_session import CompanySession

_EMAIL = regex.compile(r"[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+")
_ID = regex.compile(r"(?<![\p{L}\p{N}_./-])(?=[\p{L}\p{N}.-]*_)[\p{L}\p{N}_.-]*[\p{L}\p{N}_]")
"""What looks like the id of a record: a word with an underscore."""
_NUMBER = regex.compile(r"\d[\d.,'’ \u00a0\u202f]*\d|\d")


class Guard(NamedTuple):
    """A check of an answer: what speaks against it, or None."""

    name: str
    hard: bool
    check: Callable[[Closing, CompanySession], str | None]


def _identity(closing: Closing, session: CompanySession) -> str | None:
    if session.asker or session.known_guest or closing.outcome == "error_internal":
        return None
    why = session.identity_fault or "whoami was not asked"
    return f"nobody knows who asks ({why}): only error_internal can be answered"


def _guest(closing: Closing, session: CompanySession) -> str | None:
    if not session.known_guest:
        return None
    message, seen = closing.message, session.evidence
    people = [k.name or k.id for k in named_in(message, session) if k.kind != "wiki"]
    figures = {int(d) for n in _NUMBER.findall(message) if len(d := regex.sub(r"\D", "", n)) < 12}
    leaks = [
        *people,
        *(found for found in _EMAIL.findall(message) if found.casefold() in seen.emails),
        *(str(figure) for figure in sorted(figures & seen.salaries)),
    ]
    links = [f"{link.kind}:{link.id}" for link in closing.links or () if link.kind != "location"]
    if leaks or links:
        return f"the asker is a guest, and the answer names {', '.join((leaks + links)[:5])}"
    return None


def _unseen(closing: Closing, session: CompanySession) -> str | None:
    seen = session.evidence
    links = [
        f"{link.kind}:{link.id}"
        for link in closing.links or ()
        if link.kind != "location" and not seen.has(link.kind, link.id)
    ]
    known = {i.casefold() for i in seen.ids} | seen.emails
    texts = [i for i in _ID.findall(_EMAIL.sub(" ", closing.message)) if i.casefold() not in known]
    strange = [*links, *(texts if closing.outcome == "ok_answer" else ())]
    if strange:
        return (
            f"{', '.join(strange[:5])}: no answer of the system has shown that in this task; look "
            "it up, or leave it out"
        )
    return None


def _failed_write(closing: Closing, session: CompanySession) -> str | None:
    if closing.outcome != "ok_answer":
        return None
    bad = [c for c in session.changes if c.outcome in ("refused", "unknown", "sent")]
    mended = {c.path for c in session.changed}
    open_ = [c.said for c in bad if c.path not in mended or c.outcome != "refused"]
    return f"a change did not go through: {'; '.join(open_[:3])}" if open_ else None


def _written(closing: Closing, session: CompanySession) -> str | None:
    if session.changed and closing.outcome in ("denied_security", "none_clarification_needed"):
        done = "; ".join(c.said for c in session.changed[:3])
        return f"you answer {closing.outcome}, yet this was changed: {done}"
    return None


def _looked(closing: Closing, session: CompanySession) -> str | None:
    if closing.outcome != "ok_not_found" or session.looked_everywhere:
        return None
    return (
        "you answer ok_not_found, but no kind of record was listed whole (archived ones and both "
        "orders of a name included). Is it certain that nothing is there?"
    )


def _links(closing: Closing, session: CompanySession) -> str | None:
    """Evidence without a link, where links were given by hand."""
    if closing.links is None or closing.outcome in LINKLESS or session.known_guest:
        return None
    left = [
        f"{link.kind}:{link.id}"
        for link in dict.fromkeys(targets(session))
        if link not in closing.links
    ]
    return f"these were changed and are not linked: {', '.join(left[:5])}" if left else None


GUARDS = (
    Guard("identity", True, _identity),
    Guard("guest", True, _guest),
    Guard("unseen", True, _unseen),
    Guard("failed-write", False, _failed_write),
    Guard("written", False, _written),
    Guard("looked", False, _looked),
    Guard("links", False, _links),
)
NAMES = tuple(guard.name for guard in GUARDS)


def objections(
    closing: Closing, session: CompanySession, *, hard: bool, off: Collection[str] = ()
) -> list[str]:
    """What speaks against an answer; ``hard``: only what cannot be overruled."""
    shown = closing._replace(links=links_of(closing, session))
    found = (
        guard.check(shown if guard.name == "guest" else closing, session)
        for guard in GUARDS
        if guard.name not in off and (guard.hard or not hard)
    )
    return [text for text in found if text]
