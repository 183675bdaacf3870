"""Stands in for the official SDK."""

from . import base, core, demo, erc3, store
from .base import ApiError, ApiException
from .core import ERC3, TaskInfo
from .erc3 import Erc3Client
from .store import StoreClient

__all__ = [
    "ERC3", "ApiError", "ApiException", "Erc3Client", "StoreClient", "TaskInfo",
    "base", "core", "demo", "erc3", "store",
]  # fmt: skip
