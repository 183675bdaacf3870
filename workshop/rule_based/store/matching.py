"""Which product a phrase means: every asked attribute must fit, near misses do not count."""

from __future__ import annotations

import regex

from store_tools.words import singular
from workshop.rule_based.store.facts import Facts, Product, QueryResult
from workshop.rule_based.store.grammar import Line, Order
from workshop.rule_based.store.kinds.judging import wording
from workshop.rule_based.store.kinds.kind_score import RELATED, SURE, read_item, read_query
from workshop.rule_based.store.kinds.lexicon import NATURAL_PAIRS, words

PLAUSIBLE = 0.35
"""A product of doubtful kind must cost at least this part of what the sure ones cost."""


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


def settle_lines(order: Order, facts: Facts) -> tuple[Line, ...]:
    """Lines whose phrase was cut at "and" because only its parts are products."""
    settled: list[Line] = []
    for line in order.lines:
        if (
            line.phrase == "*"
            or _matches(line.phrase, facts)
            or not line.pieces
            or any(_matches(option, facts) for option in line.options)
        ):
            settled.append(line)
        elif all(_matches(piece, facts) for piece in line.pieces):
            if _describes(line.pieces, facts):
                raise Unresolved(f"the shop does not sell {line.phrase!r}")
            if line.amount == "exact" and line.quantity > 1:
                raise Unresolved(f"it is not clear to which of {line.phrase!r} the number belongs")
            settled += [line.model_copy(update={"phrase": p, "pieces": ()}) for p in line.pieces]
        else:
            settled.append(line)
    return tuple(settled)


def _describes(pieces: tuple[str, ...], facts: Facts) -> bool:
    """Whether the later pieces only say more of the first: "tea caddy 100 g, lacquer"."""
    head = read_query(pieces[0]).head
    return any(all(head in words(p.name) for p in _matches(piece, facts)) for piece in pieces[1:])


def candidates(line: Line, facts: Facts) -> list[Product]:
    """Products that answer a line, exclusions taken out, in the order of fit.

    Raises:
        Unresolved: the shop does not sell it.
    """
    if line.phrase == "*":
        return list(facts.catalog)
    products = list(_matches(line.phrase, facts))
    if not products:
        for option in line.options:
            products += [p for p in _matches(option, facts) if p not in products]
    products = [p for p in products if not any(_has(p, words_out) for words_out in line.exclude)]
    if not products:
        near = facts.by_query.get(line.phrase, QueryResult()).near
        hint = f" (near: {', '.join(p.name for p in near[:3])})" if near else ""
        raise Unresolved(f"the shop does not sell {line.phrase!r}{hint}")
    return _of_a_kind(products)


def _of_a_kind(products: list[Product]) -> list[Product]:
    """Products without those that are surely or probably an accessory of the others.

    Where the name leaves the kind open, the price tells: a slipmat costs a fraction of a turntable.
    """
    sure = sorted(p.price for p in products if p.score >= SURE)
    if not sure:
        return products
    usual = sure[len(sure) // 2]
    return [p for p in products if p.score >= SURE or p.price >= PLAUSIBLE * usual]


def refuse_doubts(order: Order, line: Line, facts: Facts) -> None:
    """See that the products found are all there are, where another one would change the answer.

    Raises:
        Doubt: a product in stock may be of the kind or not (a hacksaw, where saws are
            wanted), or more were found than are told.
    """
    compared = line.amount == "all" or line.pick != "any" or order.goal != "none"
    if not line.each and (line.counts_packs or not compared):
        return
    if facts.by_query.get(line.phrase, QueryResult()).cut:
        raise Doubt(f"the shop has too many {line.phrase!r} to compare")
    near = facts.by_query.get(line.phrase, QueryResult()).near
    doubtful = [p for p in near if p.score == RELATED and p.available > 0]
    if doubtful:
        raise Doubt(f"it is unclear whether {doubtful[0].name!r} is one of {line.phrase!r}")


def best_fit(line: Line, products: list[Product]) -> list[Product]:
    """The products named exactly or nearly; else those whose name alone answers; else all."""
    same = [p for p in products if _letters(p.name) == _letters(line.phrase)]
    if same:
        return same
    asked = set(read_query(line.phrase).needed)
    exact = [p for p in products if _bare(p) <= asked]
    by_name = [p for p in products if asked <= set(words(p.name))]
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


def _matches(phrase: str, facts: Facts) -> tuple[Product, ...]:
    return facts.by_query.get(phrase, QueryResult()).matches


def _has(product: Product, phrase: str) -> bool:
    have = read_item(product.name, product.sku).every
    return all(w in have for w in read_query(phrase).needed)


def _letters(text: str) -> list[str]:
    return regex.findall(r"[\p{L}\p{N}]+", text.casefold())


def _bare(product: Product) -> set[str]:
    """A name's words without its pack size."""
    return {w for w in words(product.name) if not regex.fullmatch(r"\d+pk", w)} - {
        "for",
        "with",
        "in",
        "of",
        "and",
        "the",
        "a",
    }
