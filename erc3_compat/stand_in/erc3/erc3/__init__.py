"""Stands in for the SDK's package of the same name."""

from erc3_compat.own.company import *  # noqa: F403
from erc3_compat.stand_in.ours import lacking

from . import client, dtos

__all__ = ["client", "dtos"]
__all__ += client.__all__
__getattr__ = lacking("erc3.erc3")
