"""What a change would write, and which of it the task's words do not bear out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import regex

from company_tools import listings
from company_tools.change import levels_of, team_of
from company_tools.company_session import CompanySession, unless_refused
from company_tools.grants import SUBJECTS, Kind
from company_tools.mentions import Mentions, numbers, telling
from company_tools.words import levelled, words
from core.erc3_client import company
from core.erc3_client.own import company_models as wire

if TYPE_CHECKING:
    from company_tools.change import ChangeRequest
_SCALARS: Mapping[str, Kind] = {
    "salary": "pay", "notes": "notes", "location": "place", "department": "place",
}  # fmt: skip
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
    value: str = ""
    """What a rule may set in the task's stead, as the status of new hours; of targets none."""

    def is_in(self, rule: str) -> bool:
        """Whether a rule has the value; of a text all words of it that are strange."""
        if self.value.replace(".", "", 1).isdigit():
            return float(self.value) in numbers(rule)
        return bool(self.value) and {*words(self.value)} <= {*words(rule)}

    def message(self) -> str:
        """In words for the one who decides."""
        if self.source:
            return f"{self.what} stands in {self.source} alone, which gives no orders"
        return f"the task does not say {self.what}"


@dataclass(frozen=True)
class Part:
    """A part of a change: what differs from the record as it is, on one subject."""

    kind: Kind
    id: str
    """Of the record that is changed; of logged hours, of their person."""
    doubts: tuple[Doubt, ...]
    own: bool = False
    person: wire.EmployeeView | None = None
    projects: tuple[wire.ProjectDetail, ...] = ()


