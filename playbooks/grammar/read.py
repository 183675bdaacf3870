"""From a task text to an order: clauses are taken out one kind after the other."""

from __future__ import annotations

import regex

from playbooks.grammar.coupons import LOOSE_CODE, take_coupons
from playbooks.grammar.items import read_lines
from playbooks.grammar.money import take_money
from playbooks.grammar.numbers import NUMBER, to_int
from playbooks.grammar.order import Codes, Line, Order
from playbooks.grammar.phrases import clean, is_meta
from playbooks.grammar.wishes import take_wishes
from store_tools.lexicon import COLOURS, QUALIFIERS
from store_tools.words import is_spec, words

FLAGS = regex.IGNORECASE
_VERB = (
    r"(?:buy(?: up(?! to)| out)?|purchase|order|get|grab|pick up|take|find|fetch|acquire|procure|send|bring|stock up(?: on| with)?|ship|deliver|"
    r"choose|select|book|secure|snag|obtain|put|give|hand|supply|provide|restock|pick out|pick|source|clear out|add|place an order for|check ?out|buying|purchasing|ordering|getting)"
)
_IMPERATIVE = regex.compile(
    rf"(?:^|please,?\s+|kindly\s+|[,:;–-]\s*|\bto\s+|\bgo ahead and\s+|\byou\s+|\bjust\s+|\bthen\s+|\band\s+|\blet's\s+|\b(?:could|can|may) (?:i|we) (?:please )?(?:have\s+)?(?=have|get|order|buy)|\balso\s+|\bneed you to\s+|\bme\s+by\s+)(?:please\s+)?(?:go\s+)?{_VERB}\b(?:\s+(?:me|us|her|him|them|everyone|up(?! to)|in|of)\b(?!\s+\d))?\s*:?",
    FLAGS,
)
_NEED = regex.compile(
    r"(?:^|[,:;]\s*|\b(?:so|and|that)\s+|(?=\b(?:i|we)(?:\s|')))(?:(?:i|we|my \w+|our \w+(?: \w+)?|the \w+|(?:\w+ )?team|everyone)(?:'d| would|'ll| will| do| just| only| also| really| urgently| currently| now)*\s+)?"
    r"(?:need(?:s|ing)?|wants?|(?<=(?:i|we|'d|would|\w) )like(?: to (?:have|buy|order|get|purchase|take))?|love|requires?|(?<=(?:'ll|will) )(?:have|take)|wish for|(?:am|are|is|'m|'re|'s)\s+(?:taking(?! over| part| care)|buying|ordering|getting|purchasing|looking|searching|after|in (?:the )?(?:need|market))(?: to (?:buy|get|order|purchase))?(?: for| of)?|looking (?:for|to (?:buy|get|order|purchase))|in need of|would like|(?:would|'d) be (?:grateful|thankful|glad|happy) for|(?:would|'d) appreciate|could (?:use|do with)|wish to (?:buy|order|purchase|get))\b(?: to (?:have|buy|order|get|purchase|take))?\s*:?",
    FLAGS,
)
_QUANTITY_FIRST = regex.compile(
    rf"^(?:(?:exactly|just|only|at least|up to|no fewer than)\s+)?(?:{NUMBER}\s*[x×]?\s+\p{{L}}|qty\b|quantity\b|an?\s+(?:dozen|pair|couple|single|half)|half a dozen|all\s|every\s|(?:your |the )?(?:entire|whole) (?:stock|inventory|supply)\b|the (?:cheapest|most expensive|least expensive|lowest|priciest)|cheapest|most expensive|as many|one of|whatever)",
    FLAGS,
)
_NUMBER_LAST = regex.compile(r"^(?!\d)[^:]+(?::|,| [x×])\s*\d+$")
_FINITE = regex.compile(
    r"\b(?:is|was|were|are|turns|adores|loves|has|had|got|will|been|makes|needs|says|said|likes|wants|(?:we|i|they)(?:'re|'m| are| am) \w+ing)\b",
    FLAGS,
)
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
_SENTENCE = regex.compile(
    r"(?<!\b(?:no|nr|approx|incl|e\.g|i\.e|vs|st|dr|mr|mrs|ca|max|min)\.)(?<=[.!?])\s+|[!?;\n]+",
    FLAGS,
)
_BACK_REFERENCE = regex.compile(
    rf"(?:^|\s)(?P<n>{NUMBER}|it|them|that one)(?:\s+of (?:those|them|these))?\s*$", FLAGS
)
_QUESTION = regex.compile(
    r"^\s*(?:what(?:'s| is| are)|which(?: is| are)?|do you (?:have|sell|carry|stock))\s+(?P<what>.+)$",
    FLAGS,
)
_DANGER = regex.compile(
    r"\b(?:unless|instead|rather than|provided|only if|depending|compare|except|cancel|refund|return|(?:must|should|ought to|ha(?:s|ve) to|needs? to) (?:all |both |each )?be(?=\s+\w)|make sure|ensure|(?<!one )only(?! one))\b",
    FLAGS,
)
_IN_WHAT = regex.compile(r"\b(?:in|colou?r)\b:?\s+(\p{L}+)", FLAGS)
_ATTRIBUTE = regex.compile(
    r"^(?:(?:the )?(?:colou?r|size|model|material|version|finish|flavou?r)\s*(?::|=|is|should be|must be)?|"
    r"(?:it|they|these|all|the (?:one|ones|\w+)) (?:must|should|ha(?:s|ve) to|needs? to) (?:all |both |each )?be(?: in)?)\s+"
    r"(?P<what>[\w\s\"-]+)$",
    FLAGS,
)
_IF = regex.compile(r"\b(?:if|unless|in case|otherwise)\b", FLAGS)
_HARMLESS_IF = regex.compile(
    r"\bif (?:possible|available|you (?:can|like|want|please|have)|in stock|it helps|needed|necessary|that (?:helps|works)|any|so|it works|they (?:help|work|fit)|it (?:lowers|saves|makes|fits|applies|gives|brings))\b",
    FLAGS,
)


