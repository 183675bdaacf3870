"""Values of a field that records share, such as a department, as a text calls them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from company_tools.words import words
from core.erc3_client.own.company_models import EmployeeBrief
from core.ledger import ToolFault

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
