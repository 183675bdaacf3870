"""What every process of the lab has to load first; importing this loads it.

Processes are forked from one that has imported it, so that it is loaded once for all of them.
"""

from __future__ import annotations

import simulator.app
import simulator.pages.site
from lab import work
from launch.benchmarks import guest_of
from models.tokens import count_text
from worker.sandbox import walls

__all__ = ["guest_of", "simulator", "work"]

count_text("")
walls()
