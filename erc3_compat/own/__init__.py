"""Our own client with the layout of the official SDK: `base`, `core`, `store`, `company`.

The models of the company are many, so they are made when they are first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from erc3_compat.own import store
from erc3_compat.own.base import ApiError, ApiException
from erc3_compat.own.core import ERC3, TaskInfo
from erc3_compat.own.store import StoreClient

if TYPE_CHECKING:
    from erc3_compat.own import company
    from erc3_compat.own.company import Erc3Client

__all__ = [
    "ERC3", "ApiError", "ApiException", "Erc3Client", "StoreClient", "TaskInfo", "company", "store",
]  # fmt: skip

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name == "company":
            return import_module("erc3_compat.own.company")
        if name == "Erc3Client":
            return import_module("erc3_compat.own.company").Erc3Client
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
