"""Finding products for a query on our side: the API has no search.

A product matches in full when every word of the query stands in its name or SKU *and* it is the
kind of thing that was asked for. The kind is read from the head noun: of a "Laptop Bag 15 inch"
the head is "bag", so it is no answer to "laptop".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

import regex
from rapidfuzz.distance import DamerauLevenshtein

from store_tools.words import CONTAINERS, STOPWORDS, is_spec, plain_text
from workshop.rule_based.store.kinds.lexicon import (
    GENERIC,
    HYPERNYMS,
    IMITATIONS,
    LOOSE_CONTAINERS,
    MATERIALS,
    QUALIFIERS,
    SYNONYMS,
    THINGS,
    VARIANTS,
    words,
)

FULL = 0.6
"""Scores from here on are full matches."""
SURE = 0.85
"""Scores from here on leave no doubt about the kind of a product."""
IMPLIED = 0.65
"""Score where the name leaves out the kind, which its model implies."""
RELATED = 0.55
"""Score of a compound that may or may not be of the asked kind."""
OTHER = 0.3
"""Score of a product of another kind."""
MISSPELT = 0.7
"""Best score of a match that rests on a corrected spelling."""
PACKAGING = frozenset(
    "bottle can jar bag tin tube sachet carton tub pouch sack bucket canister drum keg".split()
)
"""Containers that, behind a measure, say how a thing is packed ("200 ml Can")."""
SPELLING_LENGTH = 6
_CUT = regex.compile(r"\b(?:for|with|without|featuring|incl(?:uding|\.)?|from|by|in)\b")
_NUMBER_NEXT = regex.compile(r"\s*(?:\d|two|three|four|six)")
_OF = regex.compile(r"\bof\b")
_CONTAINER_OF = regex.compile(
    rf"\b(?:{'|'.join(sorted(CONTAINERS))}|cop(?:y|ies)|loa(?:f|ves)|units?|pieces?)(?:e?s)?\s+of\b(?!\s+(?:\d+|two|three|four|six|eight|ten|twelve)\b)"
)


KINDS = frozenset(
    word
    for thing in THINGS - (MATERIALS - {"paper", "glass", "canvas"})
    for word in words(thing)[:1]
)
KNOWN = KINDS | QUALIFIERS | HYPERNYMS | frozenset(SYNONYMS) | frozenset(SYNONYMS.values())
"""Words that are no misspelling of another: a trowel is no towel."""


@dataclass(frozen=True)
class Query:
    """A request for a product, taken apart once."""

    needed: tuple[str, ...]
    """Words that a product must have."""
    words: frozenset[str]
    """All its words, those included that need not stand in a name."""
    head: str
    """The noun that says what kind of thing is wanted."""
    spec: frozenset[str]
    boxes: frozenset[str]
    """Loose containers behind the head ("toilet rolls")."""


@dataclass(frozen=True)
class Item:
    """A product's name and SKU, taken apart once."""

    name: tuple[str, ...]
    core: tuple[str, ...]
    """Words of the name before "for", "with" and the like."""
    sku: tuple[str, ...]
    head: str
    boxes: frozenset[str]
    """Loose containers that stood behind the head."""
    every: frozenset[str]
    joined: frozenset[str]


ASIDE = regex.compile(r"[\[({<]\s*(?:[^\s\])}>]+\s+){3,}[^\])}>]*[\])}>]?")
"""Bracketed remarks of more than three words: they describe no product."""
NAME_WORDS = 14
"""A longer name is a speech, not a name: it never answers a query in full."""


def match_score(query: str, name: str, sku: str) -> float:
    """How well a product answers a query, 0 to 1; from :data:`FULL` on it answers it in full."""
    wanted = read_query(query)
    return _score(wanted, read_item(name, sku)) if wanted.needed else 0.0


@lru_cache(maxsize=1024)
def read_query(text: str) -> Query:
    """Take a query apart into needed words and its head noun."""
    stripped = _CONTAINER_OF.sub(" ", plain_text(text))
    main, _ = _cut(stripped)
    front = [w for w in words(main) if w not in STOPWORDS]
    every = [w for w in words(stripped) if w not in STOPWORDS]
    needed = [w for w in every if w not in GENERIC] or every
    head, boxes = _head([w for w in front if w not in GENERIC] or front)
    return Query(
        needed=tuple(dict.fromkeys(needed)),
        words=frozenset((*every, *words(text))),
        head=head,
        spec=frozenset(w for w in needed if is_spec(w)),
        boxes=boxes,
    )


@lru_cache(maxsize=1024)
def read_item(name: str, sku: str) -> Item:
    """Take a product's name and SKU apart."""
    name = ASIDE.sub(" ", name)
    main, _ = _cut(plain_text(name))
    every = words(name)
    core = words(main) or every
    parts = words(regex.sub(r"[-_/.]", " ", sku))
    head, boxes = _head([w for w in core if w not in STOPWORDS])
    tokens = (*every, *parts)
    joined = frozenset(a + b for chain in (every, parts) for a, b in pairwise(chain))
    return Item(every, core, parts, head, boxes, frozenset(tokens), joined)


