"""The HTTP of LiteLLM: answers within bounds, those of a chat checked and made plain."""

from __future__ import annotations

import ssl

import httpx

from models.chat_answer import chat_answer, error_answer
from wire.bounded import BoundedTransport

PROVIDERS = frozenset({"openai", "nebius"})
"""Whose requests go through :func:`open_session`; it is tested for each."""
MOST_BYTES = 4 * 1024 * 1024
ERROR_BYTES = 64 * 1024
CHAT = "/chat/completions"


class ChatTransport(BoundedTransport):
    """What the servers of models say, before anybody else reads it."""

    def __init__(self, verify: ssl.SSLContext | bool | str, *, trust_env: bool = True) -> None:
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=64)
        ways = httpx.Client(verify=verify, limits=limits, trust_env=trust_env)
        super().__init__(ways, MOST_BYTES, error_bytes=ERROR_BYTES)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Raises httpx.TransportError; AnswerRefused for an answer that cannot be used."""
        answer = super().handle_request(request)
        if answer.is_error:
            body = error_answer(answer.content)
        elif answer.is_success and request.url.path.endswith(CHAT):
            body = chat_answer(answer.content)
            answer.headers["content-type"] = "application/json"
        else:
            return answer
        answer.headers.pop("content-length", None)
        return httpx.Response(
            answer.status_code, headers=answer.headers, content=body, extensions=answer.extensions
        )

    def close(self) -> None:
        """Nothing: each of LiteLLM's clients closes what it was given, and all of them share it."""


def open_session(verify: ssl.SSLContext | bool | str) -> tuple[httpx.Client, ChatTransport]:
    """A client for OpenAI's library, and what it sends through, for clients of LiteLLM's own."""
    way = ChatTransport(verify)
    return httpx.Client(transport=way, follow_redirects=True), way
