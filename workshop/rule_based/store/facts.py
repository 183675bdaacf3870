"""What the worker has reported so far, read out of the evaluator's prompt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field

from store_tools.basket import read_line


class Product(BaseModel, frozen=True):
    """One product as the tools report it."""

    sku: str
    name: str
    price: int
    available: int
    units: int = 1
    score: float = 1.0
    """How well it answers a phrase, as :mod:`workshop.rule_based.store.kinds.judging` has it."""


class QueryResult(BaseModel, frozen=True):
    """What the shop has for one query."""

    matches: tuple[Product, ...] = ()
    near: tuple[Product, ...] = ()
    cut: bool = False
    """There were more than are told."""


def _item(raw: Any) -> Any:
    """An item as a pair; tools write it as ``{sku, quantity}`` or ``"sku×n"``."""
    if isinstance(raw, str):
        return read_line(raw) or (raw, 0)
    return (raw["sku"], raw["quantity"]) if isinstance(raw, dict) else raw


class Row(BaseModel, frozen=True):
    """One basket with one coupon, as tried in the shop."""

    items: tuple[Annotated[tuple[str, int], BeforeValidator(_item)], ...]
    coupon: str
    subtotal: int
    discount: int
    total: int


class Facts(BaseModel, frozen=True):
    """The last report, as far as it is one that a playbook's program writes."""

    step: str = ""
    """The step that reported: survey, simulate, purchase, or nothing yet."""
    by_query: dict[str, QueryResult] = Field(default_factory=dict)
    catalog: tuple[Product, ...] = ()
    rows: tuple[Row, ...] = ()
    dead_codes: dict[str, str] = Field(default_factory=dict)
    cut: bool = False
    error: str = ""
    """Why a purchase was not made."""
    halted: str = ""
    """Why the program could not go on: what a tool refused."""
    failed: dict[str, Any] = Field(default_factory=dict)
    """Parameters of a purchase that failed."""

    def found(self, phrase: str) -> QueryResult:
        """What the shop has for a phrase."""
        return self.by_query.get(phrase, QueryResult())


def read_facts(step: str, report: Mapping[str, Any], parameters: Mapping[str, Any]) -> Facts:
    """Facts from a worker's report; what does not fit is left out, never guessed."""
    told = {
        "step": step,
        "by_query": report.get("found") or {},
        "catalog": report.get("catalog") or (),
        "rows": report.get("results") or (),
        "dead_codes": {
            e["coupon"]: e["error"] for e in report.get("errors") or () if e.get("coupon")
        },
        "cut": bool(report.get("cut")),
        "error": str(report.get("error") or ""),
        "halted": str(report.get("halted") or ""),
        "failed": dict(parameters) if step == "purchase" and not report.get("bought") else {},
    }
    return Facts.model_validate(told)
