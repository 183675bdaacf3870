"""Settings of Gonka models: a private key, and nodes that accept requests.

The names of variables and their forms are those of the library ``gonka-openai``.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

import regex

from core.models.extras import ExtraMissing
from core.models.models_file import Backend
from core.models.redact import remember

EXTRA = "gonka"
KEY_VARIABLE = "GONKA_PRIVATE_KEY"
NODES_VARIABLE = "GONKA_ENDPOINTS"
ADDRESS_VARIABLE = "GONKA_ADDRESS"
"""An account other than the key's own."""
NODES_AT_MOST = 32
_KEY = regex.compile(r"(?:0x)?[0-9a-fA-F]{64}")
_ADDRESS = regex.compile(r"[a-z0-9]{8,100}")
_FORM = "URL;ADDRESS,URL;ADDRESS,..., each with the Gonka address of the node"


class SettingsError(Exception):
    """Key or nodes cannot be used; the text says why and holds no part of the key."""


@dataclass(frozen=True)
class Node:
    """A node that takes requests and hands them on within the network."""

    url: str
    """Ends in /v1."""
    address: str
    """Its account; a signature holds for it alone."""

    @property
    def host(self) -> str:
        """Host and port, for texts."""
        return urlsplit(self.url).netloc.rpartition("@")[2]


def require() -> None:
    """Raises ExtraMissing where the library is not installed."""
    if importlib.util.find_spec("gonka_openai") is None:
        raise ExtraMissing("models of Gonka need the library gonka-openai", EXTRA)


def missing_variables(backend: Backend) -> tuple[str, ...]:
    """The first variable that has to be set and is not."""
    for variable in (backend.key_variable or KEY_VARIABLE, NODES_VARIABLE):
        given = variable == NODES_VARIABLE and backend.base_url
        if not given and not os.environ.get(variable, "").strip():
            return (variable,)
    return ()


def key_of(backend: Backend) -> str:
    """The private key, hidden in every text from now on. Raises SettingsError."""
    variable = backend.key_variable or KEY_VARIABLE
    key = os.environ.get(variable, "").strip()
    remember(key)
    remember(key.removeprefix("0x"))
    if not _KEY.fullmatch(key):
        what = f"is {len(key)} characters long" if key else "is not set"
        raise SettingsError(f"{variable} {what}; a private key is 64 hexadecimal digits")
    return key


def nodes_of(backend: Backend) -> Sequence[Node]:
    """The nodes by the backend's base URL, else by the environment; in order of preference.

    Raises SettingsError.
    """
    where = "base_url" if backend.base_url else NODES_VARIABLE
    text = backend.base_url or os.environ.get(NODES_VARIABLE, "")
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts:
        raise SettingsError(f"{where} names no node; expected {_FORM}")
    if len(parts) > NODES_AT_MOST:
        raise SettingsError(f"{where} names {len(parts)} nodes; at most {NODES_AT_MOST} are used")
    return list(dict.fromkeys(_node(part, where) for part in parts))


def _node(text: str, where: str) -> Node:
    url, _, address = (part.strip() for part in text.partition(";"))
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        usable = False
    if not usable or not _ADDRESS.fullmatch(address):
        raise SettingsError(f"{where}: {text[:80]!r} is not a node; expected {_FORM}")
    url = url.rstrip("/")
    return Node(url if url.endswith("/v1") else f"{url}/v1", address)
