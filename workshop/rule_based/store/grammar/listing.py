"""Where one item of a list ends and the next begins; numbers in a product's name start none."""

from __future__ import annotations

from store_tools.words import singular
from workshop.rule_based.store.grammar.numbers import to_int
from workshop.rule_based.store.grammar.patterns import Patterns
from workshop.rule_based.store.grammar.phrases import clean

PATTERNS = Patterns("listing")
_SAME_PLURAL = frozenset(["sheep", "fish", "deer", "aircraft", "dice", "salmon", "trout"])


def split_items(text: str) -> list[str]:
    """The items of a list, each with its amount; one item where nothing says otherwise."""
    counted = bool(PATTERNS["counted"].match(clean(text)))
    by_semicolon = any(found["by"] == ";" for found in PATTERNS["separator"].finditer(text))
    parts: list[str] = []
    begin = 0
    most = PATTERNS["most"].search(text)
    for found in PATTERNS["separator"].finditer(text):
        if most and most.start() < found.start() < most.end():
            continue
        comma = found["by"].strip() == ","
        rest = text[found.end() :]
        if comma and (counted or by_semicolon) and not PATTERNS["counted"].match(rest):
            continue
        if text[: found.start()].casefold().endswith("hundred") or _in_name(rest, comma):
            continue
        parts.append(text[begin : found.start()])
        begin = found.end()
    return [*parts, text[begin:]]


def _in_name(rest: str, comma: bool) -> bool:
    """Whether a number tells a property ("4 outlet", "50 x 100", "Three Lights"), not how many."""
    if PATTERNS["dimension"].match(rest) or PATTERNS["bare_package"].match(rest):
        return True
    if comma and PATTERNS["named_number"].match(rest):
        return True
    if PATTERNS["counts"].match(rest):
        return False
    found = PATTERNS["number_first"].match(rest)
    if not found or to_int(found["n"]) < 2:
        return False
    told = PATTERNS["joint"].split(found["what"])[0].split()
    if told and all(len(word) < 3 for word in told):
        return True
    if not told or any(word[:1].isupper() for word in told):
        return False
    return not any(_plural(word) for word in told)


def _plural(word: str) -> bool:
    low = word.casefold().strip(".!?'\"")
    return low in _SAME_PLURAL or (low.endswith("s") and singular(low) != low)
