"""Nodes of the Gonka network as one backend: signed requests over LiteLLM.

The names of variables and their forms are those of the library ``gonka-openai``, which makes the
signature over body, time and the node's address. Its own client is not used: that prints, and asks
one node that it draws at random.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import threading
import time
from collections.abc import Sequence
from email.utils import parsedate_to_datetime
from typing import Any

import httpx
import regex

from core.models.chat_http import ChatTransport, money
from core.models.errors import AGAIN, FOLLOWS
from core.models.extras import ExtraMissing
from core.models.gonka_nodes import Node, NodesUnknown, SettingsError, nodes_of
from core.models.litellm_module import load
from core.models.litellm_transport import LiteLLMTransport, chain_of, failure_of
from core.models.model_call import ErrorKind, ExchangeFailed, Reply, Request, Usage
from core.models.models_file import Backend
from core.models.providers import GONKA, GONKA_KEY
from core.models.redact import remember

EXTRA = "gonka"
ADDRESS_VARIABLE = "GONKA_ADDRESS"
"""An account other than the key's own."""
_KEY = regex.compile(r"(?:0x)?[0-9a-fA-F]{64}")
CONNECT_SECONDS = 10.0
"""A node that cannot be reached in this time gives way to the next one."""
SKEW_SECONDS = 10.0
"""Between a request's time and a node's clock, from which on it is named. By default a node takes
no request that is older than that."""
_SAME_EVERYWHERE = {kind for kind, follows in FOLLOWS.items() if follows == "next"} | {"quota"}
"""Every node would say the same."""


def require() -> None:
    """Raises ExtraMissing where the library is not installed."""
    if importlib.util.find_spec("gonka_openai") is None:
        raise ExtraMissing("models of Gonka need the library gonka-openai", EXTRA)


def key_of(backend: Backend) -> str:
    """The private key, hidden in every text from now on. Raises SettingsError."""
    variable = backend.key_variable or GONKA_KEY
    key = os.environ.get(variable, "").strip()
    remember(key)
    remember(key.removeprefix("0x"))
    if not _KEY.fullmatch(key):
        what = f"is {len(key)} characters long" if key else "is not set"
        raise SettingsError(f"{variable} {what}; a private key is 64 hexadecimal digits")
    return key


class GonkaTransport:
    """Asks nodes one after the other until one answers; begins with the one that did last."""

    def __init__(self, backend: Backend) -> None:
        """Reads and sends nothing yet."""
        self._backend = backend
        self._lock = threading.Lock()
        self._nodes: Sequence[_NodeTransport] = ()
        self._first = 0

    def send(self, request: Request, timeout: float) -> Reply:
        """One attempt at each node at most, within ``timeout`` seconds altogether.

        Raises ExchangeFailed: no node answered, or what one said holds for all.
        """
        load()  # its seconds are not a node's
        with self._lock:
            self._nodes = nodes = self._nodes or _opened(self._backend)
            first = self._first
        until = time.monotonic() + timeout
        failures: list[tuple[Node, ExchangeFailed]] = []
        for number in range(first, first + len(nodes)):
            left = until - time.monotonic()
            if failures and left <= 0:
                break
            node = nodes[number % len(nodes)]
            try:
                reply = node.send(request, left)
            except ExchangeFailed as error:
                failures.append((node.node, error))
                # After a time-out the next attempt begins elsewhere.
                self._first = number + 1
                if error.kind in _SAME_EVERYWHERE:
                    break
                continue
            self._first = number
            return reply
        raise _of_all(failures)


