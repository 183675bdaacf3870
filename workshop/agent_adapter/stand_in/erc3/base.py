"""Stands in for the SDK's module of the same name."""

from core.erc3_client.own.base import ApiError, ApiException, BaseClient
from workshop.agent_adapter.stand_in.ours import lacking

__all__ = ["ApiError", "ApiException", "BaseClient"]
__getattr__ = lacking("erc3.base")
