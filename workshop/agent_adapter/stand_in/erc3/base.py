"""Replaces the SDK's module of the same name."""

from core.erc3_client.own.base import ApiError, ApiException, BaseClient

__all__ = ["ApiError", "ApiException", "BaseClient"]
