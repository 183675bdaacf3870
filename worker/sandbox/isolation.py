"""Opens sandboxes: Landlock where it proves itself on this machine, Monty elsewhere."""

from __future__ import annotations

import os
import socket
import sys
import tempfile
import tomllib
from contextlib import closing
from functools import cache
from pathlib import Path
from subprocess import SubprocessError
from typing import cast, get_args

from core.ledger import Ledger
from worker.sandbox.contract import (
    EPOCH,
    MONTY_MODULES,
    ClockAndSeed,
    DebugTerminal,
    SandboxChoice,
    SandboxKind,
    SandboxLimits,
    SandboxUnavailable,
    ToolHost,
)
from worker.sandbox.executor import SandboxExecutor
from worker.sandbox.fork_server import fork_server
from worker.sandbox.process import ProcessInterpreter
from worker.sandbox.seccomp import supported
from worker.sandbox.tool_bridge import CodeFailure, StepOver, ToolBridge
from worker.sandbox.values import Prints

_PROBE = """
import os, socket, sys
broken = []
def attempt(what, action, *arguments):
    try:
        action(*arguments)
    except OSError:
        return
    broken.append(what)
attempt("read a file", open, {file!r})
attempt("list a folder", os.listdir, {folder!r})
attempt("read about processes", open, "/proc/self/environ")
attempt("write a file", open, {file!r}, "a")
attempt("make a file", open, {new!r}, "w")
attempt("make a local socket", socket.socket, socket.AF_UNIX, socket.SOCK_DGRAM)
attempt("connect", lambda: socket.create_connection(("127.0.0.1", {port!r}), 1))
attempt("signal the host", os.kill, {pid!r}, 0)
attempt("signal the server", os.kill, os.getppid(), 0)
attempt("start a process", lambda: os.fork() or os._exit(0))
attempt("run a program", os.execv, sys.executable, [sys.executable, "-c", ""])
broken
"""
"""Code of a session; what of it works must not."""


VARIABLE = "WORKER_SANDBOX"


def chosen_kind() -> SandboxChoice:
    """Return the kind that the environment selects; ``auto`` by default. Raises ValueError."""
    wanted = os.environ.get(VARIABLE, "auto")
    *others, last = kinds = get_args(SandboxChoice)
    if wanted in kinds:
        return cast(SandboxChoice, wanted)
    raise ValueError(f"{VARIABLE} must be {', '.join(others)} or {last}, not {wanted[:40]!r}")


def used_kind(choice: SandboxChoice | None = None) -> SandboxKind:
    """Return the sandbox that code gets here. Without ``choice`` the environment decides.

    Raises:
        ValueError: the environment asks for a kind that there is not.
        SandboxUnavailable: Landlock is asked for and cannot be used here.
    """
    choice = choice or chosen_kind()
    if choice == "monty":
        return "monty"
    reason = probe_landlock()
    if reason and choice == "landlock":
        raise SandboxUnavailable(f"Landlock cannot be used here: {reason}")
    return "monty" if reason else "landlock"


def describe_sandbox(choice: SandboxChoice | None = None) -> tuple[SandboxKind, str]:
    """Return the sandbox in use here, and one line on it: what it is, and why not the stronger one.

    Raises as ``used_kind`` does.
    """
    choice = choice or chosen_kind()
    kind = used_kind(choice)
    if kind == "landlock":
        return kind, "sandbox: full Python, isolated by Landlock and seccomp"
    why = f"{VARIABLE}=monty" if choice == "monty" else f"no Landlock: {probe_landlock()}"
    return kind, (
        f"sandbox: monty, a subset of Python, without isolation by the operating system ({why})"
    )


@cache
def probe_landlock() -> str:
    """Return why Landlock cannot be used here, tried once per process; "": it passed the probe."""
    if not supported():
        return "there is no system call filter for this kind of machine"
    try:
        fork_server()
        broken = _broken_rules()
    except CodeFailure as error:
        return f"the probe failed: {error.name}: {error.message}"[:200]
    except (OSError, SubprocessError, SandboxUnavailable, StepOver) as error:
        return getattr(error, "strerror", None) or str(error) or type(error).__name__
    return f"code could {', '.join(broken)}" if broken else ""


def _broken_rules() -> list[str]:
    """Return the forbidden things that a session could do. Raises as an interpreter does."""
    bridge = ToolBridge(Ledger(), SandboxLimits())
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as server:
        file = os.path.join(folder, "file")
        with open(file, "w", encoding="utf-8"):
            code = _PROBE.format(
                file=file,
                folder=folder,
                new=os.path.join(folder, "new"),
                port=server.getsockname()[1],
                pid=os.getpid(),
            )
        bridge.begin(1, code)
        with closing(ProcessInterpreter(bridge, ClockAndSeed(0.0, 0))) as session:
            broken = session.run(Prints(0))
    return [str(each) for each in broken] if isinstance(broken, list) else ["run the probe"]


_START = ClockAndSeed(EPOCH, 0)
_RULES = tomllib.loads(Path(__file__).with_name("python_rules.toml").read_text(encoding="utf-8"))


def open_sandbox(
    host: ToolHost,
    limits: SandboxLimits | None = None,
    kind: SandboxChoice | None = None,
    *,
    clock_and_seed: ClockAndSeed = _START,
    terminal: DebugTerminal | None = None,
) -> SandboxExecutor:
    """A sandbox for one instruction; close it with ``cleanup()`` or use it in a ``with``.

    Without ``kind`` the environment decides. With a ``terminal`` the code stops at its first line,
    and a person steps through it; in Monty it does not stop.

    Raises:
        ValueError: the environment asks for a kind that there is not.
        SandboxUnavailable: this kind cannot be used here.
    """
    limits = limits or SandboxLimits()
    return SandboxExecutor(host, limits, clock_and_seed, used_kind(kind), terminal)


def python_rules(kind: SandboxChoice | None = None) -> str:
    """One paragraph for the prompt: what code may use in the sandbox of this kind, here.

    Without ``kind`` the environment decides, as in ``open_sandbox``. The text is the same for
    the same machine and setting.
    """
    rules: str = _RULES[used_kind(kind)]
    return rules.format(version="{}.{}".format(*sys.version_info), modules=MONTY_MODULES)