class _NodeTransport(LiteLLMTransport):
    def __init__(self, backend: Backend, node: Node, client: Any) -> None:
        super().__init__(backend)
        self.node = node
        self._client = client

    def _key(self) -> str | None:
        return None  # the client has it

    def _arguments(self, request: Request, timeout: float, key: str | None) -> dict[str, Any]:
        name = self._backend.model.removeprefix(f"{GONKA}/")
        limit = max(timeout, 0.1)
        return super()._arguments(request, timeout, key) | {
            "model": f"openai/{name}",
            "api_base": self.node.url,
            "client": self._client,
            "timeout": httpx.Timeout(limit, connect=min(limit, CONNECT_SECONDS)),
        }

    def _cost(self, response: Any, usage: Usage) -> tuple[float | None, str | None]:
        """Only what the node itself says: LiteLLM counts with the prices of OpenAI."""
        cost = money(getattr(getattr(response, "usage", None), "cost", None))
        return cost, None if cost is None else "provider"

    def _failure(self, error: Exception) -> ExchangeFailed | None:
        # The key is never sent, so no text of a node can quote it.
        failure = failure_of(error, silent=frozenset())
        skew = _skew(error)
        if failure is None or skew is None or abs(skew) < SKEW_SECONDS:
            return failure
        how = "ahead of" if skew > 0 else "behind"
        failure.text += f"; the time of the request is {abs(skew):.0f} s {how} the node's clock"
        return failure


def _opened(backend: Backend) -> Sequence[_NodeTransport]:
    try:
        key, nodes = key_of(backend), nodes_of(backend)
        library = _library()
        address = os.environ.get(ADDRESS_VARIABLE, "").strip() or _address(library, key)
    except NodesUnknown as error:
        raise ExchangeFailed("network", str(error), usage=Usage.nothing()) from None
    except SettingsError as error:
        raise ExchangeFailed("authentication", str(error), usage=Usage.nothing()) from None
    from openai import OpenAI

    transports, way = [], ChatTransport(verify=True)
    for node in nodes:
        signing = library.gonka_http_client(
            private_key=key,
            address=address,
            http_client=httpx.Client(transport=way),
            transfer_address=node.address,
        )
        # It insists on a key; the signature takes its place.
        client = OpenAI(api_key="none", base_url=node.url, http_client=signing, max_retries=0)
        transports.append(_NodeTransport(backend, node, client))
    return transports


def _library() -> Any:
    """The library, whose import would have every library's log printed."""
    require()
    root, quiet = logging.getLogger(), logging.NullHandler()
    root.addHandler(quiet)
    try:
        import gonka_openai
    finally:
        root.removeHandler(quiet)
    return gonka_openai


def _address(library: Any, key: str) -> str:
    try:
        return str(library.gonka_address(key))
    except ValueError as error:  # OpenSSL 3 may come without RIPEMD-160
        if "hash" not in str(error):
            raise
        raise SettingsError(
            f"this Python cannot derive the account from a private key ({error}); "
            f"give it in {ADDRESS_VARIABLE}"
        ) from None
    except Exception:
        raise SettingsError(f"{GONKA_KEY} is not a private key of this curve") from None


def _skew(error: Exception) -> float | None:
    """Seconds by which a refused request's time is ahead of the node's clock; None: unknown."""
    for cause in chain_of(error):
        response = getattr(cause, "response", None)
        if not isinstance(response, httpx.Response):
            continue
        try:
            theirs = parsedate_to_datetime(response.headers["Date"]).timestamp()
            return int(response.request.headers["X-Timestamp"]) / 1e9 - theirs
        except (KeyError, ValueError, RuntimeError, OverflowError, TypeError):
            continue
    return None


def _of_all(failures: Sequence[tuple[Node, ExchangeFailed]]) -> ExchangeFailed:
    last = failures[-1][1]
    if len(failures) == 1 or last.kind in _SAME_EVERYWHERE:
        return last
    kinds = [error.kind for _, error in failures]
    # One node that lags behind is no reason to give up all of them.
    lasting: ErrorKind = "clock" if "clock" in kinds else last.kind
    kind = next((kind for kind in kinds if kind in AGAIN), lasting)
    pauses = [error.retry_after for _, error in failures if error.retry_after is not None]
    free = all(error.usage == Usage.nothing() for _, error in failures)
    return ExchangeFailed(
        kind,
        "; ".join(f"{node.host}: {error.text}" for node, error in failures),
        status=last.status,
        retry_after=min(pauses, default=None),
        usage=Usage.nothing() if free else None,
    )
