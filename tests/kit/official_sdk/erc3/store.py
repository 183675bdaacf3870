"""The store, as the SDK has it: what it takes for granted in an answer differs from our own."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from core.erc3_client.own import store as own
from core.erc3_client.own.store import *  # noqa: F403

from .base import BaseClient


class Resp_ProductListPage(BaseModel):
    products: list[own.ProductInfo] | None = None
    next_offset: int


class Resp_ViewBasket(BaseModel):
    items: list[own.BasketLine] | None = None
    subtotal: int
    coupon: str | None = None
    discount: int | None = None
    total: int


class Resp_CheckoutBasket(BaseModel):
    items: list[own.BasketLine]
    subtotal: int
    coupon: str
    discount: int
    total: int


ANSWERS: dict[str, type[BaseModel]] = {
    **own.RESPONSES,
    "/products/list": Resp_ProductListPage,
    "/basket/view": Resp_ViewBasket,
    "/basket/checkout": Resp_CheckoutBasket,
}


class StoreClient(BaseClient):
    """The shop of one task."""

    def dispatch(self, request: Any) -> Any:
        return self._post(request.tool, request, ANSWERS[request.tool])
