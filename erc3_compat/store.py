"""The store models and `StoreClient` of the chosen client, as `erc3.store` has them."""

from typing import TYPE_CHECKING

from erc3_compat import switch

if TYPE_CHECKING:
    from erc3_compat.own.store import (
        ProductInfo,
        ProductLine,
        Req_AddProductToBasket,
        Req_ApplyCoupon,
        Req_CheckoutBasket,
        Req_ListProducts,
        Req_RemoveCoupon,
        Req_RemoveItemFromBasket,
        Req_ViewBasket,
        Resp_AddProductToBasket,
        Resp_ApplyCoupon,
        Resp_CheckoutBasket,
        Resp_ProductListPage,
        Resp_RemoveCoupon,
        Resp_RemoveItemFromBasket,
        Resp_ViewBasket,
        StoreClient,
    )

__all__ = [
    "ProductInfo",
    "ProductLine",
    "Req_AddProductToBasket",
    "Req_ApplyCoupon",
    "Req_CheckoutBasket",
    "Req_ListProducts",
    "Req_RemoveCoupon",
    "Req_RemoveItemFromBasket",
    "Req_ViewBasket",
    "Resp_AddProductToBasket",
    "Resp_ApplyCoupon",
    "Resp_CheckoutBasket",
    "Resp_ProductListPage",
    "Resp_RemoveCoupon",
    "Resp_RemoveItemFromBasket",
    "Resp_ViewBasket",
    "StoreClient",
]


if not TYPE_CHECKING:  # a type checker shall see the names above and no others

    def __getattr__(name: str) -> object:
        if name in __all__:
            return getattr(switch.load("store"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
