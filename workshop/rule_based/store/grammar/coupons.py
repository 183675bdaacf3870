"""Coupon codes in a task text, and whether they are demanded, offered, combined or forbidden."""

from __future__ import annotations

from dataclasses import dataclass, field

import regex

from workshop.rule_based.store.grammar.patterns import Patterns
from workshop.rule_based.store.grammar.phrases import cut

PATTERNS = Patterns("coupons")
_BANS = Patterns("forbidden")


@dataclass
class CouponTalk:
    """Codes that a text names, how they are meant, and the text without them."""

    rest: str
    codes: list[str] = field(default_factory=list)
    mode: str = "none"
    buy_anyway: bool = False
    forbidden: list[str] = field(default_factory=list)
    """Codes that must not be used."""
    unclear: list[str] = field(default_factory=list)


def take_coupons(text: str) -> CouponTalk:
    """Read coupon codes; what was read is replaced by a comma."""
    talk = CouponTalk(text)
    every_banned, no_discount_no_order = _take_bans(talk)
    strict = _take_conditions(talk) or no_discount_no_order
    if strict:
        talk.mode = "any"
    spoken_of = bool(PATTERNS["coupon_word"].search(talk.rest))
    talk.mode = _mode(talk, *_take_zones(talk))
    if spoken_of and not talk.codes:
        talk.unclear.append("a coupon whose code was not recognised")
    elif strict and not talk.codes:
        talk.unclear.append("a discount is demanded and no code was recognised")
    if no_discount_no_order and talk.buy_anyway:
        talk.unclear.append("whether to buy without a discount")
    if talk.codes and every_banned:
        talk.unclear.append("coupons are both forbidden and offered")
    talk.codes = [code for code in talk.codes if code not in talk.forbidden]
    if not talk.codes:
        talk.mode = "none"
    return talk


def _take_conditions(talk: CouponTalk) -> bool:
    """Read what is to be done where a code works or not; whether nothing is bought without one."""
    conditional = PATTERNS["if_code"].search(talk.rest)
    if conditional and not PATTERNS["no_buying"].search(conditional[0]):
        talk.codes.extend(dict.fromkeys(conditional.captures("code")))
        talk.buy_anyway = True
        talk.rest = cut(talk.rest, conditional)
    strict = False
    if not PATTERNS["condition"].search(talk.rest):
        return strict
    for pattern, anyway in (
        (PATTERNS["anyway"], True),
        (PATTERNS["otherwise"], True),
        (PATTERNS["strict_else"], False),
    ):
        clause = pattern.search(talk.rest)
        if (
            clause
            and PATTERNS["about_codes"].search(clause[0])
            and not PATTERNS["code"].search(clause[0])
        ):
            talk.buy_anyway = talk.buy_anyway or anyway
            strict = strict or not anyway
            talk.rest = cut(talk.rest, clause)
    return strict


def _take_zones(talk: CouponTalk) -> tuple[str, bool]:
    """Read the codes; the sentences they stand in, and whether they stand in a list."""
    sentences: list[str] = []
    listed = False
    while zone := _first_zone(talk.rest):
        new = [c for c in zone.captures("code") if c not in talk.codes]
        talk.codes.extend(new)
        sentence = _sentence_around(talk.rest, zone)
        sentences.append(sentence)
        listed = (
            listed
            or bool(PATTERNS["key_first"].match(sentence))
            or bool(PATTERNS["key_and_colon"].search(sentence))
        )
        talk.rest = cut(talk.rest, zone)
    return " . ".join(sentences), listed


def _first_zone(text: str) -> regex.Match[str] | None:
    if not PATTERNS["code"].search(text):
        return None
    for pattern in PATTERNS.each("zones"):
        for zone in pattern.finditer(text):
            if _plausible(zone):
                return zone
    return None


def _plausible(zone: regex.Match[str]) -> bool:
    """Whether a zone is about codes: it says so, or its codes look like codes."""
    if PATTERNS["key"].search(zone[0]) and not PATTERNS["discount_last"].fullmatch(zone[0]):
        return True
    if PATTERNS["verb_first"].match(zone[0]):
        return True
    return all(PATTERNS["like_a_code"].match(code) for code in zone.captures("code"))


def _sentence_around(text: str, match: regex.Match[str]) -> str:
    begin = _sentence_start(text, match)
    ends = [i for mark in ".!?\n" if (i := text.find(mark, match.end())) >= 0]
    return text[begin : min(ends) if ends else len(text)]


def _sentence_start(text: str, match: regex.Match[str]) -> int:
    return max(text.rfind(mark, 0, match.start()) for mark in ".!?;\n") + 1


def _mode(talk: CouponTalk, sentences: str, listed: bool) -> str:
    if not talk.codes:
        return "none"
    sentences = PATTERNS["aside"].sub(" ", sentences)
    if talk.buy_anyway:
        return "try"
    offered = bool(PATTERNS["offer"].search(sentences)) or (listed and len(talk.codes) > 1)
    choice = bool(PATTERNS["choice"].search(sentences) or PATTERNS["or"].search(sentences))
    if len(talk.codes) > 1 and PATTERNS["together"].search(sentences) and not choice:
        return "all"
    if talk.mode == "any":
        return "any"
    if offered:
        return "try"
    if choice:
        return "any"
    if len(talk.codes) > 1:
        return "all"
    return "any"


def _take_bans(talk: CouponTalk) -> tuple[bool, bool]:
    """Read bans of coupons and "no discount, no order".

    Returns whether every coupon is forbidden, and whether nothing is bought without a discount.
    """
    every = strict = False
    for pattern in _BANS.each("strict"):
        clause = pattern.search(talk.rest)
        if clause and not _BANS["code"].search(clause[0]):
            strict = True
            talk.rest = cut(talk.rest, clause)
    for pattern in _BANS.each("forbidden"):
        position = 0
        while clause := pattern.search(talk.rest, position):
            position = clause.end()
            if _BANS["condition"].search(talk.rest[_sentence_start(talk.rest, clause) : position]):
                continue
            if _BANS["contrast"].search(_BANS["avoid_first"].sub("", clause[0])):
                shown = clause[0].strip()[:80]
                talk.unclear.append(f"which coupons are not wanted: {shown!r}")
                continue
            codes = _BANS["code"].findall(clause[0])
            talk.forbidden += codes
            others = _BANS["others"].search(clause[0]) and not codes
            every = every or bool(_BANS["general"].search(clause[0]) and not others)
            talk.rest = cut(talk.rest, clause)
            position = 0
    return every, strict
