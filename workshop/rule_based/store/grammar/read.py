"""From a task text to an order: clauses are taken out one kind after the other."""

from __future__ import annotations

from functools import lru_cache

import regex

from store_tools.words import is_spec
from workshop.rule_based.store.grammar.coupons import take_coupons
from workshop.rule_based.store.grammar.goals import take_goals
from workshop.rule_based.store.grammar.items import read_lines
from workshop.rule_based.store.grammar.leftovers import (
    doubt_about_amount,
    doubt_before,
    doubt_in,
    doubts_of,
    loose_codes,
)
from workshop.rule_based.store.grammar.money import take_money
from workshop.rule_based.store.grammar.numbers import hide_points, show_points, to_int
from workshop.rule_based.store.grammar.order import Codes, Line, Order
from workshop.rule_based.store.grammar.patterns import Patterns
from workshop.rule_based.store.grammar.phrases import clean, is_meta
from workshop.rule_based.store.kinds.lexicon import COLOURS, QUALIFIERS, words

PATTERNS = Patterns("read")


@lru_cache(maxsize=256)
def read_order(text: str) -> Order:
    """Understand a task text; what may matter and was not understood is in ``unclear``."""
    text = _tidy(text)
    talk = take_coupons(text)
    money = take_money(talk.rest)
    goals = take_goals(hide_points(PATTERNS["harmless_clause"].sub(" , ", money.rest)))
    lines, unclear = _read_sentences(show_points(goals.rest))
    if goals.fallback:
        unclear += _set_fallback(lines, show_points(goals.fallback), goals.fallback_if)
    unclear += doubts_of(lines, goals.fewer)
    unclear += loose_codes(text, [*talk.codes, *talk.forbidden], lines)
    return Order(
        lines=tuple(lines),
        codes=Codes(
            codes=tuple(talk.codes),
            mode=talk.mode,  # type: ignore[arg-type]
            forbidden=tuple(talk.forbidden),
            off_dollars=money.off_dollars,
            off_percent=money.off_percent,
        ),
        budget=money.budget,
        goal=goals.goal,  # type: ignore[arg-type]
        fewer_ok=goals.fewer_ok,
        fillers=goals.fillers,
        no_purchase=goals.no_purchase,
        unclear=tuple(dict.fromkeys([*talk.unclear, *money.unclear, *goals.unclear, *unclear])),
    )


def _tidy(text: str) -> str:
    text = PATTERNS["wordy_money"].sub(lambda m: str(to_int(m["n"])) + m["unit"], text)
    text = (
        text.replace("’", "'")
        .replace("“", '"')
        .replace("”", '"')
        .replace("—", " - ")
        .replace("–", "-")
    )
    text = PATTERNS["dash"].sub(" , ", PATTERNS["dash_before_list"].sub(" : ", text))
    return PATTERNS["blanks"].sub(" ", text).strip()


def _read_sentences(text: str) -> tuple[list[Line], list[str]]:
    lines: list[Line] = []
    unclear: list[str] = []
    asked: list[Line] = []
    for sentence in PATTERNS["sentence"].split(PATTERNS["last_commas"].sub("", text)):
        sentence = sentence.strip(" .!?,;")
        if not sentence or (
            is_meta(sentence) and not (asked and PATTERNS["back_reference"].search(sentence))
        ):
            continue
        question = PATTERNS["question"].match(sentence)
        if question:
            asked = read_lines(question["what"])
            continue
        part = order_part(sentence)
        if part is None:
            if doubt := doubt_in(sentence, lines):
                unclear.append(doubt)
            continue
        if doubt := doubt_before(sentence.partition(part)[0] if part in sentence else ""):
            unclear.append(doubt)
        if doubt := doubt_about_amount(part):
            unclear.append(doubt)
        new = _lines_of(part, asked or lines)
        if not new and (doubt := doubt_in(sentence, lines)):
            unclear.append(doubt)
        lines.extend(new)
    if not lines and not unclear:
        lines = _nominal(text)
    return lines, unclear


def _nominal(text: str) -> list[Line]:
    """Lines of a text without any verb ("Camping trio (stove, gas and pot) with coupon X")."""
    for sentence in PATTERNS["sentence"].split(text):
        orders_nothing = (
            PATTERNS["talk_first"].match(sentence) or is_told(sentence) or is_meta(sentence)
        )
        if not orders_nothing:
            return read_lines(sentence.strip(" .!?,;"))
    return []


def _lines_of(part: str, before: list[Line]) -> list[Line]:
    """Lines of an order sentence; one that only points back gives its quantity to the line before."""
    back = PATTERNS["back_reference"].match(clean(part) or part)
    if back and before:
        number = to_int(back["n"]) if PATTERNS["number"].fullmatch(back["n"]) else 1
        return [before[-1].model_copy(update={"amount": "exact", "quantity": number})]
    after = PATTERNS["afterthought"].search(part)
    if after:
        lines = read_lines(part[: after.start()])
        if lines and PATTERNS["number"].fullmatch(after["what"]):
            lines[-1] = lines[-1].model_copy(
                update={"amount": "exact", "quantity": to_int(after["what"])}
            )
        return lines
    return read_lines(part)


def _set_fallback(lines: list[Line], text: str, condition: str) -> list[str]:
    """Give the line that a condition speaks of its substitute; what is doubtful about it."""
    condition_words = set(words(condition))
    about = [n for n, line in enumerate(lines) if condition_words & set(words(line.phrase))]
    at = about[0] if len(about) == 1 else 0
    if not lines or (len(lines) > 1 and len(about) != 1):
        return [f"what {text!r} is to be a substitute for"]
    substitutes = read_lines(text)
    number_only = PATTERNS["number_only"].fullmatch(text)
    if (
        number_only
        or len(substitutes) > 1
        or (substitutes and substitutes[0].amount not in ("exact", "open"))
    ):
        return [f"the substitute {text!r}"]
    phrase = _whole_phrase(lines[at].phrase, substitutes[0].phrase if substitutes else clean(text))
    number = substitutes[0].quantity if substitutes and substitutes[0].amount == "exact" else 0
    lines[at] = lines[at].model_copy(update={"fallback": phrase, "fallback_quantity": number})
    return []


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


def order_part(sentence: str) -> str | None:
    """What a sentence orders, without its verb; None where it orders nothing."""
    first = _first_trigger(sentence)
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
    triggers = [
        m
        for p in (PATTERNS["imperative"], PATTERNS["need"])
        for m in p.finditer(sentence, overlapped=True)
    ]
    triggers.sort(key=lambda m: m.start())
    for trigger in triggers:
        between = sentence[triggers[0].end() : trigger.start()]
        if PATTERNS["item_first"].match(sentence[trigger.end() :]) and not PATTERNS["goods"].search(
            between
        ):
            return trigger
    return triggers[0] if triggers else None


def is_told(sentence: str) -> bool:
    """Whether a sentence says what is or was, and so orders nothing by itself."""
    return bool(PATTERNS["finite"].search(sentence))
