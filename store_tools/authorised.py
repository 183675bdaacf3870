"""Whether a basket, as the shop shows it, is what the instruction authorises to buy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import regex

from store_tools.basket import Basket, Content

READ_AT_MOST = 20_000
"""Characters of an instruction that are read."""
LINE_AT_MOST = 2_000
FLAGS = regex.IGNORECASE
MOST = r"(?:at most|no more than|not more than|up to|max(?:imum)?(?: of)?)"
LESS = r"(?:under|below|less than)"
_AMOUNT = regex.compile(
    r"(?<![\p{L}\p{N}_×]|\p{L}-|\d\.)"
    r"(\d{1,3}(?:[,.'’]\d{3})++(?!\d)|\d{1,3}(?:[ \u00a0\u202f]\d{3})++(?!\d)|\d++)"
    r"(?:\.0{1,2}+)?+(?!\.?\d|-?(?:pack|pk|ct)\b|×|[\p{L}_](?<!\d(?=usd|eur|dollar)\p{L}))",
    FLAGS,
)
"""A whole amount of money as people and JSON write it: 1234, $1,234, 1234.00, 50USD."""
_CALLED = regex.compile(r"(?<!sub)totals?[\"']?(?:[ \t]+\p{L}++){0,3}\W{0,4}$", FLAGS)
"""What stands before a number that is called a total."""
_LIMIT = regex.compile(rf"\b(?:{LESS}|{MOST})(?: a total of)?[ \t]++[$€£]?$", FLAGS)
_COUNTED = regex.compile(r"[ \t]{0,2}(?:of|x|×|units?|pieces?|pcs|packs?)\b", FLAGS)
"""What stands behind a number of things."""
_LINE = regex.compile(
    r"^[ \t>*_`#-]*+CHECKOUT[*_`]*+[ \t]*+:[*_` \t]*+(.*)$", FLAGS | regex.MULTILINE
)
_GROUPED = regex.compile(r"(?<=[$ \t])\d{1,3}(?:,\d{3})++(?![\w-])")
_WHOLE = r"[$€£]?[ ]?(?P<n>\d{1,9})(?:\.0{1,2})?+(?:[ ]?(?:dollars?|usd))?"
_COMBINATION = r"(?: (?:combination|basket|one))?(?: (?:that )?(?:the search |was )?found)?"
_CLAUSES = {
    kind: regex.compile(pattern, FLAGS)
    for kind, pattern in {
        "cheapest": rf"(?:the )?cheapest{_COMBINATION}",
        "bare": r"(?:no|without(?: a| any)?) coupon|coupon:? (?:none|no)",
        "coupon": r"(?:with )?(?:the )?coupon:? [\"'`]?(?P<code>[^\s\"'`]{1,100})[\"'`]?",
        "total": rf"(?:at )?(?:expected )?total:? (?:of |exactly )?{_WHOLE}",
        "most": rf"(?:total:? |for )?{MOST} {_WHOLE}",
        "less": rf"(?:total:? |for )?{LESS} {_WHOLE}",
    }.items()
}
_ITEMS = regex.compile(r"(?:exact(?:ly)? )?items:? |exact(?:ly)? |only ", FLAGS)
_ITEM = regex.compile(
    r"(?P<sku>\S(?:.{0,98}\S)?)(?:\s?×\s?|\s+x\s?)(?P<n>\d{1,9})"
    r"|(?P<n>\d{1,9})(?:\s?×\s?|\s?x\s+|\s+of\s+)(?P<sku>\S(?:.{0,98}\S)?)",
    FLAGS,
)
_BUY = regex.compile(
    r"\b(?:check(?:s|ed|ing)?[ -]?out|checkouts?|buy(?:s|ing)?|purchas(?:e|es|ing))\b", FLAGS
)
_NEGATED = regex.compile(
    r"(?:(?:\b(?:not|never|cannot)|n[’']t)(?:\s++\p{L}++){0,3}|\b(?:will|would)(?:\s++\p{L}++)?"
    r"|\bno|\bwithout)\s++$",
    FLAGS,
)
_UNLESS = regex.compile(r"[^.;!?\n]{0,60}\b(?:unless|until|before)\b", FLAGS)
_NOTHING = regex.compile(r"\s++(?:nothing|no|later|comes|follows|will|would)\b", FLAGS)
_ALONE = regex.compile(r"(?<![\w.,-])\d{1,9}(?![\w-]|[.,]\d)")
"""A whole number that stands by itself."""


@dataclass(frozen=True)
class Authority:
    """What may be bought: all that is said here has to hold."""

    items: Content | None = None
    coupon: str | None = None
    """"" for none; None: not said."""
    total: int | None = None
    at_most: int | None = None
    cheapest: bool = False
    """The cheapest basket that a search has found."""
    unread: str = ""
    """What could not be read: nothing is authorised then."""

    @property
    def says(self) -> bool:
        """Whether anything is authorised at all."""
        clauses = (self.items, self.total, self.at_most)
        return not self.unread and (self.cheapest or any(c is not None for c in clauses))


def line_of(instruction: str) -> Authority | None:
    """What the CHECKOUT line of an instruction says; None: it has none."""
    lines = _LINE.findall(instruction[:READ_AT_MOST])
    if len(lines) > 1:
        return Authority(unread="there are several CHECKOUT lines")
    return _read(lines[0]) if lines else None


def ordered(instruction: str, total: int) -> bool:
    """Whether an instruction names this total.

    Where numbers are called totals, only these are; a limit is none, nor is a number of things.
    What the code has read from the basket agrees with it always, and so would guard nothing.
    """
    text = instruction[:READ_AT_MOST]

    def follows(words: regex.Pattern[str], amount: regex.Match[str]) -> bool:
        return words.search(text, max(0, amount.start() - 60), amount.start()) is not None

    amounts_in = (a for a in _AMOUNT.finditer(text) if not _COUNTED.match(text, a.end()))
    found = [amount for amount in amounts_in if not follows(_LIMIT, amount)]
    called = [amount for amount in found if follows(_CALLED, amount)]
    amounts = [m[1] for m in called or found]
    # A blank may group the digits of one number or part two.
    parts = [part for amount in amounts for part in amount.split()]
    return str(total) in (regex.sub(r"\D", "", amount) for amount in (*amounts, *parts))


def names(instruction: str, word: str) -> bool:
    """Whether a SKU, a name or a code stands in an instruction as a word of its own."""
    text, folded = instruction[:READ_AT_MOST].casefold(), word.casefold()
    at = text.find(folded) if folded else -1
    while at >= 0:
        around = text[max(at - 1, 0) : at] + text[at + len(folded) : at + len(folded) + 1]
        if not any(c.isalnum() or c in "-_" for c in around):
            return True
        at = text.find(folded, at + 1)
    return False


def quantities(instruction: str, sku: str) -> set[int]:
    """The numbers that an instruction gives for a SKU: sku×2, 2 x sku, 2 of sku."""
    name, text = regex.escape(sku), instruction[:READ_AT_MOST]
    behind = rf"(?<![\w-]){name}(?:\s?×\s?|\s+x\s?)(\d{{1,9}})(?!\w)"
    ahead = rf"(?<![\w.-])(\d{{1,9}})(?:\s?[x×]\s?|\s+of\s+|\s+){name}(?![\w-])"
    return {int(n) for pattern in (behind, ahead) for n in regex.findall(pattern, text, FLAGS)}


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


def _read(body: str) -> Authority:
    """The clauses of a CHECKOUT line, parted by commas or semicolons."""
    if len(body) > LINE_AT_MOST:
        return Authority(unread="the CHECKOUT line is too long")
    authority, items = Authority(), Content()
    whole = _GROUPED.sub(lambda m: m[0].replace(",", ""), f" {body}")
    for part in regex.split(r"[,;]", whole.strip().strip("*_`").rstrip(".")):
        clause = " ".join(part.split())
        read = _clause(clause, authority)
        if read is not None:
            authority = read
            continue
        item = _ITEM.fullmatch(_ITEMS.sub("", clause, count=1) if _ITEMS.match(clause) else clause)
        if item is None or item["sku"] in items or int(item["n"]) < 1:
            return Authority(unread=f"{clause[:80]!r} of the CHECKOUT line cannot be read")
        items[item["sku"]] = int(item["n"])
    return replace(authority, items=items or None)


def _clause(clause: str, authority: Authority) -> Authority | None:
    """What was told with one clause more; None where it is none, or says again what was said."""
    matches = ((kind, pattern.fullmatch(clause)) for kind, pattern in _CLAUSES.items())
    kind, found = next(((k, m) for k, m in matches if m), ("", None))
    if found is None:
        return None
    if kind == "cheapest":
        return replace(authority, cheapest=True)
    if kind in ("bare", "coupon"):
        code = "" if kind == "bare" else found["code"]
        return replace(authority, coupon=code) if authority.coupon is None else None
    if authority.total is not None or authority.at_most is not None:
        return None
    number = int(found["n"])
    if kind == "total":
        return replace(authority, total=number)
    return replace(authority, at_most=number if kind == "most" else number - 1)


HELP = (
    "An instruction authorises it by the total, or by a line `CHECKOUT: items SKU×N; coupon CODE` "
    "(or `no coupon`, or `total at most N`) or `CHECKOUT: cheapest found`: report the basket, the "
    "purchase is ordered after that"
)
_COUPONS = regex.compile(
    r"(?<!\bno |\bwithout |\bwithout a |\bwithout any )\b(?:coupons?|codes?|discounts?)\b", FLAGS
)


@dataclass(frozen=True)
class Priced:
    """Baskets that one call has priced in an instruction."""

    rows: Sequence[tuple[Content, str, int]]
    """Content, coupon and total."""
    target: int | None
    """Units that each of them holds; None: nobody but the worker's code says what they are for."""
    codes: int
    """How many coupons were tried."""
    by_shop: bool
    """Priced by the shop, not from its listing."""
    query: str | None = None
    """The search whose matches they are made of, each of them sure; None: there is none."""


