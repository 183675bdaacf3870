"""What a task wants, by the patterns of ``kinds.toml``, and the values that it names."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import regex

_NUMBERS = {
    x: n for n, x in enumerate("one two three four five six seven eight nine ten".split(), 1)
}
_DAYS = {"day before yesterday": -2, "day after tomorrow": 2, "yesterday": -1, "tomorrow": 1, "today": 0}  # fmt: skip
STATUSES = ("idea", "exploring", "active", "paused", "archived")
ROLE = regex.compile(r"\b(Lead|Engineer|Designer|QA|Ops|Other)\b")
_CONDITION = regex.compile(r"\b(?:if|unless|only when|provided|in case|as soon as|effective|as of|do not|don.t|never)\b", regex.I)  # fmt: skip
"""A change that hangs on something, or is not wanted."""
_QUOTED = regex.compile(r"['\"“‘].*['\"”’]")


@dataclass(frozen=True)
class TaskKind:
    """A kind of task, and the right that it needs."""

    name: str
    right: str
    own: str
    patterns: tuple[regex.Pattern[str], ...]


_ROWS = tomllib.loads(Path(__file__).with_name("kinds.toml").read_text("utf-8"))["kinds"]
_KINDS = [TaskKind(row[0], row[1], row[2], tuple(regex.compile(x, regex.I | regex.S) for x in row[3:])) for row in _ROWS]  # fmt: skip


def match_kind(text: str) -> TaskKind | None:
    """What the text wants; None where no pattern fits."""
    return next((w for w in _KINDS if all(p.search(text) for p in w.patterns)), None)


def hangs_on_more(text: str, others: frozenset[str]) -> bool:
    """Whether a text makes a change depend on something, or wants one of the other kinds, too.

    Quoted texts say nothing of that.
    """
    plain = _QUOTED.sub(" ", text)
    wanted = {kind.name for kind in _KINDS if all(p.search(plain) for p in kind.patterns)}
    return bool(others & wanted or _CONDITION.search(plain))


def resolve_day(text: str, today: str) -> date | None:
    """The one day that a text means, from today; None where it names none, or several."""
    shifts, low = set(), text.casefold()
    signs = (
        (-1, "", "(?: ago| before today)"),
        (1, "in ", ""),
        (1, "", " (?:from now|after today)"),
    )
    for sign, before, after in signs:
        pattern = rf"\b{before}(\d{{1,4}}|{'|'.join(_NUMBERS)}) (day|week)s?{after}\b"
        for many, unit in regex.findall(pattern, low):
            shifts.add(sign * (_NUMBERS.get(many) or int(many)) * (7 if unit == "week" else 1))
        low = regex.sub(pattern, " ", low)
    for word, shift in _DAYS.items():
        if word in low and (shift or not shifts):  # "from today, in three days" is one day
            shifts.add(shift)
        low = low.replace(word, " ")
    try:
        days = {date.fromisoformat(x) for x in regex.findall(r"\b\d{4}-\d\d-\d\d\b", text)}
        days |= {date.fromisoformat(today) + timedelta(days=shift) for shift in shifts}
    except (ValueError, OverflowError):  # no day of a calendar
        return None
    return days.pop() if len(days) == 1 else None


def format_day(day: date, text: str) -> str:
    """A day in the form that the text asks for, else as ISO has it."""
    form = regex.search(r"\b(?:DD|MM|YYYY)(?:[.\-/ ]?(?:DD|MM|YYYY)){2}\b", text)
    shape = form[0] if form else "YYYY-MM-DD"
    parts = {"DD": f"{day.day:02}", "MM": f"{day.month:02}", "YYYY": str(day.year)}
    return regex.sub(r"DD|MM|YYYY", lambda m: parts[m[0]], shape)


def quoted(text: str) -> list[str]:
    """The quoted texts, without their quotes."""
    marks = r"(?<!\p{L})'([^'\n]+(?:'\p{L}[^'\n]*)*)'(?!\p{L})|\"([^\"\n]+)\"|“([^”\n]+)”"
    texts = regex.findall(marks, text)
    return [next(filter(None, x)) for x in texts]
