"""The sandbox in which generated code runs: contract, Monty and process executors, walls."""

from worker.sandbox.contract import (
    Pins,
    SandboxError,
    SandboxLimits,
    SandboxUnavailable,
    ToolHost,
)
from worker.sandbox.executor import SandboxExecutor
from worker.sandbox.factory import chosen_kind, open_sandbox, python_rules, try_out
from worker.sandbox.walls import WallReport, walls

__all__ = [
    "Pins",
    "SandboxError",
    "SandboxExecutor",
    "SandboxLimits",
    "SandboxUnavailable",
    "ToolHost",
    "WallReport",
    "chosen_kind",
    "open_sandbox",
    "python_rules",
    "try_out",
    "walls",
]
