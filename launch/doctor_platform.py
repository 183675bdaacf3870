"""The real platform: client, address, and whether it takes the key."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from erc3_compat.bounds import LOOPBACK
from launch.doctor_finding import Finding
from launch.platform import REAL_URL, bare, is_address
from models.extras import install

KEY = "ERC3_API_KEY"
URL = "ERC3_BASE_URL"


def client() -> Finding:
    """Which client would speak to the platform."""
    from erc3_compat.switch import VARIABLE, chosen

    try:
        kind = chosen()
    except (ValueError, ImportError) as error:
        fix = f"set {VARIABLE} to auto"
        return Finding(area="platform", name="client", state="problem", text=str(error), fix=fix)
    if kind == "sdk":
        text = "the official SDK (erc3) is installed and used"
        return Finding(area="platform", name="client", state="ok", text=text)
    text = "the official SDK (erc3) is not used; the project's own client speaks the same protocol"
    fix = install("platform", index=f"{REAL_URL}/")
    return Finding(area="platform", name="client", state="info", text=text, fix=fix)


def address(environ: Mapping[str, str]) -> Finding:
    """Where the real platform is looked for."""
    url = environ.get(URL) or REAL_URL
    details = {"url": bare(url), "variable_set": bool(environ.get(URL))}
    if not is_address(url):
        text = f"{URL} is no address: {bare(url)[:80]}"
        fix = f"set it to {REAL_URL}, or leave it empty"
        return _found("address", "problem", text, fix, details)
    parts = urlsplit(url)
    if parts.scheme == "http" and parts.hostname not in LOOPBACK:
        text = f"{bare(url)} is not encrypted, and the key travels in every body"
        return _found("address", "warning", text, "use https", details)
    return _found("address", "ok", bare(url), "", details)


def key(environ: Mapping[str, str], *, call: bool) -> Finding:
    """Whether the key is set, looks like one, and is taken by a read-only call (a search).

    ``call`` False: nothing is sent.
    """
    value = environ.get(KEY, "")
    if not value:
        text = f"{KEY} is not set; the embedded platform needs none"
        fix = f"for --real: put the account's key into {KEY}, in the environment or in .env"
        return _found("key", "info", text, fix)
    if not value.startswith("key-"):
        text = f"{KEY} is set but does not begin with key-"
        return _found("key", "warning", text, "look the key up on the platform's site")
    if not call:
        return _found("key", "info", f"{KEY} is set; not tried")
    if address(environ).state == "problem":
        return _found("key", "problem", f"{KEY} is set; not tried, the address is wrong")
    return _tried(value, environ.get(URL) or REAL_URL)


def _tried(value: str, url: str) -> Finding:
    from erc3_compat import ERC3, ApiException, transport_errors

    began = time.perf_counter()
    try:
        found = ERC3(key=value, base_url=url).search_sessions()
    except ApiException as error:
        status = error.api_error.status
        if status in (400, 401, 403):
            text = f"the platform refused the key in {KEY} (status {status})"
            return _found("key", "problem", text, "look the key up on the platform's site")
        text = f"{bare(url)} does not answer as the platform does (status {status})"
        return _found("key", "problem", text, f"correct {URL}, or try again later")
    except transport_errors() as error:
        text = f"{bare(url)} cannot be reached ({type(error).__name__})"
        return _found("key", "problem", text, f"check the network and {URL}")
    seconds = round(time.perf_counter() - began, 3)
    count = len(found.sessions or [])
    text = f"{KEY} is taken by the platform ({count} sessions found in {seconds:.2f} s)"
    return _found("key", "ok", text, details={"sessions": count, "seconds": seconds})


def _found(
    name: str, state: str, text: str, fix: str = "", details: dict[str, Any] | None = None
) -> Finding:
    return Finding.model_validate(
        {"area": "platform", "name": name, "state": state, "text": text, "fix": fix}
        | {"details": details or {}}
    )
