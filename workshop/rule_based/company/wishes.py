"""What a task wants, as far as patterns can tell: its kind, the right it needs, its figures."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import regex

_FLAGS = regex.IGNORECASE | regex.DOTALL
_FILE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


@cache
def filled(pattern: str) -> regex.Pattern[str]:
    """A pattern of the table, compiled when a task first gets so far in it."""
    for name, words in {**_FILE["words"], "heads": _FILE["forms"]["heads"]}.items():
        pattern = pattern.replace(f"{{{name}}}", words)
    return regex.compile(pattern, _FLAGS)


TABLE: list[dict[str, Any]] = _FILE["wish"]
_LANGUAGES: dict[str, dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("languages.toml").read_text(encoding="utf-8")
)
_ENGLISH = frozenset("the is of who what which to please and are how does".split())
PUBLIC = frozenset({"date", "place"})
_ORDERS = filled("{heads}(?!" + _FILE["forms"]["asks"] + ")" + _FILE["forms"]["verbs"] + r"\b")
_ASKED = regex.compile(
    r"(?:^|[.!?:;,–—]\s+|\n)\s*(?:who|whom|whose|what|which|how|when|where|why|is|are|was|were|does|do|did|has|have)\b[^.!?]*\?",
    regex.I,
)
_TOLD = filled(_FILE["forms"]["told"])
_WORDS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen".split()
_NUMBER = {word: number for number, word in enumerate(_WORDS, 1)}
_MONTHS = "january february march april may june july august september october november december"
_COUNT = rf"\d+|a|{'|'.join(_WORDS)}"
_AGO = regex.compile(
    rf"(?<![\w-])(?P<n>{_COUNT}) (?P<unit>day|week)s? (?:ago|before today)"
    rf"|(?P<ahead>\bin (?P<m>{_COUNT}) (?P<u>day|week)s?)", _FLAGS
)  # fmt: skip
_MONTH = _MONTHS.replace(" ", "|")
_VAGUE = regex.compile(
    r"\b(?:last|next) (?:month|year)\b"
    r"|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|\b\d{1,2}/\d{1,2}\b|\b\d{1,2}\.\d{1,2}\.(?!\d)",
    regex.I,
)
"""Days that are named in a way that is not read here."""
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_WEEKDAY = regex.compile(rf"\b(?P<on>on |this )?(?P<day>{'|'.join(_DAYS)})\b", _FLAGS)
_NAMED = regex.compile(
    rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th|\.)? (?:of )?(?P<m>{_MONTH})\b(?:,? (?P<y>\d{{4}}))?"
    rf"|\b(?P<m2>{_MONTH}) (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d)(?:,? (?P<y2>\d{{4}}))?", _FLAGS
)  # fmt: skip
SHOWN = regex.compile(
    r"\b(?:like(?: this)?|as in|format(?: of)?)[:,]? (?P<a>\d\d)(?P<s>[./-])(?P<b>\d\d)(?P=s)\d{4}\b",
    regex.I,
)
"""A date that only shows how one is written."""
_QUOTED = regex.compile(r"[‘“\"„«](.+?)[”“\"»]|(?<!\w)['‘](.+?)['’](?!\w)", regex.DOTALL)
_HOURS = regex.compile(
    rf"(?<![\w.,])(?P<n>\d+(?:[.,]\d+)?|{'|'.join(_WORDS)}|(?<!half )(?<!of )an)(?P<half> and a half)?[\s-]*(?:(?:non-?)?billable )?(?:h|hrs?|hours?)\b(?P<more> and a half)?"
    r"|\bhours?\b[^.?\d]{0,25}: ?(?P<bare>\d+(?:[.,]\d+)?) (?:on|for|at)\b", _FLAGS
)  # fmt: skip
_STATUS = (
    (r"\bpaus|\bon hold|\bon ice", "paused"), (r"\barchiv", "archived"),
    (r"\bexplor", "exploring"), (r"\bactiv|\bresum|\breactiv", "active"), (r"\bidea\b", "idea"),
)  # fmt: skip


@dataclass(frozen=True)
class Wish:
    """What is wanted; ``own``: the right that is enough where it is about the asker alone."""

    kind: str
    right: str
    own: str = ""
    text: str = field(default="", repr=False)


def read_wish(text: str) -> Wish | None:
    """The wish of a task, or None where no pattern fits; its text is in English."""
    read = _read(text)
    return read if read and read.kind in PUBLIC else _read(english(text))


def _read(text: str) -> Wish | None:
    form = "change" if orders(text) else "ask"
    for entry in TABLE:
        if (
            entry.get("form", form) == form
            and all(filled(p).search(text) for p in entry["all"])
            and not any(filled(p).search(text) for p in entry.get("none", ()))
        ):
            return Wish(entry["kind"], entry["right"], entry.get("own", ""), text)
    return None


def english(text: str) -> str:
    """A text of another language with the words that wishes are known by in English; quotes stay.

    An order that hangs on a condition, or is none, is not read.
    """
    spoken = set(regex.findall(r"[\p{L}']+", text.lower()))
    for language in _LANGUAGES.values():
        if len(spoken & set(language["marks"].split())) < 2 or len(spoken & _ENGLISH) > 1:
            continue
        pairs = dict(pair.strip().split("=") for pair in language["words"].split(";"))
        known = "|".join(sorted(map(regex.escape, pairs), key=len, reverse=True))
        said = rf"{_QUOTED.pattern}|(?<!\w)(?P<word>{known})(?!\w)"
        told, at = "", 0
        for hit in regex.finditer(said, text, _FLAGS):
            told += text[at : hit.start()] + (pairs[hit["word"].lower()] if hit["word"] else hit[0])
            at = hit.end()
        told += text[at:]
        hedged = set(language["hedges"].split()) & set(regex.findall(r"[\p{L}']+", told.lower()))
        return "" if hedged and orders(told) else told
    return text


def orders(text: str) -> bool:
    """Whether a text wants something done, not only told: what holds a question wants to be told."""
    if _ASKED.search(text):
        return False
    return bool(_ORDERS.search(text) or ("?" not in text and _TOLD.search(text)))


def names_day(text: str) -> bool:
    """Whether a text names a day at all."""
    return bool(
        regex.search(r"\d{4}-\d\d-\d\d|\b(?:to|yester)day\b|\btomorrow\b", text, _FLAGS)
        or _AGO.search(text) or _NAMED.search(text) or _WEEKDAY.search(text)
    )  # fmt: skip


def day_of(text: str, today: str) -> date | None:
    """The day that a text speaks of, today where it speaks of none; None where it cannot be told."""
    base = date.fromisoformat(today)
    if _VAGUE.search(text):
        return None
    if week := list(_WEEKDAY.finditer(text)):
        return _of_week(week, text, base)
    named = set(regex.findall(r"\b\d{4}-\d\d-\d\d\b", text))
    if named:
        return date.fromisoformat(named.pop()) if len(named) == 1 else None
    if told := list(_NAMED.finditer(text)):
        return _of_month(told[0], base) if len(told) == 1 else None
    low = text.lower()
    if regex.search(r"\btwo days before yesterday\b", low):
        return base - timedelta(days=3)
    if regex.search(r"\b(?:day before yesterday|vorgestern)\b", low):
        return base - timedelta(days=2)
    if regex.search(r"\byesterday|\bgestern\b", low):
        return base - timedelta(days=1)
    if regex.search(r"\bday after tomorrow|\bübermorgen\b", low):
        return base + timedelta(days=2)
    if regex.search(r"\btomorrow|\bmorgen\b", low):
        return base + timedelta(days=1)
    away = _AGO.search(low)
    if away:
        word, unit = away["n"] or away["m"], away["unit"] or away["u"]
        number = int(word) if word.isdigit() else _NUMBER.get(word, 1)
        return base + timedelta(
            days=number * (7 if unit == "week" else 1) * (1 if away["ahead"] else -1)
        )
    if regex.search(r"\blast week\b", low):
        return base - timedelta(days=7)
    return base


def _of_week(told: list[regex.Match[str]], text: str, base: date) -> date | None:
    """The last such day of the week before today; None where another one may be meant."""
    other = r"\b(?:next|last|coming|will|until|from|by|every|each|\d{4}-\d\d-\d\d|yesterday|ago|week of)\b"
    if len(told) != 1 or regex.search(other, text, _FLAGS):
        return None
    back = (base.weekday() - _DAYS.index(told[0]["day"].lower())) % 7
    return base - timedelta(days=back) if back else None


def _of_month(told: regex.Match[str], base: date) -> date | None:
    """A day of a month; without a year only one of this year that is not ahead."""
    number = _MONTHS.split().index((told["m"] or told["m2"]).lower()) + 1
    year = told["y"] or told["y2"]
    try:
        day = date(int(year or base.year), number, int(told["d"] or told["d2"]))
    except ValueError:
        return None
    return day if year or day <= base else None


def period_of(text: str, today: str) -> tuple[str, str] | None:
    """The first and last day of the time that a text speaks of."""
    named = regex.findall(r"\b\d{4}-\d\d-\d\d\b", text)
    if len(named) == 2:
        return min(named), max(named)
    base = date.fromisoformat(today)
    low = text.lower()
    for number, month in enumerate(_MONTHS.split(), 1):
        if found := regex.search(rf"\b{month}\b(?: (\d{{4}}))?", low):
            return _month(int(found[1] or base.year), number)
    if "last month" in low:
        return _month(*((base.year, base.month - 1) if base.month > 1 else (base.year - 1, 12)))
    return _month(base.year, base.month) if "this month" in low else None


def _month(year: int, month: int) -> tuple[str, str]:
    following = date(year + month // 12, month % 12 + 1, 1)
    return f"{year}-{month:02}-01", str(following - timedelta(days=1))


def written(day: date, text: str) -> str:
    """A day in the format that a text asks for, else as YYYY-MM-DD."""
    wanted = regex.search(
        r"\b(?:DD|MM|YYYY)[-./ ](?:DD|MM)[-./ ](?:DD|MM|YYYY|YY)\b", text, regex.I
    )
    shape = SHOWN.search(text)
    if shape and max(int(shape["a"]), int(shape["b"])) > 12:
        order = "%d{0}%m{0}%Y" if int(shape["a"]) > 12 else "%m{0}%d{0}%Y"
        return day.strftime(order.format(shape["s"]))
    if wanted is None:
        return day.isoformat()
    shown = (
        wanted[0].upper().replace("YYYY", f"{day.year:04}").replace("YY", f"{day.year % 100:02}")
    )
    return shown.replace("MM", f"{day.month:02}").replace("DD", f"{day.day:02}")


def hours_of(text: str) -> list[float]:
    """The numbers of hours that a text names."""
    found = []
    for said in _HOURS.finditer(text):
        word = said["bare"] or said["n"].lower().replace(",", ".")
        number = _NUMBER.get(word) or (1.0 if word == "an" else float(word.replace(",", ".")))
        found.append(number + (0.5 if said["half"] or said["more"] else 0.0))
    return found


def quoted(text: str) -> list[str]:
    """What stands in quotation marks."""
    return [double or single for double, single in _QUOTED.findall(text)]


def status_of(text: str) -> str | None:
    """The one status that a text wants; None where it names none or several."""
    told = regex.search(
        r"\b(?:to|as|status) ['\"]?(idea|exploring|active|paused|archived)\b", text, _FLAGS
    )
    if told:
        return str(told[1]).lower()
    found = {status for pattern, status in _STATUS if regex.search(pattern, text, _FLAGS)}
    return found.pop() if len(found) == 1 else None


def billable_of(text: str) -> bool | None:
    """Whether hours are billable; None where it is not said."""
    if regex.search(r"\b(?:not|non|un)[- ]?(?:to be )?(?:bill|charg)|\bnot to be billed|\bfree of charge", text, _FLAGS):  # fmt: skip
        return False
    return True if regex.search(r"\bbill(?:able|ed)|\bchargeable", text, _FLAGS) else None
