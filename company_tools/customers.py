"""Customers by what a text says of them."""

from __future__ import annotations

from company_tools import listings
from company_tools.arguments import bare_id
from company_tools.company_session import CompanySession, Record
from company_tools.words import bare, phrase_score, telling, telling_weights, words
from core.ledger import ToolFault
from core.tools.collector import Collector

SHOWN_AT_MOST = 8
LEAST = 25
_FIELDS = {
    "name": ("name",),
    "brief": ("brief",),
    "contact": ("primary_contact_name", "primary_contact_email"),
    "location": ("location",),
    "id": ("id",),
}


def resolve_customer(session: CompanySession, phrase: str) -> Record:
    """Candidates for a phrase, best first; see the tool."""
    phrase = bare_id(phrase)
    if not phrase.strip():
        raise ToolFault("phrase must not be empty")
    collected = Collector()
    every = collected.rows(lambda: listings.whole_customers(session))
    fields = {
        one["id"]: {
            field: words(" ".join(str(one.get(part, "")).replace("_", " ") for part in parts))
            for field, parts in _FIELDS.items()
        }
        for one in every
    }
    asked = telling(phrase)
    weights = telling_weights(asked, [sum(texts.values(), ()) for texts in fields.values()])
    found = []
    for one in every:
        score, matched = phrase_score(asked, fields[one["id"]], weights)
        low = phrase.strip().casefold()
        if low in (one["id"].casefold(), one.get("primary_contact_email", "").casefold()):
            score, matched = 100, "id" if low == one["id"].casefold() else "contact's mail"
        elif words(phrase) == words(one["name"]):
            score, matched = 100, "name"
        elif bare(one["name"]) in bare(phrase):
            score, matched = max(score, 97), "name"
        else:
            score = min(score, 96)
        if score >= LEAST:
            found.append({**one, "score": score, "matched": matched})
    found.sort(key=lambda row: (-row["score"], row["id"]))
    best = sum(row["score"] == found[0]["score"] for row in found)
    shown = found[: max(SHOWN_AT_MOST, best)]
    return collected.result({"candidates": shown, "tied": best})
