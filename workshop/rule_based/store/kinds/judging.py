"""Which of the products that were found answer a phrase: the tools go by wording, this by kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from operator import itemgetter

from store_tools.combo_products import FOUND_AT_MOST
from store_tools.words import STOPWORDS, units_of, words
from workshop.rule_based.store.facts import Facts, Product, QueryResult
from workshop.rule_based.store.kinds.kind_score import FULL, read_query
from workshop.rule_based.store.kinds.lexicon import GOODS, SYNONYMS, WRITTEN
from workshop.rule_based.store.kinds.lexicon import words as shop_words
from workshop.rule_based.store.kinds.shop_names import rank

NEAR_AT_MOST = 4
_ALIKE: defaultdict[str, list[str]] = defaultdict(list)
for _word, _one in SYNONYMS.items():
    _ALIKE[_one].append(_word)


@lru_cache(maxsize=1024)
def wording(phrase: str) -> str:
    """The query that finds all that may answer a phrase: with the synonyms of its words."""
    needed = read_query(phrase).needed
    written = [
        "|".join(
            dict.fromkeys(
                way.replace(" ", "-") for way in (word, *WRITTEN.get(word, ()), *_ALIKE[word])
            )
        )
        for word in needed
    ]
    # As it is said where that comes to the same: people and models read it.
    as_said = set(written) == set(words(phrase)) - STOPWORDS
    return phrase if as_said or not needed else " ".join(written)


def judged(phrases: Iterable[str], facts: Facts) -> Facts:
    """Facts in which each phrase has the products that answer it, out of all that was seen."""
    listed = (p for one in facts.by_query.values() for p in (*one.matches, *one.near))
    seen = {p.sku: p for p in listed} | {p.sku: p for p in facts.catalog}
    if not seen:
        return facts
    shop = tuple(seen.values())
    by_query = {}
    for phrase in phrases:
        products = _answers(phrase, shop)
        matches = tuple(p for p in products if p.score >= FULL)
        near = tuple(products[len(matches) :][:NEAR_AT_MOST])
        cut = len(facts.found(wording(phrase)).matches) >= FOUND_AT_MOST
        by_query[phrase] = QueryResult(matches=matches, near=near, cut=cut)
    return facts.model_copy(update={"by_query": by_query})


@lru_cache(maxsize=8)
def _answers(phrase: str, shop: tuple[Product, ...]) -> list[Product]:
    """The products that answer a phrase at all, best first.

    Every later turn of a task asks for the same again.
    """
    asked = frozenset(shop_words(phrase))
    scored = sorted(zip(rank(phrase, shop), shop, strict=True), key=itemgetter(0), reverse=True)
    return [
        p.model_copy(update={"score": score, "units": units_of(p.name, p.sku, asked, GOODS)})
        for score, p in scored
        if score > 0
    ]