def _cut(folded: str) -> tuple[str, str]:
    """Text before and after the first preposition; "atlas of the world" is cut at "of" too."""
    preposition = _CUT.search(folded)
    main, rest = folded, ""
    if preposition:
        main, rest = folded[: preposition.start()], folded[preposition.end() :]
    of = _OF.search(main)
    if of and of.start() > 0 and not _CONTAINER_OF.search(main):
        behind = main[of.end() :]
        if not _NUMBER_NEXT.match(behind):
            return main[: of.start()], behind + rest
    return (main, rest) if main.strip() else (rest, "")


def _head(tokens: Sequence[str]) -> tuple[str, frozenset[str]]:
    """The last noun that says what a thing is, and the loose containers behind it."""
    end = len(tokens)
    while end > 1 and is_spec(tokens[end - 1]):
        end -= 1
    packed = end > 2 and tokens[end - 1] in PACKAGING and is_spec(tokens[end - 2])
    nouns = [t for t in tokens[: end - 1 if packed else end] if not is_spec(t)]
    boxes: set[str] = set()
    while len(nouns) > 1:
        if nouns[-1] in LOOSE_CONTAINERS:
            boxes.add(nouns[-1])
        elif nouns[-1] not in QUALIFIERS or nouns[-1] in KINDS:
            break
        nouns.pop()
    return (nouns[-1] if nouns else (tokens[-1] if tokens else "")), frozenset(boxes)


def _score(query: Query, item: Item) -> float:
    missing = [w for w in query.needed if w not in item.every and w not in item.joined]
    for word in missing:
        # What the query wrote as two words the product may write as one.
        if any(a + b in item.every for a, b in pairwise(query.needed) if word in (a, b)):
            continue
        if meant := _misspelt(word, item.every):
            respelt = replace(
                query,
                needed=tuple(meant if w == word else w for w in query.needed),
                words=query.words | {meant},
                head=meant if query.head == word else query.head,
            )
            return round(min(MISSPELT, _score(respelt, item)), 3)
        if _implied(query, item):
            return IMPLIED
        if _related(query, item):
            return RELATED
        present = len(query.needed) - len(missing)
        return 0.5 * round(present / len(query.needed), 3)
    if _other_variant(query, item) or len(item.name) > NAME_WORDS:
        return 0.5
    extra = sum(1 for w in dict.fromkeys(item.name) if w not in query.needed and w not in STOPWORDS)
    return round(max(0.0, _kind(query, item) - 0.005 * min(extra, 10)), 3)


def _implied(query: Query, item: Item) -> bool:
    """Whether only the kind is missing, which a full model name implies ("Dell XPS 15 laptop")."""
    rest = [w for w in query.needed if w in item.every or w in item.joined]
    if len(rest) < 2 or {*query.needed} - {*rest} != {query.head}:
        return False
    if query.spec and set(item.core) <= set(rest):
        return True
    other = item.head in KINDS and item.head not in query.words
    named = all(w in item.core or (is_spec(w) and w in item.name) for w in rest)
    return query.head in HYPERNYMS and named and not other and not _other_variant(query, item)


def _related(query: Query, item: Item) -> bool:
    """Whether the head is written into a longer word: a hacksaw may be a saw, or it may not."""
    longer = [w for w in item.core if len(w) >= len(query.head) + 3 and w.endswith(query.head)]
    others = all(w in item.every for w in query.needed if w != query.head)
    return len(query.head) >= 3 and bool(longer) and others and item.head in longer


def _misspelt(word: str, have: Iterable[str]) -> str:
    """The word that was meant, where ``word`` is none of the words that shops use."""
    if len(word) < SPELLING_LENGTH or is_spec(word) or word in KNOWN:
        return ""
    allowed = 1 if len(word) < 9 else 2
    for other in sorted(have):
        near = len(other) >= SPELLING_LENGTH and other[0] == word[0] and not is_spec(other)
        if near and DamerauLevenshtein.distance(word, other, score_cutoff=allowed) <= allowed:
            return other
    return ""


def _other_variant(query: Query, item: Item) -> bool:
    """Whether the name turns the asked model into another one ("15" into "15 Pro Max")."""
    return any(
        after in VARIANTS and after not in query.needed and before in query.spec
        for before, after in pairwise(item.name)
    )


def _kind(query: Query, item: Item) -> float:
    """Whether the product is the kind of thing asked for, 0.3 to 1."""
    if any(w in IMITATIONS and w not in query.words for w in item.name):
        return OTHER
    if query.head == item.head or (item.head in query.words and query.head in item.core):
        return 1.0
    if item.boxes & query.boxes:
        return 0.9
    if item.boxes and query.head in item.core[:-1] and item.head not in KINDS:
        return 0.85
    unasked = KINDS - query.words
    # What the asked noun is only for, or what it is made of, is another kind of thing.
    behind = item.core[item.core.index(query.head) + 1 :] if query.head in item.core else ()
    if item.head in unasked or not unasked.isdisjoint(behind):
        return OTHER
    if query.head not in item.core and query.head in item.name:
        return OTHER
    if query.head in item.sku:
        return 0.9 if unasked.isdisjoint(item.sku) else RELATED
    return 0.7
