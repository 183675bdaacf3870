"""From a task text to an order: clauses are taken out one kind after the other."""

from __future__ import annotations

from functools import lru_cache

import regex

from playbooks.store.grammar.coupons import take_coupons
from playbooks.store.grammar.items import read_lines
from playbooks.store.grammar.leftovers import (
    doubt_about_amount,
    doubt_before,
    doubt_in,
    doubts_of,
    loose_codes,
)
from playbooks.store.grammar.money import take_money
from playbooks.store.grammar.numbers import NUMBER, hide_points, show_points, to_int
from playbooks.store.grammar.order import Codes, Line, Order
from playbooks.store.grammar.phrases import clean, is_meta
from playbooks.store.grammar.triggers import FINITE, order_part
from playbooks.store.grammar.wishes import take_wishes
from playbooks.store.kinds.lexicon import COLOURS, QUALIFIERS
from playbooks.store.kinds.vocabulary import words
from store_tools.words import is_spec

FLAGS = regex.IGNORECASE
_AFTERTHOUGHT = regex.compile(
    rf"[,;]?\s*(?:and|then)\s+(?:then\s+)?(?:buy|order|get|purchase|take|grab|pick)\s+(?:me |us )?(?P<what>it|that|that one|them|this|{NUMBER})(?:\s+(?:of (?:those|them|these|it)|for (?:me|us)))?(?:\s*,?\s*\(?(?:just |only )?(?:one|1|a single)(?: (?:unit|piece|pc|copy))?\)?)?\s*$",
    FLAGS,
)
_WORDY_MONEY = regex.compile(rf"\b(?P<n>(?!\d){NUMBER})(?P<unit>\s+(?:dollars|bucks)\b)", FLAGS)
_WORDY_SIZE = regex.compile(rf"\bsize (?P<n>(?!\d){NUMBER})\b", FLAGS)
_HARMLESS_CLAUSE = regex.compile(
    r"\bif (?:several|two|some|more than one)\b[^.!?;]*\b(?:same|tie|equal)\b[^.!?;]*|(?:and know that )?only one goes through|\b(?:order|buy) only if the (?:coupon|code|discount|voucher) \w+|\bonly if (?:it|they|that) (?:gives?|helps?|saves?|works?|applies)[^.!?;]*|(?:\bi know )?\bonly one (?:\w+ )?(?:can|may) be used\b|\b(?:buy|order) (?:it |them )?only if (?:it|that|the (?:code|coupon|discount)) (?:does|works|is|applies)\b",
    FLAGS,
)
_DASH = regex.compile(r"\s-\s")
_DASH_BEFORE_LIST = regex.compile(r"\s-\s(?=[^-.!?]*\b(?:and|,)\b[^-.!?]*\s-\s)")
_BLANKS = regex.compile(r"[ \t]+")
_LAST_COMMAS = regex.compile(r"(?:\s*,)+\s*(?=[.!?;,]|$)")
_SENTENCE = regex.compile(
    r"(?<!(?<!\d\s?)\b(?:no|nr|approx|incl|e\.g|i\.e|vs|st|dr|mr|mrs|ca|max|min)\.)(?<=[.!?])\s+|[!?\n]+|"
    rf";(?!\s*(?:and\s+)?(?:{NUMBER}\b|an?\s|one\s))",
    FLAGS,
)
_TALK_FIRST = regex.compile(r"\s*(?:i|we|you|he|she|it|they|there|my|hi|hello|hey|dear)\b", FLAGS)
_BACK_REFERENCE = regex.compile(
    rf"(?:^|\s)(?P<n>{NUMBER}|it|them|that one)(?:\s+of (?:those|them|these))?\s*$", FLAGS
)
_QUESTION = regex.compile(
    r"^\s*(?:what(?:'s| is| are)|which(?: is| are)?|do you (?:have|sell|carry|stock))\s+(?P<what>.+)$",
    FLAGS,
)
_ATTRIBUTE = regex.compile(
    r"^(?:(?:the )?(?:colou?r|size|model|material|version|finish|flavou?r)\s*(?::|=|is|should be|must be)?|"
    r"(?:it|they|these|all|the (?:one|ones|\w+)) (?:must|should|ha(?:s|ve) to|needs? to) (?:all |both |each )?be(?: in)?)\s+"
    r"(?P<what>[\w\s\"-]+)$",
    FLAGS,
)


