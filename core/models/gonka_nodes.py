"""Nodes of the Gonka network: those that the user names, then those that the network lists."""

from __future__ import annotations

import ipaddress
import os
import random
import time
from collections.abc import Sequence
from concurrent.futures import wait
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import httpx
import regex

from core.http.bounded import BoundedTransport
from core.http.proxies import is_loopback
from core.http.waits import TooLate, begin_in_thread, within
from core.models.models_file import Backend

NODES_VARIABLE = "GONKA_ENDPOINTS"
SOURCE_VARIABLE = "GONKA_SOURCE_URL"
SOURCES = ("https://node3.gonka.ai", "https://node4.gonka.ai")
"""Nodes of the network's founders, which serve its list; the first that answers is used."""
NODES_AT_MOST = 32
LIST_SECONDS = 10.0
"""For the list of one source, the resolution of its name included."""
HEALTH_SECONDS = 3.0
"""A listed node that takes longer to say who it is counts as ill and comes last."""
MOST_BYTES = 8_000_000
_ADDRESS = regex.compile(r"[a-z0-9]{8,100}")
_FORM = "URL;ADDRESS,URL;ADDRESS,..., each with the Gonka address of the node"
_ODD = (
    httpx.HTTPError, httpx.InvalidURL, OSError, ValueError, LookupError, TypeError, AttributeError,
    RecursionError,
)  # fmt: skip
"""What becomes of a source that cannot be asked, or answers in another form."""


class SettingsError(Exception):
    """Key or nodes cannot be used; the text says why and holds no part of the key."""


class NodesUnknown(SettingsError):
    """No node is named, and no source gave the network's list."""


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


def nodes_of(backend: Backend) -> Sequence[Node]:
    """The named nodes in their order, then the listed ones, the healthy before the others.

    The network's list is read where no node is named, or where the user names a source.

    Raises SettingsError: a name cannot be read; NodesUnknown: there is no node at all.
    """
    named = _named(backend)
    source = os.environ.get(SOURCE_VARIABLE, "").strip()
    if named and not source:
        return named
    try:
        listed = _by_health(_listed((source,) if source else SOURCES))
    except NodesUnknown:
        if not named:
            raise
        listed = []
    return list(dict.fromkeys([*named, *listed]))


def _named(backend: Backend) -> list[Node]:
    """The nodes by the backend's base URL, else by the environment. Raises SettingsError."""
    where = "base_url" if backend.base_url else NODES_VARIABLE
    text = backend.base_url or os.environ.get(NODES_VARIABLE, "")
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if len(parts) > NODES_AT_MOST:
        raise SettingsError(f"{where} names {len(parts)} nodes; at most {NODES_AT_MOST} are used")
    nodes = []
    for part in parts:
        url, _, address = part.partition(";")
        node = _node(url, address)
        if node is None:
            raise SettingsError(f"{where}: {part[:80]!r} is not a node; expected {_FORM}")
        nodes.append(node)
    return list(dict.fromkeys(nodes))


def _node(url: str, address: str) -> Node | None:
    """A node with this address; None: it cannot be one."""
    url, address = url.strip().rstrip("/"), address.strip()
    try:
        target = urlsplit(url)
        usable = target.scheme in ("http", "https") and bool(target.hostname)
    except ValueError:
        return None
    if not usable or not _ADDRESS.fullmatch(address):
        return None
    return Node(url if url.endswith("/v1") else f"{url}/v1", address)


def _listed(sources: Sequence[str]) -> list[Node]:
    """The nodes that the first source with a list gives, in any order. Raises NodesUnknown.

    Those that the network excludes, or does not allow to take requests, are left out.
    """
    problems = []
    for source in sources:
        base = source.rstrip("/").removesuffix("/v1")
        try:
            nodes = within(LIST_SECONDS, partial(_from_source, base))
        except TooLate:
            problems.append(f"{base}: no answer within {LIST_SECONDS:.0f} s")
        except _ODD as error:
            problems.append(f"{base}: {type(error).__name__}")
        else:
            if nodes:
                return nodes
            problems.append(f"{base}: it lists no node")
    raise NodesUnknown(
        f"the network's list of nodes cannot be had ({'; '.join(problems)}); name another source "
        f"in {SOURCE_VARIABLE}, or nodes in {NODES_VARIABLE} ({_FORM})"
    )


def _from_source(base: str) -> list[Node]:
    """Raises what :func:`_get` raises, and LookupError, TypeError, AttributeError: another form."""
    epoch = _get(f"{base}/v1/epochs/current/participants")
    chain = _get(f"{base}/chain-api/productscience/inference/inference/params")
    access = chain["params"].get("transfer_agent_access_params") or {}
    allowed = set(access.get("allowed_transfer_addresses") or ())
    excluded = {one["address"] for one in epoch.get("excluded_participants") or ()}
    own = is_loopback(urlsplit(base).hostname)
    nodes = []
    for one in epoch["active_participants"]["participants"]:
        node = _node(one["inference_url"], one["index"])
        if node is None or node.address in excluded or (allowed and node.address not in allowed):
            continue
        # Whoever joins the network chooses this address: it must not lead to this machine or its
        # own network.
        if own or _is_public(urlsplit(node.url).hostname or ""):
            nodes.append(node)
    return nodes


def _is_public(host: str) -> bool:
    """Whether a host is a name or an address of the internet."""
    try:
        return ipaddress.ip_address(host).is_global
    except ValueError:
        return not is_loopback(host)


def _get(url: str, seconds: float = LIST_SECONDS) -> Any:
    """The JSON at an address. Raises httpx.HTTPError, httpx.InvalidURL, OSError, ValueError."""
    transport = BoundedTransport(True, httpx.Limits(), MOST_BYTES, error_bytes=0)
    with httpx.Client(transport=transport, timeout=seconds) as client:
        return client.get(url).raise_for_status().json()


def _by_health(nodes: Sequence[Node]) -> list[Node]:
    """So many of the nodes that requests may try; the quickest to answer first, the ill last."""
    few = random.sample(nodes, min(len(nodes), NODES_AT_MOST))
    probes = {node: begin_in_thread(partial(_seconds, node)) for node in few}
    wait(probes.values(), HEALTH_SECONDS)
    seconds = {
        node: probe.result()
        for node, probe in probes.items()
        if probe.done() and probe.exception() is None
    }
    return sorted(few, key=lambda node: seconds.get(node, float("inf")))


def _seconds(node: Node) -> float:
    """How long a node takes to say who it is. Raises what :func:`_get` raises."""
    began = time.monotonic()
    _get(f"{node.url}/identity", HEALTH_SECONDS)
    return time.monotonic() - began
