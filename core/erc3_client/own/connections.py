"""HTTP connections to the platform."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import httpx

from core.erc3_client.bounds import (
    BODY_AT_MOST,
    CONNECT_SECONDS,
    KEPT_SECONDS,
    REQUEST_SECONDS,
)
from core.http.bounded import BoundedTransport
from core.http.proxies import is_loopback, proxy_of

_CONNECTIONS_AT_MOST = 256
_HEADERS = {"Accept": "application/json", "User-Agent": "erc3-compat"}


class _Client(httpx.Client):
    def build_request(self, *given: Any, **named: Any) -> httpx.Request:
        """See ``httpx.Client``; an address that is none is a failure of the network."""
        try:
            return super().build_request(*given, **named)
        except httpx.InvalidURL:
            raise httpx.ConnectError("not a valid host name") from None


def connect(url: str) -> httpx.Client:
    """Return a client that keeps connections to the server of one URL; used by many threads.

    It knows TLS, gzip and the proxy that the environment names, follows no redirect, and has one
    deadline from the first byte of a request to the last one of its answer.

    Raises ProxyUnusable.
    """
    proxy_of(url)  # one that cannot be used is told at once
    limits = httpx.Limits(
        max_connections=_CONNECTIONS_AT_MOST,
        max_keepalive_connections=_CONNECTIONS_AT_MOST,
        keepalive_expiry=KEPT_SECONDS,
    )
    # Loading the certificates takes longer than a first request to this machine.
    target = urlsplit(url)
    plain = target.scheme == "http" and is_loopback(target.hostname)
    verify = False if plain else httpx.create_ssl_context()
    return _Client(
        transport=BoundedTransport(verify, limits, BODY_AT_MOST),
        timeout=httpx.Timeout(REQUEST_SECONDS, connect=CONNECT_SECONDS, pool=CONNECT_SECONDS),
        headers=_HEADERS,
        trust_env=False,
    )
