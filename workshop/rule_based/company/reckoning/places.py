"""Whether the company has a site in a place, by its wiki; worker code, as `reckoning` is."""

import re

from workshop.rule_based.company.reckoning.office import (
    NEGATED,
    CompanyState,
    Report,
    Unclear,
    found,
)
from workshop.rule_based.company.reckoning.spotting import fold, holds

_PAGES = r"\b(places?|locations?|offices?|sites?|towns?|where|addresses|branch\w*|studios?|plants?|mills?)\b"
_AFTER = (
    r"\b(?:in|at|to|from|near|or|and|oder|und|ou|y|o|en|à|around|is|operate)\s+(?:the |our |der |die )?"
    r"((?:[^\W\d_a-z][\w’']*)(?:\s*[\s–-]\s*[^\W\d_a-z][\w’']*)*)"
)
_SAID = (("yes", "no", "Yes", "No"), ("ja", "nein", "Ja", "Nein"), ("oui", "non", "Oui", "Non"),
         ("sí", "no", "Sí", "No"), ("sì", "no", "Sì", "No"), ("tak", "nie", "Tak", "Nie"))  # fmt: skip


def places(o: CompanyState) -> Report:
    """Yes or no in the words of the text; several places are joined by or, or by and."""
    text = re.sub(r"\b(?:OR|AND|ODER|UND)\b", lambda m: m[0].lower(), o.text)
    asked = [
        x for x in re.findall(_AFTER, text) if fold(x) not in ("yes", "no", "ja", "nein", "i", "we")
    ]
    if not asked:
        raise Unclear("which place is meant?")
    told = [fold(s) for s in site_sentences(o.pages) if not re.search(NEGATED, s.lower())]
    hits = [any(holds(s, fold(place)) for s in told) for place in asked]
    every = o.says(r"\b(and|und|et|both|sowohl)\b") and not o.says(
        r"\b(or|oder|ou|either)\b(?! no| nein| non)"
    )
    answer = (all if every and len(asked) > 1 else any)(hits)
    low = fold(o.text)
    said = next((s for s in _SAID if holds(low, fold(s[0])) and holds(low, fold(s[1]))), _SAID[0])
    return found(said[2] if answer else said[3], [])


def site_sentences(pages: dict[str, str]) -> list[str]:
    """What the wiki says on its pages of places; on all pages where there are none."""
    of_places = [
        text for file, text in pages.items()
        if re.search(_PAGES, re.sub(r"[^a-z]+", " ", file.lower())) or re.search(r"(?m)^# .*" + _PAGES, text.lower())
    ]  # fmt: skip
    told = of_places or list(pages.values())
    return [s for t in told for s in re.split(r"(?<=[.!?;])\s+|\n+", t)]
