"""Coupons that a text forbids, and purchases that it makes depend on a discount."""

from __future__ import annotations

from dataclasses import dataclass, field

import regex

from workshop.rule_based.store.grammar.patterns import Patterns
from workshop.rule_based.store.grammar.phrases import cut

PATTERNS = Patterns("forbidden")


@dataclass
class Ban:
    """What was read of bans and conditions, and the text without it."""

    rest: str
    codes: list[str] = field(default_factory=list)
    """Codes that must not be used."""
    every: bool = False
    """Whether no coupon at all may be used."""
    strict: bool = False
    """Whether nothing is to be bought without a discount."""
    unclear: list[str] = field(default_factory=list)


def take_ban(text: str) -> Ban:
    """Read bans of coupons and "no discount, no order"; what was read is replaced by a comma."""
    ban = Ban(text)
    for pattern in PATTERNS.each("strict"):
        found = pattern.search(ban.rest)
        if found and not PATTERNS["code"].search(found[0]):
            ban.strict = True
            ban.rest = cut(ban.rest, found)
    for pattern in PATTERNS.each("forbidden"):
        position = 0
        while found := pattern.search(ban.rest, position):
            position = found.end()
            if PATTERNS["condition"].search(_sentence_of(ban.rest, found)):
                continue
            said = PATTERNS["avoid_first"].sub("", found[0])
            if PATTERNS["contrast"].search(said):
                ban.unclear.append(f"which coupons are not wanted: {found[0].strip()[:80]!r}")
                continue
            codes = PATTERNS["code"].findall(found[0])
            ban.codes += codes
            others = PATTERNS["others"].search(found[0]) and not codes
            ban.every = ban.every or bool(PATTERNS["general"].search(found[0]) and not others)
            ban.rest = cut(ban.rest, found)
            position = 0
    return ban


def _sentence_of(text: str, found: regex.Match[str]) -> str:
    begin = max(text.rfind(mark, 0, found.start()) for mark in ".!?;\n") + 1
    return text[begin : found.end()]
