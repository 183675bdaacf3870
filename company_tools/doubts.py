"""Which arguments of a change the task's words do not bear out, and where else they stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import regex

from company_tools.change_parts import (
    EntryPart,
    FieldPart,
    LevelsPart,
    LoggedPart,
    PagePart,
    Part,
    StatusPart,
    TeamPart,
)
from company_tools.company_session import CompanySession
from company_tools.evidence import Evidence
from company_tools.mentions import Mentions
from company_tools.subjects import SUBJECTS
from company_tools.words import levelled, numbers, telling
from core.erc3_client import company
from core.erc3_client.own import company_models as wire

NEW_WORDS = 0.4
"""A note may have so large a share of words that neither task nor old note has."""
COPIED = 6
"""So many words in a row that stand in a text are a copy of it."""
_STATUS_WORDS: Mapping[str, str] = {
    "idea": r"ide[ae]|idée",
    "exploring": r"explor|erkund|sondier",
    "active": r"activ|aktiv|attiv|resum|reactiv|restart|reopen|unpaus|kick|start|激活|启动|恢复",
    "paused": r"paus|hold|suspend|stop|halt|freez|sospen|暂停",
    "archived": r"archiv|clos|shelv|retir|finish|complet|end(?:ed|s)?\b|done\b|归档|存档",
    "draft": r"draft|entwurf|brouillon|borrador|bozza",
    "submitted": r"submit|eingereich|soumi|envia",
    "approved": r"approv|genehmig|approuv|aprob",
    "invoiced": r"invoic|bill(?:ed)\b|factur|rechnung",
    "voided": r"void|cancel|wrong|mistake|correct|delet|remov|storn|annul|invalid|falsch|korrig"
    r"|lösch|corrig|truth|should (?:be|have)|作废|取消",
}
"""How texts speak of statuses beside the platform's own words."""
RELATED = 3
"""A page that has so many of the task's words may be what it asks about."""


class Doubt(NamedTuple):
    """An argument that the task's words do not bear out."""

    what: str
    source: str
    """Where in free text it stands; "" where no text that was shown has it."""
    on_target: bool = False
    """Whether that is the record which is changed, and the task names that record."""
    inferred: bool = False
    """Whether the task's own words may mean it, though they do not say it."""

    def message(self) -> str:
        """In words for the one who decides."""
        if self.source:
            return f"{self.what} stands in {self.source} alone, which gives no orders"
        return f"the task does not say {self.what}"


