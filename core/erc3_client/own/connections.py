"""HTTP connections to the platform."""

from __future__ import annotations

from collections.abc import Mapping
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


class Connections:
    """Posts to the server of one URL with kept connections; used by many threads.

    Knows TLS, gzip and the proxy that the environment names, and has one deadline for the whole of
    a request. Follows no redirect.
    """

    def __init__(
        self,
        url: str,
        connect_seconds: float = CONNECT_SECONDS,
        seconds: float = REQUEST_SECONDS,
        kept_seconds: float = KEPT_SECONDS,
    ) -> None:
        """``seconds``: from the first byte of a request to the last one of its answer.

        ``kept_seconds``: a connection that was not used for so long is not used again.

        Raises ProxyUnusable.
        """
        self._connect_seconds = connect_seconds
        self._seconds = seconds
        limits = httpx.Limits(
            max_connections=_CONNECTIONS_AT_MOST,
            max_keepalive_connections=_CONNECTIONS_AT_MOST,
            keepalive_expiry=kept_seconds,
        )
        proxy_of(url)  # one that cannot be used is told at once
        # Loading the certificates takes longer than a first request to this machine.
        target = urlsplit(url)
        plain = target.scheme == "http" and is_loopback(target.hostname)
        verify = False if plain else httpx.create_ssl_context()
        self._transport = BoundedTransport(verify, limits, BODY_AT_MOST)
        self._closed = False

    def post(self, url: str, *, content: bytes, headers: Mapping[str, str]) -> httpx.Response:
        """Send a request and read the whole answer.

        Raises httpx.TransportError when the network fails, RuntimeError after ``close``.
        """
        if self._closed:
            raise RuntimeError("Cannot send a request, as the client has been closed.")
        waits = {"connect": self._connect_seconds, "pool": self._connect_seconds}
        timeout = waits | {"read": self._seconds, "write": self._seconds}
        try:
            return self._transport.handle_request(
                httpx.Request(
                    "POST",
                    url,
                    headers={**_HEADERS, **headers},
                    content=content,
                    extensions={"timeout": timeout},
                )
            )
        except (UnicodeError, httpx.InvalidURL):
            raise httpx.ConnectError("not a valid host name") from None

    def close(self) -> None:
        """Close the connections."""
        self._closed = True
        self._transport.close()
