"""Where one item of a list ends and the next begins; numbers in a product's name start none."""

from __future__ import annotations

import regex

from playbooks.store.grammar.amounts import MEASURED, PACKAGES
from playbooks.store.grammar.numbers import NUMBER, to_int
from playbooks.store.grammar.phrases import clean
from store_tools.words import singular

FLAGS = regex.IGNORECASE
_COUNTED = rf"(?:\d+\s*[x×]\s+(?!\d)|\d+\s?[x×](?=\p{{L}}{{2}})|{NUMBER}\s+(?:pieces?|units?|copies|copy|items?|pcs)\s+of\s)"
"""A start that says outright that it counts: "3x", "two pieces of"."""
ITEM_START = (
    rf"(?:(?:exactly|just|only|another)\s+)?(?:{NUMBER}\b{MEASURED}|\d+\s*[x×]\s|an?\s|one\b|all\b|"
    r"every\b|another\b|some\b|half a dozen|the (?:cheapest|most|least|lowest|priciest|second)|the\s|your\s|"
    r"cheapest|qty\b)"
)
_SEPARATOR = regex.compile(
    r"\s*(?P<by>,\s*(?:and|plus|as well as)?|;|\band\b|\bplus\b|&|\+|\balong with\b|\btogether with\b|"
    r"\bas well as\b|\bwith\b(?=\s+\p{L}+\s+(?-i:\p{Lu}))|\band also\b|\bin addition to\b)\s*(?:also\s+|then\s+|and\s+)?"
    rf"(?={ITEM_START})",
    FLAGS,
)
_DIMENSION = regex.compile(r"\d+\s*[x×]\s*\d+[^,;]{0,4}(?:[,;)]|\s+and\b|$)", FLAGS)
_NAMED_NUMBER = regex.compile(rf"(?=\p{{Lu}}\p{{Ll}})(?i:{NUMBER})\b")
_NUMBER_FIRST = regex.compile(rf"(?P<n>{NUMBER})\s+(?P<what>[^,;()]*)", FLAGS)
_BARE_PACKAGE = regex.compile(rf"{NUMBER}\s+{PACKAGES}\s*(?:[,;)]|$)", FLAGS)
_MOST = regex.compile(r"\bas many\b[^;]*?\bas\b", FLAGS)
_SAME_PLURAL = frozenset(["sheep", "fish", "deer", "aircraft", "dice", "salmon", "trout"])


def split_items(text: str) -> list[str]:
    """The items of a list, each with its amount; one item where nothing says otherwise."""
    counted = bool(regex.match(_COUNTED, clean(text), FLAGS))
    by_semicolon = any(found["by"] == ";" for found in _SEPARATOR.finditer(text))
    parts: list[str] = []
    begin = 0
    most = _MOST.search(text)
    for found in _SEPARATOR.finditer(text):
        if most and most.start() < found.start() < most.end():
            continue
        comma = found["by"].strip() == ","
        rest = text[found.end() :]
        if comma and (counted or by_semicolon) and not regex.match(_COUNTED, rest, FLAGS):
            continue
        if text[: found.start()].casefold().endswith("hundred") or _in_name(rest, comma):
            continue
        parts.append(text[begin : found.start()])
        begin = found.end()
    return [*parts, text[begin:]]


def _in_name(rest: str, comma: bool) -> bool:
    """Whether a number tells a property ("4 outlet", "50 x 100", "Three Lights"), not how many."""
    if _DIMENSION.match(rest) or _BARE_PACKAGE.match(rest):
        return True
    if comma and _NAMED_NUMBER.match(rest):
        return True
    if regex.match(rf"{_COUNTED}|\d+\s*[x×]\s", rest, FLAGS):
        return False
    found = _NUMBER_FIRST.match(rest)
    if not found or to_int(found["n"]) < 2:
        return False
    told = regex.split(r"\band\b|\bor\b|\bfor\b|\bwith\b|\bof\b", found["what"])[0].split()
    if told and all(len(word) < 3 for word in told):
        return True
    if not told or any(word[:1].isupper() for word in told):
        return False
    return not any(_plural(word) for word in told)


def _plural(word: str) -> bool:
    low = word.casefold().strip(".!?'\"")
    return low in _SAME_PLURAL or (low.endswith("s") and singular(low) != low)
