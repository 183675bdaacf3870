"""The one record that is meant by an id or a whole name; what is not certain is an error."""

from __future__ import annotations

from collections.abc import Iterable

from company_tools import listings
from company_tools.arguments import bare_id
from company_tools.names import SURE, match_person
from company_tools.reading_session import ReadingSession
from company_tools.words import words
from core.erc3_client.own.company_models import CompanyBrief, ProjectBrief
from core.ledger import ToolFault


def employee_id(session: ReadingSession, text: str) -> str:
    """The id of who is meant by an id or a whole name.

    Raises:
        ToolFault: nobody is, or more than one; the text names who could be.
    """
    text = bare_id(text)
    if session.evidence.has("employee", text):
        return text
    everybody = listings.employees(session)
    scored = [(match_person(text, e.id, e.name, e.email), e) for e in everybody]
    sure = [e.id for match, e in scored if match.score >= SURE]
    if len(sure) == 1:
        return sure[0]
    near = sorted((-match.score, e.id, e.name) for match, e in scored if match.score)[:5]
    listed = ", ".join(f"{id} ({name})" for _, id, name in near) or "nobody is called so"
    raise ToolFault(f"no certain employee {text[:80]!r}: {listed}. Give an id")


def project_id(session: ReadingSession, text: str) -> str:
    """The id of the project that is meant by an id or a whole name.

    Raises:
        ToolFault: there is none, or more than one.
    """
    text = bare_id(text)
    if session.evidence.has("project", text):
        return text
    return _certain("project", text, listings.projects(session))


def customer_id(session: ReadingSession, text: str) -> str:
    """The id of the customer that is meant by an id or a whole name.

    Raises:
        ToolFault: there is none, or more than one.
    """
    text = bare_id(text)
    if session.evidence.has("customer", text):
        return text
    # A company's own projects have a customer that is none of the listed ones.
    if any(p.customer == text for p in listings.projects(session)):
        return text
    return _certain("customer", text, listings.customers(session))


def _certain(kind: str, text: str, every: Iterable[ProjectBrief | CompanyBrief]) -> str:
    """The one of these whose id or whole name the text is. Raises ToolFault."""
    sure = [one.id for one in every if text == one.id or words(text) == words(one.name)]
    if len(sure) == 1:
        return sure[0]
    raise ToolFault(
        f"no certain {kind} {text[:80]!r}: {', '.join(sure) or 'none has that id or name'}. "
        f"Combo_Resolve_{kind.capitalize()}_For_Phrase finds ids"
    )
