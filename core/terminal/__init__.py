"""What a run shows on a terminal: tasks while they go on, a table at the end."""
