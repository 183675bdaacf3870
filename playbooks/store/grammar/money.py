"""Budgets, price limits and discounts in a task text."""

from __future__ import annotations

from dataclasses import dataclass, field

import regex

from playbooks.store.grammar.order import Budget
from playbooks.store.grammar.phrases import cut

FLAGS = regex.IGNORECASE
MONEY = (
    r"(?:(?:us)?[$€£]\s?(?P<m>\d[\d,]*(?:\.\d+)?)(?:\s?(?:dollars|usd))?|(?:usd|eur)\s?(?P<m>\d[\d,]*(?:\.\d+)?)"
    r"|(?P<m>\d[\d,]*(?:\.\d+)?)\s?(?:dollars?|bucks|usd|euros?|eur|\$))"
)
_TAIL = (
    r"(?P<tail>(?:\s*,?\s*(?:per (?:piece|unit|item|one|head)|each|apiece|a piece|in total|total|altogether|"
    r"all[- ]in|overall|combined|all together|for (?:everything|all(?: of (?:it|them))?|the (?:lot|whole order|order))|"
    r"(?:in|for) the end|after (?:the |any |all )?(?:discounts?|coupons?|codes?|savings?|vouchers?)|"
    r"including (?:the |any )?discounts?|to spend|or so|budget|please))*)"
)
_OFF = regex.compile(
    r"(?<!\w)(?:,?\s*(?:to|and|so that|so|which|that|for|in order to)\s+)?(?:(?:we|i|you|it)\s+)?"
    r"(?:(?:can|should|will|must)\s+)?(?:(?:actually|really)\s+)?"
    r"(?:get|gets|save|saves|give|gives|giving|claim|take|takes|receive|worth|grants?|brings?|for)?\s*"
    r"(?:(?:the|a|an|me|us|you|its|another|full)\s+)*(?:" + MONEY + r"|(?P<p>\d+)\s?(?:%|percent))"
    r"[\s-]*(?:off|discount|reduction|rebate|savings?|cheaper|less)\b(?:\s+(?:the )?(?:total|order|price|bill))?",
    FLAGS,
)
_STRICT = regex.compile(
    r"(?<!\w)(?:(?:for|at|costing|priced|that costs?|which costs?|(?:stay|staying|keep(?:ing)? it|remain)s?|is|be|costs?|"
    r"(?<=\b(?:for|at|with) )(?:a|any|the) (?:total |final |combined )?(?:price|cost|sum|total|amount)(?: of)?)\s+)*"
    r"(?:strictly\s+)?(?:under|below|less than|cheaper than|lower than|fewer than|beneath)\s+"
    r"(?:a total of\s+|the\s+|a\s+)?" + MONEY + _TAIL,
    FLAGS,
)
_MORE = r"(?:over|above|beyond|more than|past|higher than|in excess of)"
_AT_MOST = regex.compile(
    r"(?<!\w)(?:(?:for|at|costing|priced|that costs?|which costs?|spend(?:ing)?|pay(?:ing)?|with|within|on|of|and|but)\s+)*"
    r"(?:(?:a|my|our|the)\s+(?:total\s+)?(?:budget|limit|price|total)\s+of\s+)?"
    r"(?:at (?:the )?(?:very )?most|no more than|not more than|never more than|nothing over|nothing above|up to|within|"
    r"inside|max(?:imum)?\.?(?: of|:)?|not over|not above|no higher than|not higher than|"
    r"(?:(?:do|must|may|can|should|will|shall)?\s*(?:not|n't|cannot)|without|never)\s+(?:to\s+)?"
    r"(?:exceed(?:ing)?|surpass(?:ing)?|break(?:ing)?|top(?:ping)?|(?:(?:go(?:ing)?|be|cost|spend(?:ing)?|pay(?:ing)?|come to|end up|run)\s+)"
    + _MORE
    + r")|"
    r"not exceeding|(?:(?:a|my|our|the|total|strict|tight|hard|fixed|spending|price)\s+)*(?:budget|limit|cap|ceiling|maximum)"
    r"(?:\s+(?:is|of|at|here is|for (?:this|it|everything|all of it)|i have|we have))*\s*:?|"
    r"(?:i|we|there)(?:'ve| have| has| is| are|'s)(?: only| just| exactly| got)*)\s+"
    r"(?:(?:a|the|my|our)\s+)?(?:(?:total|budget|maximum|limit|sum|price|grand total)\s+(?:of\s+)?)*"
    r"(?:exactly\s+|only\s+|just\s+)?" + MONEY + _TAIL,
    FLAGS,
)
_OR_LESS = regex.compile(
    r"(?<!\w)(?:for|at|with)?\s*"
    + MONEY
    + r"\s*,?\s*(?:or (?:less|under|below|cheaper)|max(?:imum)?|tops|at (?:the )?most|"
    r"budget|limit|to spend(?: in total)?|in total)\b" + _TAIL,
    FLAGS,
)
_FOR = regex.compile(r"\b(?:for|with|on|at)\s+" + MONEY + _TAIL, FLAGS)
_FLOOR = regex.compile(
    r"(?<!\w)(?:(?:for|at|costing|priced|that costs?|which costs?)\s+)*(?:over|above|more than|at least|no less than|"
    r"not less than|upwards of|from)\s+" + MONEY + _TAIL,
    FLAGS,
)
_BETWEEN = regex.compile(
    r"(?:costing |priced )?between\s+"
    + MONEY.replace("(?P<m>", "(?P<lo>")
    + r"\s+and\s+"
    + MONEY
    + _TAIL,
    FLAGS,
)
_WHOLE = regex.compile(
    r"\b(?:total|altogether|overall|budget|spend|spending|pay|exceed|combined|everything|together|order|lot)\b",
    FLAGS,
)
_EACH = regex.compile(r"\b(?:per|each|apiece|a piece)\b", FLAGS)


