"""The things to buy: quantities, phrases, superlatives, exclusions and enumerations."""

from __future__ import annotations

import regex

from playbooks.grammar.numbers import NUMBER, to_int
from playbooks.grammar.order import Line
from store_tools.lexicon import COLOURS, CONTAINERS, GENERIC, NATURAL_PAIRS
from store_tools.words import measure_factor, words

FLAGS = regex.IGNORECASE
PACKAGES = (
    r"(?:units?|pieces?|pcs|copies|copy|items?|bottles?|boxes|box|packs?|packets?|packages?|bags?|cans?|tins?|jars?|tubes?|rolls?|"
    r"sets?|cartons?|crates?|sacks?|buckets?|bars?|loaves|loaf|sheets?|pots?|tubs?|kits?|reels?|spools?|bundles?|trays?|cases|"
    r"of)"
)
_PACKAGE_OF = regex.compile(
    r"\s*(?:packs?|packets?|packages?|boxes|box|cases?|cartons?|crates?|trays?|sets?|kits?|bundles?|bags?|sacks?)\s+of\s", FLAGS
)
_SINGLE_OF = regex.compile(
    r"\s*(?:bottles?|cans?|tins?|jars?|tubes?|rolls?|bars?|loaves|loaf|pots?|tubs?|reels?|spools?|buckets?)\s+of\s", FLAGS
)
"""Containers that may be counted in a product's name ("6 Bottles") and so stay in the phrase."""
_MEASURED = (
    r"(?!\s*(?:-|inch\b|in\b\.?\s*(?:\w+\s+)?(?:screen|monitor|tv)|\"|″|”|mm\b|cm\b|m\b|kg\b|g\b|lbs?\b|oz\b|ml\b|cl\b|l\b|qt\b|ft\b|gb\b|tb\b|mb\b|w\b|v\b|"
    r"ah\b|mah\b|lm\b|k\b|d\b|gallon\b|quart\b|litre\b|liter\b|inches\b|watt\b|volt\b|person\b|piece\s+(?!of\b)\w|pc\s+\w|pcs\s+\w|ct\b|count\b|pk\b|speed\b|season\b|year\b|%|/|\.\d|x\d|°))"
)
_DOZEN = r"(?P<half>half a dozen|half-dozen|a half dozen)|(?P<dozens>" + NUMBER + r"|a|one)?\s*dozens?(?: of)?"
QUANTITY = regex.compile(
    r"^(?:(?:exactly|precisely|just|only|a total of|in total|no fewer than|another|any|of)\s+)*(?:"
    r"(?P<upto>up to|at most|no more than|max(?:imum)?(?: of)?)\s+(?P<n>" + NUMBER + r")" + _MEASURED + r"(?:\s*[x×](?=\s))?|"
    r"(?P<least>at least|minimum(?: of)?|no less than)\s+(?P<n>" + NUMBER + r")" + _MEASURED + r"(?:\s*[x×](?=\s))?|"
    r"(?:qty|quantity|amount)\.?\s*[:=]?\s*(?P<n>" + NUMBER + r")\s*(?:[x×]|of|:|,|-)?|"
    r"(?P<n>\d[\d,]*)\s*(?P<times>[x×*])(?=\s|\p{Lu})|"
    r"[x×](?P<times>)(?P<n>\d+)\b|"
    + _DOZEN
    + r"|(?P<pair>(?:(?P<n>" + NUMBER + r")|a|one|single|1)\s+pairs?(?: of)?)|(?P<couple>a couple(?: of)?)|"
    r"(?P<n>" + NUMBER + r")(?![\d.,]*\d)\b" + _MEASURED + r"|"
    r"(?P<one>(?:a single|one single|a|an|another)(?=\s)))\s*",
    FLAGS,
)
_MEASURE_AMOUNT = regex.compile(
    r"^(?:(?:exactly|precisely|just|only|a total of)\s+)*(?P<n>\d[\d,]*(?:\.\d+)?)\s?(?P<unit>\p{L}+)\s+(?:worth\s+)?of\s+", FLAGS
)
_MOST = regex.compile(
    r"\bas many(?: of)?\s+(?P<what>.+?)?\s*\bas (?:possible|you can(?: get| find| supply| afford| buy)?|we can(?: get| afford| buy)?|i can(?: get| afford| buy)?|"
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
    r"each unit|all units?|without exception|in (?:full|its entirety))\b",
    FLAGS,
)
_EACH = regex.compile(
    r"^(?:(?P<n>" + NUMBER + r"|a|an|a single)\s+(?:units?\s+|pieces?\s+|packs?\s+|pairs?\s+)?(?:of (?:each|every)(?: of (?:the|your))?|each(?: of(?: the| your)?)?)|each(?: of(?: the| your)?)?)"
    r"(?:\s+(?:single|different|available|kind of|type of|sort of|flavou?r of|colou?r of|variety of|variant of|model of|size of))*\s+",
    FLAGS,
)
_EACH_TAIL = regex.compile(
    r",?\s*\b(?:(?P<n>" + NUMBER + r")\s+(?:of each|each|apiece)|(?:in )?(?:every|each) (?:available )?(?:colou?r|size|flavou?r|model|variant|kind)(?: available| you have)?)\b", FLAGS
)
_RANK = {"second": 2, "2nd": 2, "third": 3, "3rd": 3}
_CHEAPEST = (
    r"(?:cheapest|least[- ]expensive|lowest[- ]?(?:priced|price|cost)?|most affordable|least costly|most inexpensive|most economical|lowest[- ]priced|best[- ]priced)"
)
_DEAREST = r"(?:most expensive|priciest|dearest|costliest|highest[- ]?(?:priced|price)?|most costly|top[- ]priced)"
_SUPERLATIVE = regex.compile(
    r"\b(?:(?:the|your|our|its|very|absolute|single)\s+)*(?:(?P<rank>second|third|2nd|3rd)[- ])?(?:(?P<count>" + NUMBER + r")\s+)?(?:(?P<cheap>" + _CHEAPEST + r")|(?P<dear>" + _DEAREST + r"))\b"
    r"(?:\s+(?:available|possible|in[- ]stock))*",
    FLAGS,
)
_SUPERLATIVE_TAIL = regex.compile(
    r",?\s*(?:(?:whichever|whatever|which|that|the one that|the one)(?:'s| is| costs| comes out)?\s+)?(?:(?:the|your|our|very)\s+)*(?:(?P<cheap>" + _CHEAPEST + r"|costs (?:the )?least)|(?P<dear>" + _DEAREST + r"|costs (?:the )?most))"
    r"(?:\s+(?:one|ones|model|version|option|kind|type))?(?:\s+(?:that )?(?:you (?:have|carry|sell|offer|stock)|there is|available|in stock|possible|is in stock))*\s*$",
    FLAGS,
)
_EXCEPT = regex.compile(
    r",?\s*\b(?:except(?: for)?|excluding|but not|other than|apart from|save for|not including|with the exception of|leaving out|minus|but no|without|but never|any(?: colou?r| size| brand| model| one)? (?:but|except)|"
    r"anything but|not(?= the| from| in)|no(?= \w+ (?:ones?|models?)))\s+(?P<what>[^,;.()]+(?:(?:,| or| and| nor)\s+[^,;.()]+)*)",
    FLAGS,
)
_NOISE = regex.compile(
    r"\b(?:please|pls|thanks?(?: you)?(?: (?:so|very) much)?|thx|cheers|kindly|for (?:me|us|him|her|them|myself|ourselves)(?=\W|$)|(?:that )?(?:is |are )?(?:actually |currently |still |right now )*(?:in stock|available|on sale|on offer|(?<!-)left(?=\s*[,.;)]|\s*$)|for sale)(?: right now| at the moment| now| currently| today)?|"
    r"(?:that |which )?(?:you|your shop|the shop|the store) (?:have|has|carry|carries|sell|sells|offer|offers|stock|stocks|'ve got)(?: got)?(?: in stock)?(?: on offer)?(?: right now| at the moment| today)?|"
    r"(?:from|in|at|of) (?:the|your|this|our) (?:shop|store|catalog(?:ue)?|range|assortment|selection|inventory|site|website|stock|warehouse)|"
    r"(?:in|for) (?:total|all|one order|one go|a single order|the same order|this order)|altogether|"
    r"as (?:a )?(?:gift|present)s?|right away|asap|today|tomorrow|tonight|immediately|now|off your hands|at (?:the )?checkout|to (?:the|this|my|our) (?:order|basket|cart)|"
    r"any (?:mix of [\w ]+?(?=\s*[,.)]|$)|models?|brands?|kinds?|types?|mix|colou?rs?)(?: (?:is|are) (?:fine|ok|okay))?(?: will do| would do| works?)?|(?:sold|priced) (?:singly|individually|separately)|one each|each one|(?<!\bas )(?:that )?you can (?:find|get|offer|supply)|"
    r"(?:no )?other [\w ]+? (?:is|are) (?:not |un)(?:wanted|needed|allowed|acceptable|ok|fine|required)\w*|never mix[\w ]*|no mixing|"
    r"(?:the )?(?:right|correct|exact|same) (?:one|ones|model|size)|(?:whatever|whichever) (?:the )?(?:brand|model|colou?r|maker|make)(?: it is)?|regardless of (?:brand|model|colou?r|price)|no matter (?:the|which|what) \w+|if (?:it is |that is |at all )?possible|if (?:you|we) (?:can|want|like)|if available|instead(?=\s*[,.;]|\s*$)|"
    r"no matter what|nothing (?:else|more|besides|other)(?: (?:in|to|than) (?:the|this|that)(?: order)?)?|no(?: \w+)? (?:extras?|substitut(?:e|es|ions?)|other \w+|add-ons?|accessories|partial \w+)(?: or \w+)?|just (?:that|this|those|these|the one|one)|only (?:that|this|those|these)|that's (?:it|all)|that is all|and (?:nothing|no) (?:else|more))\b",
    FLAGS,
)
_OCCASION = (
    r"(?:party|birthday|office|team|wedding|trip|weekend|kids?|child(?:ren)?|sons?|daughters?|wife|husband|family|mother|father|mom|mum|dad|parents|friends?|colleagues?|"
    r"guests?|house|home|class|classroom|school|event|meeting|picnic|holidays?|vacation|christmas|summer|winter|spring|autumn|show|shop|evening|night|"
    r"dinner|lunch|breakfast|barbecue|festival|concert|club|crew|staff|workshop|studio|project|season|anniversary|renovation|move|flat|apartment|cabin|"
    r"restaurant|kitchen|café|cafe|bar|hotel|community|scouts|camp|tournament|game|match|tour|gift|present|student|students|neighbou?rs?|grandma|grandmother|grandfather|nephew|niece|brother|sister|uncle|aunt|boss|"
    r"monday|tuesday|wednesday|thursday|friday|saturday|sunday|week|month|launch|conference|training|lab|fair|market|stall|tasting|reception|reunion|banquet|gala|retreat|nursery|baby shower|shower|playroom|book club|choir|band|retirement|volunteers|clients?|customers?|visitors?|us|me|all)"
)
_PURPOSE = regex.compile(
    rf"(?:,\s*)?\bfor (?:(?:the|our|my|a|an|his|her|their|this|next|your|some|upcoming|annual|all|ten|new)\s+)*(?:[\w'-]+\s+){{0,3}}?{_OCCASION}(?:'s)?(?:\s+(?:party|show|dinner|trip|event|room|{_OCCASION}))*(?:\s+(?:on|at|in|this|next)\s+[\w ]+)?(?=\s*[,.;:)]|\s*$|\s+(?:and|with|please)\b)",
    FLAGS,
)
_START = (
    rf"(?:(?:exactly|just|only|another)\s+)?(?:{NUMBER}\b{_MEASURED}|\d+\s*[x×]\s|an?\s|one\b|all\b|every\b|another\b|some\b|half a dozen|the (?:cheapest|most|least|lowest|priciest|second)|the\s|your\s|cheapest|qty\b)"
)
_SEPARATOR = regex.compile(
    rf"\s*(?:,\s*(?:and|plus|as well as)?|;|\band\b|\bplus\b|&|\+|\balong with\b|\btogether with\b|\bas well as\b|\band also\b|\bin addition to\b)\s*(?:also\s+|then\s+)?(?={_START})",
    FLAGS,
)
_SET_WORD = regex.compile(
    r"\b(?:full|complete|whole|entire|set|kit|bundle|package|combo|trio|duo|outfit|collection|ensemble|pack|starter|gear|"
    r"following|these|items|things|goods|lot|everything|essentials|basics|assortment|selection|box)\b[^,;]*$",
    FLAGS,
)
_PIECES = regex.compile(r"\s*(?:,\s*(?:and|plus)?|;|\band\b|\bplus\b|&|\+|\balong with\b|\btogether with\b|\bas well as\b)\s*", FLAGS)
_META = frozenset(
    "it them that this those these amount amounts order list stock thing things everything rest one ones set sets need pay "
    "please thank thanks hi hello hey lot total sum price budget what which i we you can no not nothing else only just make sure "
    "discount discounts coupon coupons code codes applied apply is are its use used be get the a an of to so both all in for and or with "
    "off same bill come they do does must should will would may might our my your us me at on model models mixed mix any size colour color other "
    "from by as if up possible known these whichever better best works work will do saves more most either entire whole single unit units piece "
    "here there also full item items article articles product products finally after before out take takes want wants like have has "
    "possibly each discounts we've i've quantity quantities exactly both order one's two three really".split()
)


