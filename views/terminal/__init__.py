"""What a run shows on a terminal: tasks while they go on, a table at the end."""

from views.terminal.ending import closing_bar, ending, worst_first
from views.terminal.progress import Progress
from views.terminal.stream import Stream
from views.terminal.tables import closing_lines, closing_table

__all__ = [
    "Progress",
    "Stream",
    "closing_bar",
    "closing_lines",
    "closing_table",
    "ending",
    "worst_first",
]
