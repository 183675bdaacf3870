"""From a task text to an order: clauses are taken out one kind after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import regex

from store_tools.words import is_spec
from workshop.rule_based.store.grammar.coupons import take_coupons
from workshop.rule_based.store.grammar.items import read_lines
from workshop.rule_based.store.grammar.order import Line, Order
from workshop.rule_based.store.grammar.patterns import Patterns, clean, is_meta, to_int
from workshop.rule_based.store.grammar.terms import (
    take_fallback,
    take_fillers,
    take_goals,
    take_money,
)
from workshop.rule_based.store.kinds.lexicon import COLOURS, QUALIFIERS, words

PATTERNS = Patterns("read")
LEFTOVERS = Patterns("leftovers")
_POINT = "\N{ONE DOT LEADER}"
"""Stands for the decimal point while sentences are cut at full stops."""
_DECIMAL = regex.compile(
    r"(?<![$€£]\s?[\d,]*)(?<=\d)\.(?=\d)(?!\d+\s?(?:dollars|bucks|usd|eur|\$))"
)
"""A decimal point, but for those of money."""


def read_order(text: str) -> Order:
    """Understand a task text; what may matter and was not understood is in ``unclear``."""
    text = _tidy(text)
    order = Order()
    rest = take_coupons(text, order)
    rest = take_money(rest, order)
    rest = _DECIMAL.sub(_POINT, PATTERNS["harmless_clause"].sub(" , ", rest))
    rest = take_fillers(rest, order)
    rest, substitute, condition = take_fallback(rest)
    rest, fewer = take_goals(rest, order)
    _read_sentences(rest.replace(_POINT, "."), order)
    if substitute:
        _set_fallback(substitute.replace(_POINT, "."), condition, order)
    order.unclear += [f"the item {line.phrase!r}" for line in order.lines if _strange(line)]
    asked = {line.quantity for line in order.lines}
    for clause in fewer:
        numbers = [to_int(n) for n in LEFTOVERS["number"].findall(clause)]
        if any(n > 1 and n not in asked for n in numbers):
            order.unclear.append(f"a number: {clause.strip()[:80]!r}")
    order.unclear += _loose_codes(text, order)
    order.unclear = list(dict.fromkeys(order.unclear))
    return order


def _tidy(text: str) -> str:
    text = PATTERNS["wordy_money"].sub(lambda m: str(to_int(m["n"])) + m["unit"], text)
    for fancy, sign in (("’", "'"), ("“", '"'), ("”", '"'), ("—", " - "), ("–", "-")):
        text = text.replace(fancy, sign)
    text = PATTERNS["dash"].sub(" , ", PATTERNS["dash_before_list"].sub(" : ", text))
    return PATTERNS["blanks"].sub(" ", text).strip()


def _read_sentences(text: str, order: Order) -> None:
    lines, known_doubts = order.lines, len(order.unclear)
    asked: list[Line] = []
    for sentence in PATTERNS["sentence"].split(PATTERNS["last_commas"].sub("", text)):
        sentence = sentence.strip(" .!?,;")
        if not sentence or (
            is_meta(sentence) and not (asked and PATTERNS["back_reference"].search(sentence))
        ):
            continue
        if question := PATTERNS["question"].match(sentence):
            asked = read_lines(question["what"])
            continue
        part = order_part(sentence)
        new: list[Line] = []
        if part is not None:
            before, verb, _ = sentence.partition(part) if part else ("", "", "")
            mentions = LEFTOVERS["in_what"].findall(before) if verb else []
            if any(w in COLOURS for mention in mentions for w in words(mention)):
                order.unclear.append(f"the colour in {before[:80]!r}")
            if LEFTOVERS["odd_amount"].match(clean(part)):
                order.unclear.append(f"how many: {part.strip()[:80]!r}")
            new = _lines_of(part, asked or lines)
        if not new and (doubt := _doubt_in(sentence, lines)):
            order.unclear.append(doubt)
        lines += new
    if not lines and len(order.unclear) == known_doubts:
        lines += _nominal(text)


def _nominal(text: str) -> list[Line]:
    """Lines of a text without any verb ("Camping trio (stove, gas and pot) with coupon X")."""
    for sentence in PATTERNS["sentence"].split(text):
        orders_nothing = (
            PATTERNS["talk_first"].match(sentence)
            or PATTERNS["finite"].search(sentence)
            or is_meta(sentence)
        )
        if not orders_nothing:
            return read_lines(sentence.strip(" .!?,;"))
    return []


def _lines_of(part: str, before: Sequence[Line]) -> list[Line]:
    """Lines of an order sentence; one that only points back gives its quantity to the line before."""
    back = PATTERNS["back_reference"].match(clean(part) or part)
    if back and before:
        return [replace(before[-1], amount="exact", quantity=to_int(back["n"]))]
    after = PATTERNS["afterthought"].search(part)
    if not after:
        return read_lines(part)
    lines = read_lines(part[: after.start()])
    if lines and PATTERNS["number"].fullmatch(after["what"]):
        lines[-1].amount, lines[-1].quantity = "exact", to_int(after["what"])
    return lines


def order_part(sentence: str) -> str | None:
    """What a sentence orders, without its verb; None where it orders nothing."""
    first = _first_trigger(sentence)
    colon = sentence.find(": ")
    behind = clean(sentence[colon + 1 :]) if colon >= 0 else ""
    if behind and PATTERNS["quantity_first"].match(behind):
        label = sentence[:colon]
        if (not PATTERNS["quantity_first"].match(clean(label)) or is_meta(label)) and not PATTERNS[
            "about_set"
        ].search(label):
            return order_part(behind) or behind
    if PATTERNS["times_first"].match(sentence):
        return sentence
    if PATTERNS["quantity_first"].match(clean(sentence)) and not (first and first.start() == 0):
        told = PATTERNS["finite"].search(sentence)  # what is or was orders nothing by itself
        if not told or PATTERNS["all_first"].match(sentence):
            return clean(sentence)
        return sentence[first.end() :] if first else None
    if first is None:
        return None
    rest = sentence[first.end() :]
    again = PATTERNS["imperative"].match(rest.strip())
    return rest.strip()[again.end() :] if again else rest


def _first_trigger(sentence: str) -> regex.Match[str] | None:
    """The words after which goods are named: the first ones, but "wants me to order 2 mugs" goes on."""
    triggers = [
        match
        for name in ("imperative", "need")
        for match in PATTERNS[name].finditer(sentence, overlapped=True)
    ]
    triggers.sort(key=lambda match: match.start())
    for trigger in triggers:
        between = sentence[triggers[0].end() : trigger.start()]
        goods_follow = PATTERNS["item_first"].match(sentence[trigger.end() :])
        if goods_follow and not PATTERNS["goods"].search(between):
            return trigger
    return triggers[0] if triggers else None


def _set_fallback(text: str, condition: str, order: Order) -> None:
    """Give the line that a condition speaks of its substitute."""
    condition_words = set(words(condition))
    about = [line for line in order.lines if condition_words & set(words(line.phrase))]
    if len(order.lines) != 1 and len(about) != 1:
        order.unclear.append(f"what {text!r} is to be a substitute for")
        return
    line = about[0] if about else order.lines[0]
    substitutes = read_lines(text)
    if (
        PATTERNS["number_only"].fullmatch(text)
        or len(substitutes) > 1
        or any(one.amount not in ("exact", "open") for one in substitutes)
    ):
        order.unclear.append(f"the substitute {text!r}")
        return
    if not substitutes:
        line.fallback = _whole_phrase(line.phrase, clean(text))
        return
    line.fallback = _whole_phrase(line.phrase, substitutes[0].phrase)
    if substitutes[0].amount == "exact":
        line.fallback_quantity = substitutes[0].quantity


def _whole_phrase(first: str, phrase: str) -> str:
    """The substitute's whole phrase: "the blue one" keeps what the first choice said of the thing."""
    phrase_words = words(phrase)
    if not phrase_words or not all(w in QUALIFIERS or is_spec(w) for w in phrase_words):
        return phrase
    colour = any(w in COLOURS for w in phrase_words)
    tokens = [
        token
        for token in first.split()
        if not all(w in COLOURS if colour else is_spec(w) for w in words(token) or ("x",))
    ]
    return " ".join([*tokens, phrase])