def clean(text: str) -> str:
    """A phrase without politeness, purposes and stray punctuation."""
    previous = ""
    while previous != text:
        previous = text
        text = _PURPOSE.sub(" ", text)
        text = _NOISE.sub(" ", text)
        text = regex.sub(r"^[\s,:;–-]+|[\s,:;.!?–-]+$", "", text)
        text = regex.sub(r"^(?:and|or|but|also|then|the|of|your|our|my|some|both|with|me|us|that|to)\s+|^(?:and|or|but|also|then|the|with|me|us|it|that)$|\s+(?:and|or|but|with|for|at|to|of|in|on|that|which|is|are|the)$", "", text, flags=FLAGS)
    return regex.sub(r"\s+", " ", text).strip()


def is_meta(text: str) -> bool:
    """Whether a phrase names no goods but only talks about the order."""
    found = regex.findall(r"[\p{L}\p{N}']+", text.casefold())
    return all(w in _META or (w.isalpha() and regex.fullmatch(NUMBER, w)) for w in found)


def read_lines(text: str) -> list[Line]:
    """The lines of one order sentence without its verb."""
    text = regex.sub(r"\(([^()]*)\)", _open_parenthesis, text)
    enumerated = _enumeration(text)
    if enumerated:
        return enumerated
    lines: list[Line] = []
    for part in _SEPARATOR.split(text):
        line = read_line(part)
        if lines and line and _repeats(lines[-1], line):
            continue
        if lines and _said_before(clean(part), [lines[-1].phrase]):
            continue
        if lines and (said := _afterthought(part, line)):
            lines[-1] = lines[-1].model_copy(update=_joined(lines[-1], said))
        elif line is not None:
            lines.append(line)
    return lines


