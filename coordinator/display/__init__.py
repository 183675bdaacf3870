"""What a run shows on a terminal: tasks while they go on, a table at the end."""

from coordinator.display.closing import closing_lines, closing_table
from coordinator.display.ending import ending
from coordinator.display.live import Progress
from coordinator.report.blocks import DASH

__all__ = ["DASH", "Progress", "closing_lines", "closing_table", "ending"]
