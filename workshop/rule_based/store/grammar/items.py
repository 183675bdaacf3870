"""The things to buy: lists, enumerations, exclusions and alternatives, and how many of each."""

from __future__ import annotations

import regex

from store_tools.words import CONTAINERS, is_spec, measure_factor, singular
from workshop.rule_based.store.grammar.order import Line
from workshop.rule_based.store.grammar.patterns import Patterns, clean, cut, is_meta, to_int
from workshop.rule_based.store.kinds.lexicon import COLOURS, GENERIC, NATURAL_PAIRS, words

PATTERNS = Patterns("items")
AMOUNTS = Patterns("amounts")
_SAME_PLURAL = frozenset(["sheep", "fish", "deer", "aircraft", "dice", "salmon", "trout"])


def read_lines(text: str) -> list[Line]:
    """The lines of one order sentence without its verb."""
    text = PATTERNS["parenthesis"].sub(_open_parenthesis, text)
    if enumerated := _enumeration(text):
        return enumerated
    lines: list[Line] = []
    for part in split_items(text):
        line = read_line(part)
        if not lines:
            lines += [line] if line else []
            continue
        before = lines[-1]
        if line and _only_stresses(line, before):
            continue
        if _said_before(clean(part), [before.phrase]):
            continue
        if line is None:  # "..., the cheapest you have"
            take_pick(clean(part), before)
        elif line.pick == "any" and (one := PATTERNS["the_one"].match(part.strip(" ,:;.!?-"))):
            before.phrase = f"{before.phrase} {one['what']}"  # "..., the 7 qt one"
        else:
            lines.append(line)
    return lines


def _only_stresses(line: Line, before: Line) -> bool:
    """Whether "all sizes" or "every bottle" only says that all of the line before is meant."""
    known = CONTAINERS | GENERIC | {"size", "colour", "each", "every", *words(before.phrase)}
    return before.amount == line.amount == "all" and known.issuperset(words(line.phrase))


def _open_parenthesis(match: regex.Match[str]) -> str:
    inside = match[1]
    if PATTERNS["several"].search(inside):
        label = match.string[: match.start()]
        if PATTERNS["set_word"].search(label):
            return f"({inside})"
    if PATTERNS["not"].match(inside):
        return PATTERNS["not"].sub(", except ", inside)
    return f" {inside} "


def _enumeration(text: str) -> list[Line]:
    """Lines of "the full set (drink, bar and bottle)" or "the kit: tent, stove and lamp"."""
    match = (
        PATTERNS["kit"].search(text)
        or PATTERNS["label_and_list"].search(text)
        or PATTERNS["set_and_list"].search(text)
    )
    if not match:
        return []
    listed = PATTERNS["one_each"].sub("", match["list"])
    pieces = [clean(p) for p in PATTERNS["pieces"].split(listed)]
    pieces = [p for p in pieces if p and not is_meta(p)]
    if len(pieces) < 2:
        return []
    number = AMOUNTS["quantity"].match(clean(match["label"]))
    sets = _number_of(number)[0] if number else 1
    lines = [line for piece in pieces if (line := read_line(piece))]
    for line in lines:
        if line.amount == "open":
            line.amount, line.quantity, line.counts_packs = "exact", sets, True
    rest = clean(match.groupdict().get("rest") or "")
    return lines if is_meta(rest) else lines + read_lines(match["rest"])


def read_line(part: str) -> Line | None:
    """One line of an order, or None where the part names no goods."""
    line = Line("")
    text = part
    while clause := PATTERNS["except"].search(text):
        whole = PATTERNS["maker"].sub(" ", PATTERNS["those"].sub(" ", clause["what"]))
        excluded = (clean(x) for x in PATTERNS["joint"].split(whole))
        line.exclude += tuple(p for p in excluded if p and not PATTERNS["extras"].search(p))
        text = cut(text, clause)
    text = take_amount(clean(text), line)
    text = take_pick(clean(text), line)
    if line.amount == "open":
        text = take_amount(clean(text), line)
    line.phrase = clean(take_tail(clean(text), line))
    if is_meta(line.phrase):
        whole_shop = PATTERNS["whole_shop"].search(part) and not PATTERNS["them"].search(part)
        return Line("*", amount="all") if line.amount == "all" and whole_shop else None
    if " or " in line.phrase:
        line.options = _options(line.phrase)
    pieces = [p for p in (clean(x) for x in PATTERNS["pieces"].split(line.phrase)) if p]
    named = tuple(p for i, p in enumerate(pieces) if _names_goods(p, pieces[:i]))
    if len(named) < len(pieces):
        line.phrase = ", ".join(named)
    line.pieces = named if len(named) > 1 else ()
    return line


def _options(phrase: str) -> tuple[str, ...]:
    """The things of which one is enough: "jacket in green or teal", "red or blue mug"."""
    either = PATTERNS["either"].search(phrase)
    if either and {either["a"].casefold(), either["b"].casefold()} <= COLOURS:
        before, after = phrase[: either.start()], phrase[either.end() :]
        return f"{before}{either['a']}{after}", f"{before}{either['b']}{after}"
    options = [clean(option) for option in PATTERNS["or"].split(phrase)]
    if len(options) < 2:
        return ()
    goods = options[-1].split()[1:]
    return tuple(
        " ".join([option, *goods]) if len(option.split()) < 2 and goods else option
        for option in options
    )


def _names_goods(piece: str, before: list[str]) -> bool:
    """Whether a piece of a phrase names something that the pieces before it do not."""
    if is_meta(piece) and not piece[:1].isupper():  # in capitals ("Single") it is part of a name
        return False
    # Talk around the goods, such as "makes can be mixed", asks nothing of them.
    talk = before and PATTERNS["clause"].search(piece)
    if talk and not any(w in COLOURS or is_spec(w) for w in words(piece)):
        return False
    return not _said_before(piece, before)


