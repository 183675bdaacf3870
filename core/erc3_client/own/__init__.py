"""Our own client with the layout of the official SDK: `base`, `core`, `store`, `company`.

The models of the company are many, so they are made when they are first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from core.erc3_client.own import store
from core.erc3_client.own.base import ApiError, ApiException
from core.erc3_client.own.core import ERC3, TaskInfo
from core.erc3_client.own.store import StoreClient

if TYPE_CHECKING:
    from core.erc3_client.own import company
    from core.erc3_client.own.company import Erc3Client

__all__ = [
    "ERC3", "ApiError", "ApiException", "Erc3Client", "StoreClient", "TaskInfo", "company", "store",
]  # fmt: skip

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name == "company":
            return import_module("core.erc3_client.own.company")
        if name == "Erc3Client":
            return import_module("core.erc3_client.own.company").Erc3Client
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
