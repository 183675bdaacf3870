"""HTTP with the standard library alone, to the platform that the agent was started for."""

from __future__ import annotations

import os
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

from core.erc3_client.bounds import BODY_AT_MOST, REQUEST_SECONDS, TOO_LARGE

PLATFORM = "ERC3_COMPAT_BASE_URL"


def platform_url() -> str:
    """The only address that is talked to. Raises ValueError: the environment names none."""
    url = os.environ.get(PLATFORM)
    if not url:
        raise ValueError(
            "no platform: this replacement for the ERC3 SDK works only in agents that "
            "`erc3-agent agent -- COMMAND` has started"
        )
    return url.rstrip("/")


class Answer:
    """One answer, with the names that other clients have for its parts."""

    def __init__(self, status: int, headers: Mapping[str, str], content: bytes) -> None:
        self.status_code, self.headers, self.content = status, headers, content


def connect(_base_url: str) -> Client:
    """The connections of our client's name, to the platform alone."""
    return Client()


class Client:
    """Posts with a connection for each request, so that forks and threads share none."""

    def post(self, url: str, *, content: bytes, headers: Mapping[str, str]) -> Answer:
        """Send a request and read the whole answer.

        Raises PermissionError for an address elsewhere, before anything is sent; where the network
        fails what `requests` raises, or OSError in an environment without it.
        """
        platform, target = urlsplit(platform_url()), urlsplit(url)
        if (target.scheme, target.netloc) != (platform.scheme, platform.netloc):
            where = f"{target.scheme}://{target.hostname}"
            raise PermissionError(
                f"the replacement for the ERC3 SDK sends nothing to {where}, only to "
                f"{platform_url()}"
            )
        connection = HTTPConnection(target.netloc, timeout=REQUEST_SECONDS)
        try:
            connection.request("POST", target.path, content, dict(headers))
            response = connection.getresponse()
            body = response.read(BODY_AT_MOST + 1)
        except (OSError, HTTPException) as error:
            raise _known_to_scripts(error) from error
        finally:
            connection.close()
        if len(body) > BODY_AT_MOST:
            raise _known_to_scripts(OSError(TOO_LARGE))
        by_name = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, by_name, body)

    def close(self) -> None:
        """Do nothing: no connection outlives its request."""


def _known_to_scripts(error: Exception) -> Exception:
    """The error that the SDK's library has for it, where the agent can know that library."""
    try:
        from requests import exceptions
    except ImportError:
        return error if isinstance(error, OSError) else ConnectionError(str(error))
    late = isinstance(error, TimeoutError)
    known: Exception = (exceptions.ReadTimeout if late else exceptions.ConnectionError)(str(error))
    return known
