"""Connections for the official SDK with the same bounds on responses as our own client.

The SDK accepts a ``requests.Session`` of the caller. This cannot give it a
deadline for headers, because ``requests`` restarts its timeout with every read.
"""

from __future__ import annotations

import time
from io import BytesIO
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPResponse
from urllib3.exceptions import HTTPError

from core.erc3_client.bounds import (
    BODY_AT_MOST,
    CONNECT_SECONDS,
    REQUEST_SECONDS,
    TOO_LARGE,
    cleaned,
    is_refusal,
    usable_json,
)
from core.http.proxies import ProxyUnusable, proxy_of

_PORTION = 1 << 16
_TURNED_AWAY = frozenset({408, 425, 429})


def bounded_session() -> requests.Session:
    """A session that reads at most 8 MB and 60 s of an answer, and refuses what is unusable.

    What cannot be read as JSON, and a 4xx that is no refusal in the platform's own words, raises
    ``requests.RequestException``, as a lost connection does.
    """
    session = requests.Session()
    for scheme in ("http://", "https://"):
        session.mount(scheme, _Bounded())
    return session


class _Bounded(HTTPAdapter):
    def send(self, request: requests.PreparedRequest, **given: Any) -> requests.Response:  # type: ignore[override]
        """See ``HTTPAdapter``."""
        deadline = time.monotonic() + REQUEST_SECONDS
        waits = given.get("timeout") or (CONNECT_SECONDS, REQUEST_SECONDS)
        bounds = {"stream": True, "timeout": waits, "proxies": _proxies(str(request.url))}
        response = super().send(request, **{**given, **bounds})
        with response.raw:
            body = _read(response.raw, deadline)
        status = response.status_code
        if status not in _TURNED_AWAY and status < 500:
            try:
                data = usable_json(body)
            except ValueError as error:
                raise requests.exceptions.InvalidJSONError(f"status {status}: {error}") from None
            if status >= 400 and not is_refusal(status, data):
                raise requests.exceptions.InvalidJSONError(f"status {status}: no refusal in form")
        response.raw = HTTPResponse(BytesIO(cleaned(body)), preload_content=False)
        return response


def _proxies(url: str) -> dict[str, str]:
    try:
        proxy = proxy_of(url)
    except ProxyUnusable as error:
        raise requests.exceptions.InvalidProxyURL(str(error)) from None
    return {"all": proxy} if proxy else {}


def _read(raw: Any, deadline: float) -> bytes:
    body = bytearray()
    try:
        for part in raw.stream(_PORTION, decode_content=True):
            body += part
            if len(body) > BODY_AT_MOST:
                raise requests.exceptions.ContentDecodingError(TOO_LARGE)
            if time.monotonic() > deadline:
                raise requests.exceptions.ReadTimeout("no complete response in time")
    except HTTPError as error:
        raise requests.exceptions.ConnectionError(str(error)) from error
    return bytes(body)
