"""Which product a phrase means: every asked attribute must fit, near misses do not count."""

from __future__ import annotations

from dataclasses import replace

import regex

from store_tools.words import singular
from workshop.rule_based.store.facts import Facts, Product
from workshop.rule_based.store.grammar.order import Line, Order
from workshop.rule_based.store.kinds.judging import wording
from workshop.rule_based.store.kinds.kind_score import RELATED, SURE, read_item, read_query
from workshop.rule_based.store.kinds.lexicon import NATURAL_PAIRS, words

PLAUSIBLE = 0.35
"""A product of doubtful kind must cost at least this part of what the sure ones cost."""
_LETTERS = regex.compile(r"[\p{L}\p{N}]+")
_SMALL = frozenset("for with in of and the a".split())


class Unresolved(Exception):
    """A line cannot be tied to products; the text says why."""


class Doubt(Unresolved):
    """It may be tied to these products or to others: nothing else is bought in their place."""


def phrases(order: Order) -> list[str]:
    """Every phrase whose products must be known."""
    named = [p for line in order.lines for p in line.phrases() if p != "*"]
    return list(dict.fromkeys([*named, *(order.fillers or ())]))


def queries(order: Order) -> list[str]:
    """What is looked up for them: the tools go by wording, so each with its synonyms."""
    return list(dict.fromkeys(map(wording, phrases(order))))


def settle_lines(order: Order, facts: Facts) -> list[Line]:
    """Lines whose phrase was cut at "and" because only its parts are products."""
    settled: list[Line] = []
    for line in order.lines:
        whole = (line.phrase, *line.options)
        if (
            line.phrase == "*"
            or any(facts.found(phrase).matches for phrase in whole)
            or not line.pieces
            or not all(facts.found(piece).matches for piece in line.pieces)
        ):
            settled.append(line)
            continue
        # The later pieces may only say more of the first: "tea caddy 100 g, lacquer".
        head = read_query(line.pieces[0]).head
        for piece in line.pieces[1:]:
            if all(head in words(p.name) for p in facts.found(piece).matches):
                raise Unresolved(f"the shop does not sell {line.phrase!r}")
        if line.amount == "exact" and line.quantity > 1:
            raise Unresolved(f"it is not clear to which of {line.phrase!r} the number belongs")
        settled += [replace(line, phrase=piece, pieces=()) for piece in line.pieces]
    return settled


def candidates(line: Line, facts: Facts) -> list[Product]:
    """Products that answer a line, exclusions taken out, in the order of fit.

    Raises:
        Unresolved: the shop does not sell it.
    """
    if line.phrase == "*":
        return list(facts.catalog)
    products = list(facts.found(line.phrase).matches)
    if not products:
        for option in line.options:
            products += [p for p in facts.found(option).matches if p not in products]
    for phrase in line.exclude:
        out = set(read_query(phrase).needed)
        products = [p for p in products if not out <= read_item(p.name, p.sku).every]
    if not products:
        near = facts.found(line.phrase).near
        hint = f" (near: {', '.join(p.name for p in near[:3])})" if near else ""
        raise Unresolved(f"the shop does not sell {line.phrase!r}{hint}")
    sure = sorted(p.price for p in products if p.score >= SURE)
    if not sure:
        return products
    # Where a name leaves the kind open, the price tells: a slipmat costs a fraction of a turntable.
    least = PLAUSIBLE * sure[len(sure) // 2]
    return [p for p in products if p.score >= SURE or p.price >= least]


def refuse_doubts(order: Order, line: Line, facts: Facts) -> None:
    """See that the products found are all there are, where another one would change the answer.

    Raises:
        Doubt: a product in stock may be of the kind or not (a hacksaw, where saws are
            wanted), or more were found than are told.
    """
    compared = line.amount == "all" or line.pick != "any" or order.goal != "none"
    if not line.each and (line.counts_packs or not compared):
        return
    found = facts.found(line.phrase)
    if found.cut:
        raise Doubt(f"the shop has too many {line.phrase!r} to compare")
    doubtful = [p for p in found.near if p.score == RELATED and p.available > 0]
    if doubtful:
        raise Doubt(f"it is unclear whether {doubtful[0].name!r} is one of {line.phrase!r}")


def best_fit(line: Line, products: list[Product]) -> list[Product]:
    """The products named exactly or nearly; else those whose name alone answers; else all."""
    named = _LETTERS.findall(line.phrase.casefold())
    if same := [p for p in products if _LETTERS.findall(p.name.casefold()) == named]:
        return same
    asked = set(read_query(line.phrase).needed)
    names = [set(words(p.name)) for p in products]
    exact = [
        p
        for p, name in zip(products, names, strict=True)
        if all(w in asked or w in _SMALL or regex.fullmatch(r"\d+pk", w) for w in name)
    ]
    by_name = [p for p, name in zip(products, names, strict=True) if asked <= name]
    return exact or by_name or products


def is_open_plural(line: Line, products: list[Product]) -> bool:
    """Whether a line asks for several without saying how many ("buy sodas")."""
    if line.amount != "open" or line.pick != "any":
        return False
    tokens = regex.findall(r"\p{L}+", line.phrase.casefold())
    head = read_query(line.phrase).head
    plural = [t for t in tokens if singular(t) != t and (singular(t) == head or head in words(t))]
    if not plural or plural[-1] in NATURAL_PAIRS:
        return False
    return not all(plural[-1] in p.name.casefold() for p in products)
