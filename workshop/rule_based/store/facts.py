"""What the worker has reported so far, read out of the evaluator's prompt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import regex
from pydantic import BaseModel, ConfigDict, Field

from store_tools.basket import read_line

INSUFFICIENT = regex.compile(
    r"insufficient inventory for product (?P<sku>\S+).*?available:?\s*(?P<n>\d+)", regex.IGNORECASE
)


class Product(BaseModel):
    """One product as the tools report it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    sku: str
    name: str
    price: int
    available: int
    units: int = 1
    score: float = 1.0
    """How well it answers a phrase, as :mod:`workshop.rule_based.store.kinds.judging` has it."""


class QueryResult(BaseModel):
    """What the shop has for one query."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    matches: tuple[Product, ...] = ()
    near: tuple[Product, ...] = ()
    cut: bool = False
    """There were more than are told."""


class Row(BaseModel):
    """One basket with one coupon, as tried in the shop."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    items: tuple[tuple[str, int], ...]
    coupon: str
    subtotal: int
    discount: int
    total: int

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Row:
        """A row from the tool's dict, whose items are ``[{sku, quantity}]`` or ``["sku×n"]``."""
        items = tuple(
            (read_line(i) or (i, 0)) if isinstance(i, str) else (i["sku"], i["quantity"])
            for i in raw["items"]
        )
        return cls.model_validate({**raw, "items": items})


class Facts(BaseModel):
    """The last report, as far as it is one that a playbook's program writes."""

    model_config = ConfigDict(frozen=True, extra="ignore")

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

    def with_real_stock(self) -> Facts:
        """The same facts with the stock that a failed checkout told."""
        real = {m["sku"]: int(m["n"]) for m in INSUFFICIENT.finditer(self.error)}
        if not real:
            return self

        def corrected(products: tuple[Product, ...]) -> tuple[Product, ...]:
            return tuple(
                p.model_copy(update={"available": min(p.available, real[p.sku])})
                if p.sku in real
                else p
                for p in products
            )

        return self.model_copy(
            update={
                "by_query": {
                    q: f.model_copy(update={"matches": corrected(f.matches)})
                    for q, f in self.by_query.items()
                },
                "catalog": corrected(self.catalog),
            }
        )


def read_facts(step: str, report: Mapping[str, Any], parameters: Mapping[str, Any]) -> Facts:
    """Facts from a worker's report; what does not fit is left out, never guessed."""
    errors = report.get("errors") or []
    return Facts(
        step=step,
        by_query={q: QueryResult.model_validate(f) for q, f in (report.get("found") or {}).items()},
        catalog=tuple(Product.model_validate(p) for p in report.get("catalog") or []),
        rows=tuple(Row.of(r) for r in report.get("results") or []),
        dead_codes={e["coupon"]: e["error"] for e in errors if e.get("coupon")},
        cut=bool(report.get("cut")),
        error=str(report.get("error") or ""),
        halted=str(report.get("halted") or ""),
        failed=dict(parameters) if step == "purchase" and not report.get("bought") else {},
    )
