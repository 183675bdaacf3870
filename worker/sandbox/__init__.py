"""The sandbox in which generated code runs: contract, executors, isolation."""

from worker.sandbox.contract import (
    Pins,
    SandboxError,
    SandboxKind,
    SandboxLimits,
    SandboxUnavailable,
    ToolHost,
)
from worker.sandbox.executor import SandboxExecutor
from worker.sandbox.factory import (
    chosen_kind,
    open_sandbox,
    python_rules,
    sandbox_line,
    try_out,
    used_kind,
)
from worker.sandbox.isolation import IsolationReport, find_isolation, why_not

__all__ = [
    "IsolationReport",
    "Pins",
    "SandboxError",
    "SandboxExecutor",
    "SandboxKind",
    "SandboxLimits",
    "SandboxUnavailable",
    "ToolHost",
    "chosen_kind",
    "find_isolation",
    "open_sandbox",
    "python_rules",
    "sandbox_line",
    "try_out",
    "used_kind",
    "why_not",
]