def _repeats(before: Line, line: Line) -> bool:
    """Whether "all sizes" or "every bottle" only stresses that all of it is meant."""
    plain = set(words(line.phrase))
    return before.amount == line.amount == "all" and plain <= (
        CONTAINERS | GENERIC | {"size", "colour", "each", "every"} | set(words(before.phrase))
    )


def _afterthought(part: str, line: Line | None) -> dict[str, object]:
    """What "..., the cheapest you have" or "..., the 7 qt one" adds to the line before."""
    if line is None:
        values: dict[str, object] = {}
        _take_pick(clean(part), values)
        return values
    found = regex.match(r"^\s*(?:the|an?)\s+(?P<what>.+?)\s+(?:ones?|version|variant|model|boxes|box|packs?|bottles?|bags?|cans?|jars?|tubs?|sets?)\s*$", clean_ends(part), FLAGS)
    if found and line.pick == "any":
        return {"phrase": found["what"]}
    return {"pick": line.pick, "rank": line.rank} if line.pick != "any" and is_meta(line.phrase) else {}


def _joined(line: Line, said: dict[str, object]) -> dict[str, object]:
    if "phrase" in said:
        return {"phrase": f"{line.phrase} {said['phrase']}"}
    return said


def clean_ends(text: str) -> str:
    """Text without punctuation at its ends."""
    return text.strip(" ,:;.!?-")


