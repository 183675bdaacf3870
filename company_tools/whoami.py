"""What whoami says of who asks, where it contradicts itself or is no use."""

from __future__ import annotations

from datetime import date
from typing import Any

YEARS = range(1900, 2200)
"""Of a day that can be counted from."""
_SAID_CHARS = 40


def consistent(user: dict[str, Any]) -> dict[str, Any]:
    """What whoami said, with the least right where it contradicts itself.

    Who is public is a guest, whoever is named beside that. A ``today`` that is no day is "", and
    ``today_said`` is what stood there.
    """
    found = dict(user)
    if found.get("is_public"):
        found |= {"current_user": "", "location": "", "department": ""}
    said = str(found.get("today") or "")
    try:
        today = date.fromisoformat(said)
    except ValueError:
        today = date.min
    if today.year in YEARS:
        return found | {"today": today.isoformat()}
    return found | {"today": "", "today_said": said[:_SAID_CHARS]}