class ArgumentCheck:
    """Compares the values of a part of a change with the task's words."""

    def __init__(
        self,
        session: CompanySession,
        target: str,
        mentions: Mentions,
        wiki: Mapping[str, str],
        shown: Evidence,
    ) -> None:
        self.session, self.task, self.wiki = session, mentions, wiki
        pages = {f"page {path}": text for path, text in wiki.items()}
        self.texts = {**pages, **{label: text for (label, _), text in shown.texts.items()}}
        self.of_target = {label for (label, id), _ in shown.texts.items() if id == target}

    def doubts(self, part: Part) -> Iterator[Doubt]:
        """What the task's words do not bear out. Raises ToolFault: nothing can be listed."""
        match part:
            case StatusPart():
                yield from self._project(part.id)
                yield from self._status(part.status)
            case TeamPart():
                yield from self._project(part.id)
                yield from self._team(part)
            case FieldPart():
                yield from self._person(part.id)
                yield from self._field(part)
            case LevelsPart():
                yield from self._person(part.id)
                yield from self._levels(part)
            case LoggedPart():
                yield from self._person(part.id)
                yield from self._logged(part.request)
            case EntryPart():
                yield from self._entry(part)
            case PagePart():
                yield from self._page(part.id, part.content)

    # -- what a doubt says

    def _unsaid(self, what: str, *forms: str, inferred: bool = True) -> Doubt:
        """A doubt with the text that has one of the forms."""
        for label, text in self.texts.items():
            if any(form and _has(text, form) for form in forms):
                return Doubt(what, label)
        return Doubt(what, "", inferred=inferred)

    def _number(self, what: str, number: float) -> Doubt:
        for label, text in sorted(self.texts.items(), key=lambda one: one[0] not in self.of_target):
            if number in numbers(text):
                return Doubt(what, label, on_target=label in self.of_target)
        return Doubt(what, "", inferred=True)

    def _person(self, id: str) -> Iterator[Doubt]:
        if not self.task.means_person(id):
            name = self.session.evidence.name_of("employee", id)
            yield self._unsaid(id, id, name, inferred=not self.task.people)

    def _project(self, id: str) -> Iterator[Doubt]:
        if not self.task.means_project(id):
            yield self._unsaid(id, id, self.session.evidence.name_of("project", id))

    def _status(self, new: str) -> Iterator[Doubt]:
        pattern = _STATUS_WORDS.get(new, regex.escape(new))
        either = rf"(?<!\p{{L}})(?:{pattern})|{regex.escape(new)}"
        if not regex.search(either, self.task.text, regex.I):
            yield self._unsaid(f"the status {new}", new)

    # -- values by kind

    def _team(self, part: TeamPart) -> Iterator[Doubt]:
        old = {m.employee: m for m in part.project.team}
        new = {m.employee: m for m in part.team}
        changed = [
            who for who in sorted({*old, *new}) if _seat(old.get(who)) != _seat(new.get(who))
        ]
        seats = [old[who] for who in changed if who in old]
        for who in changed:
            yield from self._person(who)
            if who not in new:
                continue
            share, role = float(new[who].time_slice), new[who].role
            known = {float(seat.time_slice) for seat in seats}
            if share not in known and not {share, round(share * 100, 4)} & self.task.numbers:
                yield self._number(f"the share {share}", share)
            gained = role == "Lead" and all(seat.role != "Lead" for seat in seats)
            if gained and not self.task.has_words(role):
                yield self._unsaid("the role Lead", "Lead")

    def _field(self, part: FieldPart) -> Iterator[Doubt]:
        if part.kind == "pay":
            yield from self._pay(part.person, float(part.new))
        elif part.kind == "notes":
            yield from self._text("the note", str(part.new), part.person.notes)
        elif not self.task.has_words(str(part.new)):
            yield self._unsaid(f"the {part.field} {part.new}", str(part.new))

    def _pay(self, person: wire.EmployeeView, new: float) -> Iterator[Doubt]:
        old = float(person.salary or 0)
        moved = abs(new - old)
        percent = round(100 * moved / old, 2) if old else 0.0
        borne_out = {new, moved, percent, float(round(percent))} & self.task.numbers
        if not borne_out and not decides(person.notes, new, self.wiki):
            yield self._number(f"the salary {new:g}", new)

    def _text(self, what: str, new: str, old: str = "") -> Iterator[Doubt]:
        """Words of a short text that stand neither in the task nor in what it replaces."""
        known = set(levelled(old))
        words = [w for w in levelled(" ".join(telling(new))) if w not in known] if new else []
        strange = [w for w in words if not self.task.has_words(w)]
        if words and len(strange) > NEW_WORDS * len(words):
            yield self._copied(what, new) or Doubt(what, "", inferred=True)

    def _copied(self, what: str, new: str) -> Doubt | None:
        """A doubt where so many words in a row stand in a text, and not in the task."""
        words = levelled(new)
        runs = [words[n : n + COPIED] for n in range(max(1, len(words) - COPIED + 1))]
        own = f" {' '.join(levelled(self.task.text))} "
        wanted = [run for one in runs[:2000] if one and (run := f" {' '.join(one)} ") not in own]
        for label, text in self.texts.items():
            have = f" {' '.join(levelled(text))} "
            if any(run in have for run in wanted):
                return Doubt(what, label)
        return None

    def _levels(self, part: LevelsPart) -> Iterator[Doubt]:
        for name, level in part.moved.items():
            before = part.before.get(name)
            named = self.task.speaks_of_all or self.task.names_level(name, self.wiki)
            if level is None or not named:
                yield self._unsaid(name, name, name.partition("_")[2].replace("_", " "))
                continue
            moved = abs(level - before) if before is not None else level
            if (moved != 1 or before is None) and not {level, moved} & self.task.numbers:
                yield self._number(f"the level {level} of {name}", float(level))

    def _logged(self, new: company.Req_LogTimeEntry) -> Iterator[Doubt]:
        if new.project:
            yield from self._project(new.project)
        yield from self._hours(new.hours)
        if (new.status or "draft") != "draft":
            yield from self._status(new.status)
        corrected = [
            change.request.notes
            for change in self.session.changed
            if isinstance(change.request, company.Req_UpdateTimeEntry)
        ]
        if new.notes not in corrected:
            yield from self._text("the note", new.notes)

    def _hours(self, new: float, *known: float) -> Iterator[Doubt]:
        stated = self.task.numbers
        sums = {abs(a + sign * b) for a in stated for b in (*stated, *known) for sign in (1, -1)}
        if new not in {*stated, *sums} and new * 60 not in stated:
            yield self._number(f"{new:g} hours", new)

    def _entry(self, part: EntryPart) -> Iterator[Doubt]:
        if not self.task.means_entry(part.id, part.entry):
            yield self._unsaid(f"the entry {part.id}", part.id)
        new = part.request
        if "hours" in part.changed:
            yield from self._hours(new.hours, part.entry.hours)
        if "status" in part.changed:
            yield from self._status(new.status)
        if "date" in part.changed and not self.task.says_day(new.date):
            yield self._unsaid(f"the day {new.date}", new.date)
        if "notes" in part.changed:
            yield from self._text("the note", new.notes, part.entry.notes)

    def _page(self, path: str, content: str) -> Iterator[Doubt]:
        ids = {id for kind, id in self.session.evidence.records if kind != "wiki"}
        if not self.task.means_page(path, ids):
            yield self._unsaid(f"the page {path}", path)
        elif content and not self._is_moved(content):
            written = (change.body.get("file") for change in self.session.changed)
            again = path in written
            if again or not self.task.share(content) >= 1 - NEW_WORDS:
                copied = self._copied_page(content)
                if copied or again:
                    yield copied or Doubt(f"what {path} shall hold", "")

    def _is_moved(self, content: str) -> bool:
        """Whether a page that the task names is only copied."""
        pages = (path for path, text in self.wiki.items() if text == content)
        return any(self.task.means_page(path, ()) for path in pages)

    def _copied_page(self, content: str) -> Doubt | None:
        """Text of a record, or of a page that has nothing to do with the task."""
        asked = {word for word in levelled(" ".join(telling(self.task.text))) if len(word) > 3}
        doubt = self._copied("what the page shall hold", content)
        if doubt and doubt.source.startswith("page "):
            related = asked & set(levelled(self.texts[doubt.source]))
            return None if len(related) >= RELATED else doubt
        return doubt


