"""What every process that plays has to load first; importing this loads it.

Processes are forked from one that has imported it, so that it is loaded once for all of them.
"""

from __future__ import annotations

from lab import play_job
from models.tokens import count_text
from worker.sandbox import walls

__all__ = ["play_job"]

count_text("")
walls()
