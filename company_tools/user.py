"""The user of a task, as whoami tells."""

from __future__ import annotations

from datetime import date

from core.erc3_client.own import company_models as wire

YEARS = range(1900, 2200)
_TODAY_CHARS = 40


class User(wire.Resp_WhoAmI):
    """The user of a task; texts that whoami leaves out are ""."""

    today_said: str | None = None
    """What stood in the place of a day that is none."""

    @property
    def weekday(self) -> str:
        """The name of the day, "" where today is unknown."""
        return f"{date.fromisoformat(self.today):%A}" if self.today else ""

    @property
    def id(self) -> str:
        """The employee's id, "" for a guest."""
        return self.current_user or ""


def consistent(answer: wire.Resp_WhoAmI) -> User:
    """What whoami said, with the least right where it contradicts itself.

    Who is public is a guest, whoever is named beside that. A ``today`` that is no day is "".
    """
    user = User(**dict(answer))
    if user.is_public:
        user.current_user = user.location = user.department = ""
    try:
        today = date.fromisoformat(user.today)
    except ValueError:
        today = date.min
    if today.year in YEARS:
        user.today = today.isoformat()
    else:
        user.today, user.today_said = "", user.today[:_TODAY_CHARS]
    return user
