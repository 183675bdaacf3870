"""What no rule has read: talk that may be passed over, and doubts that forbid to buy."""

from __future__ import annotations

from collections.abc import Sequence

from workshop.rule_based.store.grammar.numbers import to_int
from workshop.rule_based.store.grammar.order import Line
from workshop.rule_based.store.grammar.patterns import Patterns
from workshop.rule_based.store.grammar.phrases import clean
from workshop.rule_based.store.kinds.lexicon import COLOURS, words

PATTERNS = Patterns("leftovers")


def doubt_in(sentence: str, lines: Sequence[Line]) -> str:
    """Why a sentence that orders nothing may matter all the same; empty where it is mere talk."""
    if leftover := PATTERNS["loose_code"].search(sentence):
        return f"{leftover[0]!r}, which may be a code"
    shown = repr(sentence[:80])
    named = {w for line in lines for phrase in line.phrases() for w in words(phrase) if len(w) > 3}
    touches = bool(PATTERNS["trade"].search(sentence)) or any(
        w in named or w in COLOURS for w in words(sentence)
    )
    if (
        PATTERNS["courtesy"].search(sentence)
        and not touches
        and not PATTERNS["odd_number"].search(sentence)
    ):
        return ""
    if PATTERNS["condition"].search(PATTERNS["harmless_if"].sub(" ", sentence)) or PATTERNS[
        "danger"
    ].search(sentence):
        return f"the condition {shown}"
    if PATTERNS["negation"].search(PATTERNS["harmless_not"].sub(" ", sentence)) and touches:
        return f"what is not wanted: {shown}"
    if PATTERNS["odd_number"].search(sentence):
        return f"a number: {shown}"
    return ""


def doubt_before(ignored: str) -> str:
    """Why the beginning of an order sentence, before its verb, may matter."""
    if any(
        w in COLOURS for mention in PATTERNS["in_what"].findall(ignored) for w in words(mention)
    ):
        return f"the colour in {ignored[:80]!r}"
    return ""


def doubt_about_amount(part: str) -> str:
    """Why what is ordered may not be as many as was read."""
    return f"how many: {part.strip()[:80]!r}" if PATTERNS["odd_amount"].match(clean(part)) else ""


def doubts_of(lines: Sequence[Line], fewer: Sequence[str]) -> list[str]:
    """Doubts about what was read as goods, and about clauses that allow to send fewer."""
    doubts = [f"the item {line.phrase!r}" for line in lines if _strange(line)]
    asked = {line.quantity for line in lines}
    for clause in fewer:
        numbers = [to_int(n) for n in PATTERNS["number"].findall(clause)]
        if any(n > 1 and n not in asked for n in numbers):
            doubts.append(f"a number: {clause.strip()[:80]!r}")
    return doubts


def _strange(line: Line) -> bool:
    only_colours = all(w in COLOURS for w in words(line.phrase)) and line.phrase != "*"
    return (
        bool(PATTERNS["strange"].search(line.phrase))
        or any(PATTERNS["pronoun"].search(phrase) for phrase in line.exclude)
        or only_colours
        or (line.amount == "all" and line.pick != "any")
    )


def loose_codes(text: str, known: Sequence[str], lines: Sequence[Line]) -> list[str]:
    """Codes in the text that are in no part of the order."""
    named = " ".join(p for line in lines for p in line.phrases()).casefold()
    loose = [match for match in PATTERNS["loose_code"].findall(text) if match not in known]
    for match in PATTERNS["code_inside"].finditer(text):
        if len(match["code"]) > 3 and match["code"].isupper() and match["code"].isalpha():
            loose += [match["code"]] if match["code"] not in known else []
    return [f"{c!r}, which may be a code" for c in loose if c.casefold() not in named]
