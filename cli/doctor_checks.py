"""The machine, its settings, and the real platform: what is there and what a run would miss."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from importlib import metadata
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from packaging.requirements import Requirement

from cli import env_file
from cli.doctor_finding import Finding, State, finding
from cli.platform import REAL_URL, bare, is_address
from core.erc3_client.bounds import LOOPBACK
from core.models.extras import install
from core.models.file_checks import FileError

if TYPE_CHECKING:
    from dotenv.parser import Original

    from worker.sandbox.isolation import IsolationReport

DISTRIBUTION = "erc3-store-agent"
LEAST_PYTHON = (3, 11)
OURS = (
    "EVALUATOR_MODEL", "WORKER_MODEL", "EVALUATOR_BASE_URL", "WORKER_BASE_URL", "WORKER_SANDBOX",
    "ERC3_API_KEY", "ERC3_BASE_URL", "ERC3_CLIENT", "OPENROUTER_MODELS_URL",
)  # fmt: skip
"""Variables that this project itself reads."""
KEY = "ERC3_API_KEY"
URL = "ERC3_BASE_URL"
REQUIRED = "required"
KINDS = ("auto", "process", "bubblewrap", "landlock", "monty")


def python_version(version: tuple[int, int, int]) -> Finding:
    """Whether the interpreter is new enough."""
    shown = ".".join(map(str, version))
    if version[:2] >= LEAST_PYTHON:
        return finding("python", "version", "ok", f"Python {shown}")
    fix = "install Python 3.11 or newer and run make PYTHON=... setup"
    return finding("python", "version", "problem", f"Python {shown} is too old", fix)


def requirements() -> list[str]:
    """What the installed project says it needs, extras included; nothing where it is unknown."""
    try:
        return metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return []


def installed(name: str) -> str | None:
    """The version of an installed distribution, or None."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def packages(needed: Iterable[str], version_of: Callable[[str], str | None]) -> list[Finding]:
    """One finding for what is required and one for each extra, by requirement lines (PEP 508)."""
    groups: dict[str, list[Requirement]] = {REQUIRED: []}
    for line in needed:
        wanted = Requirement(line)
        extra = _extra(wanted)
        if extra is not None or wanted.marker is None or wanted.marker.evaluate():
            groups.setdefault(extra or REQUIRED, []).append(wanted)
    if not any(groups.values()):
        text = f"{DISTRIBUTION} is not installed here, so what it needs cannot be looked up"
        return [finding("packages", REQUIRED, "warning", text, "run make setup")]
    return [_group(extra, wanted, version_of) for extra, wanted in groups.items()]


def _extra(wanted: Requirement) -> str | None:
    """The extra that a requirement belongs to: ``...; extra == "dev"``."""
    words = str(wanted.marker or "").split("extra == ")
    return words[1].split('"')[1] if len(words) > 1 else None


def _group(
    extra: str, wanted: list[Requirement], version_of: Callable[[str], str | None]
) -> Finding:
    found = {w.name: version_of(w.name) for w in wanted}
    state: State
    missing = [name for name, version in found.items() if version is None]
    wrong = [
        f"{w.name} {found[w.name]} (wanted {w.specifier})"
        for w in wanted
        if (version := found[w.name]) and not w.specifier.contains(version, prereleases=True)
    ]
    parts = [f"missing: {', '.join(missing)}"] if missing else []
    parts += [f"other version: {', '.join(wrong)}"] if wrong else []
    name = extra if extra == REQUIRED else f"extra {extra}"
    if not parts:
        return finding("packages", name, "ok", f"all {len(wanted)} there", "", found)
    if extra == REQUIRED:
        state, fix = "problem", "run make setup"
    else:
        state, fix = "info", install(extra, index=f"{REAL_URL}/" if extra == "platform" else "")
    return finding("packages", name, state, "; ".join(parts), fix, found)


def sandbox(found: IsolationReport, chosen: str, missing: str = "") -> Finding:
    """Which isolation stands around generated code, and why not another.

    ``chosen``: what WORKER_SANDBOX asks for; ``missing``: why it cannot be had here.
    """
    details = {"used": found.used, "refused": dict(found.refused), "chosen": chosen}
    text, fix = found.text.removeprefix("sandbox: "), ""
    state: State = "ok"
    if found.used is None:
        state = "warning"
        fix = "use Linux 5.13 or later with Landlock, or install the system's bubblewrap"
    elif found.refused:
        text = f"{text}; not used: {found.why_not}"
    if chosen not in KINDS:
        state, fix = "problem", f"set WORKER_SANDBOX to one of {', '.join(KINDS)}"
        text = f"WORKER_SANDBOX asks for a sandbox that there is not: {chosen[:40]!r}"
    elif missing:
        state, fix = "problem", "set WORKER_SANDBOX to auto"
        text = f"WORKER_SANDBOX={chosen}: {missing}"
    elif chosen == "monty":
        state, text = "warning", "WORKER_SANDBOX=monty: a subset of Python, without isolation"
        fix = "leave WORKER_SANDBOX out" if found.used else fix
    return finding("sandbox", "isolation", state, text, fix, details)


