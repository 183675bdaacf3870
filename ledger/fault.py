"""The one exception whose text may cross into the sandbox."""

from __future__ import annotations

from typing import Literal

FaultKind = Literal["ValueError", "KeyError", "TypeError", "RuntimeError", "TimeoutError"]


class ToolFault(Exception):
    """A tool refused or failed, in words that are safe and useful for generated code.

    ``kind`` names the built-in exception that generated code sees (``except ValueError``
    works there); ``text`` is stable and holds the API's own words, never a secret.
    ``fatal`` says that no later call of the same instruction can succeed; ``lost``, that the
    request behind it is known to have had no effect and was not refused either.
    """

    def __init__(
        self,
        text: str,
        *,
        kind: FaultKind = "ValueError",
        fatal: bool = False,
        lost: bool = False,
    ) -> None:
        super().__init__(text)
        self.text = text
        self.kind: FaultKind = kind
        self.fatal = fatal
        self.lost = lost
