"""Replaces the SDK's module of the same name."""

from core.erc3_client.own.demo import *  # noqa: F403
