"""Which part of a sentence orders goods: after "buy", "what I need is", or from the amount on."""

from __future__ import annotations

import regex

from playbooks.store.grammar.listing import ITEM_START
from playbooks.store.grammar.numbers import NUMBER
from playbooks.store.grammar.phrases import clean, is_meta

FLAGS = regex.IGNORECASE
_VERB = (
    r"(?:buy(?: up(?! to)| out)?|purchase|order|get|grab|pick up|take|find|fetch|acquire|procure|send|bring|stock up(?: on| with)?|ship|deliver|"
    r"choose|select|book|secure|snag|obtain|put|give|hand|supply|provide|restock|pick out|pick|source|clear out|add|place an order for|check ?out|buying|purchasing|ordering|getting)"
)
_IMPERATIVE = regex.compile(
    rf"(?:^|please,?\s+|kindly\s+|[,:;–-]\s*|\bto\s+|\bgo ahead and\s+|\byou\s+|\bjust\s+|\bthen\s+|\band\s+|\blet's\s+|\b(?:could|can|may) (?:i|we) (?:please )?(?:have\s+)?(?=have|get|order|buy)|\balso\s+|\bneed you to\s+|\bme\s+by\s+|\b(?:should|must|shall|ought to)\s+)(?:please\s+)?(?:go\s+)?{_VERB}\b(?:\s+(?:me|us|her|him|them|everyone|up(?! to)|in|of)\b(?!\s+\d))?\s*:?",
    FLAGS,
)
_NEED = regex.compile(
    r"(?:^|[,:;]\s*|\b(?:so|and|that)\s+|(?=\b(?:i|we)(?:\s|')))(?:(?:i|we|my \w+|our \w+(?: \w+)?|the \w+|(?:\w+ )?team|everyone)(?:'d| would|'ll| will| do| just| only| also| really| urgently| currently| now)*\s+)?"
    r"(?:need(?:s|ing)?|wants?|(?<=(?:i|we|'d|would|\w) )like(?: to (?:have|buy|order|get|purchase|take))?|love|requires?|(?<=(?:'ll|will) )(?:have|take)|wish for|(?:am|are|is|'m|'re|'s)\s+(?:taking(?! over| part| care)|buying|ordering|getting|purchasing|looking|searching|after|in (?:the )?(?:need|market))(?: to (?:buy|get|order|purchase))?(?: for| of)?|looking (?:for|to (?:buy|get|order|purchase))|in need of|would like|(?:would|'d) be (?:grateful|thankful|glad|happy) for|(?:would|'d) appreciate|could (?:use|do with)|wish to (?:buy|order|purchase|get))\b(?: to (?:have|buy|order|get|purchase|take))?(?:\s+(?:is|are)(?=\s))?\s*:?",
    FLAGS,
)
_QUANTITY_FIRST = regex.compile(
    rf"^(?:(?:exactly|just|only|at least|up to|no fewer than)\s+)?(?:{NUMBER}\s*[x×]?\s+\p{{L}}|qty\b|quantity\b|an?\s+(?:dozen|pair|couple|single|half)|half a dozen|all\s|every\s|(?:your |the )?(?:entire|whole) (?:stock|inventory|supply)\b|the (?:cheapest|most expensive|least expensive|lowest|priciest)|cheapest|most expensive|as many|one of|whatever)",
    FLAGS,
)
_NUMBER_LAST = regex.compile(r"^(?!\d)[^:]+(?::|,| [x×])\s*\d+$")
FINITE = regex.compile(
    r"\b(?:is|was|were|are|turns|adores|loves|has|had|got|will|been|makes|needs|says|said|likes|wants|(?:we|i|they)(?:'re|'m| are| am) \w+ing)\b",
    FLAGS,
)
ITEM_FIRST = regex.compile(
    rf"\s*(?:[:,]\s*)?(?:please\s+)?(?:{ITEM_START}|each\b|as many\b|everything\b|up to\b)", FLAGS
)
"""An amount right behind the verb: what is ordered begins here."""
_GOODS = regex.compile(r"\p{Lu}|\d|,|\band\b")
"""Signs that a stretch between two verbs may name goods."""


def order_part(sentence: str) -> str | None:
    """What a sentence orders, without its verb; None where it orders nothing."""
    first = _first_trigger(sentence)
    if not first and _NUMBER_LAST.match(sentence) and not FINITE.search(sentence):
        return sentence
    colon = sentence.find(": ")
    behind = clean(sentence[colon + 1 :]) if colon >= 0 else ""
    if (
        behind
        and _QUANTITY_FIRST.match(behind)
        and (not _QUANTITY_FIRST.match(clean(sentence[:colon])) or is_meta(sentence[:colon]))
        and not _about_set(sentence[:colon])
    ):
        return order_part(behind) or behind
    if regex.match(r"\d+\s?[x×]\s", sentence):
        return sentence
    if _QUANTITY_FIRST.match(clean(sentence)) and not (first and first.start() == 0):
        return (
            clean(sentence)
            if not FINITE.search(sentence) or regex.match(r"whatever|all|every", sentence, FLAGS)
            else (sentence[first.end() :] if first else None)
        )
    if first is None:
        return None
    rest = sentence[first.end() :]
    again = _IMPERATIVE.match(rest.strip())
    return rest.strip()[again.end() :] if again else rest


def _first_trigger(sentence: str) -> regex.Match[str] | None:
    """The words after which goods are named: the first ones, but "wants me to order 2 mugs" goes on."""
    found = [m for p in (_IMPERATIVE, _NEED) for m in p.finditer(sentence, overlapped=True)]
    found.sort(key=lambda m: m.start())
    for trigger in found:
        between = sentence[found[0].end() : trigger.start()]
        if ITEM_FIRST.match(sentence[trigger.end() :]) and not _GOODS.search(between):
            return trigger
    return found[0] if found else None


def _about_set(label: str) -> bool:
    return bool(
        regex.search(r"\b(?:set|kit|bundle|package|combo|trio|outfit|collection)\b", label, FLAGS)
    )
