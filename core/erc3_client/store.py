"""The store models and `StoreClient` of the chosen client, as `erc3.store` has them."""

from typing import TYPE_CHECKING

from core.erc3_client import switch

if TYPE_CHECKING:
    from core.erc3_client.own.store import *  # noqa: F403
else:

    def __getattr__(name: str) -> object:
        return getattr(switch.load("store"), name)
