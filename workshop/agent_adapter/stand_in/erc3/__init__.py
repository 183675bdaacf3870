"""Replaces the official SDK."""

import sys

from . import base, client, core, demo, erc3, missing, store
from .base import ApiError, ApiException
from .core import ERC3, TaskInfo
from .demo import DemoClient
from .erc3 import Erc3Client
from .store import StoreClient

__all__ = [
    "ERC3", "ApiError", "ApiException", "DemoClient", "Erc3Client", "StoreClient", "TaskInfo",
    "base", "client", "core", "demo", "erc3", "store",
]  # fmt: skip
_here = sys.modules[__name__]
missing.explain([erc3, erc3.client, erc3.dtos, store, core, base, demo, client, _here])
