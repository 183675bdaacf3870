"""The company, as the SDK has it."""

from . import client, dtos
from .client import *  # noqa: F403
from .client import Erc3Client

__all__ = ["Erc3Client", "client", "dtos"]
