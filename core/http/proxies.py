"""Which proxy a request goes through, by the variables of the environment; loopback by none."""

from __future__ import annotations

import importlib.util
import ipaddress
import os
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

_KINDS = ("http", "https", "socks5", "socks5h")


class ProxyUnusable(httpx.UnsupportedProtocol):
    """A proxy that cannot be used; the text names the variable and says what to type."""


def is_loopback(host: str | None) -> bool:
    """Whether a host is this machine's own loopback, which no proxy can reach."""
    name = (host or "").strip("[]").rstrip(".").casefold()
    address = _address(name)
    return name == "localhost" or (address is not None and address.is_loopback)


def proxy_of(url: str) -> str | None:
    """The proxy for a URL; None without one, for loopback, and for what ``NO_PROXY`` exempts.

    Where no variable is set, the settings of the system count, if it has any.

    Raises ProxyUnusable: the variable names no proxy that can be used.
    """
    target = urlsplit(url)
    if is_loopback(target.hostname):
        return None
    variable = _variable(url)
    if variable is None:
        of_system = getproxies().get(target.scheme)
        return None if not of_system or proxy_bypass(target.hostname or "") else of_system
    if _is_exempt(url):
        return None
    proxy = os.environ[variable].strip()
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    proxy = proxy.replace("socks://", "socks5://", 1)
    scheme = proxy.split(":", 1)[0].casefold()
    way = f"; name an HTTP proxy (http://HOST:PORT), or type: unset {variable}"
    try:
        usable = scheme in _KINDS and bool(httpx.URL(proxy).host)
    except httpx.InvalidURL:
        usable = False
    if not usable:
        raise ProxyUnusable(f"{variable} names no proxy that can be used ({scheme}://){way}")
    if scheme.startswith("socks") and importlib.util.find_spec("socksio") is None:
        need = "names a SOCKS proxy, which needs the package socksio"
        raise ProxyUnusable(f"{variable} {need} (python -m pip install socksio){way}")
    return proxy


def variable_of(url: str) -> str | None:
    """The variable whose proxy a request to a URL goes through; None: it goes through none."""
    host = urlsplit(url).hostname
    return None if is_loopback(host) or _is_exempt(url) else _variable(url)


def _variable(url: str) -> str | None:
    return _first(f"{urlsplit(url).scheme}_proxy", "all_proxy")


def _first(*names: str) -> str | None:
    """The first variable that is set, in small letters or capitals, as it is spelled."""
    spelled = (form for name in names for form in (name, name.upper()))
    return next((form for form in spelled if os.environ.get(form, "").strip()), None)


def _is_exempt(url: str) -> bool:
    """Whether ``NO_PROXY`` names a URL's host: a name with all below it, an address, a network."""
    target = urlsplit(url)
    host = (target.hostname or "").rstrip(".")
    address = _address(host)
    variable = _first("no_proxy")
    for entry in os.environ[variable].split(",") if variable else ():
        name = entry.strip().casefold()
        if name == "*":
            return True
        if "://" in name:
            name = name.split("://", 1)[1]
        plain, _, port = name.rpartition(":")
        if plain and port.isdecimal() and (plain.endswith("]") or ":" not in plain):
            if int(port) != (target.port or {"http": 80, "https": 443}.get(target.scheme)):
                continue
            name = plain
        name = name.strip("[]").removeprefix("*").strip(".")
        if address is not None and _is_within(address, name):
            return True
        if name and (host == name or host.endswith(f".{name}")):
            return True
    return False


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _is_within(address: ipaddress.IPv4Address | ipaddress.IPv6Address, network: str) -> bool:
    try:
        return address in ipaddress.ip_network(network, strict=False)
    except ValueError:
        return False
