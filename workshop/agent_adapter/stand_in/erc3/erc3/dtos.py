"""Replaces the SDK's module of the same name."""

from core.erc3_client.own.company_models import *  # noqa: F403
