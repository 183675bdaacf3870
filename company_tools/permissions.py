"""What bears on whether somebody may do something: facts and the wiki's lines, and no verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import regex

from company_tools import listings
from company_tools.company_session import CompanySession, Record
from company_tools.ids import customer_id, employee_id, project_id
from company_tools.profile import projects_with, ties
from company_tools.projects import leads_of
from company_tools.updates import time_entry
from company_tools.wiki_pages import wiki_pages
from company_tools.wiki_store import WikiStore
from company_tools.words import alike, telling
from core.ledger import ToolFault
from core.tools.collector import keeping

Reader = Callable[[CompanySession, str, str], Record]
LINES_AT_MOST = 24
LINE_CHARS = 400
_TOPICS = (
    "salary salaries pay wage compensation raise earnings payroll",
    "time hours timesheet entry entries log book logging billable",
    "status pause archive activate project phase",
    "wiki page pages article document rename delete",
    "note notes record profile personal",
    "skill skills will wills level levels review interest",
    "team member members staffing role allocation slice workload capacity",
    "customer customers client contact account deal mail email",
    "public guest visitor anonymous stranger outside external",
    "delete wipe remove erase",
    "ticket approval approve approved release code",
)
"""Words that speak of one subject, whatever the company: an action of one means the others too."""
_RULES = regex.compile(
    r"\b(?:may|must|can|cannot|can't|only|never|always|not|no|nobody|allow\w*|forbid\w*|forbidden|"
    r"permi\w+|prohibit\w*|restrict\w*|access|author\w+|confidential|private|public|require\w*|"
    r"need\w*|approv\w+|den(?:y|ied)|refus\w+|decline\w*|share\w*|disclose\w*|unless|except)\b",
    regex.IGNORECASE,
)
"""Words of a sentence that rules something."""


def permission_facts(session: CompanySession, wiki: WikiStore, action: str, target: str) -> Record:
    """Who asks, what ties them to the target, and lines that speak of the action; see the tool."""
    if not action.strip():
        raise ToolFault("action must not be empty")
    user = session.user()
    requester = session.requester
    who = {"id": requester, "department": user.get("department"), "location": user.get("location")}
    told: Record = {"asker": {**who, "guest": session.known_guest}, "target": None}
    with keeping(**told):
        pages = wiki_pages(session, wiki)
    told["rules"] = rule_lines(pages, f"{action} {target}")
    if target in pages:
        told["target"] = {"kind": "wiki page", "id": target}
    elif requester and target:
        with keeping(**told):
            told["target"] = target_facts(session, requester, target.strip())
    return told


def target_facts(session: CompanySession, requester: str, target: str) -> Record:
    """What the target is, and what the asker has to do with it."""
    readers: tuple[Reader, ...] = (_employee, _project, _customer)
    if target.startswith("te_") or target in session.evidence.tokens:
        readers = (_entry, *readers)
    elif session.evidence.has("project", target):
        readers = (_project,)
    elif session.evidence.has("customer", target):
        readers = (_customer,)
    for read in readers:
        try:
            return read(session, requester, _certain_id(session, read, target))
        except ToolFault as fault:
            if fault.fatal:
                raise
    return {"id": target, "kind": "no employee, project, customer or time entry has this id"}


def _certain_id(session: CompanySession, read: Reader, target: str) -> str:
    """The id of a target that is given by its whole name. Raises ToolFault: not for certain."""
    if " " not in target:
        return target
    of_name = {_employee: employee_id, _project: project_id, _customer: customer_id}
    return of_name[read](session, target) if read in of_name else target


def _employee(session: CompanySession, requester: str, target: str) -> Record:
    person, user = listings.employee(session, target), session.user()
    theirs, mine = ties(session, target), ties(session, requester)
    return {
        "kind": "employee",
        "id": target,
        "asker_is_target": target == requester,
        "department": person["department"],
        "location": person["location"],
        "same_department": person["department"] == user.get("department"),
        "same_location": person["location"] == user.get("location"),
        "projects_of_target_that_asker_leads": sorted({*theirs["member_of"]} & {*mine["led"]}),
        "projects_in_common": sorted({*theirs["member_of"]} & {*mine["member_of"]}),
    }


def _project(session: CompanySession, requester: str, target: str) -> Record:
    project = listings.project(session, target)
    roles = [m["role"] for m in project["team"] if m["employee"] == requester]
    manager = None
    if session.evidence.has("customer", project["customer"]):
        try:
            manager = listings.customer(session, project["customer"]).get("account_manager")
        except ToolFault as fault:  # a company's own projects have a customer that is none
            if fault.fatal:
                raise
    return {
        "kind": "project",
        "id": target,
        "status": project["status"],
        "asker_roles": roles,
        "leads": leads_of(project),
        "account_manager": manager,
        "asker_manages": manager == requester,
    }


def _customer(session: CompanySession, requester: str, target: str) -> Record:
    customer = listings.customer(session, target)
    projects = projects_with(session, customer_id=target)
    mine = [p["id"] for p in projects if any(m["employee"] == requester for m in p["team"])]
    return {
        "kind": "customer",
        "id": target,
        "account_manager": customer.get("account_manager"),
        "asker_is_account_manager": customer.get("account_manager") == requester,
        "projects_with_asker": mine,
        "projects_that_asker_leads": [p["id"] for p in projects if requester in leads_of(p)],
    }


def _entry(session: CompanySession, requester: str, target: str) -> Record:
    entry = time_entry(session, target)
    told: Record = {"kind": "time entry", "id": target, **entry}
    told["entry_is_of_asker"] = entry["employee"] == requester
    if entry.get("project"):
        told["project_facts"] = _project(session, requester, entry["project"])
    return told


def rule_lines(pages: dict[str, str], action: str, chars: int = LINE_CHARS) -> list[Record]:
    """The lines of the wiki that speak of an action as rules do, those that say most first.

    Of a longer line the first ``chars`` are told.
    """
    asked = {word for word in telling(action) if len(word) > 2}
    topics = [set(topic.split()) for topic in _TOPICS]
    near = set().union(*(t for t in topics if any(_has(word, t) for word in asked)))
    found = []
    for path, text in pages.items():
        heading = ""
        for number, line in _units(text):
            if line.lstrip().startswith("#"):
                heading = line.strip("# ")
                continue
            have = set(telling(f"{line} {heading}"))
            own = sum(_has(word, have) for word in asked)
            score = 2 * own + min(3, sum(word in have for word in near))
            if line.strip() and score:
                score += 2 * min(2, len(_RULES.findall(line)))
                row = {"page": path, "line": number, "under": heading}
                found.append((score, {**row, "text": line.strip()[:chars]}))
    found.sort(key=lambda pair: -pair[0])
    return [row for _, row in found[:LINES_AT_MOST]]


def _units(text: str) -> Iterator[tuple[int, str]]:
    """Lines by number; a question stands with the line that answers it, unless it is a heading."""
    asked: tuple[int, str] | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        if asked and line.strip():
            number, line = asked[0], f"{asked[1].strip()} {line.strip()}"
            asked = None
        elif asked:
            continue
        elif line.strip(" *_").endswith("?") and not line.lstrip().startswith("#"):
            asked = number, line
            continue
        yield number, line
    if asked:
        yield asked


def _has(word: str, have: set[str]) -> bool:
    return word in have or any(alike(word, other) >= 0.8 for other in have)
