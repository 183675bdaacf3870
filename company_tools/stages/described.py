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
SHOWN = 3
SAME = 0.8
"""Words that are at least so much alike are one, misspelt or inflected."""
NEAR_BEST = 0.5
_NOUNS = {"project", "customer", "client", "projekt", "kund", "projet", "proyecto"}


def described(text: str, left: list[str], session: ReadingSession) -> list[Choice]:
    """The records that have two of the words left, or one that stands beside their noun."""
    listed = len(listings.projects(session)) + len(listings.customers(session))
    beside = _beside_noun(levelled(text)) & {part for word in left for part in levelled(word)}
    if listed > READ_AT_MOST or not (beside or len(left) > 1):
        return []
    records = _records(session)
    hits = {one.id: [w for w in left if _has(w, have)] for one, have in records}
    having = Counter(word for some in hits.values() for word in some)
    scores = {
        id: sum(math.log(1 + len(records) / having[word]) for word in some)
        for id, some in hits.items()
        if len(some) > 1 or {part for word in some for part in levelled(word)} & beside
    }
    ranked = sorted((one for one, _ in records if one.id in scores), key=lambda x: -scores[x.id])
    best = [x for x in ranked if scores[x.id] >= NEAR_BEST * scores[ranked[0].id]]
    return [Choice(said=" ".join(hits[best[0].id]), found=_alone(best, session))] if best else []


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


def _beside_noun(text: tuple[str, ...]) -> set[str]:
    """The words that stand beside one such as project."""
    near = {n + step for n, word in enumerate(text) if word in _NOUNS for step in (-1, 1)}
    return {word for n, word in enumerate(text) if n in near}


def _alone(best: list[Named], session: ReadingSession) -> list[Named]:
    """The best records, without the customer of the first one where that is a project."""
    owner = ""
    if best[0].kind == "project":
        owner = listings.project(session, best[0].id).customer
    return [one for one in best if one.id != owner][:SHOWN]
