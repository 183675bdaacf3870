"""All clients; agents were seen to import a module of this name."""

from core.erc3_client.own.company_models import *  # noqa: F403

from .core import ERC3
from .demo import DemoClient
from .erc3 import Erc3Client
from .store import StoreClient

__all__ = ["ERC3", "DemoClient", "Erc3Client", "StoreClient"]