def _open_parenthesis(found: regex.Match[str]) -> str:
    inside = found[1]
    label = found.string[: found.start()]
    if _SET_WORD.search(label) and regex.search(r",|\band\b|\bplus\b|&", inside, FLAGS):
        return f"({inside})"
    return f" {inside} "


def _enumeration(text: str) -> list[Line]:
    """Lines of "the full set (drink, bar and bottle)" or "the kit: tent, stove and lamp"."""
    found = regex.search(r"^(?P<label>[^(:]*)\((?P<list>[^()]*)\)\s*(?P<rest>.*)$", text) or regex.search(
        r"^(?P<label>[^:]*\b(?:set|kit|bundle|package|combo|trio|duo|outfit|collection|ensemble|lot|box|starter|gear)\b[^:]*?)(?::|\s[–—-]\s|,?\s*(?:consisting of|made up of|comprising|including|that is|i\.e\.?|namely|which means|meaning|containing|with)\s)(?P<list>[^:]+)$",
        text, FLAGS,
    )
    if not found:
        return []
    pieces = [clean(p) for p in _PIECES.split(found["list"])]
    pieces = [p for p in pieces if p and not is_meta(p)]
    if len(pieces) < 2:
        return []
    label = QUANTITY.match(clean(found["label"]))
    many, _, _ = _number(label) if label else (1, "exact", False)
    lines = []
    for piece in pieces:
        line = read_line(piece)
        if line is not None:
            explicit = line.amount != "open"
            lines.append(line if explicit else line.model_copy(update={"amount": "exact", "quantity": many, "counts_packs": True}))
    rest = found.groupdict().get("rest") or ""
    return lines + (read_lines(rest) if clean(rest) and not is_meta(clean(rest)) else [])


