"""The things to buy: lists, enumerations, exclusions and alternatives."""

from __future__ import annotations

import regex

from store_tools.words import CONTAINERS, is_spec, singular
from workshop.rule_based.store.grammar.amounts import (
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
        take_pick(clean(part), values)
        return values
    found = PATTERNS["the_one"].match(clean_ends(part))
    if found and line.pick == "any":
        return {"phrase": found["what"]}
    return {"pick": line.pick} if line.pick != "any" and is_meta(line.phrase) else {}


def _joined(line: Line, said: dict[str, object]) -> dict[str, object]:
    if "phrase" in said:
        return {"phrase": f"{line.phrase} {said['phrase']}"}
    return said


def _open_parenthesis(found: regex.Match[str]) -> str:
    inside = found[1]
    label = found.string[: found.start()]
    if PATTERNS["set_word"].search(label) and PATTERNS["several"].search(inside):
        return f"({inside})"
    return (
        PATTERNS["not"].sub(", except ", inside) if PATTERNS["not"].match(inside) else f" {inside} "
    )


def _enumeration(text: str) -> list[Line]:
    """Lines of "the full set (drink, bar and bottle)" or "the kit: tent, stove and lamp"."""
    found = (
        PATTERNS["kit"].search(text)
        or PATTERNS["label_and_list"].search(text)
        or PATTERNS["set_and_list"].search(text)
    )
    if not found:
        return []
    listed = PATTERNS["one_each"].sub("", found["list"])
    pieces = [clean(p) for p in PATTERNS["pieces"].split(listed)]
    pieces = [p for p in pieces if p and not is_meta(p)]
    if len(pieces) < 2:
        return []
    many = leading_number(clean(found["label"]))
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
    rest = found.groupdict().get("rest") or ""
    return lines + (read_lines(rest) if clean(rest) and not is_meta(clean(rest)) else [])


def read_line(part: str) -> Line | None:
    """One line of an order, or None where the part names no goods."""
    text, exclude = _take_exclusions(part)
    values: dict[str, object] = {"exclude": exclude}
    text = take_amount(clean(text), values)
    text = take_pick(clean(text), values)
    if "amount" not in values:
        text = take_amount(clean(text), values)
    text = take_tail(clean(text), values)
    phrase = clean(text)
    if is_meta(phrase):
        if (
            values.get("amount") == "all"
            and PATTERNS["whole_shop"].search(part)
            and not PATTERNS["them"].search(part)
        ):
            return Line(phrase="*", amount="all")
        return None
    options = (
        _colour_options(phrase) or tuple(clean(o) for o in PATTERNS["or"].split(phrase))
        if " or " in phrase
        else ()
    )
    every = [p for p in (clean(x) for x in PATTERNS["pieces"].split(phrase)) if p]
    pieces = tuple(
        p
        for i, p in enumerate(every)
        if not _says_nothing(p) and not _said_before(p, every[:i]) and not (i and _is_clause(p))
    )
    if len(pieces) < len(every):
        phrase = ", ".join(pieces)
    if len(options) > 1:
        values["options"] = options if _colour_options(phrase) else _shared_head(options)
    if len(pieces) > 1:
        values["pieces"] = pieces
    return Line(phrase=phrase, **values)  # type: ignore[arg-type]


def _says_nothing(piece: str) -> bool:
    """Whether a piece only talks about the order; in capitals ("Single") it is part of a name."""
    return is_meta(piece) and not piece[:1].isupper()


def _said_before(piece: str, before: list[str]) -> bool:
    """Whether "just the filter" names nothing that was not named already."""
    found = PATTERNS["just"].match(piece)
    return found is not None and set(words(found["what"])) <= set(words(" ".join(before)))


def _is_clause(piece: str) -> bool:
    """Whether a piece is talk around the goods ("makes can be mixed") and asks nothing of them."""
    told = words(piece)
    return bool(PATTERNS["clause"].search(piece)) and not any(
        w in COLOURS or is_spec(w) for w in told
    )


def _colour_options(phrase: str) -> tuple[str, ...]:
    """ "jacket in green or teal" means a green jacket or a teal one."""
    found = PATTERNS["either"].search(phrase)
    if not found or not {found["a"].casefold(), found["b"].casefold()} <= COLOURS:
        return ()
    return tuple(f"{phrase[: found.start()]}{found[c]}{phrase[found.end() :]}" for c in "ab")


def _shared_head(options: tuple[str, ...]) -> tuple[str, ...]:
    """ "red or blue mug" means "red mug" or "blue mug"."""
    last = options[-1].split()
    return tuple(
        option if len(option.split()) > 1 or len(last) < 2 else f"{option} {' '.join(last[1:])}"
        for option in options
    )


def _take_exclusions(text: str) -> tuple[str, tuple[str, ...]]:
    excluded: list[str] = []
    while found := PATTERNS["except"].search(text):
        whole = PATTERNS["maker"].sub(" ", PATTERNS["those"].sub(" ", found["what"]))
        parts = (clean(x) for x in PATTERNS["joint"].split(whole))
        excluded += [p for p in parts if p and not PATTERNS["extras"].search(p)]
        text = text[: found.start()] + " , " + text[found.end() :]
    return text, tuple(excluded)


_SAME_PLURAL = frozenset(["sheep", "fish", "deer", "aircraft", "dice", "salmon", "trout"])


def split_items(text: str) -> list[str]:
    """The items of a list, each with its amount; one item where nothing says otherwise."""
    counted = bool(PATTERNS["counted"].match(clean(text)))
    by_semicolon = any(found["by"] == ";" for found in PATTERNS["separator"].finditer(text))
    parts: list[str] = []
    begin = 0
    most = PATTERNS["most"].search(text)
    for found in PATTERNS["separator"].finditer(text):
        if most and most.start() < found.start() < most.end():
            continue
        comma = found["by"].strip() == ","
        rest = text[found.end() :]
        if comma and (counted or by_semicolon) and not PATTERNS["counted"].match(rest):
            continue
        if text[: found.start()].casefold().endswith("hundred") or _in_name(rest):
            continue
        parts.append(text[begin : found.start()])
        begin = found.end()
    return [*parts, text[begin:]]


def _in_name(rest: str) -> bool:
    """Whether a number tells a property ("4 outlet"), not how many."""
    if PATTERNS["bare_package"].match(rest):
        return True
    if PATTERNS["counts"].match(rest):
        return False
    found = PATTERNS["number_first"].match(rest)
    if not found or to_int(found["n"]) < 2:
        return False
    told = PATTERNS["name_end"].split(found["what"])[0].split()
    if told and all(len(word) < 3 for word in told):
        return True
    if not told or any(word[:1].isupper() for word in told):
        return False
    return not any(_plural(word) for word in told)


def _plural(word: str) -> bool:
    low = word.casefold().strip(".!?'\"")
    return low in _SAME_PLURAL or (low.endswith("s") and singular(low) != low)
