"""Requests, responses and client of the store benchmark; money is whole dollars."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator

from core.erc3_client.own.base import BaseClient

__all__ = [  # the names that the official SDK has, too
    "ProductInfo", "ProductLine", "Req_AddProductToBasket", "Req_ApplyCoupon",
    "Req_CheckoutBasket", "Req_ListProducts", "Req_RemoveCoupon", "Req_RemoveItemFromBasket",
    "Req_ViewBasket", "Resp_AddProductToBasket", "Resp_ApplyCoupon", "Resp_CheckoutBasket",
    "Resp_ProductListPage", "Resp_RemoveCoupon", "Resp_RemoveItemFromBasket", "Resp_ViewBasket",
    "StoreClient",
]  # fmt: skip


class ProductInfo(BaseModel):
    """One product of the catalog; `available` is the listed stock."""

    sku: str
    name: str
    available: int
    price: int


class ProductLine(BaseModel):
    """A wish for some pieces of one product."""

    sku: str
    quantity: int


class BasketLine(BaseModel):
    """One line of a basket; `price` is for one piece."""

    sku: str
    quantity: int
    price: int


def _null_is_empty(value: object) -> object:
    # The platform sends null for a list without elements.
    return [] if value is None else value


Products: TypeAlias = Annotated[list[ProductInfo], BeforeValidator(_null_is_empty)]
Lines: TypeAlias = Annotated[list[BasketLine], BeforeValidator(_null_is_empty)]


class Req_ListProducts(BaseModel):
    """Ask for one page of the catalog; `limit` 0 is the largest page that the shop gives."""

    tool: Literal["/products/list"] = "/products/list"
    offset: int = 0
    limit: int = 0


class Resp_ProductListPage(BaseModel):
    """One page; `next_offset` is -1 when nothing is left, None where the shop tells none.

    An empty page has null for its products; without the field it is no page.
    """

    products: Products
    next_offset: int | None = None


class Req_ViewBasket(BaseModel):
    """Ask for the basket."""

    tool: Literal["/basket/view"] = "/basket/view"


class Resp_ViewBasket(BaseModel):
    """The basket; `coupon` and `discount` are None where the platform leaves them out."""

    items: Lines = []
    subtotal: int
    coupon: str | None = None
    discount: int | None = None
    total: int


class Req_AddProductToBasket(BaseModel):
    """Put `quantity` more pieces of a product into the basket."""

    tool: Literal["/basket/add"] = "/basket/add"
    sku: str
    quantity: int


class Resp_AddProductToBasket(BaseModel):
    """The basket's size: lines, and pieces in all lines."""

    line_count: int
    item_count: int


class Req_RemoveItemFromBasket(BaseModel):
    """Take `quantity` pieces of a product out of the basket."""

    tool: Literal["/basket/remove"] = "/basket/remove"
    sku: str
    quantity: int


class Resp_RemoveItemFromBasket(BaseModel):
    """The basket's size: lines, and pieces in all lines."""

    line_count: int
    item_count: int


class Req_CheckoutBasket(BaseModel):
    """Buy what is in the basket."""

    tool: Literal["/basket/checkout"] = "/basket/checkout"


class Resp_CheckoutBasket(BaseModel):
    """What was bought; without a coupon `coupon` is empty and `discount` 0."""

    items: Lines = []
    subtotal: int
    coupon: str = ""
    discount: int = 0
    total: int


class Req_ApplyCoupon(BaseModel):
    """Set the basket's coupon, in place of an earlier one."""

    tool: Literal["/coupon/apply"] = "/coupon/apply"
    coupon: str


class Resp_ApplyCoupon(BaseModel):
    """Says nothing: whether the coupon counts shows in the basket's discount."""


class Req_RemoveCoupon(BaseModel):
    """Take the coupon off the basket."""

    tool: Literal["/coupon/remove"] = "/coupon/remove"


class Resp_RemoveCoupon(BaseModel):
    """Says nothing, also when there was no coupon."""


RESPONSES: dict[str, type[BaseModel]] = {
    "/products/list": Resp_ProductListPage,
    "/basket/view": Resp_ViewBasket,
    "/basket/add": Resp_AddProductToBasket,
    "/basket/remove": Resp_RemoveItemFromBasket,
    "/basket/checkout": Resp_CheckoutBasket,
    "/coupon/apply": Resp_ApplyCoupon,
    "/coupon/remove": Resp_RemoveCoupon,
}


class StoreClient(BaseClient):
    """The shop of one task; made by `ERC3.get_store_client`."""

    responses = RESPONSES