def read_order(text: str) -> Order:
    """Understand a task text; what may matter and was not understood is in ``unclear``."""
    text = _tidy(text)
    talk = take_coupons(text)
    money = take_money(talk.rest)
    wishes = take_wishes(_HARMLESS_CLAUSE.sub(" , ", money.rest))
    lines, unclear = _read_sentences(wishes.rest)
    if wishes.fallback and lines:
        fallback = _fallback_phrase(lines[-1].phrase, wishes.fallback)
        lines[-1] = lines[-1].model_copy(update={"fallback": fallback})
    elif wishes.fallback:
        unclear.append("a substitute without a first choice")
    if talk.unnamed:
        unclear.append("a coupon whose code was not recognised")
    named = " ".join(p for line in lines for p in line.phrases()).casefold()
    for loose in LOOSE_CODE.findall(text):
        if loose not in talk.codes and loose.casefold() not in named:
            unclear.append(f"{loose!r}, which may be a code")
    return Order(
        lines=tuple(lines),
        codes=Codes(
            codes=tuple(talk.codes),
            mode=talk.mode,  # type: ignore[arg-type]
            off_dollars=money.off_dollars,
            off_percent=money.off_percent,
        ),
        budget=money.budget,
        floor=money.floor,
        goal=wishes.goal,  # type: ignore[arg-type]
        fewer_ok=wishes.fewer_ok,
        fillers=wishes.fillers,
        no_purchase=wishes.no_purchase,
        unclear=tuple(dict.fromkeys([*money.unclear, *wishes.unclear, *unclear])),
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
    text = regex.sub(
        r"\s-\s", " , ", regex.sub(r"\s-\s(?=[^-.!?]*\b(?:and|,)\b[^-.!?]*\s-\s)", " : ", text)
    )
    return regex.sub(r"[ \t]+", " ", text).strip()


def _read_sentences(text: str) -> tuple[list[Line], list[str]]:
    lines: list[Line] = []
    unclear: list[str] = []
    asked: list[Line] = []
    for sentence in _SENTENCE.split(regex.sub(r"(?:\s*,)+\s*(?=[.!?;,]|$)", "", text)):
        sentence = sentence.strip(" .!?,;")
        if not sentence or (is_meta(sentence) and not (asked and _BACK_REFERENCE.search(sentence))):
            continue
        question = _QUESTION.match(sentence)
        if question:
            asked = read_lines(question["what"])
            continue
        part = _order_part(sentence)
        if part is None:
            if leftover := LOOSE_CODE.search(sentence):
                unclear.append(f"{leftover[0]!r}, which may be a code")
            attribute = _ATTRIBUTE.match(sentence)
            if attribute and lines:
                phrase = f"{lines[-1].phrase} {attribute['what']}"
                lines[-1] = lines[-1].model_copy(update={"phrase": phrase, "pieces": ()})
            elif _IF.search(_HARMLESS_IF.sub(" ", sentence)) or _DANGER.search(sentence):
                unclear.append(f"the condition {sentence[:80]!r}")
            continue
        ignored = sentence.partition(part)[0] if part in sentence else ""
        if any(w in COLOURS for found in _IN_WHAT.findall(ignored) for w in words(found)):
            unclear.append(f"the colour in {ignored[:80]!r}")
        new = _lines_of(part, asked or lines)
        if new is None:
            continue
        lines.extend(new)
    if not lines and not unclear:
        lines = _nominal(text)
    return lines, unclear


def _nominal(text: str) -> list[Line]:
    """Lines of a text without any verb ("Camping trio (stove, gas and pot) with coupon X")."""
    for sentence in _SENTENCE.split(text):
        if not _FINITE.search(sentence) and not is_meta(sentence):
            return read_lines(sentence.strip(" .!?,;"))
    return []


def _lines_of(part: str, before: list[Line]) -> list[Line] | None:
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


def _order_part(sentence: str) -> str | None:
    """What a sentence orders, without its verb; None where it orders nothing."""
    found = _IMPERATIVE.search(sentence)
    need = _NEED.search(sentence)
    if not found and not need and _NUMBER_LAST.match(sentence) and not _FINITE.search(sentence):
        return sentence
    starts = [m for m in (found, need) if m]
    first = min(starts, key=lambda m: m.start()) if starts else None
    colon = sentence.find(": ")
    behind = clean(sentence[colon + 1 :]) if colon >= 0 else ""
    if (
        behind
        and _QUANTITY_FIRST.match(behind)
        and (not _QUANTITY_FIRST.match(clean(sentence[:colon])) or is_meta(sentence[:colon]))
        and not _about_set(sentence[:colon])
    ):
        return _order_part(behind) or behind
    if regex.match(r"\d+\s?[x×]\s", sentence):
        return sentence
    if _QUANTITY_FIRST.match(clean(sentence)) and not (first and first.start() == 0):
        return (
            clean(sentence)
            if not _FINITE.search(sentence) or regex.match(r"whatever|all|every", sentence, FLAGS)
            else (sentence[first.end() :] if first else None)
        )
    if first is None:
        return None
    rest = sentence[first.end() :]
    again = _IMPERATIVE.match(rest.strip())
    return rest.strip()[again.end() :] if again else rest


def _about_set(label: str) -> bool:
    return bool(
        regex.search(r"\b(?:set|kit|bundle|package|combo|trio|outfit|collection)\b", label, FLAGS)
    )


def _fallback_phrase(first: str, text: str) -> str:
    """The substitute's whole phrase: "the blue one" keeps what the first choice said of the thing."""
    lines = read_lines(regex.sub(r"\bones?\b", "", text, flags=FLAGS))
    phrase = lines[0].phrase if len(lines) == 1 else clean(text)
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
