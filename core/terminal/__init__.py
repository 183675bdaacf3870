"""The output of a run on a terminal: running tasks, and a table at the end."""
