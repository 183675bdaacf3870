"""Store packs: the file format `store-pack/1` and its loader."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, model_validator

from core.erc3_client.own.store import RESPONSES
from workshop.simulator import world
from workshop.simulator.pack_files import (
    Name,
    Names,
    PageLimit,
    Record,
    not_empty,
    refuse,
    repeated,
)

FORMAT = "store-pack/1"
BUNDLED_PACK = Path(__file__).parent / "packs" / "store-bundled.json"

Dollars = Annotated[int, Field(ge=0)]
Pieces = Annotated[int, Field(ge=0)]
Quantity = Annotated[int, Field(ge=1)]


class Product(Record):
    """A product of the catalog; `price` is in whole dollars for one piece."""

    sku: Name
    name: str
    price: Dollars
    available: Pieces = Field(description="Listed stock.")
    stock_at_checkout: Pieces | None = Field(
        None,
        description="The stock that the first call of checkout finds; from then on the listed "
        "stock too.",
    )


class Discount(Record):
    """Either whole dollars off or whole percents of the subtotal, rounded down to dollars."""

    amount: Annotated[int, Field(ge=1)] | None = None
    percent: Annotated[int, Field(ge=1, le=100)] | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Discount:
        if (self.amount is None) == (self.percent is None):
            raise ValueError("give either amount or percent, not both and not none")
        return self


class Coupon(Record):
    """A code that the shop knows; `discount` None is accepted and never takes anything off."""

    code: Name
    discount: Discount | None
    requires: dict[str, Quantity] = Field(
        default_factory=dict,
        description="Least quantities by sku, all of them needed; one that the shop does not sell "
        "never fits.",
    )
    min_subtotal: Dollars | None = None


class Item(Record):
    """Some pieces of one product in an expected purchase."""

    sku: Name
    quantity: Quantity


class Event(Record):
    """A purchase that the evaluator wants; a field that is None is not compared."""

    items: Annotated[tuple[Item, ...], AfterValidator(not_empty)]
    subtotal: Dollars | None = None
    coupon: str | None = None
    discount: Dollars | None = None
    total: Dollars | None = None


class Expect(Record):
    """What the evaluator wants: no checkout, or one that matches an event of `any_of`."""

    checkouts: Annotated[int, Field(ge=0, le=1)]
    any_of: tuple[Event, ...] = ()

    @model_validator(mode="after")
    def _events_fit_count(self) -> Expect:
        if self.checkouts and not self.any_of:
            raise ValueError("any_of must hold at least one event when checkouts is 1")
        if self.any_of and not self.checkouts:
            raise ValueError("any_of must be left out when checkouts is 0")
        return self


class Scenario(world.Scenario):
    """One shop with one task."""

    paths = tuple(RESPONSES)
    page_limit: PageLimit = Field(description="Largest `limit` of a listing; -1 forbids listing.")
    products: tuple[Product, ...]
    coupons: tuple[Coupon, ...] = ()
    expect: Expect
    oracle: dict[str, Any] | None = Field(
        None, description="How the expectation was found; `demand` is what the task asks for."
    )
    mechanics: Names = ()

    @model_validator(mode="after")
    def _names_agree(self) -> Scenario:
        refuse(self._mistakes())
        return self

    def _mistakes(self) -> Iterator[str]:
        skus = [product.sku for product in self.products]
        codes = [coupon.code for coupon in self.coupons]
        yield from repeated("products", "sku", skus)
        yield from repeated("coupons", "code", codes)
        for number, event in enumerate(self.expect.any_of):
            where = f"expect.any_of[{number}]"
            yield from repeated(f"{where}.items", "sku", (item.sku for item in event.items))
            yield from _unknown(f"{where}.items", "sku", (item.sku for item in event.items), skus)
            yield from _unknown(f"{where}.coupon", "code", filter(None, [event.coupon]), codes)


class Pack(world.Pack):
    """A named list of shops with a task each."""

    format: str = Field(json_schema_extra={"const": FORMAT})
    scenarios: Annotated[tuple[Scenario, ...], AfterValidator(not_empty)]


def _unknown(where: str, what: str, values: Iterable[str], known: list[str]) -> Iterator[str]:
    for value in values:
        if value not in known:
            yield f"{where}: unknown {what} {value!r}; this shop has: {', '.join(known) or 'none'}"
