"""The seven routes of the store API: request models in, wire objects out.

Presence rules of the answers are the recorded ones: a view leaves out `coupon` without a coupon
and `discount` without a discount, a checkout always sends both, an empty list is null.

For a client that does not know whether a call arrived, repeating it is

- harmless: what only reads, `/coupon/apply` with the same code, `/coupon/remove`;
- another effect: `/basket/add` and `/basket/remove` (the quantity again; the size that they answer
  and `/basket/view` tell);
- refused where it did take effect: `/basket/checkout`, as the basket is then empty. Whether it
  was bought can only be told from a basket that was not empty before.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from erc3_compat.own.store import (
    RESPONSES,
    Req_AddProductToBasket,
    Req_ApplyCoupon,
    Req_CheckoutBasket,
    Req_ListProducts,
    Req_RemoveCoupon,
    Req_RemoveItemFromBasket,
    Req_ViewBasket,
)
from simulator.store.shop import Basket, Shop
from simulator.world import Wire, routes_of


def _list_products(shop: Shop, request: Req_ListProducts) -> Wire:
    page = shop.list_products(request.offset, request.limit)
    products = [
        {"sku": one.sku, "name": one.name, "available": one.available, "price": one.price}
        for one in page.products
    ]
    return {"products": products or None, "next_offset": page.next_offset}


def _view(shop: Shop, request: Req_ViewBasket) -> Wire:
    shown = _priced(shop.view())
    return {key: shown[key] for key in shown if shown[key] or key not in ("coupon", "discount")}


def _add(shop: Shop, request: Req_AddProductToBasket) -> Wire:
    shop.add(request.sku, request.quantity)
    return _size(shop)


def _remove(shop: Shop, request: Req_RemoveItemFromBasket) -> Wire:
    shop.remove(request.sku, request.quantity)
    return _size(shop)


def _checkout(shop: Shop, request: Req_CheckoutBasket) -> Wire:
    return _priced(shop.checkout())


def _apply_coupon(shop: Shop, request: Req_ApplyCoupon) -> Wire:
    shop.apply_coupon(request.coupon)
    return {}


def _remove_coupon(shop: Shop, request: Req_RemoveCoupon) -> Wire:
    shop.remove_coupon()
    return {}


def _priced(basket: Basket) -> Wire:
    items = [
        {"sku": line.sku, "quantity": line.quantity, "price": line.price} for line in basket.lines
    ]
    return {
        "items": items or None,
        "subtotal": basket.subtotal,
        "coupon": basket.coupon,
        "discount": basket.discount,
        "total": basket.total,
    }


def _size(shop: Shop) -> Wire:
    lines, items = shop.size()
    return {"line_count": lines, "item_count": items}


_ANSWERS: dict[type[BaseModel], Callable[[Any, Any], Wire]] = {
    Req_ListProducts: _list_products,
    Req_ViewBasket: _view,
    Req_AddProductToBasket: _add,
    Req_RemoveItemFromBasket: _remove,
    Req_CheckoutBasket: _checkout,
    Req_ApplyCoupon: _apply_coupon,
    Req_RemoveCoupon: _remove_coupon,
}
ROUTES = routes_of(_ANSWERS, RESPONSES, Path(__file__).with_name("routes.json"))
