"""The seven routes of the store API: request models in, wire objects out, one log line each way.

Presence rules of the answers are the recorded ones: a view leaves out `coupon` without a coupon
and `discount` without a discount, a checkout always sends both, an empty list is null.
A request that does not fit its model is refused with HTTP 400 and names the field; that text is
ours. The `tool` in a body is not looked at, as the platform does not need it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from pydantic import BaseModel, ValidationError

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
from simulator.records import Refusal, Task
from simulator.store.shop import Basket, Shop, ShopError

Wire: TypeAlias = dict[str, Any]
"""A JSON object."""

Request = TypeVar("Request", bound=BaseModel)


def read_request(model: type[Request], body: Wire) -> Request:
    """Read a body into its model; `Refusal` names the first field that does not fit.

    A null is a field left out: clients send their optional fields either way.
    """
    given = {name: value for name, value in body.items() if value is not None}
    try:
        return model.model_validate(given, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "body"
        raise Refusal(f"invalid request: {field}: {first['msg']}") from None


def call(task: Task, path: str, body: Wire) -> Wire:
    """Carry out one store request on a running task.

    Raises `Refusal` when the path is unknown (404), the task is not in progress, the body does
    not fit or the shop refuses.
    """
    route = ROUTES.get(path)
    if route is None:
        raise Refusal("Not found", 404)
    shop = task.running_shop()
    fields = {name: value for name, value in body.items() if name != "tool"}
    task.note("request", f"store.{route.request.__name__}", fields)
    try:
        answer = route.answer(shop, read_request(route.request, fields))
    except (ShopError, Refusal) as error:
        task.note("error", f"Status: 400, Error: {error}, Code: ")
        raise Refusal(str(error)) from None
    task.note("response", f"store.{RESPONSES[path].__name__}", answer)
    return answer


def _list_products(shop: Shop, request: Req_ListProducts) -> Wire:
    page = shop.list_products(request.offset, request.limit)
    products = [
        {"sku": one.sku, "name": one.name, "available": one.available, "price": one.price}
        for one in page.products
    ]
    return {"products": products or None, "next_offset": page.next_offset}


def _view(shop: Shop, request: Req_ViewBasket) -> Wire:
    basket = shop.view()
    answer = _priced(basket)
    if not basket.coupon:
        del answer["coupon"]
    if not basket.discount:
        del answer["discount"]
    return answer


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


@dataclass(frozen=True, slots=True)
class Route:
    """A request model and what answers it."""

    request: type[BaseModel]
    answer: Callable[[Shop, Any], Wire]


ROUTES = {
    "/products/list": Route(Req_ListProducts, _list_products),
    "/basket/view": Route(Req_ViewBasket, _view),
    "/basket/add": Route(Req_AddProductToBasket, _add),
    "/basket/remove": Route(Req_RemoveItemFromBasket, _remove),
    "/basket/checkout": Route(Req_CheckoutBasket, _checkout),
    "/coupon/apply": Route(Req_ApplyCoupon, _apply_coupon),
    "/coupon/remove": Route(Req_RemoveCoupon, _remove_coupon),
}


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
