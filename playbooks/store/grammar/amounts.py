"""How many of what: quantities, superlatives and amounts that stand behind the goods."""

from __future__ import annotations

import regex

from playbooks.store.grammar.numbers import NUMBER, to_int
from playbooks.store.kinds.lexicon import NATURAL_PAIRS
from store_tools.words import measure_factor

FLAGS = regex.IGNORECASE
PACKAGES = (
    r"(?:units?|pieces?|pcs|copies|copy|items?|bottles?|boxes|box|packs?|packets?|packages?|bags?|cans?|tins?|jars?|tubes?|rolls?|"
    r"sets?|cartons?|crates?|sacks?|buckets?|bars?|loaves|loaf|sheets?|pots?|tubs?|kits?|reels?|spools?|bundles?|trays?|cases|"
    r"of)"
)
_PACKAGE_OF = regex.compile(
    r"\s*(?:packs?|packets?|packages?|boxes|box|cases?|cartons?|crates?|trays?|sets?|kits?|bundles?|bags?|sacks?)\s+of\s",
    FLAGS,
)
_SINGLE_OF = regex.compile(
    r"\s*(?:bottles?|cans?|tins?|jars?|tubes?|rolls?|bars?|loaves|loaf|pots?|tubs?|reels?|spools?|buckets?)\s+of\s",
    FLAGS,
)
"""Containers that may be counted in a product's name ("6 Bottles") and so stay in the phrase."""
MEASURED = (
    r"(?!\s*(?:-|inch\b|in\b\.?\s*(?:\w+\s+)?(?:screen|monitor|tv)|\"|″|”|mm\b|cm\b|m\b|kg\b|g\b|lbs?\b|oz\b|ml\b|cl\b|l\b|qt\b|ft\b|gb\b|tb\b|mb\b|w\b|v\b|"
    r"ah\b|mah\b|lm\b|k\b|d\b|gallon\b|quart\b|litre\b|liter\b|inches\b|watt\b|volt\b|person\b|piece\s+(?!of\b)\w|pc\s+\w|pcs\s+\w|ct\b|count\b|pk\b|speed\b|season\b|year\b|%|/|\.\d|x\d|°))"
)
_DOZEN = (
    r"(?P<half>half a dozen|half-dozen|a half dozen)|(?P<dozens>"
    + NUMBER
    + r"|a|one)?\s*dozens?(?: of)?"
)
QUANTITY = regex.compile(
    r"^(?:(?:exactly|precisely|just|only|a total of|in total|no fewer than|another|any|of)\s+)*(?:"
    r"(?P<upto>up to|at most|no more than|max(?:imum)?(?: of)?)\s+(?P<n>"
    + NUMBER
    + r")"
    + MEASURED
    + r"(?:\s*[x×](?=\s))?|"
    r"(?P<least>at least|minimum(?: of)?|no less than)\s+(?P<n>"
    + NUMBER
    + r")"
    + MEASURED
    + r"(?:\s*[x×](?=\s))?|"
    r"(?:qty|quantity|amount)\.?\s*[:=]?\s*(?P<n>" + NUMBER + r")\s*(?:[x×]|of|:|,|-)?|"
    r"(?P<n>\d[\d,]*)\s*(?P<times>[x×*])(?=\s|\p{Lu})|"
    r"[x×](?P<times>)(?P<n>\d+)\b|"
    + _DOZEN
    + r"|(?P<pair>(?:(?P<n>"
    + NUMBER
    + r")|a|one|single|1)\s+pairs?(?: of)?)|(?P<couple>a couple(?: of)?)|"
    r"(?P<n>" + NUMBER + r")(?![\d.,]*\d)\b" + MEASURED + r"|"
    r"(?P<one>(?:a single|one single|a|an|another)(?=\s)))\s*",
    FLAGS,
)
_MEASURE_AMOUNT = regex.compile(
    r"^(?:(?:exactly|precisely|just|only|a total of)\s+)*(?P<n>\d[\d,]*(?:\.\d+)?)\s?(?P<unit>\p{L}+)\s+(?:worth\s+)?of\s+",
    FLAGS,
)
_MOST = regex.compile(
    r"\bas many(?: of)?\s+(?P<what>.+?)?\s*\bas (?:possible|you can(?: get| find| supply| afford| buy)?|we can(?: get| afford| buy)?|i can(?: get| afford| buy)?|"
    r"(?:(?:the|my|our|this|that) )?(?:money|cash|funds?|limit|sum) (?:allows?|buys?|permits?|covers?)|can be (?:had|found|bought)|"
    r"(?:there )?(?:are|is)(?: available| left| in stock| there)?|you have|the budget allows|it allows|fits?(?: \w+)*|my money buys|that buys)\b",
    FLAGS,
)
_ALL = regex.compile(
    r"^(?:(?:absolutely|literally|simply)\s+)?(?:all(?: of)?(?: the| your| those| these| available)?|every(?: single)?(?: one of(?: the| your)?| unit of| piece of| last)?|each and every|"
    r"(?:the |your )?(?:entire|whole|full|complete) (?:stock|inventory|supply|range|remaining stock|lot)(?: of(?: the| your)?)?|"
    r"everything|(?:whatever|what|anything)(?:'s| is| you have| you've got)?(?: in stock| available| left| there)* (?:of|in(?: the)?)(?: the| your)?|the lot of|any and all)\b\s*",
    FLAGS,
)
_ALL_TAIL = regex.compile(
    r",?\s*\b(?:every (?:single )?(?:one|unit|piece|last one)(?: of (?:them|those))?|all of (?:them|it|those)|the (?:entire|whole|full) (?:stock|inventory|lot|range)|the lot|(?:i|we)(?:'ll| will)? (?:have|take) (?:it|them) all|"
    r"each unit|all units?|without exception)\b",
    FLAGS,
)
_EACH = regex.compile(
    r"^(?:(?P<n>"
    + NUMBER
    + r"|a|an|a single)\s+(?:units?\s+|pieces?\s+|packs?\s+|pairs?\s+)?(?:of (?:each|every)(?: of (?:the|your))?|each(?: of(?: the| your)?)?)|each(?: of(?: the| your)?)?)"
    r"(?:\s+(?:single|different|available|kind of|type of|sort of|flavou?r of|colou?r of|variety of|variant of|model of|size of))*\s+",
    FLAGS,
)
_EACH_TAIL = regex.compile(
    r",?\s*\b(?:(?P<n>"
    + NUMBER
    + r")\s+(?:of each|each|apiece)|(?:in )?(?:every|each) (?:available )?(?:colou?r|size|flavou?r|model|variant|kind)(?: available| you have)?)\b",
    FLAGS,
)
_RANK = {"second": 2, "2nd": 2, "third": 3, "3rd": 3}
_CHEAPEST = r"(?:cheapest|least[- ]expensive|lowest[- ]?(?:priced|price|cost)?|most affordable|least costly|most inexpensive|most economical|lowest[- ]priced|best[- ]priced)"
_DEAREST = r"(?:most expensive|priciest|dearest|costliest|highest[- ]?(?:priced|price)?|most costly|top[- ]priced)"
_SUPERLATIVE = regex.compile(
    r"\b(?:(?:the|your|our|its|very|absolute|single)\s+)*(?:(?P<rank>second|third|2nd|3rd)[- ])?(?:(?P<count>"
    + NUMBER
    + r")\s+)?(?:(?P<cheap>"
    + _CHEAPEST
    + r")|(?P<dear>"
    + _DEAREST
    + r"))\b"
    r"(?:\s+(?:available|possible|in[- ]stock))*",
    FLAGS,
)
_SUPERLATIVE_TAIL = regex.compile(
    r",?\s*(?:(?:whichever|whatever|which|that|the one that|the one)(?:'s| is| costs| comes out)?\s+)?(?:(?:the|your|our|very)\s+)*(?:(?P<cheap>"
    + _CHEAPEST
    + r"|costs (?:the )?least)|(?P<dear>"
    + _DEAREST
    + r"|costs (?:the )?most))"
    r"(?:\s+(?:one|ones|model|version|option|kind|type))?(?:\s+(?:that )?(?:you (?:have|carry|sell|offer|stock)|there is|available|in stock|possible|is in stock))*\s*$",
    FLAGS,
)


