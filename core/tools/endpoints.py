"""A benchmark's table of endpoints: how the requests to each path are treated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from pydantic import BaseModel


@dataclass(frozen=True)
class Endpoint:
    """How the requests to one path are treated; the functions are given the task's API."""

    writes: bool = False
    answer: Callable[[BaseModel], Any] = lambda response: response
    """Makes of a response what callers get. Raises Inconsistent: it cannot be believed."""
    empty: Callable[[], Any] | None = None
    """The answer where the official SDK stumbles over an empty list."""
    before: Callable[[Any, Any, Any], Any] = lambda api, request, before: before
    """What is known of the state before a write that is about to be sent, which ``look`` compares
    with; of the API, the request, and what the caller has read. Raises ToolFault: not now."""
    look: Callable[[Any, Any, Any], Any] | None = None
    """The answer of a write that the state shows, by the API, the request and the state before;
    None: it had no effect. Raises OutOfReach: that cannot be told; Unsettled: not yet."""
    is_certain: Callable[[str], bool] = lambda error: False
    """Whether a refusal with this text is believed without a look."""
    once: bool = False
    """Whether it cannot be undone: one a ledger."""
    durable: bool = False
    """Whether its intent is on disk before it is sent."""
    late_seconds: float = 0.0
    """Least pause before it is sent again: a request that was given up may still arrive."""


Endpoints: TypeAlias = Mapping[str, Endpoint]
"""By path."""
