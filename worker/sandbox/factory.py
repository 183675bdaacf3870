"""How a sandbox is opened, and what a prompt has to say about the Python in it."""

from __future__ import annotations

import os
import secrets
import sys
import time
import tomllib
from collections.abc import Mapping
from inspect import Signature
from pathlib import Path
from typing import cast, get_args

from worker.sandbox.contract import (
    Pins,
    SandboxChoice,
    SandboxError,
    SandboxLimits,
    SandboxUnavailable,
    ToolHost,
)
from worker.sandbox.executor import SandboxExecutor
from worker.sandbox.monty import MontyInterpreter
from worker.sandbox.monty_imports import MODULES
from worker.sandbox.process import ProcessInterpreter
from worker.sandbox.runner import AutoRunner, Runner
from worker.sandbox.walls import walls

VARIABLE = "WORKER_SANDBOX"
_RULES = tomllib.loads(Path(__file__).with_name("python_rules.toml").read_text(encoding="utf-8"))


def chosen_kind() -> SandboxChoice:
    """What the environment asks for; ``auto`` when it says nothing. Raises ValueError."""
    wanted = os.environ.get(VARIABLE, "auto")
    if wanted in get_args(SandboxChoice):
        return cast(SandboxChoice, wanted)
    raise ValueError(f"{VARIABLE} must be auto, monty or process, not {wanted[:40]!r}")


def open_sandbox(
    host: ToolHost,
    limits: SandboxLimits | None = None,
    kind: SandboxChoice | None = None,
    *,
    pins: Pins | None = None,
) -> SandboxExecutor:
    """A sandbox for one instruction; close it with ``cleanup()`` or use it in a ``with``.

    Without ``kind`` the environment decides; without ``pins`` the clock starts now and the
    random numbers anywhere.

    Raises:
        ValueError: the environment asks for a kind that there is not.
        SandboxUnavailable: this kind cannot be used here.
    """
    limits = limits or SandboxLimits()
    pins = pins or Pins(clock=round(time.time(), 3), seed=secrets.randbits(31))
    wanted = kind or chosen_kind()
    if wanted == "process" and not walls().process:
        raise SandboxUnavailable(f"the process sandbox is not available: {walls().missing}")
    monty = Runner("monty", limits, lambda: MontyInterpreter(limits, pins, host.names))
    process = Runner("process", limits, lambda: ProcessInterpreter(limits, pins, host.names))
    runner: Runner | AutoRunner = process if wanted == "process" else monty
    if wanted == "auto" and walls().process:
        runner = AutoRunner(monty, process)
    return SandboxExecutor(host, limits, pins, runner)


def python_rules(kind: SandboxChoice | None = None) -> str:
    """One paragraph for the prompt: what code may use in the sandbox of this kind, here.

    Without ``kind`` the environment decides, as in ``open_sandbox``. The text is the same for
    the same machine and setting.
    """
    wanted = kind or chosen_kind()
    rules: str = _RULES["process" if wanted != "monty" and walls().process else "monty"]
    return rules.format(version="{}.{}".format(*sys.version_info), modules=MODULES)


def try_out(kind: SandboxChoice) -> None:
    """Open a sandbox of this kind and run something in it; what is started stays warm.

    Raises:
        SandboxUnavailable: it cannot be opened here, or dies of the simplest code.
    """
    with open_sandbox(_Nobody(), kind=kind) as box:
        try:
            box("1")
        except SandboxError as error:
            raise SandboxUnavailable(f"the {kind} sandbox runs nothing: {error}") from None


class _Nobody:
    """A host without tools."""

    names: frozenset[str] = frozenset()
    signatures: Mapping[str, Signature] = {}

    def call(self, name: str, args: list[object], kwargs: dict[str, object]) -> object:
        raise AssertionError("there are no tools")
