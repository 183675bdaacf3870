"""The one exception whose text may cross into the sandbox."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict

FaultKind = Literal["ValueError", "KeyError", "TypeError", "RuntimeError", "TimeoutError"]


class FailedRequest(BaseModel):
    """A request to the benchmark's API that failed for good, as the result of a tool shows it."""

    model_config = ConfigDict(frozen=True)

    method: str
    """Name of the request model, such as ``Req_ViewThing``."""
    status: int
    """Of HTTP; 200: answered, and it could not be used; 0: no answer, or not sent."""
    code: str
    """The API's own code of the error, often empty."""
    text: str
    parameters: dict[str, Any]


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
        self.request: FailedRequest | None = None
        """The request that failed; None for a misuse, a budget, and a write that may have taken
        effect: none of these stands in a result."""
        self.rows: list[Any] | None = None
        """Of a listing: the records that were read before it failed."""
        self.found: dict[str, Any] = {}
        """Fields of a tool's result that were filled before it failed."""

    def after(self, earlier: ToolFault) -> Self:
        """The same with the failed request, the rows and the fields of an earlier fault."""
        self.request, self.rows, self.found = earlier.request, earlier.rows, earlier.found
        return self

    def with_found(self, fields: Mapping[str, Any]) -> Self:
        """The same with fields of the result that were filled before; those it has stay."""
        self.found = {**fields, **self.found}
        return self
