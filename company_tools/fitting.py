"""Whether an answer is one to what was asked, and a record one that can be written back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Body = Mapping[str, Any]
_RECORDS = {"/employees/get": "employee", "/projects/get": "project", "/customers/get": "company"}
"""What is asked for by its id, and the field of the answer that holds it."""
_FILTERS = ("employee", "customer", "project")
"""Of time entries; all three compare whole ids (facts of the platform)."""


def misfit(path: str, body: Body, answer: Body) -> str | None:
    """Why an answer belongs to another question; None where nothing says so."""
    if path in _RECORDS:
        record = answer.get(_RECORDS[path])
        other = record.get("id") if isinstance(record, Mapping) else body["id"]
        return _other("id", body["id"], other)
    if path == "/wiki/load":
        return _other("page", _page(body["file"]), _page(str(answer.get("file", ""))))
    if path == "/time/search":
        for entry in answer.get("entries") or ():
            for field in _FILTERS:
                if body.get(field) and entry.get(field) != body[field]:
                    return _other(field, body[field], entry.get(field))
    return None


def twice(records: Iterable[Body], field: str) -> str | None:
    """The first name that stands twice in a list whose names should differ; None for none."""
    seen: set[str] = set()
    for record in records:
        if record[field] in seen:
            return str(record[field])
        seen.add(record[field])
    return None


def _other(what: str, asked: object, told: object) -> str | None:
    if asked == told:
        return None
    return f"asked for the {what} {str(asked)[:80]!r}, the answer is of {str(told)[:80]!r}"


def _page(file: str) -> str:
    # Whether the platform completes a page's name is not known.
    return file.casefold().strip("/").removesuffix(".md")
