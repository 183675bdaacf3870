"""The store as a world of the platform: a shop for each task, whose acts are its checkouts.

When an answer leaves out a field, and what a repeated call does, stands in `choices.md`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from core.erc3_client.own import store
from workshop.simulator.effects import Effect, WantedEffect
from workshop.simulator.store.cuts import CUTS
from workshop.simulator.store.pack import BUNDLED_PACK, FORMAT, Pack, Scenario
from workshop.simulator.store.plays import plays
from workshop.simulator.store.scoring import Basket, matches
from workshop.simulator.store.shop import Shop
from workshop.simulator.store.trivial import TRIVIAL
from workshop.simulator.world import Wire, World, compact, routes_of


def _list_products(shop: Shop, request: store.Req_ListProducts) -> Wire:
    page = shop.list_products(request.offset, request.limit)
    products = [product.model_dump() for product in page.products] or None
    return {"products": products, "next_offset": page.next_offset}


def _view(shop: Shop, request: store.Req_ViewBasket) -> Wire:
    fields = _priced(shop.view())
    return {key: fields[key] for key in fields if fields[key] or key not in ("coupon", "discount")}


def _priced(basket: Basket) -> Wire:
    items = [asdict(line) for line in basket.lines]
    return {
        "items": items or None,
        "subtotal": basket.subtotal,
        "coupon": basket.coupon,
        "discount": basket.discount,
        "total": basket.total,
    }


def _effects(scenario: Scenario, shop: Shop) -> tuple[list[WantedEffect], list[Effect]]:
    def fits(bought: Basket) -> bool:
        return any(matches(bought, event) for event in scenario.expect.any_of)

    wanted = [WantedEffect("/basket/checkout", fits)] * scenario.expect.checkouts
    return wanted, [Effect(bought, compact(asdict(bought))) for bought in shop.purchases]


def _best(scenario: Scenario) -> int | None:
    totals = [event.total for event in scenario.expect.any_of if event.total is not None]
    return min(totals, default=None)


_ANSWERS: dict[type[BaseModel], Callable[[Any, Any], Wire]] = {
    store.Req_ListProducts: _list_products,
    store.Req_ViewBasket: _view,
    store.Req_AddProductToBasket: lambda shop, sent: shop.add(sent.sku, sent.quantity),
    store.Req_RemoveItemFromBasket: lambda shop, sent: shop.remove(sent.sku, sent.quantity),
    store.Req_CheckoutBasket: lambda shop, _: _priced(shop.checkout()),
    store.Req_ApplyCoupon: lambda shop, sent: shop.apply_coupon(sent.coupon),
    store.Req_RemoveCoupon: lambda shop, _: shop.apply_coupon(""),
}
ROUTES = routes_of(_ANSWERS, store.RESPONSES, Path(__file__).with_name("routes.json"))
STORE = World(
    name="store",
    format=FORMAT,
    benchmarks=("store",),
    roots=("store",),
    module="store",
    description="Buy what the task asks for in a small shop, or decline.",
    routes=ROUTES,
    irreversible=frozenset({"/basket/checkout"}),
    bundled=BUNDLED_PACK,
    pack=Pack,
    open_task=lambda _pack, scenario: Shop(scenario),
    expects=lambda scenario: "buy" if scenario.expect.checkouts else "refuse",
    mechanics=lambda scenario: scenario.mechanics,
    best=_best,
    effects=_effects,
    verdict=lambda shop: "purchased" if shop.acts else "declined",
    paid=lambda shop: shop.acts[0].total if shop.acts else None,
    event=lambda basket: f"Evt_BasketCheckedOut {compact(asdict(basket))}",
    trivial=TRIVIAL,
    cuts=CUTS,
    plays=plays,
)
