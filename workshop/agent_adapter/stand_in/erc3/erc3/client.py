"""Replaces the SDK's module of the same name."""

from core.erc3_client.own.company import *  # noqa: F403
