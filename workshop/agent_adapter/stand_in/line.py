"""Our connections with the errors that scripts for the official SDK know: those of `requests`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import httpx

if TYPE_CHECKING:
    from core.erc3_client.own.base import Http, HttpResponse

_NAMES: dict[type[httpx.TransportError], str] = {
    httpx.ConnectTimeout: "ConnectTimeout",
    httpx.ReadTimeout: "ReadTimeout",
}


class Line:
    """Posts as the client that it is given; a network that fails raises a `RequestException`.

    Where `requests` is not installed no script can know its errors, and httpx's are raised.
    """

    def __init__(self, http: Http) -> None:
        self._http = http

    def post(self, url: str, *, content: bytes, headers: Mapping[str, str]) -> HttpResponse:
        """Send a request and read the whole answer."""
        try:
            return self._http.post(url, content=content, headers=headers)
        except httpx.TransportError as error:
            known = _known(error)
            if known is None:
                raise
            raise known from error

    def close(self) -> None:
        """Close the connections."""
        self._http.close()


def _known(error: httpx.TransportError) -> Exception | None:
    try:
        import requests
    except ImportError:
        return None
    name = _NAMES.get(type(error), "ConnectionError")
    known: Exception = getattr(requests.exceptions, name)(str(error))
    return known
