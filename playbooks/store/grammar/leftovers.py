"""What no rule has read: talk that may be passed over, and doubts that forbid to buy."""

from __future__ import annotations

from collections.abc import Sequence

import regex

from playbooks.store.grammar.coupons import CODE, LOOSE_CODE
from playbooks.store.grammar.numbers import NUMBER, to_int
from playbooks.store.grammar.order import Line
from playbooks.store.grammar.phrases import clean
from playbooks.store.kinds.lexicon import COLOURS
from playbooks.store.kinds.vocabulary import words

FLAGS = regex.IGNORECASE
_COURTESY = regex.compile(
    r"\b(?:forgive|excuse|pardon|sorry|apolog\w+|bear with me|no worries|never mind|(?:let|tell|call|ring|write|email|mail|message|ask|contact|reach) (?:me|us)|"
    r"(?:don't|do not) hesitate|hope)\b",
    FLAGS,
)
_CONDITION = regex.compile(r"\b(?:if|unless|in case|otherwise)\b", FLAGS)
_HARMLESS_IF = regex.compile(
    r"\bif (?:possible|available|you (?:can|like|want|please|have)|in stock|it helps|needed|necessary|that (?:helps|works)|any|so|it works|they (?:help|work|fit)|it (?:lowers|saves|makes|fits|applies|gives|brings))\b",
    FLAGS,
)
_DANGER = regex.compile(
    r"\b(?:unless|instead|rather than|provided|only if|depending|compare|except|cancel|refund|return|remove|delete|put back|undo|reduce|replace|swap|exchange|double|(?:must|should|ought to|ha(?:s|ve) to|needs? to) (?:all |both |each )?be(?=\s+\w)|make sure|ensure|(?<!one )only(?! one))\b",
    FLAGS,
)
_TRADE = regex.compile(
    r"\b(?:buy|bought|purchase|order|stock|price|pay|cost|coupons?|vouchers?|codes?|discounts?|basket|cart|check ?out|total|budget|cheap\w*|expensive|brands?|items?|"
    r"products?|ones?|any|anything|none|colou?rs?|sizes?|models?|made|makers?|pieces?|packs?|units?)\b",
    FLAGS,
)
_NEGATION = regex.compile(r"\b(?:no|not|none|never|nothing|without|neither|nor)\b|n't\b", FLAGS)
_HARMLESS_NOT = regex.compile(
    r"\b(?:no (?:need|hurry|rush|problem|worries|matter|idea|doubt|time|reply|call|hard feelings)|not (?:urgent|in a hurry|a problem|sure how)|nothing but|never mind)\b|"
    r"(?:\bnot|n't)\s+(?:matter|care|mind)\b|\b(?:never|not|n't|no) (?:mix|mixing)\b|"
    r"(?:\b(?:no|not|nothing|never|without)|n't)\b(?:\s+\w+){0,3}?\s+(?:else|extras?|additions?|additional|further|more|substitut\w+|(?:other|another) (?:products?|items?|articles?|things?|goods))\b",
    FLAGS,
)
_IN_WHAT = regex.compile(r"\b(?:in|colou?r)\b:?\s+(\p{L}+)", FLAGS)
_ODD_NUMBER = regex.compile(
    r"(?<![\w.,/:#-])\d+(?![\w/:]|[.,-]\d)(?!\s*(?:st|nd|rd|th|am|pm|years?|days?|weeks?|months?|hours?|minutes?|o'clock|people|persons?|guests?|kids?|children|%))",
    FLAGS,
)
_STRANGE = regex.compile(
    r"(?:^|\s)(?:not|no|none|never|except|unless|if|instead|otherwise|should|must|provided|but|than|same number|as many|"
    r"half of|only (?:for|if|when|as|on|from)|coupons?|vouchers?|whichever|them|my|our|we|they|asked|wants?)(?=\s|$|,)"
)
_PRONOUN = regex.compile(r"\b(?:them|those|these|that|which|it|is|are|they|you|we|i)\b")
_ODD_AMOUNT = regex.compile(
    rf"(?:(?:\d+\s*-\s*\d+|{NUMBER}\s+(?:to|or)\s+{NUMBER})\s+\p{{L}}{{3}}|between\s+{NUMBER}\s+and\b|"
    r"(?:all|every\w*)\s+but\b|half of\b)",
    FLAGS,
)
"""Amounts that no line can say."""


def doubt_in(sentence: str, lines: Sequence[Line]) -> str:
    """Why a sentence that orders nothing may matter all the same; empty where it is mere talk."""
    if leftover := LOOSE_CODE.search(sentence):
        return f"{leftover[0]!r}, which may be a code"
    shown = repr(sentence[:80])
    named = {w for line in lines for phrase in line.phrases() for w in words(phrase) if len(w) > 3}
    touches = bool(_TRADE.search(sentence)) or any(
        w in named or w in COLOURS for w in words(sentence)
    )
    if _COURTESY.search(sentence) and not touches and not _ODD_NUMBER.search(sentence):
        return ""
    if _CONDITION.search(_HARMLESS_IF.sub(" ", sentence)) or _DANGER.search(sentence):
        return f"the condition {shown}"
    if _NEGATION.search(_HARMLESS_NOT.sub(" ", sentence)) and touches:
        return f"what is not wanted: {shown}"
    if _ODD_NUMBER.search(sentence):
        return f"a number: {shown}"
    return ""


def doubt_before(ignored: str) -> str:
    """Why the beginning of an order sentence, before its verb, may matter."""
    if any(w in COLOURS for found in _IN_WHAT.findall(ignored) for w in words(found)):
        return f"the colour in {ignored[:80]!r}"
    return ""


def doubt_about_amount(part: str) -> str:
    """Why what is ordered may not be as many as was read."""
    return f"how many: {part.strip()[:80]!r}" if _ODD_AMOUNT.match(clean(part)) else ""


def doubts_of(lines: Sequence[Line], fewer: Sequence[str]) -> list[str]:
    """Doubts about what was read as goods, and about clauses that allow to send fewer."""
    found = [f"the wish {line.phrase!r}" for line in lines if _strange(line)]
    asked = {line.quantity for line in lines}
    for clause in fewer:
        numbers = [to_int(n) for n in regex.findall(rf"\b{NUMBER}\b", clause, FLAGS)]
        if any(n > 1 and n not in asked for n in numbers):
            found.append(f"a number: {clause.strip()[:80]!r}")
    return found


def _strange(line: Line) -> bool:
    only_colours = all(w in COLOURS for w in words(line.phrase)) and line.phrase != "*"
    return (
        bool(_STRANGE.search(line.phrase))
        or any(_PRONOUN.search(phrase) for phrase in line.exclude)
        or only_colours
        or (line.amount == "all" and line.pick != "any")
    )


def loose_codes(text: str, known: Sequence[str], lines: Sequence[Line]) -> list[str]:
    """Codes in the text that are in no part of the order."""
    named = " ".join(p for line in lines for p in line.phrases()).casefold()
    loose = [found for found in LOOSE_CODE.findall(text) if found not in known]
    for found in regex.finditer(rf"(?<!^)(?<![.!?] ){CODE}", text):
        if len(found["code"]) > 3 and found["code"].isupper() and found["code"].isalpha():
            loose += [found["code"]] if found["code"] not in known else []
    return [f"{c!r}, which may be a code" for c in loose if c.casefold() not in named]
