"""Somebody who steps through the code of a sandbox."""

from __future__ import annotations

from collections.abc import Sequence


class Typist:
    """Types lines, one at each question, then ``c`` for ever; keeps what was said."""

    def __init__(self, lines: Sequence[str], codes: Sequence[str] = ()) -> None:
        self.codes = codes
        self.printed = ""
        self.said: list[str] = []
        """What was said before each line, and last what was said before the first ``c``."""
        self._lines = iter(lines)

    def show(self, text: str) -> None:
        self.printed += text

    def ask(self, said: str, is_new: bool) -> str:
        self.said.append(said)
        return next(self._lines, "c")