_UP_TO = r"\b(?:but\s+)?(?:up to|at most|max(?:imum)?(?: of)?|(?:no|not) more than)\s+"
_LIMIT = regex.compile(rf"{_UP_TO}(?P<n>{NUMBER})\b", FLAGS)
_LIMIT_LAST = regex.compile(rf",?\s*{_UP_TO}(?P<n>{NUMBER})(?: of (?:them|those))?\s*$", FLAGS)
_NUMBER_LAST = regex.compile(
    rf"(?:(?<!\d)\s+[x×]\s?(?P<n>\d+)|,?\s*(?:qty|quantity)[:.\s]*(?P<n>{NUMBER})|"
    rf"[,:]\s*(?P<n>{NUMBER})(?:\s*(?:x|of (?:them|those|these)|pieces?|pcs|units?|times|in total))?|"
    rf",?\s+(?P<n>{NUMBER})\s+(?:of (?:them|those|these)|pieces|pcs|units|times))\s*$",
    FLAGS,
)
_OF_CONTAINER = regex.compile(
    rf"\s*{PACKAGES}\s+of\s+|\s*of\s+(?:(?:the|your|those|these|them|our)\b)?\s*|\s*(?:units?|pieces?|pcs|copies)\s+",
    FLAGS,
)
_ONCE = regex.compile(r",?\s+(?P<n>once|twice)\s*$", FLAGS)
_TIMES = {"once": 1, "twice": 2}
_PIECES_OF = regex.compile(r"^\s*(?:units?|pieces?|pcs|copies|copy|items?)\s+of\s+", FLAGS)
_NAME = regex.compile(r"(?:\p{Lu}[\w'-]*\s+){2}[\p{Lu}\d]")
"""The beginning of a product's own name; of a name each piece is one product."""
_SIZED_CONTAINER = regex.compile(rf"\s*{PACKAGES}\s+of\s+{NUMBER}\b", FLAGS)

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
    most = _MOST.search(text)
    if not most:
        return None
    values["amount"] = "most"
    what = _PIECES_OF.sub("", most["what"] or "")
    rest = f"{text[: most.start()]} {what} {text[most.end() :]}"
    limit = _LIMIT.search(rest)
    if limit:
        values.update(amount="up_to", quantity=to_int(limit["n"]))
        rest = f"{rest[: limit.start()]} {rest[limit.end() :]}"
    return rest


