"""Requests, responses and client of the demo benchmark."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from core.erc3_client.own.base import BaseClient

__all__ = [
    "DemoClient", "Req_GetSecret", "Req_ProvideAnswer", "Resp_GetSecret", "Resp_ProvideAnswer",
]  # fmt: skip


class Req_GetSecret(BaseModel):
    """Ask for the secret."""

    tool: Literal["/secret"] = "/secret"


class Resp_GetSecret(BaseModel):
    """The secret."""

    value: str


class Req_ProvideAnswer(BaseModel):
    """Answer the task."""

    tool: Literal["/answer"] = "/answer"
    answer: str


class Resp_ProvideAnswer(BaseModel):
    """Says nothing."""


RESPONSES: dict[str, type[BaseModel]] = {"/secret": Resp_GetSecret, "/answer": Resp_ProvideAnswer}


class DemoClient(BaseClient):
    """The demo of one task; made by the SDK's `get_demo_client`."""

    responses = RESPONSES
