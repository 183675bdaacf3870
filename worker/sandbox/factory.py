"""How a sandbox is opened, and what a prompt has to say about the Python in it."""

from __future__ import annotations

import secrets
import sys
import time
import tomllib
from pathlib import Path

from worker.sandbox.contract import (
    MONTY_MODULES,
    ClockAndSeed,
    SandboxChoice,
    SandboxError,
    SandboxLimits,
    SandboxUnavailable,
    ToolHost,
)
from worker.sandbox.executor import SandboxExecutor
from worker.sandbox.isolation import NoTools, used_kind
from worker.sandbox.monty import MontyInterpreter
from worker.sandbox.process import ProcessInterpreter
from worker.sandbox.runner import Interpreter, Runner

_RULES = tomllib.loads(Path(__file__).with_name("python_rules.toml").read_text(encoding="utf-8"))


def open_sandbox(
    host: ToolHost,
    limits: SandboxLimits | None = None,
    kind: SandboxChoice | None = None,
    *,
    clock_and_seed: ClockAndSeed | None = None,
) -> SandboxExecutor:
    """A sandbox for one instruction; close it with ``cleanup()`` or use it in a ``with``.

    Without ``kind`` the environment decides; without ``clock_and_seed`` the clock starts now and
    the random numbers anywhere.

    Raises:
        ValueError: the environment asks for a kind that there is not.
        SandboxUnavailable: this kind cannot be used here.
    """
    limits = limits or SandboxLimits()
    clock_and_seed = clock_and_seed or ClockAndSeed(
        clock=round(time.time(), 3), seed=secrets.randbits(31)
    )
    used = used_kind(kind)

    def opened() -> Interpreter:
        if used == "monty":
            return MontyInterpreter(limits, clock_and_seed, host.names)
        return ProcessInterpreter(used, limits, clock_and_seed, host.names)

    runner = Runner(used, limits, opened)
    runner.open()
    return SandboxExecutor(host, limits, clock_and_seed, runner)


def python_rules(kind: SandboxChoice | None = None) -> str:
    """One paragraph for the prompt: what code may use in the sandbox of this kind, here.

    Without ``kind`` the environment decides, as in ``open_sandbox``. The text is the same for
    the same machine and setting.
    """
    rules: str = _RULES["monty" if used_kind(kind) == "monty" else "process"]
    return rules.format(version="{}.{}".format(*sys.version_info), modules=MONTY_MODULES)


def try_out(kind: SandboxChoice) -> None:
    """Open a sandbox of this kind and run something in it; what is started stays warm.

    Raises:
        SandboxUnavailable: it cannot be opened here, or dies of the simplest code.
    """
    with open_sandbox(NoTools(), kind=kind) as box:
        try:
            box("1")
        except SandboxError as error:
            raise SandboxUnavailable(f"the {kind} sandbox cannot run code: {error}") from None