def read_line(part: str) -> Line | None:
    """One line of an order, or None where the part names no goods."""
    text, exclude = _take_exclusions(part)
    values: dict[str, object] = {"exclude": exclude}
    text = _take_amount(clean(text), values)
    text = _take_pick(clean(text), values)
    if "amount" not in values:
        text = _take_amount(clean(text), values)
    text = _take_tail(clean(text), values)
    phrase = clean(text)
    if is_meta(phrase):
        if values.get("amount") == "all" and regex.search(r"\beverything|\ball\b|single unit|whole shop|entire (?:shop|store)", part, FLAGS) and not regex.search(r"\b(?:them|those|these)\b", part, FLAGS):
            return Line(phrase="*", amount="all")
        return None
    options = _colour_options(phrase) or tuple(clean(o) for o in regex.split(r"\s*,?\s+or\s+", phrase)) if regex.search(r"\sor\s", phrase) else ()
    every = [p for p in (clean(x) for x in _PIECES.split(phrase)) if p]
    pieces = tuple(p for i, p in enumerate(every) if not is_meta(p) and not _said_before(p, every[:i]))
    if len(pieces) < len(every):
        phrase = ", ".join(pieces)
    if len(options) > 1:
        values["options"] = options if _colour_options(phrase) else _shared_head(options)
    if len(pieces) > 1:
        values["pieces"] = pieces
    return Line(phrase=phrase, **values)  # type: ignore[arg-type]


def _said_before(piece: str, before: list[str]) -> bool:
    """Whether "just the filter" names nothing that was not named already."""
    found = regex.match(r"^(?:just|only)\s+(?:the\s+)?(?P<what>[^,]+)", piece, FLAGS)
    return bool(found) and set(words(found["what"])) <= set(words(" ".join(before)))


def _colour_options(phrase: str) -> tuple[str, ...]:
    """"jacket in green or teal" means a green jacket or a teal one."""
    found = regex.search(r"\b(?P<a>\p{L}+)\s+or\s+(?P<b>\p{L}+)\b", phrase)
    if not found or not {found["a"].casefold(), found["b"].casefold()} <= COLOURS:
        return ()
    return tuple(f"{phrase[: found.start()]}{found[c]}{phrase[found.end() :]}" for c in "ab")


def _shared_head(options: tuple[str, ...]) -> tuple[str, ...]:
    """"red or blue mug" means "red mug" or "blue mug"."""
    last = options[-1].split()
    return tuple(
        option if len(option.split()) > 1 or len(last) < 2 else f"{option} {' '.join(last[1:])}"
        for option in options
    )


def _take_exclusions(text: str) -> tuple[str, tuple[str, ...]]:
    excluded: list[str] = []
    while found := _EXCEPT.search(text):
        whole = regex.sub(r"\b(?:the )?(?:ones?|models?|those|anything|any)\b(?: (?:from|by|made by|in|that are))?", " ", found["what"], flags=FLAGS)
        excluded += [p for p in (clean(x) for x in regex.split(r",|\bor\b|\band\b|\bnor\b", whole)) if p]
        text = text[: found.start()] + " , " + text[found.end() :]
    return text, tuple(excluded)


