"""Projects and customers that a text describes without naming them."""

from __future__ import annotations

import math
from collections import Counter

from company_tools import listings
from company_tools.reading_session import ReadingSession
from company_tools.resolving import project_texts
from company_tools.stages.spotting import Choice, Named, named
from company_tools.words import alike, levelled, words

READ_AT_MOST = 300
"""Projects and customers that are read whole to see which of them a text describes."""
SHOWN, TEXT_CHARS = 3, 120
SAME = 0.8
"""Words that are at least so much alike are one, misspelt or inflected."""
NEAR_BEST = 0.5
_NOUNS = {
    "project": {"project", "projekt", "projet", "proyecto"},
    "customer": {"customer", "client", "kund"},
}


def described(text: str, left: list[str], session: ReadingSession) -> list[Choice]:
    """The records that have two of the words left, or one that stands beside their noun."""
    listed = len(listings.projects(session)) + len(listings.customers(session))
    spoken = {part for word in left for part in levelled(word)}
    beside = {kind: _beside(levelled(text), nouns) & spoken for kind, nouns in _NOUNS.items()}
    if listed > READ_AT_MOST or not (any(beside.values()) or len(left) > 1):
        return []
    records = _records(session)
    kinds = {one.id: one.kind for one, _ in records}
    hits = {one.id: [w for w in left if _has(w, have)] for one, have in records}
    having = Counter(word for some in hits.values() for word in some)
    scores = {
        id: sum(math.log(1 + len(records) / having[word]) for word in some)
        for id, some in hits.items()
        if len(some) > 1 or {part for word in some for part in levelled(word)} & beside[kinds[id]]
    }
    ranked = sorted((one for one, _ in records if one.id in scores), key=lambda x: -scores[x.id])
    best = [x for x in ranked if scores[x.id] >= NEAR_BEST * scores[ranked[0].id]]
    if not best:
        return []
    asks_project = bool(_NOUNS["project"] & {*words(text)})
    found = [_with_text(one, session) for one in _alone(best, session, asks_project)]
    return [Choice(said=" ".join(hits[best[0].id]), found=found)]


def contacts_called(name: str, session: ReadingSession) -> list[Named]:
    """The customers whose contact has that name, in any order of its parts."""
    if len(listings.customers(session)) > READ_AT_MOST:
        return []
    return [
        named("customer", one).model_copy(
            update={"about": f"contact {one.primary_contact_name} {one.primary_contact_email}"}
        )
        for one in listings.whole_customers(session)
        if {*levelled(name)} == {*levelled(one.primary_contact_name or "")}
    ]


def _records(session: ReadingSession) -> list[tuple[Named, set[str]]]:
    """Projects and customers, each with the words of its name and description."""
    customers = listings.whole_customers(session)
    names = {one.id: one.name for one in customers}
    records = [(named("customer", one), {*words(f"{one.name} {one.brief}")}) for one in customers]
    for project in listings.whole_projects(session):
        texts = project_texts(project, names).values()
        records.append((named("project", project), {word for one in texts for word in one}))
    return records


def _has(word: str, have: set[str]) -> bool:
    return word in have or any(alike(word, other) >= SAME for other in have)


def _beside(text: tuple[str, ...], nouns: set[str]) -> set[str]:
    """The words that stand beside one of the nouns."""
    near = {n + step for n, word in enumerate(text) if word in nouns for step in (-1, 1)}
    return {word for n, word in enumerate(text) if n in near}


def _alone(best: list[Named], session: ReadingSession, asks_project: bool) -> list[Named]:
    """The best records, without the customer of the first one where that is a project.

    ``asks_project``: without the customers of all of them.
    """
    projects = [one for one in (best if asks_project else best[:1]) if one.kind == "project"]
    owners = {listings.project(session, one.id).customer for one in projects}
    return [one for one in best if one.id not in owners][:SHOWN]


def _with_text(one: Named, session: ReadingSession) -> Named:
    """A project with its description, by which somebody may judge whether it is meant."""
    if one.kind != "project":
        return one
    text = " ".join((listings.project(session, one.id).description or "").split())
    return one.model_copy(update={"about": f"{one.about}: {text[:TEXT_CHARS]}"})
