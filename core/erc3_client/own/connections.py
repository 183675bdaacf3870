"""HTTP connections to the platform."""

from __future__ import annotations

from functools import cache
from ssl import SSLContext
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from core.erc3_client.bounds import (
    BODY_AT_MOST,
    CONNECT_SECONDS,
    KEPT_SECONDS,
    LOOPBACK,
    REQUEST_SECONDS,
)
from core.http.bounded import BoundedTransport

_CONNECTIONS_AT_MOST = 256
_HEADERS = {"Accept": "application/json", "User-Agent": "erc3-compat"}


def connect(base_url: str) -> httpx.Client:
    """A client for the server of a URL, with kept connections; used by many threads.

    It knows TLS, gzip and the proxy that the environment names, and has one deadline for the whole
    of a request. It follows no redirect.

    Raises ValueError for a proxy of a kind that is not known.
    """
    limits = httpx.Limits(
        max_connections=_CONNECTIONS_AT_MOST,
        max_keepalive_connections=_CONNECTIONS_AT_MOST,
        keepalive_expiry=KEPT_SECONDS,
    )
    inner = httpx.Client(
        verify=_certificates(), proxy=_proxy_of(base_url), limits=limits, trust_env=False
    )
    waits = httpx.Timeout(REQUEST_SECONDS, connect=CONNECT_SECONDS, pool=CONNECT_SECONDS)
    transport = BoundedTransport(inner, BODY_AT_MOST)
    return httpx.Client(transport=transport, timeout=waits, headers=_HEADERS)


@cache
def _certificates() -> SSLContext:
    # Reading them takes longer than most requests.
    return httpx.create_ssl_context()


def _proxy_of(url: str) -> str | None:
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
