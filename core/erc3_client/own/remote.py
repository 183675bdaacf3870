"""HTTP to a server elsewhere: TLS, proxies, gzip, and one deadline for the whole of a request."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from core.erc3_client.bounds import BODY_AT_MOST, LOOPBACK
from core.http.bounded import BoundedTransport

_CONNECTIONS = 256
_ASKED = {"Accept": "application/json", "User-Agent": "erc3-compat"}


class RemoteClient:
    """Posts to the server of one URL with kept connections; used by many threads.

    Goes through the proxy that the environment names for it. Follows no redirect.
    """

    def __init__(
        self, url: str, connect_seconds: float, seconds: float, kept_seconds: float
    ) -> None:
        """``seconds``: from the first byte of a request to the last one of its answer."""
        self._connect_seconds = connect_seconds
        self._seconds = seconds
        limits = httpx.Limits(
            max_connections=_CONNECTIONS,
            max_keepalive_connections=_CONNECTIONS,
            keepalive_expiry=kept_seconds,
        )
        certificates = httpx.create_ssl_context()
        client = httpx.Client(
            verify=certificates, proxy=_proxy_of(url), limits=limits, trust_env=False
        )
        self._transport = BoundedTransport(client, BODY_AT_MOST)
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
                    headers={**_ASKED, **headers},
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


def _proxy_of(url: str) -> str | None:
    """The proxy that the environment names for a URL.

    Raises ValueError for one of a kind that is not known.
    """
    target = urlsplit(url)
    # A proxy named in the environment cannot reach this machine's own loopback.
    if target.hostname in LOOPBACK or proxy_bypass(target.hostname or ""):
        return None
    proxies = getproxies()
    proxy = proxies.get(target.scheme) or proxies.get("all")
    if not proxy:
        return None
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    if urlsplit(proxy).scheme not in ("http", "https"):
        raise ValueError(f"the proxy of {target.scheme}:// addresses must be an HTTP proxy")
    return proxy
