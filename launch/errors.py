"""What ends a command with a text for its user."""


class CannotRun(Exception):
    """The run cannot start or go on; the text is for the user."""