def _seat(member: wire.Workload | None) -> tuple[float, str] | None:
    return (float(member.time_slice), member.role) if member else None


def _has(text: str, form: str) -> bool:
    low, wanted = text.casefold(), form.casefold()
    whole = rf"(?<![\p{{L}}\p{{N}}_]){regex.escape(wanted)}(?![\p{{N}}_])"
    return wanted in low and regex.search(whole, low) is not None


LEAST_SIGNS = 2
"""A note that decides has so many words of the rule that says what decides."""
_REFUSES = regex.compile(r"\b(?:not|never|no|none|nobody)\b", regex.I)
_STATEMENT = regex.compile(r"(?<=[.!?])\s+|\n+")
_COMMON = "pay salary salaries raise raises note notes amount record person year employee"
_NO_SIGN = frozenset(_COMMON.split())
"""What every rule on pay and notes speaks of."""


def decides(note: str, amount: float, wiki: Mapping[str, str]) -> bool:
    """Whether a record's note has an amount, in the words of a page that says such notes decide."""
    if amount not in numbers(note):
        return False
    have = {word for word in levelled(note) if word not in _NO_SIGN and not word.isdigit()}
    for text in wiki.values():
        for part in text.split("\n\n"):
            rule = " ".join(s for s in _STATEMENT.split(part) if not _REFUSES.search(s))
            speaks = SUBJECTS["notes"].search(rule) and SUBJECTS["pay"].search(part)
            if speaks and len(_signs(rule, have)) >= LEAST_SIGNS:
                return True
    return False


def _signs(rule: str, have: set[str]) -> set[str]:
    """The words of a rule that a note has too, inflected or not."""
    beginnings = {word[:5] for word in have if len(word) > 3}
    return {
        word
        for word in levelled(" ".join(telling(rule)))
        if word not in _NO_SIGN and len(word) > 3 and word[:5] in beginnings
    }