@dataclass(frozen=True)
class Order:
    """An instruction with what is known about its words and its searches."""

    instruction: str
    catalog: dict[str, str]
    """Names by SKU, as far as the shop was listed."""
    priced: Sequence[Priced]

    def refusal(self, basket: Basket) -> str | None:
        """Why a basket is not authorised, and what would be; None where it is.

        Of a basket without the coupon that a CHECKOUT line demands only that: no other line would
        make it what was ordered.
        """
        flaw, authority = self.refuses(basket), line_of(self.instruction)
        demanded = authority.coupon if authority else None
        if flaw and demanded and demanded != basket.coupon:
            return f"{flaw}; report it, and do not buy without it"
        return flaw and f"{flaw}. {HELP}"

    def refuses(self, basket: Basket) -> str | None:
        """Why a basket is not authorised; None where it is."""
        authority = line_of(self.instruction)
        if authority is None:
            if forbids(self.instruction):
                return "the instruction says not to buy now"
            named = ordered(self.instruction, basket.total)
            return None if named else f"the instruction names no total of {basket.total}"
        if not authority.says:
            return authority.unread or "the CHECKOUT line names no items, total or search"
        flaws = (
            self._other_items(authority, basket),
            self._other_coupon(authority, basket),
            _other_total(authority, basket),
            self._not_cheapest(authority, basket) if authority.cheapest else None,
        )
        return next((flaw for flaw in flaws if flaw), None)

    def _other_items(self, authority: Authority, basket: Basket) -> str | None:
        held = basket.content
        if authority.items is not None:
            if held == authority.items:
                return None
            return f"the basket holds {held}, the instruction says {authority.items}"
        if authority.total is not None:
            return None
        named = {sku for sku in {*self.catalog, *held} if self._named(sku)}
        strange = sorted(held.keys() - named)
        if strange and (named or not authority.cheapest):
            return f"the instruction does not name {', '.join(strange)}"
        if not authority.cheapest:
            for sku in sorted(named):
                stated = quantities(self.instruction, sku)
                if stated and stated != {held.get(sku, 0)}:
                    return f"the basket holds {held.get(sku, 0)} of {sku}, not {sorted(stated)}"
        return None

    def _named(self, sku: str) -> bool:
        return names(self.instruction, sku) or names(self.instruction, self.catalog.get(sku, ""))

    def _other_coupon(self, authority: Authority, basket: Basket) -> str | None:
        code = basket.coupon
        if authority.coupon is not None:
            if code == authority.coupon:
                return None
            return f"the basket's coupon is {code!r}, the instruction says {authority.coupon!r}"
        if authority.total is not None:
            return None
        open_ = authority.items is None or authority.cheapest
        if code and not (open_ and names(self.instruction, code)):
            return f"the instruction does not say that coupon {code!r} is used"
        if not code and not authority.cheapest and _COUPONS.search(self.instruction):
            return "the instruction speaks of coupons and the basket has none"
        return None

    def _not_cheapest(self, authority: Authority, basket: Basket) -> str | None:
        by_shop = [p for p in self.priced if p.by_shop]
        searches = by_shop or list(self.priced)
        if not searches:
            return "no search has priced any basket"
        tried = any(search.codes for search in searches)
        if authority.coupon != "" and _COUPONS.search(self.instruction) and not tried:
            return "the instruction speaks of coupons and none was tried"
        rows = [row for p in searches for row in p.rows]
        if authority.items is not None:
            rows = [row for row in rows if row[0] == authority.items]
        elif flaw := self._unbound(searches):
            return flaw
        if not rows:
            return "no search has priced such baskets"
        if authority.items is None and not self._has_worded(searches, basket):
            return "not every match of a search that the instruction words is sure: name the SKUs"
        return _dearer(rows, basket)

    def _has_worded(self, searches: Sequence[Priced], basket: Basket) -> bool:
        """Whether the instruction names every SKU of the basket, or words each search of it."""
        if all(map(self._named, basket.content)):
            return True
        return all(p.query and names(self.instruction, p.query) for p in searches)

    def _unbound(self, searches: Sequence[Priced]) -> str | None:
        """Why the baskets of the searches may be other than what the instruction asks for."""
        targets = {p.target for p in searches}
        if len(targets) != 1 or None in targets:
            return "the baskets that were priced are not those generated for one number of units"
        stated = {int(n) for n in _ALONE.findall(self.instruction[:READ_AT_MOST])}
        if stated and not targets <= stated:
            return f"the instruction does not ask for {targets.pop()} units"
        return None


def _dearer(rows: Sequence[tuple[Content, str, int]], basket: Basket) -> str | None:
    """Why a basket is not the cheapest of those that were priced; None where it is."""
    if (basket.content, basket.coupon, basket.total) not in rows:
        return "the search has not priced this basket with this coupon"
    least = min(total for *_, total in rows)
    return None if basket.total == least else f"the search found a basket for {least}"


def _other_total(authority: Authority, basket: Basket) -> str | None:
    total = basket.total
    if authority.total is not None and total != authority.total:
        return f"the instruction names no total of {total}"
    if authority.at_most is not None and total > authority.at_most:
        return f"the total of {total} is more than {authority.at_most}"
    return None
