"""Which sandboxes this machine has: each test plays in all of them."""

from __future__ import annotations

from typing import get_args

from worker.sandbox.contract import Isolation, SandboxKind
from worker.sandbox.isolation import why_not

STANDING: tuple[Isolation, ...] = tuple(name for name in get_args(Isolation) if not why_not(name))
"""The isolations of CPython that have proved themselves here."""
KINDS: tuple[SandboxKind, ...] = (*STANDING, "monty")
