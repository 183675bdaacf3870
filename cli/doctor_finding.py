"""What the doctor found, as records."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import Field

from core.ledger import Record

State = Literal["ok", "info", "warning", "problem"]
"""``info``: not there and not needed for what is configured; ``problem``: a run would fail."""
Details = dict[str, Any] | None
"""The figures of a text, for programs; None is unknown."""
AREAS = ("python", "packages", "sandbox", "settings", "platform", "models")


class Finding(Record):
    """One thing that was looked at."""

    area: str
    """One of ``AREAS``."""
    subject: str = ""
    """Whose finding it is where an area has several: roles, model and backend."""
    name: str
    state: State
    text: str
    """What was found; names variables, never their values where they are keys."""
    fix: str = ""
    """What to do about it; empty where nothing needs to be done."""
    details: dict[str, Any] = Field(default_factory=dict)
    """The figures of the text, for programs; None is unknown."""


class Diagnosis(Record):
    """All findings, ``doctor/1``."""

    format: Literal["doctor/1"] = "doctor/1"
    ok: bool
    """No finding is a problem."""
    announced: str
    """What was said before the first call: how many, and for how much."""
    findings: tuple[Finding, ...]


def finding(
    area: str,
    name: str,
    state: State,
    text: str,
    fix: str = "",
    details: Details = None,
    subject: str = "",
) -> Finding:
    """A finding by its parts in their order."""
    return Finding(
        area=area,
        subject=subject,
        name=name,
        state=state,
        text=text,
        fix=fix,
        details=details or {},
    )


def diagnosis(findings: Iterable[Finding], announced: str) -> Diagnosis:
    """Findings in the order of their areas, and whether a run can begin."""
    ordered = sorted(findings, key=lambda f: AREAS.index(f.area))
    ok = not any(f.state == "problem" for f in ordered)
    return Diagnosis(ok=ok, announced=announced, findings=tuple(ordered))
