"""Imports what every process that plays needs.

Processes are forked from one that has imported it, so it is loaded once for all.
"""

from __future__ import annotations

import gc

# What is loaded stays: a collection would find nothing. Whoever is forked collects again.
gc.disable()

from core.models.tokens import count_text  # noqa: E402
from worker.sandbox.isolation import probe_landlock  # noqa: E402
from workshop.lab import play_job  # noqa: E402

__all__ = ["play_job"]

MANY = 10_000
"""New objects after which garbage is looked for: about the tree of one program."""

count_text("")
probe_landlock()
gc.set_threshold(MANY, 5, 5)
