"""What a run shows on a terminal: tasks while they go on, a table at the end."""

from core.terminal.ending import closing_bar, ending, worst_first
from core.terminal.progress import Progress
from core.terminal.stream import Stream
from core.terminal.tables import closing_lines, closing_table

__all__ = [
    "Progress",
    "Stream",
    "closing_bar",
    "closing_lines",
    "closing_table",
    "ending",
    "worst_first",
]
