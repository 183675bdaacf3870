"""Stands in for the SDK's module of the same name."""

from erc3_compat.own.base import ApiError, ApiException, BaseClient
from erc3_compat.stand_in.ours import lacking

__all__ = ["ApiError", "ApiException", "BaseClient"]
__getattr__ = lacking("erc3.base")
