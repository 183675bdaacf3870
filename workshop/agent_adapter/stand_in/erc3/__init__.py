"""Replaces the official SDK."""

import sys

from . import base, client, core, corporate, demo, erc3, missing, store
from .base import ApiError, ApiException
from .core import ERC3, TaskInfo
from .demo import DemoClient
from .erc3 import Erc3Client
from .store import StoreClient

__all__ = [
    "ERC3", "ApiError", "ApiException", "DemoClient", "Erc3Client", "StoreClient", "TaskInfo",
    "base", "client", "core", "corporate", "demo", "erc3", "store",
]  # fmt: skip
__version__ = "1.2.0"
"""Of the SDK whose names these are."""
_here = sys.modules[__name__]
missing.explain([erc3, erc3.client, erc3.dtos, corporate, store, core, base, demo, client, _here])