def _doubt_in(sentence: str, lines: Sequence[Line]) -> str:
    """Why a sentence that orders nothing may matter all the same; empty where it is mere talk."""
    if leftover := LEFTOVERS["loose_code"].search(sentence):
        return f"{leftover[0]!r}, which may be a code"
    shown = repr(sentence[:80])
    named = {w for line in lines for phrase in line.phrases() for w in words(phrase) if len(w) > 3}
    touches = LEFTOVERS["trade"].search(sentence) or any(
        w in named or w in COLOURS for w in words(sentence)
    )
    odd_number = LEFTOVERS["odd_number"].search(sentence)
    if LEFTOVERS["courtesy"].search(sentence) and not touches and not odd_number:
        return ""
    conditions = LEFTOVERS["harmless_if"].sub(" ", sentence)
    if LEFTOVERS["condition"].search(conditions) or LEFTOVERS["danger"].search(sentence):
        return f"the condition {shown}"
    negations = LEFTOVERS["harmless_not"].sub(" ", sentence)
    if touches and LEFTOVERS["negation"].search(negations):
        return f"what is not wanted: {shown}"
    return f"a number: {shown}" if odd_number else ""


def _strange(line: Line) -> bool:
    """Whether what was read as goods may be something else."""
    only_colours = all(w in COLOURS for w in words(line.phrase)) and line.phrase != "*"
    return (
        only_colours
        or (line.amount == "all" and line.pick != "any")
        or LEFTOVERS["strange"].search(line.phrase) is not None
        or any(LEFTOVERS["pronoun"].search(phrase) for phrase in line.exclude)
    )


def _loose_codes(text: str, order: Order) -> list[str]:
    """Codes in the text that are in no part of the order."""
    known = (*order.codes.codes, *order.codes.forbidden)
    named = " ".join(p for line in order.lines for p in line.phrases()).casefold()
    codes = LEFTOVERS["loose_code"].findall(text)
    inside = [match["code"] for match in LEFTOVERS["code_inside"].finditer(text)]
    codes += [code for code in inside if len(code) > 3 and code.isupper() and code.isalpha()]
    return [
        f"{code!r}, which may be a code"
        for code in codes
        if code not in known and code.casefold() not in named
    ]
