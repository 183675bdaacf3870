"""The one record or stored value that a text means; what is not certain is an error."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from rapidfuzz import fuzz

from company_tools import listings
from company_tools.arguments import bare_id
from company_tools.reading_session import ReadingSession
from company_tools.words import levelled, words
from core.erc3_client.own.company_models import CompanyBrief, EmployeeBrief, ProjectBrief
from core.ledger import ToolFault

SURE = 95
"""From this score on a name, id or mail is whole."""
LIKELY = 74
"""Of 100: names that are less alike are others."""


class Match(NamedTuple):
    """How well a name fits, and what of the record it fits."""

    score: int
    field: str


def match_person(asked: str, id: str, name: str, email: str) -> Match:
    """How well a person is meant by ``asked``: an id, a mail, a name in any order, a part of it."""
    text = asked.strip().casefold()
    if text == id.casefold() and id:
        return Match(100, "id")
    if text == email.casefold() and email:
        return Match(100, "email")
    best = _match_names(words(asked), words(name))
    other = _match_names(levelled(asked), levelled(name))
    if other.score > best.score + 1:
        best = Match(other.score - 1, other.field)
    tokens = set(levelled(id.replace("_", " ")))
    if best.score < SURE and len(tokens) > 1 and tokens == set(levelled(asked)):
        best = Match(SURE, "id")
    return best


def _match_names(asked: tuple[str, ...], parts: tuple[str, ...]) -> Match:
    if not asked or not parts:
        return Match(0, "")
    if asked == parts:
        return Match(100, "name")
    if sorted(asked) == sorted(parts):
        return Match(100, "name (last first)")
    if len(asked) > 1 and set(asked) <= set(parts):
        return Match(97, "name (in part)")
    if len(asked) == 1 and asked[0] in parts:
        return Match(90, "first name" if parts[0] == asked[0] else "last name")
    if len(parts) > 1 and set(parts) <= set(asked):
        return Match(93, "name (with more words)")
    want, have = " ".join(asked), " ".join(parts)
    like = fuzz.token_sort_ratio(want, have)
    if len(asked) == 1:
        like = max(fuzz.ratio(want, part) for part in parts) - 8
    elif set(asked) & set(parts) and like < LIKELY:
        return Match(round(like * 0.6), "name (one word)")
    return Match(round(like * 0.92), "name (alike)") if like >= LIKELY else Match(0, "")


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
    """As :func:`employee_id`, of a project."""
    text = bare_id(text)
    if session.evidence.has("project", text):
        return text
    return _certain("project", text, listings.projects(session))


def customer_id(session: ReadingSession, text: str) -> str:
    """As :func:`employee_id`, of a customer."""
    text = bare_id(text)
    # A company's own projects have a customer that is none of the listed ones.
    if session.evidence.has("customer", text) or any(
        p.customer == text for p in listings.projects(session)
    ):
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


Field = Literal["department", "location"]


def value_of(field: Field, text: str, people: Iterable[EmployeeBrief]) -> str:
    """The value that is meant; one that is stored exactly so wins over one in other characters.

    Raises:
        ToolFault: there is no such value, or more than one; the text names them.
    """
    known: list[str] = sorted({getattr(one, field) for one in people} - {""})
    if text in known:
        return text
    matches = [value for value in known if words(value) == words(text)]
    if len(matches) == 1:
        return matches[0]
    raise ToolFault(
        f"{'more than one' if matches else 'no'} {field} {text[:80]!r}; there are: "
        f"{', '.join(map(repr, matches or known))}"
    )


def stored_value(field: Field, text: str, people: list[EmployeeBrief]) -> str:
    """The one stored value of the same words, in its own characters; else the text as it is.

    Raises:
        ToolFault: it is empty, or more than one has these words.
    """
    if not words(text):
        raise ToolFault(f"{field} must not be empty")
    known = any(words(getattr(one, field)) == words(text) for one in people)
    return value_of(field, text, people) if known else text.strip()


def staff(people: list[EmployeeBrief], department: str, location: str) -> list[EmployeeBrief]:
    """The people of a department and a location; "" is any. Raises ToolFault as value_of."""
    if department:
        wanted = value_of("department", department, people)
        people = [one for one in people if one.department == wanted]
    if location:
        wanted = value_of("location", location, people)
        people = [one for one in people if one.location == wanted]
    return people
