"""Stands in for the SDK's module of the same name."""

from erc3_compat.own.store import *  # noqa: F403
from erc3_compat.stand_in.ours import lacking as _lacking

__getattr__ = _lacking("erc3.store")
