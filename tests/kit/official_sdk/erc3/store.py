"""The store, as the SDK has it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

from .base import BaseClient


class ProductInfo(BaseModel):
    sku: str
    name: str
    available: int
    price: int


class ProductLine(BaseModel):
    sku: str
    quantity: int


class Line(BaseModel):
    sku: str
    quantity: int
    price: int


class Req_ListProducts(BaseModel):
    tool: Literal["/products/list"] = "/products/list"
    offset: int = 0
    limit: int = 0


class Resp_ProductListPage(BaseModel):
    products: list[ProductInfo] | None = None
    next_offset: int


class Req_ViewBasket(BaseModel):
    tool: Literal["/basket/view"] = "/basket/view"


class Resp_ViewBasket(BaseModel):
    items: list[Line] | None = None
    subtotal: int
    coupon: str | None = None
    discount: int | None = None
    total: int


class Req_AddProductToBasket(BaseModel):
    tool: Literal["/basket/add"] = "/basket/add"
    sku: str
    quantity: int


class Resp_AddProductToBasket(BaseModel):
    line_count: int
    item_count: int


class Req_RemoveItemFromBasket(BaseModel):
    tool: Literal["/basket/remove"] = "/basket/remove"
    sku: str
    quantity: int


class Resp_RemoveItemFromBasket(BaseModel):
    line_count: int
    item_count: int


class Req_CheckoutBasket(BaseModel):
    tool: Literal["/basket/checkout"] = "/basket/checkout"


class Resp_CheckoutBasket(BaseModel):
    items: list[Line]
    subtotal: int
    coupon: str
    discount: int
    total: int


class Req_ApplyCoupon(BaseModel):
    tool: Literal["/coupon/apply"] = "/coupon/apply"
    coupon: str


class Resp_ApplyCoupon(BaseModel):
    pass


class Req_RemoveCoupon(BaseModel):
    tool: Literal["/coupon/remove"] = "/coupon/remove"


class Resp_RemoveCoupon(BaseModel):
    pass


ANSWERS: dict[type[BaseModel], type[BaseModel]] = {
    Req_ListProducts: Resp_ProductListPage,
    Req_ViewBasket: Resp_ViewBasket,
    Req_AddProductToBasket: Resp_AddProductToBasket,
    Req_RemoveItemFromBasket: Resp_RemoveItemFromBasket,
    Req_CheckoutBasket: Resp_CheckoutBasket,
    Req_ApplyCoupon: Resp_ApplyCoupon,
    Req_RemoveCoupon: Resp_RemoveCoupon,
}


class StoreClient(BaseClient):
    """The shop of one task."""

    def dispatch(self, request: Any) -> Any:
        return self._post(request.tool, request, ANSWERS[type(request)])
