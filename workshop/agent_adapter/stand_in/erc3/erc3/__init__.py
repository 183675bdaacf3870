"""Replaces the SDK's package of the same name."""

from core.erc3_client.own.company import *  # noqa: F403

from . import client as client
from . import dtos as dtos
