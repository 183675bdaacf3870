"""Which sandboxes this machine has: each test plays in all of them."""

from __future__ import annotations

from worker.sandbox.contract import SandboxKind
from worker.sandbox.isolation import probe_landlock

STANDING: tuple[SandboxKind, ...] = () if probe_landlock() else ("landlock",)
"""The isolation of CPython, where it has proved itself."""
KINDS: tuple[SandboxKind, ...] = (*STANDING, "monty")
