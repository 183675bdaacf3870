"""The printed text of one step: bounded while it grows, clean when it is read."""

from __future__ import annotations

from core.text import clean
from worker.sandbox.values import shorten


class Prints:
    """Keeps the first four fifths of the allowance and the last fifth, and counts the rest."""

    def __init__(self, limit: int) -> None:
        self._head_limit = limit - limit // 5
        self._tail_limit = limit // 5
        self._head = self._tail = ""
        self._gone = 0

    def write(self, text: str) -> None:
        """Take text in; costs no more memory than the allowance and the text itself."""
        space = self._head_limit - len(self._head)
        self._head += text[:space]
        tail = self._tail + text[space:]
        cut = max(0, len(tail) - self._tail_limit)
        self._tail = tail[cut:]
        self._gone += cut

    def text(self) -> str:
        """All that is kept, with a note where something is missing."""
        note = f"\n... ({self._gone} characters not shown) ...\n" if self._gone else ""
        text = clean(self._head + note + self._tail)
        return shorten(text, self._head_limit + self._tail_limit + len(note))
