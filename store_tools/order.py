"""What a purchase may be: one order in one form. Anything else authorises nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import regex
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.ledger import ToolFault
from core.models.reply_text import Misread, clean
from store_tools.basket import LARGEST, Basket, Content

READ_AT_MOST = 20_000
"""Characters of an instruction that are read."""
_LINE = regex.compile(
    r"^[ \t>*_`#-]*+CHECKOUT[*_` \t]*+[:：](.*)$", regex.IGNORECASE | regex.MULTILINE
)
_BODY = regex.compile(
    r"[*_` \t]*+items (?P<items>[^;]++); (?:coupon (?P<coupon>[^\s;]++)|no coupon); "
    r"total at most (?P<limit>\d{1,10})[*_`. \t\r]*+"
)
_ITEM = regex.compile(r"(?P<sku>\S(?:.*\S)?)×(?P<quantity>\d{1,10})")

Number = Annotated[int, Field(ge=1, le=LARGEST)]


class CheckoutOrder(BaseModel):
    """The basket that may be bought: exactly these items with this coupon, up to a total."""

    model_config = ConfigDict(frozen=True)

    items: dict[str, Number] = Field(min_length=1)
    """Pieces by SKU."""
    coupon: str = ""
    """"" for none."""
    limit: int = Field(ge=0, le=LARGEST)
    """The largest total, in whole dollars."""

    @property
    def line(self) -> str:
        """The one form in which an instruction gives it."""
        items = ", ".join(f"{sku}×{quantity}" for sku, quantity in self.items.items())
        coupon = f"coupon {self.coupon}" if self.coupon else "no coupon"
        return f"CHECKOUT: items {items}; {coupon}; total at most {self.limit}"

    def difference(self, basket: Basket) -> str | None:
        """What a basket has otherwise than ordered; None: it is what was ordered."""
        held = basket.content
        if held != self.items:
            return f"the basket holds {held}, ordered are {self.items}"
        if basket.coupon != self.coupon:
            return f"the basket's coupon is {basket.coupon!r}, ordered is {self.coupon!r}"
        if basket.total > self.limit:
            return f"the basket's total is {basket.total}, ordered is at most {self.limit}"
        return None


def order_of(basket: Basket) -> CheckoutOrder:
    """The order of a basket as it is. Raises ToolFault: it is empty or out of all bounds."""
    return _made(basket.content, basket.coupon, basket.total)


def order_given(total: int | None, coupon: str | None, items: Content | None) -> CheckoutOrder:
    """The order of who calls the tools without an instruction: all three.

    Raises ToolFault: one is missing, or it is no order.
    """
    return _made(items, coupon, total)


def order_in(instruction: str) -> CheckoutOrder:
    """The order that an instruction gives in its CHECKOUT line.

    Raises:
        ToolFault: there is no such line, more than one, or one in another form.
    """
    lines = _LINE.findall(instruction[:READ_AT_MOST])
    if len(lines) != 1:
        told = "no CHECKOUT line" if not lines else f"{len(lines)} CHECKOUT lines"
        raise ToolFault(f"the instruction has {told}")
    body = _BODY.fullmatch(lines[0])
    parts = [_ITEM.fullmatch(part) for part in body["items"].split(", ")] if body else []
    items = {part["sku"]: int(part["quantity"]) for part in parts if part}
    if body is None or len(items) < len(parts):
        raise ToolFault(f"CHECKOUT:{lines[0][:200]} is not in the one form")
    return _made(items, body["coupon"] or "", int(body["limit"]))


def has_order(instruction: str) -> bool:
    """Whether an instruction orders a purchase, or tries to."""
    return _LINE.search(instruction[:READ_AT_MOST]) is not None


def lone_order(instruction: str) -> CheckoutOrder | None:
    """The order of an instruction that is its CHECKOUT line and nothing else; None of any other."""
    if "\n" in instruction.strip():
        return None
    try:
        return order_in(instruction)
    except ToolFault:
        return None


def misnamed(order: CheckoutOrder, shown: Iterable[str]) -> str | None:
    """A shown product that the order may have meant, though it names others; None: there is none.

    A SKU with ", " in it reads as two, and what readers of replies take out of a text is lost.
    """
    for sku in shown:
        read = _read_back(sku)
        if read is not None and read != {sku: 1} and read.keys() & order.items.keys():
            return sku
    return None


def _read_back(sku: str) -> Content | None:
    """What an order of one piece of a product reads as; None: nothing."""
    line = CheckoutOrder(items={sku: 1}, limit=0).line
    try:
        return order_in(clean(line)).items
    except (Misread, ToolFault):
        return None


def _made(items: Content | None, coupon: str | None, limit: int | None) -> CheckoutOrder:
    given = {"items": items, "coupon": coupon, "limit": limit}
    try:
        return CheckoutOrder.model_validate(given)
    except ValidationError as error:
        told = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()[:3])
        raise ToolFault(f"this is no order: {told}") from None
