"""Stands in for the SDK's package of the same name."""

from core.erc3_client.own.company import *  # noqa: F403
from workshop.agent_adapter.stand_in.ours import lacking as _lacking

from . import client as client
from . import dtos as dtos

__getattr__ = _lacking("erc3.erc3")
