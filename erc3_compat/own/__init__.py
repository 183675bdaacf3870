"""Our own client with the layout of the official SDK: `base`, `core`, `store`."""

from erc3_compat.own import store
from erc3_compat.own.base import ApiError, ApiException
from erc3_compat.own.core import ERC3, TaskInfo
from erc3_compat.own.store import StoreClient

__all__ = ["ERC3", "ApiError", "ApiException", "StoreClient", "TaskInfo", "store"]