@lru_cache(maxsize=256)
def read_order(text: str) -> Order:
    """Understand a task text; what may matter and was not understood is in ``unclear``."""
    text = _tidy(text)
    talk = take_coupons(text)
    money = take_money(talk.rest)
    wishes = take_wishes(hide_points(_HARMLESS_CLAUSE.sub(" , ", money.rest)))
    lines, unclear = _read_sentences(show_points(wishes.rest))
    if wishes.fallback:
        unclear += _set_fallback(lines, show_points(wishes.fallback), wishes.fallback_if)
    unclear += doubts_of(lines, wishes.fewer)
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
        floor=money.floor,
        goal=wishes.goal,  # type: ignore[arg-type]
        fewer_ok=wishes.fewer_ok,
        fillers=wishes.fillers,
        no_purchase=wishes.no_purchase,
        unclear=tuple(dict.fromkeys([*talk.unclear, *money.unclear, *wishes.unclear, *unclear])),
    )


def _tidy(text: str) -> str:
    text = _WORDY_SIZE.sub(lambda m: f"size {to_int(m['n'])}", text)
    text = _WORDY_MONEY.sub(lambda m: str(to_int(m["n"])) + m["unit"], text)
    text = (
        text.replace("’", "'")
        .replace("“", '"')
        .replace("”", '"')
        .replace("—", " - ")
        .replace("–", "-")
    )
    text = _DASH.sub(" , ", _DASH_BEFORE_LIST.sub(" : ", text))
    return _BLANKS.sub(" ", text).strip()


def _read_sentences(text: str) -> tuple[list[Line], list[str]]:
    lines: list[Line] = []
    unclear: list[str] = []
    asked: list[Line] = []
    for sentence in _SENTENCE.split(_LAST_COMMAS.sub("", text)):
        sentence = sentence.strip(" .!?,;")
        if not sentence or (is_meta(sentence) and not (asked and _BACK_REFERENCE.search(sentence))):
            continue
        question = _QUESTION.match(sentence)
        if question:
            asked = read_lines(question["what"])
            continue
        part = order_part(sentence)
        if part is None:
            attribute = _ATTRIBUTE.match(sentence)
            if attribute and lines:
                phrase = f"{lines[-1].phrase} {attribute['what']}"
                lines[-1] = lines[-1].model_copy(update={"phrase": phrase, "pieces": ()})
            elif doubt := doubt_in(sentence, lines):
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
    for sentence in _SENTENCE.split(text):
        told = _TALK_FIRST.match(sentence) or FINITE.search(sentence) or is_meta(sentence)
        if not told:
            return read_lines(sentence.strip(" .!?,;"))
    return []


def _lines_of(part: str, before: list[Line]) -> list[Line]:
    """Lines of an order sentence; one that only points back gives its quantity to the line before."""
    back = _BACK_REFERENCE.match(clean(part) or part)
    if back and before:
        number = to_int(back["n"]) if regex.fullmatch(NUMBER, back["n"], FLAGS) else 1
        return [before[-1].model_copy(update={"amount": "exact", "quantity": number})]
    after = _AFTERTHOUGHT.search(part)
    if after:
        lines = read_lines(part[: after.start()])
        if lines and regex.fullmatch(NUMBER, after["what"], FLAGS):
            lines[-1] = lines[-1].model_copy(
                update={"amount": "exact", "quantity": to_int(after["what"])}
            )
        return lines
    return read_lines(part)


def _set_fallback(lines: list[Line], text: str, condition: str) -> list[str]:
    """Give the line that a condition speaks of its substitute; what is doubtful about it."""
    said = set(words(condition))
    about = [n for n, line in enumerate(lines) if said & set(words(line.phrase))]
    at = about[0] if len(about) == 1 else 0
    if not lines or (len(lines) > 1 and len(about) != 1):
        return [f"what {text!r} is to be a substitute for"]
    found = read_lines(regex.sub(r"\bones?\b(?=\s*$)", "", text, flags=FLAGS))
    number_only = regex.fullmatch(
        rf"(?:only |just )?(?:{NUMBER}|half|some|those|them)(?: of (?:them|those|it))?", text, FLAGS
    )
    if number_only or len(found) > 1 or (found and found[0].amount not in ("exact", "open")):
        return [f"the substitute {text!r}"]
    phrase = _whole_phrase(lines[at].phrase, found[0].phrase if found else clean(text))
    number = found[0].quantity if found and found[0].amount == "exact" else 0
    lines[at] = lines[at].model_copy(update={"fallback": phrase, "fallback_quantity": number})
    return []


def _whole_phrase(first: str, phrase: str) -> str:
    """The substitute's whole phrase: "the blue one" keeps what the first choice said of the thing."""
    told = words(phrase)
    if not told or not all(w in QUALIFIERS or is_spec(w) for w in told):
        return phrase
    colour = any(w in COLOURS for w in told)
    kept = [
        token
        for token in first.split()
        if not all(w in COLOURS if colour else is_spec(w) for w in words(token) or ("x",))
    ]
    return " ".join([*kept, phrase])
