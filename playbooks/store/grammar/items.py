"""The things to buy: lists, enumerations, exclusions and alternatives."""

from __future__ import annotations

import regex

from playbooks.store.grammar.amounts import (
    QUANTITY,
    number_of,
    take_amount,
    take_pick,
    take_tail,
)
from playbooks.store.grammar.listing import split_items
from playbooks.store.grammar.order import Line
from playbooks.store.grammar.phrases import clean, clean_ends, is_meta
from playbooks.store.kinds.lexicon import COLOURS, GENERIC
from playbooks.store.kinds.vocabulary import words
from store_tools.words import CONTAINERS, is_spec

FLAGS = regex.IGNORECASE
_EXCEPT = regex.compile(
    r",?\s*\b(?:except(?: for)?|excluding|(?:but\s+)?(?:none|nothing|not any)(?:\s+of\s+(?:those|them|these))?(?!\s+(?:else|more|other|besides|further|but|of|in|to)\b)(?=\s+\p{L})|but not(?! more)|other than|apart from|save for|not including|with the exception of|leaving out|minus|but no(?! more| fewer| less)|without|but never|any(?: colou?r| size| brand| model| one)? (?:but|except)|"
    r"anything but|not(?= the| from| in| by| made)|(?<=[,;]\s)no(?! more| fewer| less)(?=\s+\p{L})|no(?= \w+ (?:ones?|models?)))\s+(?P<what>[^,;.()]+(?:(?:,| or| and| nor)\s+[^,;.()]+)*)",
    FLAGS,
)
_MAKER = regex.compile(
    r"\b(?:(?:made|produced|manufactured|built|sold|supplied)\s+)?(?:by|from)\s+(?:(?:the\s+)?(?:brand|maker|company)\s+)?",
    FLAGS,
)
_NOT = regex.compile(r"^\s*(?:not|no|but not)\s+(?:the\s+)?", FLAGS)
_EXTRAS = regex.compile(
    r"\b(?:extras?|substitut\w+|accessor\w+|add-ons?|partial|other|mixing|more|fewer|less|need|hurry|rush|problem)\b",
    FLAGS,
)
_CLAUSE = regex.compile(
    r"\b(?:can|may|will|is|are|be|was|were|doesn't|don't|does|do|matters?|come|comes|they|we|you|whichever|whatever|whoever|who)\b",
    FLAGS,
)
_SET_WORD = regex.compile(
    r"\b(?:full|complete|whole|entire|set|kit|bundle|package|combo|trio|duo|outfit|collection|ensemble|pack|starter|gear|"
    r"following|these|items|things|goods|lot|everything|essentials|basics|assortment|selection|box)\b[^,;]*$",
    FLAGS,
)
_KIT = regex.compile(
    r"^(?P<label>[^(:,]*\b(?:everything|all|what(?:ever)?)\b[^(:,]*\b(?:for|needs?|of)\b[^(:,]*),?\s+(?:that is|that means|which is|i\.e\.|namely|meaning|in other words)[,:]?\s+(?P<list>[^:()]+)$",
    FLAGS,
)
"""Everything for some end, told in parts."""
_ONE_EACH = regex.compile(
    r"^\s*(?:one|a|1|a single|1x)\s+(?:each|piece|unit)?\s*(?:of|of each(?: of)?)?:?\s+(?=\p{L})|\s*,?\s*(?:one|1) (?:of )?each\s*$",
    FLAGS,
)
_OR = regex.compile(r"\s*,?\s+or\s+")
_JUST = regex.compile(r"^(?:just|only)\s+(?:the\s+)?(?P<what>[^,]+)", FLAGS)
_PARENTHESIS = regex.compile(r"\(([^()]*)\)")
_LABEL_AND_LIST = regex.compile(r"^(?P<label>[^(:]*)\((?P<list>[^()]*)\)\s*(?P<rest>.*)$")
_SET_AND_LIST = regex.compile(
    r"^(?P<label>[^:]*\b(?:set|kit|bundle|package|combo|trio|duo|outfit|collection|ensemble|lot|box|starter|gear)\b[^:]*?)(?::|\s[–—-]\s|,?\s*(?:consisting of|made up of|comprising|including|that is|i\.e\.?|namely|which means|meaning|containing|with)\s)(?P<list>[^:]+)$",
    FLAGS,
)
_PIECES = regex.compile(
    r"\s*(?:,\s*(?:and|plus)?|;|\band\b|\bplus\b|&|\+|\balong with\b|\btogether with\b|\bas well as\b)\s*",
    FLAGS,
)


