"""What a run shows on a terminal: tasks while they go on, a table at the end."""

from views.report.blocks import DASH
from views.terminal.closing import closing_lines, closing_table
from views.terminal.ending import ending
from views.terminal.live import Progress

__all__ = ["DASH", "Progress", "closing_lines", "closing_table", "ending"]
