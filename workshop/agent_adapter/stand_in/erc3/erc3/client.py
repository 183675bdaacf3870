"""Stands in for the SDK's module of the same name."""

from core.erc3_client.own.company import *  # noqa: F403
from workshop.agent_adapter.stand_in.ours import lacking as _lacking

__getattr__ = _lacking("erc3.erc3.client")
