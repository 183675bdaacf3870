"""How many of what: quantities, superlatives and amounts that stand behind the goods."""

from __future__ import annotations

import regex

from store_tools.words import measure_factor
from workshop.rule_based.store.grammar.numbers import to_int
from workshop.rule_based.store.grammar.patterns import Patterns
from workshop.rule_based.store.kinds.lexicon import NATURAL_PAIRS

PATTERNS = Patterns("amounts")
_TIMES = {"once": 1, "twice": 2}

Values = dict[str, object]
"""Fields of a line, as far as they are known."""


def take_amount(text: str, values: Values) -> str:
    """Read the amount that a phrase begins with into ``values``; the text without it."""
    for reader in (_take_most, _take_each, _take_all, _take_measure, _take_number):
        rest = reader(text, values)
        if rest is not None:
            return rest
    return text


def _take_most(text: str, values: Values) -> str | None:
    """ "As many mugs as you can", with a limit where one is named."""
    most = PATTERNS["most"].search(text)
    if not most:
        return None
    values["amount"] = "most"
    what = PATTERNS["pieces_of"].sub("", most["what"] or "")
    rest = f"{text[: most.start()]} {what} {text[most.end() :]}"
    limit = PATTERNS["limit"].search(rest)
    if limit:
        values.update(amount="up_to", quantity=to_int(limit["n"]))
        rest = f"{rest[: limit.start()]} {rest[limit.end() :]}"
    return rest


def _take_each(text: str, values: Values) -> str | None:
    each = PATTERNS["each"].match(text)
    if not each:
        return None
    many = each["n"]
    number = to_int(many) if many and PATTERNS["number"].fullmatch(many) else 1
    values.update(amount="exact", each=True, counts_packs=True, quantity=number)
    return text[each.end() :]


def _take_all(text: str, values: Values) -> str | None:
    everything = PATTERNS["all"].match(text)
    if not everything:
        return None
    values["amount"] = "all"
    return text[everything.end() :]


def _take_measure(text: str, values: Values) -> str | None:
    """ "30 kg of flour": an amount that packages of some weight add up to."""
    match = PATTERNS["measure_amount"].match(text)
    factor = measure_factor(match["unit"]) if match else None
    if not match or not factor or factor[0] == "pk":
        return None
    base, many = factor
    number = round(float(match["n"].replace(",", "")) * many)
    values.update(amount="exact", quantity=number, measure=base)
    return text[match.end() :]


def _take_number(text: str, values: Values) -> str | None:
    match = PATTERNS["quantity"].match(text)
    if not match or match.end() == 0:
        return None
    number, amount, packs = _number_of(match)
    text = text[match.end() :]
    of = PATTERNS["of_container"].match(text)
    if of:
        named = PATTERNS["pieces_of"].match(of[0]) and PATTERNS["name"].match(text, of.end())
        packs = packs or bool(PATTERNS["package_of"].match(of[0]) or named)
        text = text if PATTERNS["single_of"].match(of[0]) else text[of.end() :]
    if match["pair"] and _natural_pair(text):
        number //= 2
    values.update(amount=amount, quantity=number, counts_packs=packs)
    return text


def _natural_pair(text: str) -> bool:
    return any(w in NATURAL_PAIRS for w in regex.findall(r"\p{L}+", text.casefold()))


def leading_number(text: str) -> int:
    """The number that a text begins with, 1 where there is none."""
    match = PATTERNS["quantity"].match(text)
    return _number_of(match)[0] if match else 1


def _number_of(match: regex.Match[str]) -> tuple[int, str, bool]:
    """Number, kind of amount, and whether packages are counted."""
    captured = match.captures("n")
    number = to_int(captured[-1]) if captured else 1
    if match["half"]:
        number = 6
    elif (dozens := match["dozens"]) is not None:
        number = 12 * (1 if dozens in ("a", "one") else to_int(dozens))
    elif match["pair"]:
        number = 2 * number
    elif match["couple"]:
        number = 2
    kind = "up_to" if match["upto"] else "at_least" if match["least"] else "exact"
    return number, kind, match["times"] is not None


def take_pick(text: str, values: Values) -> str:
    """Read a superlative ("the cheapest") into ``values``; the text without it."""
    match = PATTERNS["superlative"].search(text)
    if not match:
        return text
    values["pick"] = "cheapest" if match["cheap"] else "dearest"
    return f"{text[: match.start()]} {text[match.end() :]}"


def take_tail(text: str, values: Values) -> str:
    """Amounts that stand behind the goods: "mugs, 3 of them", "mugs x3", "mugs (3)"."""
    tail = PATTERNS["all_tail"].search(text)
    if tail:
        values["amount"] = "all"
        text = text[: tail.start()] + " " + text[tail.end() :]
    times = PATTERNS["once"].search(text)
    if times and values.get("amount") in (None, "open", "exact"):
        text = text[: times.start()]
        if not values.get("each"):
            values.update(amount="exact", quantity=_TIMES[times["n"].casefold()])
    match = PATTERNS["number_last"].search(text)
    if match and values.get("amount") in (None, "open"):
        number = to_int(match.captures("n")[-1])
        packs = "x" in match[0] or "×" in match[0]
        values.update(amount="exact", quantity=number, counts_packs=packs)
        text = text[: match.start()]
    return text
