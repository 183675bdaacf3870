"""The one shape in which every Combo tool answers: rows, each for the parameters that it is for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import Any, TypeAlias

from pydantic import BaseModel

from core.ledger.calls import FailedRequest, Kind, ToolFault
from core.ledger.tool import Tool, plain, tool


class ComboRow(BaseModel):
    """What a call found for one of its parameters, or for a pair of them."""

    primary: Any = None
    """The parameter that it is for, such as a name or a basket; None: for the call as a whole."""
    secondary: Any = None
    """The second one, such as a coupon; None: there is none."""
    data: Any = None
    error: str | None = None
    """Why there is no data, or why it is not whole."""


Rows: TypeAlias = Iterator[ComboRow]
"""What a Combo tool gives: each row before it works on it, and then it fills in ``data``. So the
last row is the one that a failure is for."""


class ComboResult(BaseModel):
    """The result of every Combo tool."""

    success: bool
    results: list[ComboRow]
    fatal_error: FailedRequest | None = None
    """The request that ended the call; what was found before it stands in the rows."""


def combo_tool(kind: Kind, function: Callable[..., Rows]) -> Tool:
    """Make a Combo tool of a function that gives rows; its docstring is the text for the model."""

    @wraps(function)
    def call(**arguments: object) -> object:
        rows: list[ComboRow] = []
        try:
            for row in function(**arguments):
                rows.append(row)  # at once: what comes before a failure is kept
        except ToolFault as fault:
            fault.found = rows or [ComboRow()]
            fault.found[-1].error = fault.found[-1].error or fault.text
            raise
        return result_of(rows)

    return tool(kind, call)


def is_combo(tool: Tool) -> bool:
    """Whether a tool answers in rows, which its name says."""
    return tool.name.startswith("Combo_")


def result_of(rows: Sequence[ComboRow], failed: FailedRequest | None = None) -> dict[str, object]:
    """The result with these rows as plain data; ``failed``: the request that ended the call."""
    result = ComboResult(success=failed is None, results=[*rows], fatal_error=failed)
    return {
        "success": result.success,
        "results": [{name: plain(value) for name, value in row} for row in result.results],
        "fatal_error": failed and failed.model_dump(mode="json"),
    }


def partial_result(fault: ToolFault) -> dict[str, object] | None:
    """The result of a call that ended in a failed request; None: the fault has to be raised."""
    if fault.found is None or fault.request is None:
        return None
    return result_of(fault.found, fault.request)
