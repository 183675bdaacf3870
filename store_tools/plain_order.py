"""An order to buy in plain words: one sentence that says what to do now, without a condition."""

from __future__ import annotations

import regex

from store_tools.authority import FLAGS, LESS, MOST, READ_AT_MOST, Authority

_SENTENCE = regex.compile(r"(?<=[.;!?])\s++|\n++")
_BUY = regex.compile(
    r"\b(?:check(?:s|ed|ing)?[ -]?out|checkouts?|buy(?:s|ing)?|purchas(?:e|es|ing))\b", FLAGS
)
_NOT_NOW = regex.compile(
    r"\b(?:not|never|cannot|instead of|rather than|before|until)\b(?! more than)|n[’']t\b"
    r"|\b(?:no|without)\s+(?:check|buy|purchas)|\b(?:buy|purchase|order)\s+(?:nothing|no\b|later)"
    r"|\b(?:will|would|could|might|later|next turn|next instruction)\b",
    FLAGS,
)
"""What is not ordered, or not to be done by this instruction."""
_NEGATED = regex.compile(
    r"(?:(?:\b(?:not|never|cannot)|n[’']t)(?:\s++\p{L}++){0,3}|\b(?:will|would)(?:\s++\p{L}++)?"
    r"|\bno|\bwithout)\s++$",
    FLAGS,
)
_UNLESS = regex.compile(r"[^.;!?\n]{0,60}\b(?:unless|until|before)\b", FLAGS)
_NOTHING = regex.compile(r"\s++(?:nothing|no|later|comes|follows|will|would)\b", FLAGS)
_DOUBT = regex.compile(
    r"\b(?:if|unless|when|whenever|whether|once|provided|how|what|simulate|pretend|example|ask|may)"
    r"\b|\?",
    FLAGS,
)
"""A condition that code cannot check, or words about an order."""
_IMPERATIVE = regex.compile(
    r"[\W\d]*+(?:(?:please|then|now|finally|and)[, ]++)*+"
    r"(?:set|put|add|remove|take|empty|fill|build|make|generate|combine|price|test|try|apply|buy"
    r"|purchase|check ?out|find|search|pick|choose|get)\b",
    FLAGS,
)
_CHEAPEST = regex.compile(r"\bcheapest\b", FLAGS)
_BOUND = regex.compile(
    r"(?P<before>\btotal(?: (?:is|of|price))?,? |\bfor |\bat |\bcosts? )?"
    rf"\b(?:(?P<most>{MOST})|{LESS}) (?:a total of )?(?P<money>[$€£] ?)?"
    r"(?P<n>\d{1,3}(?:,\d{3})++|\d++)(?=(?P<rest>[^\n]{0,30}))",
    FLAGS,
)
_BEHIND_MONEY = regex.compile(
    r"(?:\.0{1,2}(?!\d))?+(?P<unit>[ ]?(?:dollars?|usd|in total)\b)?+"
    r"(?:$|[ ]?[,;)!]|\.(?!\d)|[ ](?:and|then|with|using)\b)",
    FLAGS,
)
_HAS = regex.compile(
    r"\bbasket (?:then |now )?(?:has|holds|contains|is)(?: (?:exactly|only|just))? "
    r"(?P<n>\d{1,9})(?![\d.,]*\d)(?P<rest>[^,;.\n]{0,100})",
    FLAGS,
)
_END = regex.compile(r" (?:then|for|with|without|and check|and buy)\b", FLAGS)


def forbids(instruction: str) -> bool:
    """Whether an instruction speaks of buying only to say that nothing is to be bought."""
    text = instruction[:READ_AT_MOST]

    def negated(match: regex.Match[str]) -> bool:
        if _NOTHING.match(text, match.end()):
            return True
        begin = max(0, match.start() - 60)
        denied = _NEGATED.search(text, begin, match.start()) is not None
        return denied and not _UNLESS.match(text, match.end())

    spoken = list(_BUY.finditer(text))
    return bool(spoken) and all(map(negated, spoken))


def plain_order(instruction: str) -> Authority:
    """What the one plain order of an instruction authorises; nothing where there are several."""
    sentences = map(_order_in, _SENTENCE.split(instruction[:READ_AT_MOST]))
    orders = [authority for authority in sentences if authority is not None]
    return orders[0] if len(orders) == 1 else Authority()


def _order_in(sentence: str) -> Authority | None:
    """What a sentence orders to buy now; None where it does not, or not for certain."""
    if not (_IMPERATIVE.match(sentence) and _BUY.search(sentence)):
        return None
    if _NOT_NOW.search(sentence) or _DOUBT.search(sentence):
        return None
    bounds, holds = list(_BOUND.finditer(sentence)), list(_HAS.finditer(sentence))
    if len(bounds) > 1 or len(holds) > 1:
        return None
    at_most, pieces = None, None
    if bounds:
        at_most = _bound(bounds[0])
        if at_most is None:
            return None
    if holds:
        if regex.search(r"\d|×", _END.split(holds[0]["rest"])[0]):
            return None
        pieces = int(holds[0]["n"])
    cheapest = _CHEAPEST.search(sentence) is not None
    authority = Authority(pieces=pieces, at_most=at_most, cheapest=cheapest)
    return authority if authority.says else None


def _bound(match: regex.Match[str]) -> int | None:
    """The most that may be paid; None where the number may count something else."""
    behind = _BEHIND_MONEY.match(match["rest"])
    number = match["n"].replace(",", "")
    if behind is None or len(number) > 9:
        return None
    if not (match["before"] or match["money"] or behind["unit"]):
        return None
    return int(number) if match["most"] else int(number) - 1