def _take_each(text: str, values: Values) -> str | None:
    each = _EACH.match(text)
    if not each:
        return None
    many = each["n"]
    number = to_int(many) if many and regex.fullmatch(NUMBER, many, FLAGS) else 1
    values.update(amount="exact", each=True, counts_packs=True, quantity=number)
    return text[each.end() :]


def _take_all(text: str, values: Values) -> str | None:
    everything = _ALL.match(text)
    if not everything:
        return None
    values["amount"] = "all"
    return text[everything.end() :]


def _take_measure(text: str, values: Values) -> str | None:
    """ "30 kg of flour": an amount that packages of some weight add up to."""
    found = _MEASURE_AMOUNT.match(text)
    factor = measure_factor(found["unit"]) if found else None
    if not found or not factor or factor[0] == "pk":
        return None
    base, many = factor
    number = round(float(found["n"].replace(",", "")) * many)
    values.update(amount="exact", quantity=number, measure=base)
    return text[found.end() :]


def _take_number(text: str, values: Values) -> str | None:
    found = QUANTITY.match(text)
    if not found or found.end() == 0:
        return None
    number, amount, packs = number_of(found)
    text = text[found.end() :]
    of = _OF_CONTAINER.match(text)
    if of and not _SIZED_CONTAINER.match(text):
        named = _PIECES_OF.match(of[0]) and _NAME.match(text, of.end())
        packs = packs or bool(_PACKAGE_OF.match(of[0]) or named)
        text = text if _SINGLE_OF.match(of[0]) else text[of.end() :]
    if found["pair"] and _natural_pair(text):
        number //= 2
    values.update(amount=amount, quantity=number, counts_packs=packs)
    return text


def _natural_pair(text: str) -> bool:
    return any(w in NATURAL_PAIRS for w in regex.findall(r"\p{L}+", text.casefold()))


def number_of(found: regex.Match[str]) -> tuple[int, str, bool]:
    """Number, kind of amount, and whether packages are counted."""
    captured = found.captures("n")
    number = to_int(captured[-1]) if captured else 1
    if found["half"]:
        number = 6
    elif found["dozens"] is not None or regex.match(r"(?:\w+\s+)*dozen", found[0].strip(), FLAGS):
        many = found["dozens"] or "one"
        number = 12 * (1 if many in ("a", "one") else to_int(many))
    elif found["pair"]:
        number = 2 * number
    elif found["couple"]:
        number = 2
    kind = "up_to" if found["upto"] else "at_least" if found["least"] else "exact"
    return number, kind, found["times"] is not None


def take_pick(text: str, values: Values) -> str:
    """Read a superlative ("the cheapest") into ``values``; the text without it."""
    found = _SUPERLATIVE.search(text) or _SUPERLATIVE_TAIL.search(text)
    if not found:
        return text
    values["pick"] = "cheapest" if found["cheap"] else "dearest"
    groups = found.groupdict()
    if groups.get("rank"):
        values["rank"] = _RANK[groups["rank"].casefold()]
    if groups.get("count"):
        values.update(amount="exact", quantity=to_int(groups["count"]))
    rest = f"{text[: found.start()]} {text[found.end() :]}"
    return regex.sub(r"^\s*(?:of the|of your|of)\s+", "", rest, flags=FLAGS)


def take_tail(text: str, values: Values) -> str:
    """Amounts that stand behind the goods: "mugs, 3 of them", "mugs x3", "mugs (3)"."""
    tail = _ALL_TAIL.search(text)
    if tail:
        values["amount"] = "all"
        text = text[: tail.start()] + " " + text[tail.end() :]
    times = _ONCE.search(text)
    if times and values.get("amount") in (None, "open", "exact"):
        text = text[: times.start()]
        if not values.get("each"):
            values.update(amount="exact", quantity=_TIMES[times["n"].casefold()])
    each = _EACH_TAIL.search(text)
    if each:
        values.update(each=True, amount="exact", counts_packs=True)
        if each["n"]:
            values["quantity"] = to_int(each["n"])
        text = text[: each.start()] + " " + text[each.end() :]
    if values.get("amount") in (None, "open", "most"):
        limit = _LIMIT_LAST.search(text)
        if limit:
            values.update(amount="up_to", quantity=to_int(limit["n"]))
            return text[: limit.start()]
    found = _NUMBER_LAST.search(text)
    if found and values.get("amount") in (None, "open"):
        number = to_int(found.captures("n")[-1])
        packs = bool(regex.search(r"[x×]", found[0]))
        values.update(amount="exact", quantity=number, counts_packs=packs)
        text = text[: found.start()]
    return text
