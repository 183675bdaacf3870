"""A request as the platform saw it: the story of a task whose agent keeps no journal of ours."""

from __future__ import annotations

from core.ledger import Record


class ObservedRequest(Record):
    """One request of an agent, with what the platform answered."""

    at: float
    """Seconds since the task began."""
    method: str = "POST"
    path: str
    body: str
    """JSON, shortened where it is long."""
    answer: str | None = None
    """The same; None: it was refused, or no answer is recorded."""
    error: str | None = None
    """Status and text of a refusal."""
