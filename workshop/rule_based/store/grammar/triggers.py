"""Which part of a sentence orders goods: after "buy", "what I need is", or from the amount on."""

from __future__ import annotations

import regex

from workshop.rule_based.store.grammar.patterns import Patterns
from workshop.rule_based.store.grammar.phrases import clean, is_meta

PATTERNS = Patterns("triggers")


def order_part(sentence: str) -> str | None:
    """What a sentence orders, without its verb; None where it orders nothing."""
    first = _first_trigger(sentence)
    if not first and PATTERNS["number_last"].match(sentence) and not is_told(sentence):
        return sentence
    colon = sentence.find(": ")
    behind = clean(sentence[colon + 1 :]) if colon >= 0 else ""
    if (
        behind
        and PATTERNS["quantity_first"].match(behind)
        and (
            not PATTERNS["quantity_first"].match(clean(sentence[:colon]))
            or is_meta(sentence[:colon])
        )
        and not PATTERNS["about_set"].search(sentence[:colon])
    ):
        return order_part(behind) or behind
    if PATTERNS["times_first"].match(sentence):
        return sentence
    if PATTERNS["quantity_first"].match(clean(sentence)) and not (first and first.start() == 0):
        return (
            clean(sentence)
            if not is_told(sentence) or PATTERNS["all_first"].match(sentence)
            else (sentence[first.end() :] if first else None)
        )
    if first is None:
        return None
    rest = sentence[first.end() :]
    again = PATTERNS["imperative"].match(rest.strip())
    return rest.strip()[again.end() :] if again else rest


def _first_trigger(sentence: str) -> regex.Match[str] | None:
    """The words after which goods are named: the first ones, but "wants me to order 2 mugs" goes on."""
    found = [
        m
        for p in (PATTERNS["imperative"], PATTERNS["need"])
        for m in p.finditer(sentence, overlapped=True)
    ]
    found.sort(key=lambda m: m.start())
    for trigger in found:
        between = sentence[found[0].end() : trigger.start()]
        if PATTERNS["item_first"].match(sentence[trigger.end() :]) and not PATTERNS["goods"].search(
            between
        ):
            return trigger
    return found[0] if found else None


def is_told(sentence: str) -> bool:
    """Whether a sentence says what is or was, and so orders nothing by itself."""
    return bool(PATTERNS["finite"].search(sentence))
