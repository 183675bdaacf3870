"""What every process that plays has to load first; importing this loads it.

Processes are forked from one that has imported it, so that it is loaded once for all of them.
"""

from __future__ import annotations

import gc

from lab import play_job
from models.tokens import count_text
from worker.sandbox import walls

__all__ = ["play_job"]

MANY = 50_000
"""New objects after which garbage is looked for: the tree of one program has ten thousand."""

count_text("")
walls()
# A fifth of a player's time went into looking through what never goes away.
gc.freeze()
gc.set_threshold(MANY, 50, 50)
