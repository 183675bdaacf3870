"""The company benchmark under its name in SDK 1.0."""

from core.erc3_client.own.company import *  # noqa: F403
