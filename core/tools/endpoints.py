"""A benchmark's table of endpoints: how the requests to each path are treated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

from pydantic import BaseModel


def no_request(path: str, body: Mapping[str, Any]) -> NoReturn:
    """Refuse to make a request of what a journal holds."""
    raise TypeError(f"a recorded request to {path} cannot be made again")


@dataclass(frozen=True)
class Endpoint:
    """How the requests to one path are treated; the functions are given the task's API."""

    writes: bool = False
    request: Callable[[str, Mapping[str, Any]], Any] = no_request
    """Makes the request of a path from its recorded body."""
    answer: Callable[[BaseModel], Any] = lambda response: response
    """Makes of a response what callers get. Raises Inconsistent: it cannot be believed."""
    misfit: Callable[[Any, Any], str | None] = lambda request, answer: None
    """Why an answer belongs to another request; such a read is sent once more."""
    empty: Callable[[], Any] | None = None
    """The answer where the official SDK stumbles over an empty list."""
    before: Callable[[Any, Any, Any], Any] = lambda api, request, before: before
    """What is known of the state before a write that is about to be sent, which ``look`` compares
    with; of the API, the request, and what the caller has read. Raises ToolFault: not now."""
    look: Callable[[Any, Any, Any], Any] | None = None
    """The answer of a write that the state shows, by the API, the request and the state before;
    None: it had no effect. Raises OutOfReach: that cannot be told; Unsettled: not yet; Refused:
    it was refused, or what it changes does not exist."""
    is_certain: Callable[[str], bool] = lambda error: False
    """Whether a refusal with this text is believed without a look."""
    doubts_refusals: bool = False
    """Whether a refusal counts as no answer, as a proxy may have made it."""
    once: bool = False
    """Whether it cannot be undone: one a ledger."""
    durable: bool = False
    """Whether its intent is on disk before it is sent."""
    late_seconds: float = 0.0
    """Least pause before it is sent again, and then it is looked up once more: a request that was
    given up may still arrive, and two of them are two too many. 0: a second one does no harm."""


Endpoints: TypeAlias = Mapping[str, Endpoint]
"""By path."""