class ArgumentCheck:
    """Compares the values of a change with the task's words."""

    def __init__(
        self,
        session: CompanySession,
        mentions: Mentions,
        wiki: Mapping[str, str],
        voided: Sequence[wire.TimeEntry] = (),
    ) -> None:
        """``voided``: the entries that this task has voided, as they were before."""
        self.session, self.task, self.wiki, self.voided = session, mentions, wiki, voided
        self.shown = shown = session.evidence
        pages = {f"page {path}": text for path, text in wiki.items()}
        self.texts = {**pages, **{label: text for (label, _), text in shown.texts.items()}}

    def parts(self, request: ChangeRequest) -> Iterator[Part]:
        """The parts of a change; none where nothing would differ.

        Raises ToolFault: a record cannot be read, or nothing can be listed.
        """
        match request:
            case company.Req_UpdateEmployeeInfo():
                yield from self._employee(request)
            case company.Req_UpdateProjectStatus():
                project = listings.project(self.session, request.id)
                status = self._status(request.status, project.status, request.id)
                doubts = (*self._project(request.id), *status)
                yield Part("status", request.id, doubts, projects=(project,))
            case company.Req_UpdateProjectTeam():
                project = listings.project(self.session, request.id)
                doubts = (*self._project(request.id), *self._team(project.team, request.team))
                yield Part("team", request.id, doubts, projects=(project,))
            case company.Req_LogTimeEntry():
                id = request.employee
                yield self._of_hours(id, id, request.project, self._logged(request))
            case company.Req_UpdateTimeEntry():
                entry = listings.entry(self.session, request.id)
                fields = type(request).model_fields.keys() & type(entry).model_fields.keys()
                if any(getattr(request, field) != getattr(entry, field) for field in fields):
                    doubts = tuple(self._entry(request, entry))
                    yield self._of_hours(request.id, entry.employee, entry.project, doubts)
            case company.Req_UpdateWiki():
                yield Part("wiki", request.file, tuple(self._page(request.file, request.content)))

    def _employee(self, request: company.Req_UpdateEmployeeInfo) -> Iterator[Part]:
        id = request.employee
        person, named = listings.employee(self.session, id), tuple(self._person(id))
        for field, kind in _SCALARS.items():
            new, old = getattr(request, field), getattr(person, field)
            if new is not None and new != old:
                yield self._about(person, kind, (*named, *self._field(field, new, person)))
        for levels, known in ((request.skills, person.skills), (request.wills, person.wills)):
            after, before = levels_of(levels), levels_of(known)
            moved = {n for n in {*before, *after} if after.get(n) != before.get(n)}
            if after and moved:  # an empty list stands for no change
                none = not any(self.task.names_level(name, self.wiki) for name in {*before, *after})
                said = (self._level(n, before.get(n), after.get(n), none) for n in moved)
                yield self._about(person, "levels", (*named, *filter(None, said)))

    def _about(self, person: wire.EmployeeView, kind: Kind, doubts: tuple[Doubt, ...]) -> Part:
        """A part of somebody's record; rights to it may hang on the projects that they are on."""
        every = unless_refused(lambda: listings.whole_projects(self.session), [])
        projects = tuple(p for p in every if any(m.employee == person.id for m in p.team))
        own = person.id == self.session.requester
        return Part(kind, person.id, doubts, own, person, projects)

    def _of_hours(
        self, id: str, employee: str, project: str | None, doubts: Iterable[Doubt]
    ) -> Part:
        """A part of somebody's hours."""
        projects = (listings.project(self.session, project),) if project else ()
        person, own = listings.employee(self.session, employee), employee == self.session.requester
        return Part("hours", id, tuple(doubts), own, person, projects)

    # -- what a doubt says

    def _unsaid(self, what: str, *forms: str, inferred: bool = True) -> Doubt:
        """A doubt with the text that has one of the forms."""
        for label, text in self.texts.items():
            if any(form and _has(text, form) for form in forms):
                return Doubt(what, label)
        return Doubt(what, "", inferred=inferred)

    def _number(self, what: str, number: float, target: str = "") -> Doubt:
        """A doubt with the text that has the number; the ``target``'s own come first."""
        own = {label for (label, id), _ in self.shown.texts.items() if id == target}
        for label, text in sorted(self.texts.items(), key=lambda one: one[0] not in own):
            if number in numbers(text):
                return Doubt(what, label, on_target=label in own, value=f"{number:g}")
        return Doubt(what, "", inferred=True, value=f"{number:g}")

    def _person(self, id: str) -> Iterator[Doubt]:
        name = self.session.evidence.name_of("employee", id)
        if self.task.means_person(id) or self.task.calls((id, name), self.wiki):
            return
        # "Whoever of our sonar technicians": a page says who is one.
        if self.task.people or not self.task.speaks_of_group(name, self.wiki):
            yield self._unsaid(id, id, name, inferred=not self.task.people)

    def _project(self, id: str) -> Iterator[Doubt]:
        name = self.session.evidence.name_of("project", id)
        if not self.task.means_project(id) and not self.task.calls((id, name), self.wiki):
            yield self._unsaid(id, id, name)

    def _status(self, new: str, old: str = "", target: str = "") -> Iterator[Doubt]:
        """A doubt where the task has no word for a status.

        It may mean it if it has none at all, or none but for the ``old`` one of the ``target``.
        """
        if any(change.target == target for change in self.session.facts.changed):
            old = ""  # the task has set it
        named = [
            status
            for status, pattern in _STATUS_WORDS.items()
            if status != old
            and regex.search(rf"(?<!\p{{L}})(?:{pattern}|{status})", self.task.text, regex.I)
        ]
        if new not in named and not self.task.calls((new,), self.wiki):
            yield Doubt(f"the status {new}", "", inferred=not named, value=new)

    # -- values by kind

    def _team(self, before: list[wire.Workload], after: list[wire.Workload]) -> Iterator[Doubt]:
        old, new = ({m.employee: m for m in team} for team in (before, after))
        changed = sorted({who for who, *_ in {*team_of(before)} ^ {*team_of(after)}})
        seats = [old[who] for who in changed if who in old]
        for who in changed:
            yield from self._person(who)
            if who not in new:
                continue
            share, role = float(new[who].time_slice), new[who].role
            known = {float(seat.time_slice) for seat in seats}
            # As a share, in percent, or in days of a week.
            forms = {round(share * unit, 4) for unit in (1, 100, 5)}
            if share not in known and not forms & self.task.numbers:
                yield self._number(f"the share {share}", share)
            gained = role == "Lead" and all(seat.role != "Lead" for seat in seats)
            if gained and not self.task.has_words(role):
                yield self._unsaid("the role Lead", "Lead")

    def _field(self, field: str, new: str | int, person: wire.EmployeeView) -> Iterator[Doubt]:
        if field == "salary":
            yield from self._pay(person, float(new))
        elif field == "notes":
            yield from self._text("the note", str(new), person.notes)
        elif not self.task.has_words(str(new)):
            yield self._unsaid(f"the {field} {new}", str(new))

    def _pay(self, person: wire.EmployeeView, new: float) -> Iterator[Doubt]:
        old = float(person.salary or 0)
        moved = abs(new - old)
        percent = round(100 * moved / old, 2) if old else 0.0
        borne_out = {new, moved, percent, float(round(percent))} & self.task.numbers
        if not borne_out and not _decides(person.notes, new, self.wiki):
            yield self._number(f"the salary {new:g}", new, person.id)

    def _text(self, what: str, new: str, old: str = "") -> Iterator[Doubt]:
        """Words of a short text that stand neither in the task nor in what it replaces."""
        known = {*levelled(f"{old} {self.session.user().today}")}
        told = [w for w in levelled(" ".join(telling(new))) if w not in known] if new else []
        names = {*levelled(" ".join(self._names()))}
        strange = [w for w in told if w not in names and not self.task.has_words(w)]
        if len(strange) > NEW_WORDS * len(told):
            doubt = self._copied(what, new) or Doubt(what, "", inferred=True)
            yield doubt._replace(value=" ".join(strange))

    def _names(self) -> Iterator[str]:
        """The names of the projects and people that the task means."""
        for project in unless_refused(lambda: listings.projects(self.session), []):
            named = (project.id, project.name)
            if project.id in self.task.projects or self.task.calls(named, self.wiki):
                yield project.name
        for person in unless_refused(lambda: listings.employees(self.session), []):
            if person.id in {*self.task.people, self.session.requester}:
                yield person.name

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

    def _level(
        self, name: str, before: int | None, level: int | None, none_named: bool
    ) -> Doubt | None:
        """``none_named``: the task has no level in the words of the wiki; it may translate them."""
        named = self.task.speaks_of_all or self.task.names_level(name, self.wiki)
        if level is not None and not named and none_named:
            return Doubt(name, "", inferred=True, value=name)
        if level is None or not named:
            return self._unsaid(name, name, name.partition("_")[2].replace("_", " "))
        moved = abs(level - before) if before is not None else level
        if (moved == 1 and before is not None) or {level, moved} & self.task.numbers:
            return None
        if self.task.calls((str(level),), self.wiki):  # "seasoned: 8"
            return None
        return self._number(f"the level {level} of {name}", float(level))

    def _logged(self, new: company.Req_LogTimeEntry) -> Iterator[Doubt]:
        # One in place of a voided one may take over what that had.
        old = next((one for one in self.voided if one.employee == new.employee), None)
        if old is None:
            yield from self._person(new.employee)
        if new.project and (old is None or old.project != new.project):
            yield from self._project(new.project)
        yield from self._hours(new.hours, *([old.hours] if old else []))
        if (new.status or "draft") not in ("draft", old.status if old else ""):
            yield from self._status(new.status)
        if old is None or old.notes != new.notes:
            yield from self._text("the note", new.notes, old.notes if old else "")

    def _hours(self, new: float, *known: float) -> Iterator[Doubt]:
        stated = self.task.numbers
        sums = {abs(a + sign * b) for a in stated for b in (*stated, *known) for sign in (1, -1)}
        if new not in {*stated, *sums} and new * 60 not in stated:
            yield self._number(f"{new:g} hours", new)

    def _entry(self, new: company.Req_UpdateTimeEntry, old: wire.TimeEntry) -> Iterator[Doubt]:
        if not self.task.means_entry(new.id, old):
            yield self._unsaid(f"the entry {new.id}", new.id)
        if new.hours != old.hours:
            yield from self._hours(new.hours, old.hours)
        if new.status != old.status:
            yield from self._status(new.status, old.status, new.id)
        if new.date != old.date and not self.task.says_day(new.date):
            yield self._unsaid(f"the day {new.date}", new.date)
        if new.notes != old.notes:
            yield from self._text("the note", new.notes, old.notes)

    def _page(self, path: str, content: str) -> Iterator[Doubt]:
        ids = {id for kind, id in self.session.evidence.records if kind != "wiki"}
        if self._is_renamed(path, content):
            return
        if not self.task.means_page(path, ids):
            yield self._unsaid(f"the page {path}", path)
            return
        # A page that the task names may be copied as it is.
        same = (name for name, text in self.wiki.items() if text == content)
        if content and not any(self.task.means_page(name, ()) for name in same):
            again = any(change.body.get("file") == path for change in self.session.facts.changed)
            if again or self.task.share(content) < 1 - NEW_WORDS:
                copied = self._copied_page(content)
                if copied or again:
                    yield copied or Doubt(f"what {path} shall hold", "")

    def _is_renamed(self, path: str, content: str) -> bool:
        """Whether a page goes under a new name that the task says, or is then emptied."""
        if content:
            named = path.casefold() in self.task.text.casefold()
            return named and path not in self.wiki and content in self.wiki.values()
        requests = (change.request for change in self.session.facts.changed)
        written = [one.content for one in requests if isinstance(one, company.Req_UpdateWiki)]
        return self.wiki.get(path) in written

    def _copied_page(self, content: str) -> Doubt | None:
        """Text of a record, or of a page that has nothing to do with the task."""
        asked = {word for word in levelled(" ".join(telling(self.task.text))) if len(word) > 3}
        doubt = self._copied("what the page shall hold", content)
        if doubt and doubt.source.startswith("page "):
            related = asked & set(levelled(self.texts[doubt.source]))
            return None if len(related) >= RELATED else doubt
        return doubt