def read_lines(text: str) -> list[Line]:
    """The lines of one order sentence without its verb."""
    text = _PARENTHESIS.sub(_open_parenthesis, text)
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
    found = regex.match(
        r"^\s*(?:the|an?)\s+(?P<what>.+?)\s+(?:ones?|version|variant|model|boxes|box|packs?|bottles?|bags?|cans?|jars?|tubs?|sets?)\s*$",
        clean_ends(part),
        FLAGS,
    )
    if found and line.pick == "any":
        return {"phrase": found["what"]}
    return (
        {"pick": line.pick, "rank": line.rank}
        if line.pick != "any" and is_meta(line.phrase)
        else {}
    )


def _joined(line: Line, said: dict[str, object]) -> dict[str, object]:
    if "phrase" in said:
        return {"phrase": f"{line.phrase} {said['phrase']}"}
    return said


def _open_parenthesis(found: regex.Match[str]) -> str:
    inside = found[1]
    label = found.string[: found.start()]
    if _SET_WORD.search(label) and regex.search(r",.*,|\band\b|\bplus\b|&", inside, FLAGS):
        return f"({inside})"
    return _NOT.sub(", except ", inside) if _NOT.match(inside) else f" {inside} "


def _enumeration(text: str) -> list[Line]:
    """Lines of "the full set (drink, bar and bottle)" or "the kit: tent, stove and lamp"."""
    found = _KIT.search(text) or _LABEL_AND_LIST.search(text) or _SET_AND_LIST.search(text)
    if not found:
        return []
    listed = _ONE_EACH.sub("", found["list"])
    pieces = [clean(p) for p in _PIECES.split(listed)]
    pieces = [p for p in pieces if p and not is_meta(p)]
    if len(pieces) < 2:
        return []
    label = QUANTITY.match(clean(found["label"]))
    many, _, _ = number_of(label) if label else (1, "exact", False)
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
            and regex.search(
                r"\beverything|\ball\b|single unit|whole shop|entire (?:shop|store)", part, FLAGS
            )
            and not regex.search(r"\b(?:them|those|these)\b", part, FLAGS)
        ):
            return Line(phrase="*", amount="all")
        return None
    options = (
        _colour_options(phrase) or tuple(clean(o) for o in _OR.split(phrase))
        if " or " in phrase
        else ()
    )
    every = [p for p in (clean(x) for x in _PIECES.split(phrase)) if p]
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
    found = _JUST.match(piece)
    return found is not None and set(words(found["what"])) <= set(words(" ".join(before)))


def _is_clause(piece: str) -> bool:
    """Whether a piece is talk around the goods ("makes can be mixed") and asks nothing of them."""
    told = words(piece)
    return bool(_CLAUSE.search(piece)) and not any(w in COLOURS or is_spec(w) for w in told)


def _colour_options(phrase: str) -> tuple[str, ...]:
    """ "jacket in green or teal" means a green jacket or a teal one."""
    found = regex.search(r"\b(?P<a>\p{L}+)\s+or\s+(?P<b>\p{L}+)\b", phrase)
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
    while found := _EXCEPT.search(text):
        whole = regex.sub(
            r"\b(?:the )?(?:ones?|models?|those|anything|any)\b(?: (?:from|by|made by|in|that are))?",
            " ",
            found["what"],
            flags=FLAGS,
        )
        whole = _MAKER.sub(" ", whole)
        parts = (clean(x) for x in regex.split(r",|\bor\b|\band\b|\bnor\b", whole))
        excluded += [p for p in parts if p and not _EXTRAS.search(p)]
        text = text[: found.start()] + " , " + text[found.end() :]
    return text, tuple(excluded)
