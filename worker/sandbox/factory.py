"""How a sandbox is opened."""

from __future__ import annotations

import os
import secrets
import time
from typing import Literal, TypeAlias, get_args

from worker.sandbox.auto import AutoExecutor
from worker.sandbox.contract import (
    Limits,
    Pins,
    SandboxError,
    SandboxExecutor,
    SandboxUnavailable,
    ToolHost,
)
from worker.sandbox.executor import Executor, Track
from worker.sandbox.monty import Checkpoint, MontyInterpreter
from worker.sandbox.process import ProcessInterpreter
from worker.sandbox.session import Session
from worker.sandbox.walls import walls

SandboxChoice: TypeAlias = Literal["auto", "monty", "process"]
VARIABLE = "WORKER_SANDBOX"


def chosen_kind() -> SandboxChoice:
    """What the environment asks for; ``auto`` when it says nothing. Raises ValueError."""
    wanted = os.environ.get(VARIABLE, "auto")
    for kind in get_args(SandboxChoice):
        if wanted == kind:
            found: SandboxChoice = kind
            return found
    raise ValueError(f"{VARIABLE} must be auto, monty or process, not {wanted[:40]!r}")


def open_sandbox(
    host: ToolHost,
    limits: Limits | None = None,
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
    limits = limits or Limits()
    pins = pins or Pins(clock=round(time.time(), 3), seed=secrets.randbits(31))
    wanted = kind or chosen_kind()
    if wanted == "process":
        if not walls().process:
            raise SandboxUnavailable(f"the process sandbox is not available: {walls().missing}")
        return Executor(host, limits, pins, _process_track(host, limits, pins))
    monty = _monty_track(host, limits, pins)
    if wanted == "auto" and walls().process:
        return AutoExecutor(host, limits, pins, monty, _process_track(host, limits, pins))
    return Executor(host, limits, pins, monty)


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

    def call(self, name: str, args: list[object], kwargs: dict[str, object]) -> object:
        raise AssertionError("there are no tools")


def _monty_track(host: ToolHost, limits: Limits, pins: Pins) -> Track:
    def opener(start: object | None) -> Session:
        checkpoint = start if isinstance(start, Checkpoint) else None
        return MontyInterpreter(limits, pins, host.names, checkpoint)

    return Track("monty", opener, limits)


def _process_track(host: ToolHost, limits: Limits, pins: Pins) -> Track:
    def opener(_start: object | None) -> Session:
        return ProcessInterpreter(limits, pins, host.names)

    return Track("process", opener, limits)
