"""The paths of the company's API by what they do, and a change with what is known of its effect."""

from __future__ import annotations

from typing import Any

LOG_TIME = "/time/log"
WHOAMI, RESPOND, WIKI_UPDATE = "/whoami", "/respond", "/wiki/update"
CHANGES = frozenset(
    {
        "/employees/update", "/projects/team/update", "/projects/status/update", LOG_TIME,
        "/time/update", WIKI_UPDATE,
    }
)  # fmt: skip
"""Paths that change the company."""
READS = frozenset(
    {
        WHOAMI, "/employees/list", "/employees/search", "/employees/get", "/customers/list",
        "/customers/get", "/customers/search", "/projects/list", "/projects/get",
        "/projects/search", "/time/get", "/time/search", "/time/summary/by-project",
        "/time/summary/by-employee", "/wiki/list", "/wiki/load", "/wiki/search",
    }
)  # fmt: skip
BEFORE = "entries before"
"""What the intent of logging time keeps: the entries like it that there were."""
RECORD = "record before"
"""What the intent of changing a record keeps: the record as it was."""
TOUCHED = {
    "/employees/update": "employees",
    "/projects/team/update": "projects",
    "/projects/status/update": "projects",
    LOG_TIME: "entries",
    "/time/update": "entries",
    WIKI_UPDATE: "wiki",
}
"""The kept records that a change makes old."""


class Change:
    """A write to the company, and what is known of its effect."""

    def __init__(self, path: str, body: dict[str, Any]) -> None:
        self.path = path
        self.body = body
        self.outcome = "sent"
        """sent, done, refused, lost or unknown"""
        self.error = ""
        self.taken_over = False
        """Whether earlier work has made it, and who goes on has not been given its record."""
        self.before: dict[str, Any] | None = None
        """The record as it was before, where that is known of a change that was taken over."""

    @property
    def target(self) -> str:
        """The id of the record, or the name of the page."""
        found = self.body.get("employee") or self.body.get("id") or self.body.get("file") or ""
        return str(found)

    @property
    def said(self) -> str:
        """The change in a line: path, target, what became of it."""
        became = f"{self.outcome}: {self.error}" if self.error else self.outcome
        return f"{self.path} {self.target} ({became})"