def dotenv(path: Path, environ: Mapping[str, str]) -> Finding:
    """Whether a ``.env`` was read, and what it names; values are not looked at."""
    from dotenv.parser import parse_stream

    if not os.path.lexists(path):
        text = "no .env in the working folder; only the environment counts"
        fix = "cp .env.example .env, to keep keys and models in a file"
        return finding("settings", ".env", "info", text, fix)
    try:
        bindings = list(parse_stream(StringIO(env_file.text_of(path))))
    except FileError as error:
        return finding("settings", ".env", "problem", str(error), env_file.FIX)
    named = {b.key: b.value for b in bindings if b.key}
    broken = [_line(b.original) for b in bindings if b.error or (b.key and b.value is None)]
    if broken:
        lines = f"line{'s' if len(broken) > 1 else ''} {', '.join(map(str, broken))}"
        text = f"{path}, {lines}: cannot be read and is left out, whatever it should set"
        fix = "write NAME=value, with a value in quotes where it holds spaces or #"
        return finding("settings", ".env", "problem", text, fix, {"broken_lines": broken})
    set_here = sorted(name for name, value in named.items() if value)
    hidden = [n for n in set_here if environ.get(n) not in (named[n], None)]
    text = f"read; it sets {', '.join(set_here)}" if set_here else "read; it sets nothing"
    details = {"sets": set_here, "overruled": hidden}
    if not hidden:
        return finding("settings", ".env", "ok", text, "", details)
    text += f"; the environment has other values, which win: {', '.join(hidden)}"
    fix = f"unset {' '.join(hidden)}, if the file shall count"
    return finding("settings", ".env", "warning", text, fix, details)


def _line(original: Original) -> int:
    """Where a statement begins, behind the empty lines before it."""
    text = original.string
    return original.line + text[: len(text) - len(text.lstrip())].count("\n")


def variables(environ: Mapping[str, str]) -> Finding:
    """Which of the project's own variables are set; their values stay where they are."""
    there = [name for name in OURS if environ.get(name)]
    text = f"set: {', '.join(there)}" if there else "none of the project's variables is set"
    return finding("settings", "variables", "ok", text, "", {n: n in there for n in OURS})


def client() -> Finding:
    """Which client would speak to the platform."""
    from core.erc3_client.switch import VARIABLE, chosen

    try:
        kind = chosen()
    except (ValueError, ImportError) as error:
        fix = f"set {VARIABLE} to auto"
        return finding("platform", "client", "problem", str(error), fix)
    if kind == "sdk":
        text = "the official SDK (erc3) is installed and used"
        return finding("platform", "client", "ok", text)
    text = "the official SDK (erc3) is not used; the project's own client speaks the same protocol"
    fix = install("platform", index=f"{REAL_URL}/")
    return finding("platform", "client", "info", text, fix)


def address(environ: Mapping[str, str]) -> Finding:
    """Where the real platform is looked for."""
    url = environ.get(URL) or REAL_URL
    details = {"url": bare(url), "variable_set": bool(environ.get(URL))}
    if not is_address(url):
        text = f"{URL} is no address: {bare(url)[:80]}"
        fix = f"set it to {REAL_URL}, or leave it empty"
        return finding("platform", "address", "problem", text, fix, details)
    parts = urlsplit(url)
    if parts.scheme == "http" and parts.hostname not in LOOPBACK:
        text = f"{bare(url)} is not encrypted, and the key travels in every body"
        return finding("platform", "address", "warning", text, "use https", details)
    return finding("platform", "address", "ok", bare(url), "", details)


def key(environ: Mapping[str, str], *, call: bool) -> Finding:
    """Whether the key is set, looks like one, and is taken by a read-only call (a search).

    ``call`` False: nothing is sent.
    """
    value = environ.get(KEY, "")
    if not value:
        text = f"{KEY} is not set; the embedded platform needs none"
        fix = f"for --real: put the account's key into {KEY}, in the environment or in .env"
        return finding("platform", "key", "info", text, fix)
    if not value.startswith("key-"):
        text = f"{KEY} is set but does not begin with key-"
        return finding("platform", "key", "warning", text, "look the key up on the platform's site")
    if not call:
        return finding("platform", "key", "info", f"{KEY} is set; not tried")
    if address(environ).state == "problem":
        return finding(
            "platform", "key", "problem", f"{KEY} is set; not tried, the address is wrong"
        )
    return _tried(value, environ.get(URL) or REAL_URL)


def _tried(value: str, url: str) -> Finding:
    from core.erc3_client import ERC3, ApiException, transport_errors

    began = time.perf_counter()
    try:
        found = ERC3(key=value, base_url=url).search_sessions()
    except ApiException as error:
        status = error.api_error.status
        if status in (400, 401, 403):
            text = f"the platform refused the key in {KEY} (status {status})"
            return finding(
                "platform", "key", "problem", text, "look the key up on the platform's site"
            )
        text = f"{bare(url)} does not answer as the platform does (status {status})"
        return finding("platform", "key", "problem", text, f"correct {URL}, or try again later")
    except transport_errors() as error:
        text = f"{bare(url)} cannot be reached ({type(error).__name__})"
        return finding("platform", "key", "problem", text, f"check the network and {URL}")
    seconds = round(time.perf_counter() - began, 3)
    count = len(found.sessions or [])
    text = f"{KEY} is taken by the platform ({count} sessions found in {seconds:.2f} s)"
    return finding("platform", "key", "ok", text, "", {"sessions": count, "seconds": seconds})
