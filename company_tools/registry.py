"""What of the registry stands literally in a message to a guest."""

from __future__ import annotations

import regex

from company_tools import listings
from company_tools.company_session import CompanySession, unless_refused

LEAST_HELD = 4
"""Characters of a name or an id that is looked for."""
LEAST_FIGURE = 3_000
"""A salary below it looks like a year or a number of a street."""


def held_literally(message: str, session: CompanySession) -> str:
    """What of the registry stands literally in a message and not in the task; "" for nothing.

    Ids, whole names in either order, mail addresses and salaries. Raises OutOfReach.
    """
    said, task = message.casefold(), session.task.casefold()
    people = unless_refused(lambda: listings.employees(session), [])
    projects = unless_refused(lambda: listings.projects(session), [])
    customers = unless_refused(lambda: listings.customers(session), [])
    known = [(one.id, one.name) for table in (people, projects, customers) for one in table]
    texts = {
        "an id": [id for id, _ in known],
        "a name": [name for _, name in known],
        "a turned name": [" ".join(reversed(one.name.split())) for one in people],
        "a mail address": [one.email for one in people],
    }
    for what, words in texts.items():
        for word in {one.casefold() for one in words if len(one) >= LEAST_HELD}:
            whole = rf"(?<!\w){regex.escape(word)}(?!\w)"
            if word in said and word not in task and regex.search(whole, said):
                return what
    told = set(_figures(said)) - set(_figures(task))
    pay = {str(one.salary) for one in people if one.salary and one.salary >= LEAST_FIGURE}
    return "a salary" if pay & told else ""


def _figures(text: str) -> list[str]:
    """The numbers of a text without the marks between their digits."""
    return [regex.sub(r"\D", "", one) for one in regex.findall(r"\d+(?:[.,'’\s]\d{3})*", text)]