def _has(text: str, form: str) -> bool:
    whole = rf"(?<![\p{{L}}\p{{N}}_]){regex.escape(form.casefold())}(?![\p{{N}}_])"
    return regex.search(whole, text.casefold()) is not None


LEAST_SIGNS = 2
"""A note that decides has so many words of the rule that says what decides."""
_REFUSES = regex.compile(r"\b(?:not|never|no|none|nobody)\b", regex.I)
_STATEMENT = regex.compile(r"(?<=[.!?])\s+|\n+")
_COMMON = "pay salary salaries raise raises note notes amount record person year employee"
_NO_SIGN = frozenset(_COMMON.split())
"""What every rule on pay and notes speaks of."""


def _decides(note: str, amount: float, wiki: Mapping[str, str]) -> bool:
    """Whether a record's note has an amount, in the words of a page that says such notes decide."""
    if amount not in numbers(note):
        return False
    have = {word for word in levelled(note) if word not in _NO_SIGN and not word.isdigit()}
    beginnings = {word[:5] for word in have if len(word) > 3}
    for text in wiki.values():
        for part in text.split("\n\n"):
            rule = " ".join(s for s in _STATEMENT.split(part) if not _REFUSES.search(s))
            speaks = SUBJECTS["notes"].search(rule) and SUBJECTS["pay"].search(part)
            words = {*levelled(" ".join(telling(rule)))} - _NO_SIGN
            signs = [word for word in words if len(word) > 3 and word[:5] in beginnings]
            if speaks and len(signs) >= LEAST_SIGNS:
                return True
    return False