def _take_amount(text: str, values: dict[str, object]) -> str:
    most = _MOST.search(text)
    if most:
        values["amount"] = "most"
        what = most["what"] or ""
        rest = f"{text[: most.start()]} {what} {text[most.end() :]}"
        limit = regex.search(rf"\b(?:up to|at most|max(?:imum)?(?: of)?|no more than)\s+(?P<n>{NUMBER})\b", rest, FLAGS)
        if limit:
            values.update(amount="up_to", quantity=to_int(limit["n"]))
            rest = f"{rest[: limit.start()]} {rest[limit.end() :]}"
        return rest
    each = _EACH.match(text)
    if each:
        many = each["n"]
        values.update(amount="exact", each=True, counts_packs=True, quantity=to_int(many) if many and regex.fullmatch(NUMBER, many, FLAGS) else 1)
        return text[each.end() :]
    everything = _ALL.match(text)
    if everything:
        values["amount"] = "all"
        return text[everything.end() :]
    measured = _MEASURE_AMOUNT.match(text)
    factor = measure_factor(measured["unit"]) if measured else None
    if measured and factor and factor[0] != "pk":
        base, many = factor
        values.update(amount="exact", quantity=round(float(measured["n"].replace(",", "")) * many), measure=base)
        return text[measured.end() :]
    found = QUANTITY.match(text)
    if found and found.end() > 0:
        number, amount, packs = _number(found)
        text = text[found.end() :]
        of = regex.match(rf"\s*{PACKAGES}\s+of\s+|\s*of\s+(?:the|your|those|these|them|our)?\s*|\s*(?:units?|pieces?|pcs|copies)\s+", text, FLAGS)
        if of and not regex.match(rf"\s*{PACKAGES}\s+of\s+{NUMBER}\b", text, FLAGS):
            packs = packs or bool(_PACKAGE_OF.match(of[0]))
            container = _SINGLE_OF.match(of[0])
            text = text[of.end() :] if container is None else text
        if found["pair"] and number == 2 and not _natural_pair(text):
            number = 2
        elif found["pair"] and _natural_pair(text):
            number = number // 2
        values.update(amount=amount, quantity=number, counts_packs=packs)
    return text


def _natural_pair(text: str) -> bool:
    return any(w in NATURAL_PAIRS for w in regex.findall(r"\p{L}+", text.casefold()))


def _number(found: regex.Match[str]) -> tuple[int, str, bool]:
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


def _take_pick(text: str, values: dict[str, object]) -> str:
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


def _take_tail(text: str, values: dict[str, object]) -> str:
    """Amounts that stand behind the goods: "mugs, 3 of them", "mugs x3", "mugs (3)"."""
    tail = _ALL_TAIL.search(text)
    if tail:
        values["amount"] = "all"
        text = text[: tail.start()] + " " + text[tail.end() :]
    each = _EACH_TAIL.search(text)
    if each:
        values.update(each=True, amount="exact", counts_packs=True)
        if each["n"]:
            values["quantity"] = to_int(each["n"])
        text = text[: each.start()] + " " + text[each.end() :]
    if values.get("amount") in (None, "open", "most"):
        limit = regex.search(rf",?\s*\b(?:up to|at most|max(?:imum)?(?: of)?|no more than)\s+(?P<n>{NUMBER})(?: of (?:them|those))?\s*$", text, FLAGS)
        if limit:
            values.update(amount="up_to", quantity=to_int(limit["n"]))
            return text[: limit.start()]
    found = regex.search(
        rf"(?:\s+[x×]\s?(?P<n>\d+)|,?\s*(?:qty|quantity)[:.\s]*(?P<n>{NUMBER})|[,:]\s*(?P<n>{NUMBER})(?:\s*(?:x|of (?:them|those|these)|pieces?|pcs|units?|times|in total))?|\s+[x×](?P<n>\d+)|"
        rf",?\s+(?P<n>{NUMBER})\s+(?:of (?:them|those|these)|pieces|pcs|units|times))\s*$",
        text, FLAGS,
    )
    if found and values.get("amount") in (None, "open"):
        values.update(amount="exact", quantity=to_int(found.captures("n")[-1]), counts_packs=bool(regex.search(r"[x×]", found[0])))
        text = text[: found.start()]
    return text
