"""What a run shows on a terminal: tasks while they go on, a table at the end."""

from views.terminal.ending import ending
from views.terminal.progress import Progress
from views.terminal.tables import closing_lines, closing_table

__all__ = ["Progress", "closing_lines", "closing_table", "ending"]
