"""The things to buy: lists, enumerations, exclusions and alternatives."""

from __future__ import annotations

import regex

from store_tools.words import CONTAINERS, is_spec, singular
from workshop.rule_based.store.grammar.amounts import (
    Values,
    leading_number,
    take_amount,
    take_pick,
    take_tail,
)
from workshop.rule_based.store.grammar.numbers import to_int
from workshop.rule_based.store.grammar.order import Line
from workshop.rule_based.store.grammar.patterns import Patterns
from workshop.rule_based.store.grammar.phrases import clean, clean_ends, is_meta
from workshop.rule_based.store.kinds.lexicon import COLOURS, GENERIC, words

PATTERNS = Patterns("items")


def read_lines(text: str) -> list[Line]:
    """The lines of one order sentence without its verb."""
    text = PATTERNS["parenthesis"].sub(_open_parenthesis, text)
    enumerated = _enumeration(text)
    if enumerated:
        return enumerated
    lines: list[Line] = []
    for part in split_items(text):
        line = read_line(part)
        if lines and line and _repeats(lines[-1], line):
            continue
        if lines and _said_before(clean(part), [lines[-1].phrase]):
            continue
        if lines and (addition := _afterthought(part, line)):
            lines[-1] = lines[-1].model_copy(update=_joined(lines[-1], addition))
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
        take_pick(clean(part), values)
        return values
    match = PATTERNS["the_one"].match(clean_ends(part))
    if match and line.pick == "any":
        return {"phrase": match["what"]}
    return {"pick": line.pick} if line.pick != "any" and is_meta(line.phrase) else {}


def _joined(line: Line, addition: dict[str, object]) -> dict[str, object]:
    if "phrase" in addition:
        return {"phrase": f"{line.phrase} {addition['phrase']}"}
    return addition


def _open_parenthesis(match: regex.Match[str]) -> str:
    inside = match[1]
    label = match.string[: match.start()]
    if PATTERNS["set_word"].search(label) and PATTERNS["several"].search(inside):
        return f"({inside})"
    return (
        PATTERNS["not"].sub(", except ", inside) if PATTERNS["not"].match(inside) else f" {inside} "
    )


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
    many = leading_number(clean(match["label"]))
    lines = []
    for piece in pieces:
        line = read_line(piece)
        if line is not None:
            explicit = line.amount != "open"
            lines.append(
                line
                if explicit
                else line.model_copy(
                    update={"amount": "exact", "quantity": many, "counts_packs": True}
                )
            )
    rest = match.groupdict().get("rest") or ""
    return lines + (read_lines(rest) if clean(rest) and not is_meta(clean(rest)) else [])


def read_line(part: str) -> Line | None:
    """One line of an order, or None where the part names no goods."""
    text, exclude = _take_exclusions(part)
    values: dict[str, object] = {"exclude": exclude}
    phrase = _take_amounts(text, values)
    if is_meta(phrase):
        is_whole_shop = PATTERNS["whole_shop"].search(part) and not PATTERNS["them"].search(part)
        if values.get("amount") == "all" and is_whole_shop:
            return Line(phrase="*", amount="all")
        return None
    options = _options(phrase)
    pieces = [p for p in (clean(x) for x in PATTERNS["pieces"].split(phrase)) if p]
    named = tuple(p for i, p in enumerate(pieces) if _names_goods(p, pieces[:i]))
    if len(named) < len(pieces):
        phrase = ", ".join(named)
    return Line(phrase=phrase, options=options, pieces=named[1:] and named, **values)  # type: ignore[arg-type]


def _take_amounts(text: str, values: Values) -> str:
    """Read amount and superlative into ``values``, in whatever order; the phrase without them."""
    text = take_amount(clean(text), values)
    text = take_pick(clean(text), values)
    if "amount" not in values:
        text = take_amount(clean(text), values)
    return clean(take_tail(clean(text), values))


def _options(phrase: str) -> tuple[str, ...]:
    """The things of which one is enough: "red or blue mug", "a tent or a tarp"."""
    if " or " not in phrase:
        return ()
    options = tuple(clean(option) for option in PATTERNS["or"].split(phrase))
    return _colour_options(phrase) or (_shared_head(options) if len(options) > 1 else ())


def _names_goods(piece: str, before: list[str]) -> bool:
    """Whether a piece of a phrase names something that the pieces before it do not."""
    talk = _says_nothing(piece) or (before and _is_clause(piece))
    return not talk and not _said_before(piece, before)


def _says_nothing(piece: str) -> bool:
    """Whether a piece only talks about the order; in capitals ("Single") it is part of a name."""
    return is_meta(piece) and not piece[:1].isupper()


def _said_before(piece: str, before: list[str]) -> bool:
    """Whether "just the filter" names nothing that was not named already."""
    match = PATTERNS["just"].match(piece)
    return match is not None and set(words(match["what"])) <= set(words(" ".join(before)))


def _is_clause(piece: str) -> bool:
    """Whether a piece is talk around the goods ("makes can be mixed") and asks nothing of them."""
    piece_words = words(piece)
    return bool(PATTERNS["clause"].search(piece)) and not any(
        w in COLOURS or is_spec(w) for w in piece_words
    )


def _colour_options(phrase: str) -> tuple[str, ...]:
    """ "jacket in green or teal" means a green jacket or a teal one."""
    match = PATTERNS["either"].search(phrase)
    if not match or not {match["a"].casefold(), match["b"].casefold()} <= COLOURS:
        return ()
    return tuple(f"{phrase[: match.start()]}{match[c]}{phrase[match.end() :]}" for c in "ab")


def _shared_head(options: tuple[str, ...]) -> tuple[str, ...]:
    """ "red or blue mug" means "red mug" or "blue mug"."""
    last = options[-1].split()
    return tuple(
        option if len(option.split()) > 1 or len(last) < 2 else f"{option} {' '.join(last[1:])}"
        for option in options
    )


def _take_exclusions(text: str) -> tuple[str, tuple[str, ...]]:
    excluded: list[str] = []
    while clause := PATTERNS["except"].search(text):
        whole = PATTERNS["maker"].sub(" ", PATTERNS["those"].sub(" ", clause["what"]))
        parts = (clean(x) for x in PATTERNS["joint"].split(whole))
        excluded += [p for p in parts if p and not PATTERNS["extras"].search(p)]
        text = text[: clause.start()] + " , " + text[clause.end() :]
    return text, tuple(excluded)


_SAME_PLURAL = frozenset(["sheep", "fish", "deer", "aircraft", "dice", "salmon", "trout"])


def split_items(text: str) -> list[str]:
    """The items of a list, each with its amount; one item where nothing says otherwise."""
    counted = bool(PATTERNS["counted"].match(clean(text)))
    by_semicolon = any(separator["by"] == ";" for separator in PATTERNS["separator"].finditer(text))
    parts: list[str] = []
    begin = 0
    most = PATTERNS["most"].search(text)
    for separator in PATTERNS["separator"].finditer(text):
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
    return not any(_plural(word) for word in after_number)


def _plural(word: str) -> bool:
    low = word.casefold().strip(".!?'\"")
    return low in _SAME_PLURAL or (low.endswith("s") and singular(low) != low)
