"""Stands in for the SDK's package of the same name."""

from erc3_compat.own.company import *  # noqa: F403
from erc3_compat.stand_in.ours import lacking as _lacking

from . import client as client
from . import dtos as dtos

__getattr__ = _lacking("erc3.erc3")
