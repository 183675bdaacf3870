"""Values of a field that records share, such as a department, as a text calls them."""

from __future__ import annotations

from collections.abc import Iterable

from company_tools.company_session import Record
from company_tools.words import words
from core.ledger import ToolFault


def value_of(field: str, said: str, records: Iterable[Record]) -> str:
    """The value that is meant; one that is stored exactly so wins over one in other signs.

    Raises:
        ToolFault: there is no such value, or more than one; the text names them.
    """
    known = sorted({str(one[field]) for one in records if one.get(field)})
    if said in known:
        return said
    same = [value for value in known if words(value) == words(said)]
    if len(same) == 1:
        return same[0]
    raise ToolFault(
        f"{'more than one' if same else 'no'} {field} {said[:80]!r}; there are: "
        f"{', '.join(map(repr, same or known))}"
    )


def stored_value(field: str, said: str, records: Iterable[Record]) -> str:
    """The one stored value of the same words, in its own signs; else the value as it is said.

    Raises:
        ToolFault: it is empty, or more than one has these words.
    """
    if not words(said):
        raise ToolFault(f"{field} must not be empty")
    known = {str(one[field]) for one in records if one.get(field)}
    same = {value for value in known if words(value) == words(said)}
    return value_of(field, said, records) if same else said.strip()


def staff(people: list[Record], department: str, location: str) -> list[Record]:
    """The people of a department and a location; "" is any. Raises ToolFault as value_of."""
    for field, said in (("department", department), ("location", location)):
        if said:
            wanted = value_of(field, said, people)
            people = [one for one in people if one[field] == wanted]
    return people
