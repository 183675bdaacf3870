"""Projects by what a text says of them: name, description, customer."""

from __future__ import annotations

from company_tools import listings
from company_tools.arguments import bare_id
from company_tools.company_session import CompanySession, Record
from company_tools.ids import employee_id
from company_tools.words import bare, phrase_score, telling, telling_weights, words
from core.ledger import ToolFault
from core.tools.collector import Collector

SHOWN_AT_MOST = 8
LEAST = 25
"""Of 100: what scores less is no candidate."""


def resolve_project(
    session: CompanySession, phrase: str, member: str, lead: str, archived: bool
) -> Record:
    """Candidates for a phrase, best first; see the tool."""
    phrase = bare_id(phrase)
    member, lead = (employee_id(session, who) if who else "" for who in (member, lead))
    if not phrase.strip() and not member and not lead:
        raise ToolFault("phrase must not be empty, unless member or lead is given")
    listings.ahead(session, "customers", "projects")
    collected = Collector()
    every = collected.rows(lambda: listings.whole_projects(session))
    customers = collected.rows(lambda: listings.customers(session))
    names = {one["id"]: one["name"] for one in customers}
    fields = {
        one["id"]: {
            "name": words(one["name"]),
            "description": words(one.get("description", "")),
            "customer": words(names.get(one["customer"], "")),
        }
        for one in every
    }
    asked = telling(phrase)
    weights = telling_weights(asked, [sum(texts.values(), ()) for texts in fields.values()])
    found = []
    for one in every:
        if not _fits(one, member, lead, archived):
            continue
        score, matched = phrase_score(asked, fields[one["id"]], weights)
        if one["id"].casefold() == phrase.strip().casefold():
            score, matched = 100, "id"
        elif words(phrase) == fields[one["id"]]["name"]:
            score, matched = 100, "name"
        elif bare(one["name"]) in bare(phrase):
            score, matched = max(score, 97), "name"
        else:
            score = min(score, 96)
        if score >= LEAST or not phrase.strip():
            found.append(_row(one, names) | {"score": score, "matched": matched})
    found.sort(key=lambda row: (-row["score"], row["id"]))
    best = sum(row["score"] == found[0]["score"] for row in found)
    shown = found if not phrase.strip() else found[: max(SHOWN_AT_MOST, best)]
    return collected.result({"candidates": shown, "tied": best})


def _fits(project: Record, member: str, lead: str, archived: bool) -> bool:
    team = project.get("team", [])
    return (
        (archived or project["status"] != "archived")
        and (not member or any(m["employee"] == member for m in team))
        and (not lead or lead in leads_of(project))
    )


def leads_of(project: Record) -> list[str]:
    """Who leads a project."""
    return [m["employee"] for m in project.get("team", ()) if m["role"] == "Lead"]


def _row(project: Record, names: dict[str, str]) -> Record:
    shown = {f: project.get(f, "") for f in ("id", "name", "customer", "status", "description")}
    return {**shown, "customer_name": names.get(project["customer"], "")} | {
        "team": project.get("team", [])
    }
