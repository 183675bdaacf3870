"""Baskets: as the shop shows them, as they are wanted, and what a request has done to them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

Content = dict[str, int]
"""Quantities by SKU."""
Wire: TypeAlias = Mapping[str, Any]
"""A body or an answer as it goes over the wire."""


LARGEST = 10**9
"""No price, quantity or total of a shop is larger."""


class Shown(BaseModel):
    """A record as the shop shows it, read from a response or a recorded answer."""

    model_config = ConfigDict(frozen=True, from_attributes=True)


class Product(Shown):
    """A product as the shop lists it; tools add its `units`."""

    sku: str
    name: str
    price: int = Field(ge=0, le=LARGEST)
    available: int = Field(ge=-LARGEST, le=LARGEST)
    units: int | None = None


class Line(Shown):
    """So many pieces of a product."""

    sku: str
    quantity: int


class PricedLine(Line):
    """The same as the shop shows it; `price` is in whole dollars for one piece."""

    price: int = 0


_REST: Any = None
"""What a basket leaves out follows from the rest of it."""


class Basket(Shown):
    """A basket as the shop shows it; `coupon` is "" for none.

    What the API leaves out of an empty or bare basket is filled in.
    """

    model_config = ConfigDict(validate_default=True)

    items: tuple[PricedLine, ...] = ()
    subtotal: int = _REST
    coupon: str = ""
    discount: int = 0
    total: int = _REST

    @field_validator("*", mode="before")
    @classmethod
    def _fill_in(cls, value: object, info: ValidationInfo) -> object:
        if value is not None:
            return value
        before = info.data
        filled: dict[str, object] = {"items": (), "coupon": "", "discount": 0}
        if info.field_name in filled:
            return filled[info.field_name]
        if info.field_name == "total":
            return before.get("subtotal", 0) - before.get("discount", 0)
        return sum(line.quantity * line.price for line in before.get("items", ()))

    @property
    def content(self) -> Content:
        """Quantities by SKU."""
        return {line.sku: line.quantity for line in self.items}


class Row(Shown):
    """A basket that was priced with a coupon or with none."""

    items: tuple[Line, ...]
    coupon: str
    subtotal: int
    discount: int
    total: int

    @property
    def content(self) -> Content:
        """Quantities by SKU."""
        return {line.sku: line.quantity for line in self.items}


class Addition(Shown):
    """What a basket costs with one product more, and a code that gives a discount then."""

    added: str
    subtotal: int
    discount: int
    total: int


LIST, VIEW = "/products/list", "/basket/view"
ADD, REMOVE, CHECKOUT = "/basket/add", "/basket/remove", "/basket/checkout"
APPLY, TAKE_OFF = "/coupon/apply", "/coupon/remove"

_LINE = ({"sku", "quantity"}, {"sku", "quantity", "price"})


class Item(BaseModel):
    """One line of a wanted basket."""

    model_config = ConfigDict(extra="ignore")

    sku: str
    quantity: int = Field(ge=1)

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: object) -> object:
        """A line as prompts show it, "sku×n", is taken too."""
        read = read_line(value) if isinstance(value, str) else None
        return {"sku": read[0], "quantity": read[1]} if read else value


def content_of(items: list[Item]) -> Content:
    """Quantities by SKU; repeated lines add up."""
    content: Content = {}
    for item in items:
        content[item.sku] = content.get(item.sku, 0) + item.quantity
    return content


def order_lines(entries: Sequence[object]) -> list[str] | None:
    """The texts of a list of ``{sku, quantity}``; None for any other list."""
    lines = [entry for entry in entries if isinstance(entry, dict) and entry.keys() in _LINE]
    if not entries or len(lines) < len(entries):
        return None
    prices = [f" at {one['price']}" if "price" in one else "" for one in lines]
    return [f"{e['sku']}×{e['quantity']}{price}" for e, price in zip(lines, prices, strict=True)]


def read_line(text: str) -> tuple[str, int] | None:
    """SKU and quantity of a text that :func:`order_lines` wrote, or None for another text."""
    sku, _, rest = text.rpartition("×")
    number = rest.split(" at ")[0].strip()
    return (sku.strip(), int(number)) if sku.strip() and number.isdecimal() else None


def lines_of(content: Content) -> tuple[Line, ...]:
    """The lines of a content."""
    return tuple(Line(sku=sku, quantity=quantity) for sku, quantity in content.items())


def basket_line(state: str) -> str:
    """Pieces and total of a state of :meth:`StoreEnvironment.state`, for a line on the screen.

    "" for any other text.
    """
    try:
        fields = json.loads(state)
        basket = fields["basket"]
        pieces = sum(int(item["quantity"]) for item in basket["items"])
        total = f"{pieces} items, ${int(basket['total']):,}"
    except (ValueError, TypeError, KeyError, RecursionError):
        return ""
    return f"{total}, bought" if fields.get("checked_out") else total


def flaw_of(basket: Basket) -> str | None:
    """What does not hold together in a basket that the shop showed; None where all does.

    The subtotal is the sum of the lines, the total the subtotal without the discount, which is no
    more than the subtotal; nothing is negative.
    """
    items, subtotal, discount = basket.items, basket.subtotal, basket.discount
    numbers = [subtotal, discount, basket.total]
    numbers += [number for line in items for number in (line.quantity, line.price)]
    if not all(0 <= number <= LARGEST for number in numbers):
        return "a number is negative or out of all bounds"
    if any(line.quantity == 0 for line in items) or len(basket.content) < len(items):
        return "a line is empty or stands twice"
    lines = sum(line.quantity * line.price for line in items)
    if lines != subtotal:
        return f"its lines come to {lines}, its subtotal is {subtotal}"
    if discount > subtotal:
        return f"its discount of {discount} is larger than its subtotal of {subtotal}"
    if basket.total != subtotal - discount:
        return f"its total is {basket.total}, subtotal and discount come to {subtotal - discount}"
    return None


@dataclass(frozen=True)
class Mirror:
    """Items and coupon by the shop's last view and the requests that it has answered since."""

    content: Content
    coupon: str

    @classmethod
    def of(cls, basket: Basket) -> Mirror:
        """The mirror of a basket that the shop showed just now."""
        return cls(basket.content, basket.coupon)

    def after(self, path: str, body: Wire) -> Mirror:
        """The mirror once a write has taken effect."""
        content, coupon = dict(self.content), self.coupon
        if path in (ADD, REMOVE):
            change = body["quantity"] if path == ADD else -body["quantity"]
            content[body["sku"]] = content.get(body["sku"], 0) + change
            content = {sku: n for sku, n in content.items() if n > 0}
        elif path == CHECKOUT:
            content, coupon = {}, ""
        else:
            coupon = body["coupon"] if path == APPLY else ""
        return Mirror(content, coupon)

    def tells(self, path: str, body: Wire, current: Mirror) -> bool | None:
        """Whether a write without an answer took effect, with ``seen`` the basket after it.

        None: it cannot be told. Only what the write moves is looked at. Coupon requests may be
        sent twice without harm, so for them a doubt counts as no.
        """
        wanted = self.after(path, body)
        if path in (APPLY, TAKE_OFF):
            return current.coupon == wanted.coupon
        if path == CHECKOUT:
            return True if not current.content else False if current == self else None
        sku = body["sku"]
        before, then, now = (m.content.get(sku, 0) for m in (self, wanted, current))
        if now == before:
            return False
        return True if now == then else None
