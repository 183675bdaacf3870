"""Coupon codes in a task text, and whether they are demanded, offered, combined or forbidden."""

from __future__ import annotations

from typing import Literal

import regex

from workshop.rule_based.store.grammar.order import Order
from workshop.rule_based.store.grammar.patterns import Patterns, cut

PATTERNS = Patterns("coupons")
_BANS = Patterns("forbidden")


def take_coupons(text: str, order: Order) -> str:
    """Read coupon codes; the text with a comma in place of what was read."""
    found = order.codes
    text, every_banned, no_discount_no_order = _take_bans(text, order)
    text, buy_anyway, strict = _take_conditions(text, found.codes)
    strict = strict or no_discount_no_order
    spoken_of = PATTERNS["coupon_word"].search(text)
    sentences: list[str] = []
    while zone := _first_zone(text):
        found.codes += [code for code in zone.captures("code") if code not in found.codes]
        ends = [i for mark in ".!?\n" if (i := text.find(mark, zone.end())) >= 0]
        sentences.append(text[_sentence_start(text, zone) : min(ends, default=len(text))])
        text = cut(text, zone)
    if found.codes:
        found.mode = "try" if buy_anyway else _mode(found.codes, sentences, strict)
    elif spoken_of:
        order.unclear.append("a coupon whose code was not recognised")
    elif strict:
        order.unclear.append("a discount is demanded and no code was recognised")
    if no_discount_no_order and buy_anyway:
        order.unclear.append("whether to buy without a discount")
    if found.codes and every_banned:
        order.unclear.append("coupons are both forbidden and offered")
    found.codes = [code for code in found.codes if code not in found.forbidden]
    if not found.codes:
        found.mode = "none"
    return text


def _take_bans(text: str, order: Order) -> tuple[str, bool, bool]:
    """Read bans of coupons and "no discount, no order".

    Returns the rest of the text, whether every coupon is forbidden, and whether nothing is bought
    without a discount.
    """
    every = strict = False
    for pattern in _BANS.lists["strict"]:
        clause = pattern.search(text)
        if clause and not _BANS["code"].search(clause[0]):
            strict = True
            text = cut(text, clause)
    for pattern in _BANS.lists["forbidden"]:
        position = 0
        while clause := pattern.search(text, position):
            position = clause.end()
            if _BANS["condition"].search(text[_sentence_start(text, clause) : position]):
                continue
            if _BANS["contrast"].search(_BANS["avoid_first"].sub("", clause[0])):
                shown = clause[0].strip()[:80]
                order.unclear.append(f"which coupons are not wanted: {shown!r}")
                continue
            codes = _BANS["code"].findall(clause[0])
            order.codes.forbidden += codes
            others = _BANS["others"].search(clause[0]) and not codes
            every = every or bool(_BANS["general"].search(clause[0]) and not others)
            text = cut(text, clause)
            position = 0
    return text, every, strict


def _take_conditions(text: str, codes: list[str]) -> tuple[str, bool, bool]:
    """Read what is to be done where a code works or not.

    Returns the rest of the text, whether to buy without a discount, and whether not to.
    """
    buy_anyway = strict = False
    conditional = PATTERNS["if_code"].search(text)
    if conditional and not PATTERNS["no_buying"].search(conditional[0]):
        codes.extend(dict.fromkeys(conditional.captures("code")))
        buy_anyway = True
        text = cut(text, conditional)
    if PATTERNS["condition"].search(text):
        for name in ("anyway", "otherwise", "strict_else"):
            clause = PATTERNS[name].search(text)
            if (
                clause
                and PATTERNS["about_codes"].search(clause[0])
                and not PATTERNS["code"].search(clause[0])
            ):
                buy_anyway = buy_anyway or name != "strict_else"
                strict = strict or name == "strict_else"
                text = cut(text, clause)
    return text, buy_anyway, strict


def _first_zone(text: str) -> regex.Match[str] | None:
    """The first stretch about codes: it says so, or its codes look like codes."""
    if not PATTERNS["code"].search(text):
        return None
    for pattern in PATTERNS.lists["zones"]:
        for zone in pattern.finditer(text):
            named = PATTERNS["key"].search(zone[0])
            if (
                (named and not PATTERNS["discount_last"].fullmatch(zone[0]))
                or PATTERNS["verb_first"].match(zone[0])
                or all(PATTERNS["like_a_code"].match(code) for code in zone.captures("code"))
            ):
                return zone
    return None


def _sentence_start(text: str, match: regex.Match[str]) -> int:
    return max(text.rfind(mark, 0, match.start()) for mark in ".!?;\n") + 1


def _mode(codes: list[str], sentences: list[str], strict: bool) -> Literal["try", "any", "all"]:
    text = PATTERNS["aside"].sub(" ", " . ".join(sentences))
    several = len(codes) > 1
    listed = any(
        PATTERNS["key_first"].match(one) or PATTERNS["key_and_colon"].search(one)
        for one in sentences
    )
    choice = PATTERNS["choice"].search(text) or PATTERNS["or"].search(text)
    if several and not choice and PATTERNS["together"].search(text):
        return "all"
    if strict:
        return "any"
    if PATTERNS["offer"].search(text) or (listed and several):
        return "try"
    return "all" if several and not choice else "any"
