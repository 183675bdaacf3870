"""Baskets: as the shop shows them, as they are wanted, and what a request has done to them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NotRequired, TypeAlias, TypedDict

from pydantic import BaseModel, ConfigDict, Field, model_validator

Content = dict[str, int]
"""Quantities by SKU."""
Wire: TypeAlias = Mapping[str, Any]
"""A body or an answer as it goes over the wire."""


class Product(TypedDict):
    """A product as the shop lists it; tools add its `units`."""

    sku: str
    name: str
    price: int
    available: int
    units: NotRequired[int]


class Line(TypedDict):
    """So many pieces of a product."""

    sku: str
    quantity: int


class PricedLine(Line):
    """The same as the shop shows it; `price` is in whole dollars for one piece."""

    price: int


class Totals(TypedDict):
    """What a basket costs; `coupon` is "" for none."""

    subtotal: int
    coupon: str
    discount: int
    total: int


class Basket(Totals):
    """A basket as the shop shows it."""

    items: list[PricedLine]


class Row(Totals):
    """A basket that was priced with a coupon or with none."""

    items: list[Line]


class AddedRow(Totals):
    """The same of a basket with one product more."""

    added: str


LIST, VIEW = "/products/list", "/basket/view"
ADD, REMOVE, CHECKOUT = "/basket/add", "/basket/remove", "/basket/checkout"
APPLY, TAKE_OFF = "/coupon/apply", "/coupon/remove"
LARGEST = 10**9
"""No price, quantity or total of a shop is larger."""

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


def filled_basket(raw: Wire) -> Basket:
    """A basket with the fields that the API leaves out: coupon ``""`` and discount 0."""
    items: list[PricedLine] = [
        {"sku": i["sku"], "quantity": i["quantity"], "price": i.get("price", 0)}
        for i in raw.get("items") or []
    ]
    subtotal = raw.get("subtotal", sum(i["quantity"] * i["price"] for i in items))
    discount = raw.get("discount") or 0
    return {
        "items": items,
        "subtotal": subtotal,
        "coupon": raw.get("coupon") or "",
        "discount": discount,
        "total": raw.get("total", subtotal - discount),
    }


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


def content_in(lines: Iterable[Line]) -> Content:
    """Quantities by SKU of lines that are one for each product."""
    return {line["sku"]: line["quantity"] for line in lines}


def totals_of(basket: Totals) -> Totals:
    """What a basket costs, without its items."""
    return {
        "coupon": basket["coupon"],
        "subtotal": basket["subtotal"],
        "discount": basket["discount"],
        "total": basket["total"],
    }


def flaw_of(basket: Basket) -> str | None:
    """What does not hold together in a basket that the shop showed; None where all does.

    The subtotal is the sum of the lines, the total the subtotal without the discount, which is no
    more than the subtotal; nothing is negative.
    """
    items = basket["items"]
    subtotal, discount, total = basket["subtotal"], basket["discount"], basket["total"]
    numbers = [subtotal, discount, total, *(n for i in items for n in (i["quantity"], i["price"]))]
    if not all(isinstance(n, int) and 0 <= n <= LARGEST for n in numbers):
        return "a number is negative or out of all bounds"
    if any(i["quantity"] == 0 for i in items) or len(content_in(items)) < len(items):
        return "a line is empty or stands twice"
    lines = sum(i["quantity"] * i["price"] for i in items)
    if lines != subtotal:
        return f"its lines come to {lines}, its subtotal is {subtotal}"
    if discount > subtotal:
        return f"its discount of {discount} is larger than its subtotal of {subtotal}"
    if total != subtotal - discount:
        return f"its total is {total}, subtotal and discount come to {subtotal - discount}"
    return None


@dataclass(frozen=True)
class Mirror:
    """Items and coupon by the shop's last view and the requests that it has answered since."""

    content: Content
    coupon: str

    @classmethod
    def of(cls, basket: Basket) -> Mirror:
        """The mirror of a basket that the shop showed just now."""
        return cls(content_in(basket["items"]), basket["coupon"])

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
