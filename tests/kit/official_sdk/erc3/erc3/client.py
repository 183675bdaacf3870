"""The company's client, which has its models, too."""

from __future__ import annotations

from typing import Any

from core.erc3_client.own.company_models import RESPONSES

from ..base import BaseClient
from .dtos import *  # noqa: F403


class Erc3Client(BaseClient):
    """The company of one task."""

    def dispatch(self, request: Any) -> Any:
        return self._post(request.tool, request, RESPONSES[request.tool])