@dataclass
class Money:
    """Money that a text speaks of, and the text without it."""

    rest: str
    budget: Budget | None = None
    floor: Budget | None = None
    off_dollars: int | None = None
    off_percent: int | None = None
    unclear: list[str] = field(default_factory=list)


def take_money(text: str) -> Money:
    """Read budgets and discounts; what was read is replaced by a comma."""
    money = Money(text)
    _take_off(money)
    found = _BETWEEN.search(money.rest)
    if found:
        money.floor = Budget(dollars=_value(found.captures("lo")), per_unit=True)
        money.budget = Budget(dollars=_value(found.captures("m")), per_unit=True)
        money.rest = cut(money.rest, found)
    for pattern, strict in ((_AT_MOST, False), (_STRICT, True), (_OR_LESS, False)):
        _take_budget(money, pattern, strict)
    found = _FLOOR.search(money.rest)
    if found and not money.floor:
        strict = not regex.search(r"at least|less than|from", found[0], FLAGS)
        money.floor = Budget(dollars=_value(found.captures("m")), strict=strict, per_unit=True)
        money.rest = cut(money.rest, found)
    _take_budget(money, _FOR, False)
    if regex.search(MONEY, money.rest, FLAGS):
        money.unclear.append("an amount of money that was not understood")
    return money


def _take_off(money: Money) -> None:
    found = _OFF.search(money.rest)
    if not found:
        return
    if found.captures("m"):
        money.off_dollars = int(_value(found.captures("m")))
    else:
        money.off_percent = int(found["p"])
    money.rest = cut(money.rest, found)


def _take_budget(money: Money, pattern: regex.Pattern[str], strict: bool) -> None:
    while found := pattern.search(money.rest):
        limit = Budget(
            dollars=_value(found.captures("m")),
            strict=strict,
            per_unit=bool(_EACH.search(found["tail"])),
            whole=bool(_WHOLE.search(found[0])),
        )
        if money.budget and money.budget != limit:
            money.unclear.append("more than one budget")
        money.budget = money.budget or limit
        money.rest = cut(money.rest, found)


def _value(captures: list[str]) -> float:
    return float(captures[-1].replace(",", ""))
