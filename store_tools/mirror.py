"""What the basket holds as far as is known without looking, and what a request has done to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ledger import read_line

Content = dict[str, int]
"""Quantities by SKU."""
Basket = dict[str, Any]
ADD, REMOVE, CHECKOUT = "/basket/add", "/basket/remove", "/basket/checkout"
APPLY, TAKE_OFF = "/coupon/apply", "/coupon/remove"


class Item(BaseModel):
    """One line of a wanted basket."""

    model_config = ConfigDict(extra="ignore")

    sku: str
    quantity: int = Field(ge=1)

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, said: Any) -> Any:
        """A line as prompts show it, "sku×n", is taken too."""
        read = read_line(said) if isinstance(said, str) else None
        return {"sku": read[0], "quantity": read[1]} if read else said


def content_of(items: list[Item]) -> Content:
    """Quantities by SKU; repeated lines add up."""
    content: Content = {}
    for item in items:
        content[item.sku] = content.get(item.sku, 0) + item.quantity
    return content


def content_in(basket: Basket) -> Content:
    """Quantities by SKU of a basket that the shop showed."""
    return {i["sku"]: i["quantity"] for i in basket["items"]}


@dataclass(frozen=True)
class Mirror:
    """Items and coupon by the shop's last view and the requests that it has answered since."""

    content: Content
    coupon: str

    @classmethod
    def of(cls, basket: Basket) -> Mirror:
        """The mirror of a basket that the shop showed just now."""
        return cls(content_in(basket), basket["coupon"])

    def after(self, path: str, body: Mapping[str, Any]) -> Mirror:
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

    def tells(self, path: str, body: Mapping[str, Any], seen: Mirror) -> bool | None:
        """Whether a write without an answer took effect, with ``seen`` the basket after it.

        None: it cannot be told. Only what the write moves is looked at. Coupon requests may be
        sent twice without harm, so for them a doubt counts as no.
        """
        wanted = self.after(path, body)
        if path in (APPLY, TAKE_OFF):
            return seen.coupon == wanted.coupon
        if path == CHECKOUT:
            return True if not seen.content else False if seen == self else None
        sku = body["sku"]
        before, then, now = (m.content.get(sku, 0) for m in (self, wanted, seen))
        if now == before:
            return False
        return True if now == then else None
