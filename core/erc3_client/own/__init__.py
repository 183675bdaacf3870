"""Our own client with the layout of the official SDK: `base`, `core`, `store`, `company`."""

from core.erc3_client.own import company, store
from core.erc3_client.own.base import ApiError, ApiException
from core.erc3_client.own.company import Erc3Client
from core.erc3_client.own.core import ERC3, TaskInfo
from core.erc3_client.own.store import StoreClient

__all__ = [
    "ERC3", "ApiError", "ApiException", "Erc3Client", "StoreClient", "TaskInfo", "company", "store",
]  # fmt: skip
