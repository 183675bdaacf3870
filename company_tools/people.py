"""People by what a text calls them: employees, and contacts of customers who are none."""

from __future__ import annotations

from typing import Any, NamedTuple

from rapidfuzz import fuzz

from company_tools import listings
from company_tools.arguments import bare_id
from company_tools.company_session import CompanySession, Record
from company_tools.words import bare, levelled, words
from ledger import ToolFault

SURE = 95
"""From this score on a name, id or mail is whole."""
LIKELY = 74
SHOWN_AT_MOST = 12
_SHOWN = ("id", "name", "email", "department", "location")


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


def resolve_person(
    session: CompanySession, name: str, project: str, department: str, contacts: bool
) -> Record:
    """Candidates for a name, best first; see the tool."""
    name = bare_id(name)
    if not name.strip():
        raise ToolFault("name must not be empty")
    among = _members(session, project) if project else None
    found = []
    for one in listings.employees(session):
        match = match_person(name, one["id"], one["name"], one["email"])
        within = (among is None or one["id"] in among) and (
            not department or bare(department) in bare(one["department"])
        )
        if match.score and within:
            row = {"kind": "employee", **{f: one[f] for f in _SHOWN}}
            if among:
                row |= {"role": among[one["id"]]["role"]}
            found.append({**row, "score": match.score, "matched": match.field})
    if contacts and not project and not any(row["score"] >= SURE for row in found):
        found += _contacts(session, name)
    found.sort(key=lambda row: (-row["score"], row.get("id", "")))
    best = [row for row in found if row["score"] == found[0]["score"]]
    return {"candidates": found[: max(SHOWN_AT_MOST, len(best))], "tied": len(best)}


def _members(session: CompanySession, project: str) -> dict[str, Any]:
    return {m["employee"]: m for m in listings.project(session, bare_id(project))["team"]}


def _contacts(session: CompanySession, name: str) -> list[Record]:
    found = []
    for one in listings.whole_customers(session):
        contact, email = one.get("primary_contact_name", ""), one.get("primary_contact_email", "")
        match = match_person(name, "", contact, email)
        if match.score:
            found.append(
                {
                    "kind": "contact, no employee",
                    "name": contact,
                    "email": email,
                    "customer": one["id"],
                    "score": match.score,
                    "matched": match.field,
                }
            )
    return found


def employee_id(session: CompanySession, said: str) -> str:
    """The id of who is meant by an id or a whole name.

    Raises:
        ToolFault: nobody is, or more than one; the text names who could be.
    """
    text = bare_id(said)
    if session.evidence.has("employee", text):
        return text
    everybody = listings.employees(session)
    scored = [(match_person(text, e["id"], e["name"], e["email"]), e) for e in everybody]
    sure = [e["id"] for match, e in scored if match.score >= SURE]
    if len(sure) == 1:
        return str(sure[0])
    near = sorted((-match.score, e["id"], e["name"]) for match, e in scored if match.score)[:5]
    listed = ", ".join(f"{id} ({name})" for _, id, name in near) or "nobody is called so"
    raise ToolFault(f"no certain employee {said[:80]!r}: {listed}. Give an id")
