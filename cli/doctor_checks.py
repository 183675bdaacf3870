"""The machine, its settings, and the real platform: what is there and what a run would miss."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator

from cli import env_file
from cli.platform import REAL_URL, bare, is_address
from core.erc3_client.bounds import LOOPBACK
from core.ledger import Record
from core.models.extras import install
from core.models.file_checks import FileError
from core.models.redact import redact

KEY = "ERC3_API_KEY"
URL = "ERC3_BASE_URL"
State = Literal["ok", "info", "warning", "problem"]
"""``info``: not there and not needed for what is configured; ``problem``: a run would fail."""
AREAS = ("sandbox", "settings", "platform", "models")


Redacted = Annotated[str, AfterValidator(redact)]
"""Servers may quote what they were sent."""


class Finding(Record):
    """One thing that was looked at."""

    area: str
    subject: str = ""
    """The roles and the backend of a model."""
    name: str
    state: State
    text: Redacted
    """The finding; it names variables but never contains the value of a key."""
    fix: Redacted = ""


class Diagnosis(Record):
    """All findings, ``doctor/1``."""

    format: Literal["doctor/1"] = "doctor/1"
    ok: bool
    """No finding is a problem."""
    announced: str
    """The announcement before the first call: how many calls at what price."""
    findings: tuple[Finding, ...]


def finding(area: str, name: str, state: State, text: str, fix: str = "") -> Finding:
    """A finding by its parts in their order."""
    return Finding(area=area, name=name, state=state, text=text, fix=fix)


def diagnosis(findings: Iterable[Finding], announced: str) -> Diagnosis:
    """Findings in the order of their areas, and whether a run can begin."""
    ordered = sorted(findings, key=lambda f: AREAS.index(f.area))
    return Diagnosis(ok=not has_problem(ordered), announced=announced, findings=tuple(ordered))


def has_problem(findings: Iterable[Finding]) -> bool:
    """Whether one of them is a problem."""
    return any(f.state == "problem" for f in findings)


def sandbox() -> Finding:
    """Check which isolation generated code gets."""
    from worker.sandbox.contract import SandboxUnavailable
    from worker.sandbox.isolation import chosen_kind, describe_kind, find_isolation, used_kind

    report, choice, fix = find_isolation(), "", "set WORKER_SANDBOX to auto"
    try:
        choice = chosen_kind()
        kind = used_kind()
    except (ValueError, SandboxUnavailable) as error:
        text = f"WORKER_SANDBOX={choice}: {error}" if choice else str(error)
        return finding("sandbox", "isolation", "problem", text, fix)
    text = describe_kind(kind).removeprefix("sandbox: ")
    text += f"; not used: {report.why_not}" if report.refused and choice != kind else ""
    if kind != "monty":
        return finding("sandbox", "isolation", "ok", text)
    need = "use Linux 5.13 or later with Landlock, or install the system's bubblewrap"
    fix = "unset WORKER_SANDBOX" if report.used else need
    return finding("sandbox", "isolation", "warning", text, fix)


def dotenv(path: Path, environ: Mapping[str, str]) -> Finding:
    """Whether a ``.env`` was read, and what it names; values are not looked at."""
    from dotenv.parser import parse_stream

    if not os.path.lexists(path):
        text = "no .env in the working folder; only environment variables are used"
        fix = "cp .env.example .env, then fill in keys and models"
        return finding("settings", ".env", "info", text, fix)
    try:
        bindings = list(parse_stream(StringIO(env_file.text_of(path))))
    except FileError as error:
        return finding("settings", ".env", "problem", str(error), env_file.FIX)
    if any(b.error or (b.key and b.value is None) for b in bindings):
        text = f"{path}: holds lines that cannot be read and are left out"
        return finding("settings", ".env", "problem", text, env_file.FIX)
    values = {b.key: b.value for b in bindings if b.key and b.value}
    text = f"read; it sets {', '.join(sorted(values)) or 'nothing'}"
    if typos := env_file.misspelt(sorted(values)):
        text += f"; nothing reads {', '.join(typos)}"
        fix = f"did you mean {', '.join(typos.values())}?"
        return finding("settings", ".env", "warning", text, fix)
    hidden = sorted(n for n, value in values.items() if environ.get(n) not in (value, None))
    if not hidden:
        return finding("settings", ".env", "ok", text)
    text += f"; the environment has different values, which take precedence: {', '.join(hidden)}"
    fix = f"unset {' '.join(hidden)}, to use the values of the file"
    return finding("settings", ".env", "warning", text, fix)


def client() -> Finding:
    """Check which client would speak to the platform."""
    from core.erc3_client.switch import VARIABLE, chosen

    try:
        kind = chosen()
    except (ValueError, ImportError) as error:
        return finding("platform", "client", "problem", str(error), f"set {VARIABLE} to auto")
    if kind == "sdk":
        return finding("platform", "client", "ok", "the official SDK (erc3) is used")
    text = "the project's own client is used; it speaks the protocol of the official SDK (erc3)"
    return finding("platform", "client", "info", text, install("platform", index=f"{REAL_URL}/"))


def address(environ: Mapping[str, str]) -> Finding:
    """Check the address of the real platform."""
    url = environ.get(URL) or REAL_URL
    if not is_address(url):
        text = f"{URL} is not a valid address: {bare(url)[:80]}"
        fix = f"set it to {REAL_URL}, or leave it empty"
        return finding("platform", "address", "problem", text, fix)
    parts = urlsplit(url)
    if parts.scheme == "http" and parts.hostname not in LOOPBACK:
        text = f"{bare(url)} is not encrypted, and every request contains the key"
        return finding("platform", "address", "warning", text, "use https")
    return finding("platform", "address", "ok", bare(url))


def key(environ: Mapping[str, str], *, call: bool) -> Finding:
    """Whether the key is set, looks like one, and, with ``call``, is taken by a search."""
    value, look_up = environ.get(KEY, ""), "look the key up on the platform's site"
    of_key = partial(finding, "platform", "key")
    if not value:
        fix = f"for --real: put the account's key into {KEY}, in the environment or in .env"
        return of_key("info", f"{KEY} is not set; the bundled simulator needs none", fix)
    if not value.startswith("key-"):
        return of_key("warning", f"{KEY} is set but does not begin with key-", look_up)
    if not call:
        return of_key("info", f"{KEY} is set; not tried")
    if address(environ).state == "problem":
        return of_key("problem", f"{KEY} is set; not tried, the address is wrong")
    from core.erc3_client import ERC3, ApiException, transport_errors

    url = environ.get(URL) or REAL_URL
    try:
        sessions = ERC3(key=value, base_url=url).search_sessions().sessions or []
    except ApiException as error:
        status = error.api_error.status
        if status in (400, 401, 403):
            return of_key("problem", f"the platform refused {KEY} (status {status})", look_up)
        text = f"{bare(url)} does not answer like the platform (status {status})"
        return of_key("problem", text, f"correct {URL}, or try again later")
    except transport_errors() as error:
        text = f"{bare(url)} cannot be reached ({type(error).__name__})"
        return of_key("problem", text, f"check the network and {URL}")
    return of_key("ok", f"{KEY} is accepted by the platform ({len(sessions)} sessions found)")
