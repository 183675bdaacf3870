"""Stands in for the SDK's module of the same name."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn

import httpx

from core.erc3_client.own import core
from core.erc3_client.own.core_models import *  # noqa: F403
from core.erc3_client.own.core_models import Resp_LogLLM, TaskInfo
from workshop.agent_adapter.stand_in import PLATFORM
from workshop.agent_adapter.stand_in.ours import lacking

if TYPE_CHECKING:
    from core.erc3_client.own.base import Http, HttpResponse

__all__ = ["ERC3", "CoreClient", "TaskInfo"]

_COUNTED = {
    "prompt_tokens": ("prompt_tokens", "input_tokens"),
    "completion_tokens": ("completion_tokens", "output_tokens"),
}
"""The names of a usage's numbers at different providers."""
_NAMES: dict[type[httpx.TransportError], str] = {
    httpx.ConnectTimeout: "ConnectTimeout",
    httpx.ReadTimeout: "ReadTimeout",
}
"""Errors of the network that `requests` has under the same names."""


class _Connections:
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
            try:
                from requests import exceptions
            except ImportError:
                raise error from None
            known: Exception = getattr(exceptions, _NAMES.get(type(error), "ConnectionError"))(
                str(error)
            )
            raise known from error

    def close(self) -> None:
        """Close the connections."""
        self._http.close()


class ERC3(core.ERC3):
    """The platform that the environment names, whatever the script says.

    So a script with an address or a key of its own reaches no other platform. A `session` that
    is no `httpx.Client` is not used, for the client keeps connections of its own.
    """

    def __init__(
        self, key: str | None = None, base_url: str | None = None, session: object = None
    ) -> None:
        url = os.environ.get(PLATFORM) or os.environ.get("ERC3_BASE_URL")
        if not url:
            raise ValueError("no platform: set ERC3_BASE_URL")
        if base_url and base_url.rstrip("/") != url.rstrip("/"):
            _tell(f"agent_adapter: the script asks for {base_url}, ERC3_BASE_URL={url} is used")
        used = session if isinstance(session, httpx.Client) else None
        super().__init__(os.environ.get("ERC3_API_KEY") or key, url, used)
        self._http = _Connections(self._http)

    def __getattr__(self, name: str) -> NoReturn:
        lacking("ERC3")(name)

    def log_llm(self, *values: Any, usage: Any = None, **named: Any) -> Resp_LogLLM:
        """Report one model call; `usage` is a provider's own, as the SDK took it before 1.2.0."""
        if usage is not None:
            counts = {name: _count(usage, *names) for name, names in _COUNTED.items()}
            named = {"completion": "", **counts, **named}
        return super().log_llm(*values, **named)


CoreClient = ERC3


def _count(usage: Any, *names: str) -> int:
    held = [usage.get(n) if isinstance(usage, Mapping) else getattr(usage, n, 0) for n in names]
    return next((int(value) for value in held if value), 0)


@cache
def _tell(text: str) -> None:
    print(text, file=sys.stderr)


__getattr__ = lacking("erc3.core")
