"""The HTTP session of LiteLLM's OpenAI client, with a limit on the clock for whole answers.

The client's own limit starts anew with every byte, so a server that dribbles is never too late.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

import httpx

if TYPE_CHECKING:
    import ssl

PROVIDERS = frozenset({"openai", "nebius"})
"""Whose requests go through this session; it is tested for each."""
_BEGAN = "models.session.began"


class _Limited(httpx.SyncByteStream):
    """A body that raises ReadTimeout when its time is over."""

    def __init__(self, response: httpx.Response, until: float) -> None:
        self._inner = cast(httpx.SyncByteStream, response.stream)
        self._request = response.request
        self._until = until

    def __iter__(self) -> Iterator[bytes]:
        for part in self._inner:
            if time.monotonic() > self._until:
                raise httpx.ReadTimeout("the answer took too long", request=self._request)
            yield part

    def close(self) -> None:
        self._inner.close()


def open_session(verify: ssl.SSLContext | bool | str) -> httpx.Client:
    """A session that holds the ``read`` limit of each request for its whole answer."""
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=64)
    return httpx.Client(
        verify=verify,
        follow_redirects=True,
        limits=limits,
        event_hooks={"request": [_begin], "response": [_limit]},
    )


def _begin(request: httpx.Request) -> None:
    request.extensions[_BEGAN] = time.monotonic()


def _limit(response: httpx.Response) -> None:
    timeout: dict[str, Any] = response.request.extensions.get("timeout", {})
    seconds = timeout.get("read")
    if seconds is not None:
        began = response.request.extensions[_BEGAN]
        response.stream = _Limited(response, began + seconds)
