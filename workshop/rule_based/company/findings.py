"""What the stages have told the brain: whose the one thing is that a task names."""

from __future__ import annotations

from typing import Any

import regex

_POLICY = regex.compile(r"^policy: (.*)$", regex.MULTILINE)
_NAMED = regex.compile(r"\((?P<kind>employee|project|customer) (?P<id>[^\s,)]+)[^)]*\)")
_TIES = r"the user's role there: (?P<roles>[^,]+), account manager of its customer: (?P<manager>.+)"
_OF_PERSON = frozenset({"pay_of"})
_OF_PROJECT = frozenset({"status", "contact"})


def at_sight(kind: str, findings: str) -> dict[str, Any] | None:
    """Of a wish that hangs on one record, what a look would report of who asks.

    {own} of a person, {lead, account} of a project; None where the findings name no such record,
    or more than one.
    """
    named = {(m["kind"], m["id"]) for m in _NAMED.finditer(findings)}
    told = _POLICY.search(findings)
    if len(named) != 1 or told is None:
        return None
    ((what, id_),) = named
    ties = regex.search(rf"(?:^|; ){regex.escape(id_)}: ([^;]*)", told[1])
    if ties is None:
        return None
    if kind in _OF_PERSON and what == "employee":
        return {"own": ties[1].startswith("the user themselves")}
    if kind in _OF_PROJECT and what == "project":
        found = regex.fullmatch(_TIES, ties[1].strip())
        if found:
            lead = "Lead" in found["roles"].split(" and ")
            return {"lead": lead, "account": found["manager"] != "another"}
    return None
