"""What of the registry stands literally in a message to a guest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import regex

from company_tools import listings
from company_tools.company_session import CompanySession, unless_refused
from company_tools.words import levelled
from core.erc3_client.own import company_models as wire

NOT_PUBLIC = "I am not able to help with that."
"""What a guest is told in place of an answer that holds something private."""
DENIED = "I am not allowed to do or tell that."
FAILED = "The request could not be completed because of an internal error."
FIXED = frozenset({NOT_PUBLIC, DENIED, FAILED})
"""Messages of our own, which tell nothing."""
LEAST_HELD = 4
"""Characters of a name or an id that is looked for."""
LEAST_FIGURE = 3_000
"""A salary below it looks like a year or a number of a street."""
EMAIL = regex.compile(r"[\p{L}\p{N}._%+-]+@[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)+")
ID = regex.compile(r"(?<![\p{L}\p{N}_./-])(?=[\p{L}\p{N}.-]*_)[\p{L}\p{N}_.-]*[\p{L}\p{N}_]")
"""What has the form of an id."""


def held_literally(message: str, session: CompanySession) -> str:
    """What of the registry stands literally in a message and not in the task; "" for nothing.

    Ids, whole names in either order, mail addresses and salaries, whatever their case and
    diacritics. Where the system refuses its lists, any id and any mail address is held that no
    page has. Raises OutOfReach.
    """
    if message in FIXED:
        return ""
    people = unless_refused(lambda: listings.employees(session), None)
    projects = unless_refused(lambda: listings.projects(session), [])
    customers = unless_refused(lambda: listings.customers(session), [])
    if people is None:
        return _unlisted(message, session)
    known = [(one.id, one.name) for table in (people, projects, customers) for one in table]
    texts = {
        "an id": [id for id, _ in known],
        "a name": [name for _, name in known],
        "a turned name": [" ".join(reversed(one.name.split())) for one in people],
        "a mail address": [one.email for one in people],
    }
    said, task = _spaced(message), _spaced(session.task)
    for what, words in texts.items():
        for word in map(_spaced, {one for one in words if len(one) >= LEAST_HELD}):
            if word.strip() and word in said and word not in task:
                return what
    return _salary(message, session.task, people)


def _spaced(text: str) -> str:
    return f" {' '.join(levelled(text))} "


def _unlisted(message: str, session: CompanySession) -> str:
    pages = unless_refused(session.read_wiki, {})
    public = "\n".join([session.task, *pages.values()])
    for what, form in (("a mail address", EMAIL), ("an id", ID)):
        if any(one not in public for one in form.findall(message)):
            return what
    return ""


def _salary(message: str, task: str, people: Iterable[wire.EmployeeBrief]) -> str:
    told = {*_figures(message)} - {*_figures(task)}
    pay = {str(one.salary) for one in people if one.salary and one.salary >= LEAST_FIGURE}
    return "a salary" if pay & told else ""


def _figures(text: str) -> Iterator[str]:
    """The numbers of a text without the marks between their digits."""
    for one in regex.findall(r"\d+(?:[.,'’\s]\d{3})*", text):
        yield regex.sub(r"\D", "", one)
