"""Store packs: the file format `store-pack/1` and its loader."""

from __future__ import annotations

import json
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from simulator.pack_errors import PackError, explain, short
from simulator.pack_faults import Fault, refuse_overlaps

FORMAT = "store-pack/1"
BUNDLED_PACK = Path(__file__).parent / "packs" / "store-bundled.json"

__all__ = [
    "BUNDLED_PACK",
    "FORMAT",
    "Coupon",
    "Discount",
    "Event",
    "Expect",
    "Fault",
    "Item",
    "Pack",
    "PackError",
    "Product",
    "Scenario",
    "load_pack",
    "parse_pack",
]

Name = Annotated[str, Field(min_length=1)]
Dollars = Annotated[int, Field(ge=0)]
Pieces = Annotated[int, Field(ge=0)]
Quantity = Annotated[int, Field(ge=1)]


def _not_empty(value: tuple[Any, ...]) -> tuple[Any, ...]:
    # A min_length on the field would also fire, and mislead, when only an element is wrong.
    if not value:
        raise ValueError("must have at least one element")
    return value


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class Product(_Part):
    """A product of the catalog; `price` is in whole dollars for one piece."""

    sku: Name
    name: str
    price: Dollars
    available: Pieces
    """Listed stock."""
    stock_at_checkout: Pieces | None = None
    """The stock that the first call of checkout finds; from then on the listed stock too."""


class Discount(_Part):
    """Either whole dollars off or whole percents of the subtotal, rounded down to dollars."""

    amount: Annotated[int, Field(ge=1)] | None = None
    percent: Annotated[int, Field(ge=1, le=100)] | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Discount:
        if (self.amount is None) == (self.percent is None):
            raise ValueError("give either amount or percent, not both and not none")
        return self


class Coupon(_Part):
    """A code that the shop knows; `discount` None is accepted and never takes anything off."""

    code: Name
    discount: Discount | None
    requires: dict[str, Quantity] = Field(default_factory=dict)
    """Least quantities by sku, all of them needed; one that the shop does not sell never fits."""
    min_subtotal: Dollars | None = None


class Item(_Part):
    """Some pieces of one product in an expected purchase."""

    sku: Name
    quantity: Quantity


class Event(_Part):
    """A purchase that the evaluator wants; a field that is None is not compared."""

    items: Annotated[tuple[Item, ...], AfterValidator(_not_empty)]
    subtotal: Dollars | None = None
    coupon: str | None = None
    discount: Dollars | None = None
    total: Dollars | None = None


class Expect(_Part):
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


class Scenario(_Part):
    """One shop with one task."""

    spec_id: Name
    task_text: Name
    page_limit: int
    """Largest `limit` of a listing; -1 forbids listing."""
    products: tuple[Product, ...]
    coupons: tuple[Coupon, ...] = ()
    expect: Expect
    faults: tuple[Fault, ...] = ()

    @field_validator("page_limit")
    @classmethod
    def _page_or_none(cls, value: int) -> int:
        if value != -1 and value < 1:
            raise ValueError("must be at least 1, or -1 for a shop that forbids listing")
        return value

    @model_validator(mode="after")
    def _names_agree(self) -> Scenario:
        skus = {product.sku for product in self.products}
        codes = {coupon.code for coupon in self.coupons}
        _refuse_twice("products", "sku", (product.sku for product in self.products))
        _refuse_twice("coupons", "code", (coupon.code for coupon in self.coupons))
        refuse_overlaps(self.faults)
        for number, event in enumerate(self.expect.any_of):
            where = f"expect.any_of[{number}]"
            _refuse_twice(f"{where}.items", "sku", (item.sku for item in event.items))
            _refuse_unknown(f"{where}.items", "sku", (item.sku for item in event.items), skus)
            _refuse_unknown(f"{where}.coupon", "code", filter(None, [event.coupon]), codes)
        return self


class Pack(_Part):
    """A named list of scenarios, in task order."""

    format: str
    name: Name
    scenarios: Annotated[tuple[Scenario, ...], AfterValidator(_not_empty)]

    @model_validator(mode="after")
    def _unique_specs(self) -> Pack:
        _refuse_twice("scenarios", "spec_id", (scenario.spec_id for scenario in self.scenarios))
        return self


def _refuse_twice(where: str, what: str, values: Iterable[str]) -> None:
    seen: set[str] = set()
    for value in values:
        if value in seen:
            raise ValueError(f"{where}: {what} {value!r} stands there twice; it must be unique")
        seen.add(value)


def _refuse_unknown(where: str, what: str, values: Iterable[str], known: set[str]) -> None:
    for value in values:
        if value not in known:
            choice = ", ".join(sorted(known)) or "none"
            raise ValueError(f"{where}: unknown {what} {value!r}; this shop has: {choice}")


def _dicts(value: object) -> list[dict[str, Any]]:
    return [v for v in value if isinstance(v, dict)] if isinstance(value, list) else []


def _refuse_misspelt(raw: dict[str, Any], part: type[BaseModel], where: str) -> None:
    """Refuse a typo; fields of another tool's own, such as notes, may stand there."""
    for name in raw.keys() - part.model_fields.keys():
        near = get_close_matches(name, list(part.model_fields), n=1, cutoff=0.8)
        if near:
            raise PackError(f"{where}: unknown field {name!r}; did you mean {near[0]!r}?")


def load_pack(path: str | Path) -> Pack:
    """Read a pack file (UTF-8 JSON).

    Raises `PackError` that names the file, the scenario, the field and what would be right.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise PackError(f"{path}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise PackError(f"{path}: is not UTF-8 text (byte {error.start})") from None
    return parse_pack(text, str(path))


def parse_pack(text: str, source: str = "pack") -> Pack:
    """Read a pack from JSON text; `source` names it in a `PackError`."""
    try:
        raw = json.loads(text)
    except RecursionError:
        raise PackError(f"{source}: is nested too deeply") from None
    except ValueError as error:
        raise PackError(f"{source}: is not JSON: {error}") from None
    found = raw.get("format") if isinstance(raw, dict) else None
    if found != FORMAT:
        raise PackError(f"{source}: format must be {FORMAT!r}, not {short(found)}")
    _refuse_misspelt(raw, Pack, source)
    for number, scenario in enumerate(_dicts(raw.get("scenarios"))):
        where = f"{source}: scenario {scenario.get('spec_id', number)!r}"
        _refuse_misspelt(scenario, Scenario, where)
        for product in _dicts(scenario.get("products")):
            _refuse_misspelt(product, Product, where)
        for coupon in _dicts(scenario.get("coupons")):
            _refuse_misspelt(coupon, Coupon, where)
        for fault in _dicts(scenario.get("faults")):
            _refuse_misspelt(fault, Fault, where)
    try:
        return Pack.model_validate_json(text)
    except ValidationError as error:
        raise PackError(explain(error, raw, source)) from None
