"""Requests as a journal holds them, for tests."""

from __future__ import annotations

from core.ledger import WireCall

READS = ("/list", "/view", "/get", "/search")


def wire(path: str, outcome: str = "done", error: str | None = None, **body: object) -> WireCall:
    """A recorded request to an endpoint, which reads or writes as its path says."""
    kind = "read" if path.endswith(READS) else "write"
    fields = {"path": path, "body": body, "kind": kind, "outcome": outcome, "error": error}
    return WireCall.model_validate(fields)
