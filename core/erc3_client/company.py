"""The company models and `Erc3Client` of the chosen client, as `erc3.erc3` has them."""

from typing import TYPE_CHECKING

from core.erc3_client import switch

if TYPE_CHECKING:
    from core.erc3_client.own.company import *  # noqa: F403
else:

    def __getattr__(name: str) -> object:
        return getattr(switch.load("company"), name)