def _said_before(piece: str, before: list[str]) -> bool:
    """Whether "just the filter" names nothing that was not named already."""
    match = PATTERNS["just"].match(piece)
    return match is not None and set(words(match["what"])) <= set(words(" ".join(before)))


def split_items(text: str) -> list[str]:
    """The items of a list, each with its amount; one item where nothing says otherwise."""
    separators = list(PATTERNS["separator"].finditer(text))
    counted = bool(PATTERNS["counted"].match(clean(text)))
    by_semicolon = any(separator["by"] == ";" for separator in separators)
    most = PATTERNS["most"].search(text)
    parts: list[str] = []
    begin = 0
    for separator in separators:
        if most and most.start() < separator.start() < most.end():
            continue
        comma = separator["by"].strip() == ","
        rest = text[separator.end() :]
        if comma and (counted or by_semicolon) and not PATTERNS["counted"].match(rest):
            continue
        if text[: separator.start()].casefold().endswith("hundred") or _in_name(rest):
            continue
        parts.append(text[begin : separator.start()])
        begin = separator.end()
    return [*parts, text[begin:]]


def _in_name(rest: str) -> bool:
    """Whether a number tells a property ("4 outlet"), not how many."""
    if PATTERNS["bare_package"].match(rest):
        return True
    if PATTERNS["counts"].match(rest):
        return False
    match = PATTERNS["number_first"].match(rest)
    if not match or to_int(match["n"]) < 2:
        return False
    after_number = PATTERNS["name_end"].split(match["what"])[0].split()
    if after_number and all(len(word) < 3 for word in after_number):
        return True
    if not after_number or any(word[:1].isupper() for word in after_number):
        return False
    nouns = [word.casefold().strip(".!?'\"") for word in after_number]
    return not any(
        noun in _SAME_PLURAL or (noun.endswith("s") and singular(noun) != noun) for noun in nouns
    )


def take_amount(text: str, line: Line) -> str:
    """Read the amount that a phrase begins with into the line; the text without it."""
    if most := AMOUNTS["most"].search(text):  # "as many mugs as you can", at times up to a limit
        line.amount = "most"
        what = AMOUNTS["pieces_of"].sub("", most["what"] or "")
        rest = f"{text[: most.start()]} {what} {text[most.end() :]}"
        if limit := AMOUNTS["limit"].search(rest):
            line.amount, line.quantity = "up_to", to_int(limit["n"])
            rest = f"{rest[: limit.start()]} {rest[limit.end() :]}"
        return rest
    if each := AMOUNTS["each"].match(text):
        line.amount, line.each, line.counts_packs = "exact", True, True
        numbered = each["n"] and AMOUNTS["number"].fullmatch(each["n"])
        line.quantity = to_int(each["n"]) if numbered else 1
        return text[each.end() :]
    if everything := AMOUNTS["all"].match(text):
        line.amount = "all"
        return text[everything.end() :]
    if measured := AMOUNTS["measure_amount"].match(text):  # packages that make up "30 kg of flour"
        base, factor = measure_factor(measured["unit"]) or ("pk", 0)
        if base != "pk":
            line.amount, line.measure = "exact", base
            line.quantity = round(float(measured["n"].replace(",", "")) * factor)
            return text[measured.end() :]
    return _take_number(text, line)


def _take_number(text: str, line: Line) -> str:
    match = AMOUNTS["quantity"].match(text)
    if not match or match.end() == 0:
        return text
    number, packs = _number_of(match)
    text = text[match.end() :]
    of = AMOUNTS["of_container"].match(text)
    if of:
        named = AMOUNTS["pieces_of"].match(of[0]) and AMOUNTS["name"].match(text, of.end())
        packs = packs or bool(AMOUNTS["package_of"].match(of[0]) or named)
        text = text if AMOUNTS["single_of"].match(of[0]) else text[of.end() :]
    if match["pair"] and NATURAL_PAIRS.intersection(regex.findall(r"\p{L}+", text.casefold())):
        number //= 2
    line.amount = "up_to" if match["upto"] else "at_least" if match["least"] else "exact"
    line.quantity, line.counts_packs = number, packs
    return text


def _number_of(match: regex.Match[str]) -> tuple[int, bool]:
    """The number that a match of ``quantity`` tells, and whether packages are counted."""
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
    return number, match["times"] is not None


def take_pick(text: str, line: Line) -> str:
    """Read a superlative ("the cheapest") into the line; the text without it."""
    match = AMOUNTS["superlative"].search(text)
    if not match:
        return text
    line.pick = "cheapest" if match["cheap"] else "dearest"
    return f"{text[: match.start()]} {text[match.end() :]}"


def take_tail(text: str, line: Line) -> str:
    """Amounts that stand behind the goods: "mugs, 3 of them", "mugs x3", "mugs (3)"."""
    if tail := AMOUNTS["all_tail"].search(text):
        line.amount = "all"
        text = text[: tail.start()] + " " + text[tail.end() :]
    times = AMOUNTS["once"].search(text)
    if times and line.amount in ("open", "exact"):
        text = text[: times.start()]
        if not line.each:
            line.amount = "exact"
            line.quantity = 1 if times["n"].casefold() == "once" else 2
    match = AMOUNTS["number_last"].search(text)
    if match and line.amount == "open":
        line.amount, line.quantity = "exact", to_int(match.captures("n")[-1])
        line.counts_packs = "x" in match[0] or "×" in match[0]
        text = text[: match.start()]
    return text
