"""The machine and its settings: Python, packages, sandbox walls, variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import metadata
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.requirements import Requirement

from launch.doctor_finding import Finding, State
from launch.platform import REAL_URL
from models.extras import install

if TYPE_CHECKING:
    from dotenv.parser import Original

    from worker.sandbox import WallReport

DISTRIBUTION = "erc3-store-agent"
LEAST_PYTHON = (3, 11)
OURS = (
    "EVALUATOR_MODEL", "WORKER_MODEL", "EVALUATOR_BASE_URL", "WORKER_BASE_URL", "WORKER_SANDBOX",
    "ERC3_API_KEY", "ERC3_BASE_URL", "ERC3_CLIENT",
)  # fmt: skip
"""Variables that this project itself reads."""
REQUIRED = "required"
KINDS = ("auto", "monty", "process")


def python_version(version: tuple[int, int, int]) -> Finding:
    """Whether the interpreter is new enough."""
    shown = ".".join(map(str, version))
    if version[:2] >= LEAST_PYTHON:
        return Finding(area="python", name="version", state="ok", text=f"Python {shown}")
    return Finding(
        area="python",
        name="version",
        state="problem",
        text=f"Python {shown} is too old",
        fix="install Python 3.11 or newer and run make PYTHON=... setup",
    )


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
        return [
            Finding(
                area="packages",
                name=REQUIRED,
                state="warning",
                text=f"{DISTRIBUTION} is not installed here, so what it needs cannot be looked up",
                fix="run make setup",
            )
        ]
    return [_group(extra, wanted, version_of) for extra, wanted in groups.items()]


def _extra(wanted: Requirement) -> str | None:
    """The extra that a requirement belongs to: ``...; extra == "dev"``."""
    words = str(wanted.marker or "").split("extra == ")
    return words[1].split('"')[1] if len(words) > 1 else None


def _group(
    extra: str, wanted: list[Requirement], version_of: Callable[[str], str | None]
) -> Finding:
    found = {w.name: version_of(w.name) for w in wanted}
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
        text = f"all {len(wanted)} there"
        return Finding(area="packages", name=name, state="ok", text=text, details=found)
    needed = extra == REQUIRED
    return Finding(
        area="packages",
        name=name,
        state="problem" if needed else "info",
        text="; ".join(parts),
        fix="run make setup" if needed else _install(extra),
        details=found,
    )


def _install(extra: str) -> str:
    return install(extra, index=f"{REAL_URL}/" if extra == "platform" else "")


def sandbox(found: WallReport, chosen: str) -> Finding:
    """Which walls stand around generated code; ``chosen``: what WORKER_SANDBOX asks for."""
    details = {"monty": found.monty, "process": found.process, "chosen": chosen}
    text, fix = found.text.removeprefix("sandbox: "), ""
    state: State = "ok"
    if not found.complete:
        state, fix = "warning", "install bubblewrap (apt-get install bubblewrap)"
    if chosen not in KINDS:
        state, fix = "problem", f"set WORKER_SANDBOX to one of {', '.join(KINDS)}"
        text = f"WORKER_SANDBOX asks for a sandbox that there is not: {chosen[:40]!r}"
    elif chosen == "process" and not found.process:
        state, fix = "problem", fix or "set WORKER_SANDBOX to auto or monty"
        text = f"WORKER_SANDBOX=process, but it cannot be used here ({found.missing})"
    return Finding(area="sandbox", name="walls", state=state, text=text, fix=fix, details=details)


def dotenv(path: Path, environ: Mapping[str, str]) -> Finding:
    """Whether a ``.env`` was read, and what it names; values are not looked at."""
    from dotenv.parser import parse_stream

    if not path.is_file():
        text = "no .env in the working folder; only the environment counts"
        fix = "cp .env.example .env, to keep keys and models in a file"
        return Finding(area="settings", name=".env", state="info", text=text, fix=fix)
    try:
        bindings = list(parse_stream(StringIO(path.read_text(encoding="utf-8"))))
    except (OSError, UnicodeDecodeError) as error:
        text = f".env cannot be read: {type(error).__name__}"
        fix = "make it a readable text file in UTF-8"
        return Finding(area="settings", name=".env", state="problem", text=text, fix=fix)
    named = {b.key: b.value for b in bindings if b.key}
    broken = [_line(b.original) for b in bindings if b.error or (b.key and b.value is None)]
    if broken:
        lines = f"line{'s' if len(broken) > 1 else ''} {', '.join(map(str, broken))}"
        text = f"{path}, {lines}: cannot be read and is left out, whatever it should set"
        fix = "write NAME=value, with a value in quotes where it holds spaces or #"
        details = {"broken_lines": broken}
        return Finding(
            area="settings", name=".env", state="problem", text=text, fix=fix, details=details
        )
    set_here = sorted(name for name, value in named.items() if value)
    hidden = [n for n in set_here if environ.get(n) not in (named[n], None)]
    text = f"read; it sets {', '.join(set_here)}" if set_here else "read; it sets nothing"
    if hidden:
        text += f"; the environment has other values, which win: {', '.join(hidden)}"
    return Finding(
        area="settings",
        name=".env",
        state="warning" if hidden else "ok",
        text=text,
        fix=f"unset {' '.join(hidden)}, if the file shall count" if hidden else "",
        details={"sets": set_here, "overruled": hidden},
    )


def _line(original: Original) -> int:
    """Where a statement begins, behind the empty lines before it."""
    text = original.string
    return original.line + text[: len(text) - len(text.lstrip())].count("\n")


def variables(environ: Mapping[str, str]) -> Finding:
    """Which of the project's own variables are set; their values stay where they are."""
    there = [name for name in OURS if environ.get(name)]
    text = f"set: {', '.join(there)}" if there else "none of the project's variables is set"
    details = {name: name in there for name in OURS}
    return Finding(area="settings", name="variables", state="ok", text=text, details=details)
