"""Which arguments of a change the task's words do not bear out, and where else they stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import regex

from company_tools.change_parts import Part
from company_tools.company_session import CompanySession, Record
from company_tools.evidence import Evidence
from company_tools.figures import numbers
from company_tools.grants import SUBJECTS
from company_tools.origins import Origins, entry_fits, project_named, says_day
from company_tools.words import levelled, telling

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
LEAST_SIGNS = 2
"""A note that decides has so many words of the rule that says what decides."""
RELATED = 3
"""A page that has so many of the task's words may be what it asks about."""
_REFUSES = regex.compile(r"\b(?:not|never|no|none|nobody)\b", regex.I)
_STATEMENT = regex.compile(r"(?<=[.!?])\s+|\n+")
_NO_SIGN = frozenset(
    [
        "pay",
        "salary",
        "salaries",
        "raise",
        "raises",
        "note",
        "notes",
        "amount",
        "record",
        "person",
        "year",
        "employee",
    ]
)
"""What every such rule speaks of."""


class Doubt(NamedTuple):
    """An argument that the task's words do not bear out."""

    what: str
    source: str
    """Where in free text it stands; "" where no text that was shown has it."""
    on_target: bool = False
    """Whether that is the record which is changed, and the task names that record."""
    inferred: bool = False
    """Whether the task's own words may mean it, though they do not say it."""

    def told(self) -> str:
        """In words for the one who decides."""
        if self.source:
            return f"{self.what} stands in {self.source} alone, which gives no orders"
        return f"the task does not say {self.what}"


class _Look:
    """Looks at one part of a change."""

    def __init__(
        self,
        session: CompanySession,
        part: Part,
        origins: Origins,
        wiki: Mapping[str, str],
        shown: Evidence,
    ) -> None:
        self.session, self.part, self.origins = session, part, origins
        self.wiki = wiki
        pages = {f"page {path}": text for path, text in wiki.items()}
        self.texts = {**pages, **{label: text for (label, _), text in shown.texts.items()}}
        self.of_target = {label for (label, id), _ in shown.texts.items() if id == part.id}

    def doubts(self) -> Iterator[Doubt]:
        look = {
            "status": self._status, "team": self._team, "pay": self._pay, "notes": self._notes,
            "levels": self._levels, "place": self._place, "wiki": self._page,
        }  # fmt: skip
        if self.part.kind == "hours":
            yield from self._entry() if self.part.before else self._logged()
        else:
            yield from look[self.part.kind]()

    # -- targets

    def _person(self, id: str) -> Iterator[Doubt]:
        if not self.origins.means_person(id):
            name = next((k.name for k in self.session.evidence.named("employee") if k.id == id), id)
            yield self._said(f"{id}", (id, name), not self.origins.people)

    def _project(self, id: str) -> Iterator[Doubt]:
        if not project_named(self.origins, id):
            name = next((k.name for k in self.session.evidence.named("project") if k.id == id), id)
            yield self._said(f"{id}", (id, name), True)

    def _said(self, what: str, forms: tuple[str, ...], inferable: bool) -> Doubt:
        """A doubt with the text that has one of the forms."""
        for label, text in self.texts.items():
            if any(form and _has(text, form) for form in forms):
                return Doubt(what, label)
        return Doubt(what, "", inferred=inferable)

    def _number(self, what: str, number: float) -> Doubt:
        for label, text in sorted(self.texts.items(), key=lambda one: one[0] not in self.of_target):
            if number in numbers(text):
                return Doubt(what, label, on_target=label in self.of_target)
        return Doubt(what, "", inferred=True)

    # -- values by kind

    def _status(self) -> Iterator[Doubt]:
        yield from self._project(self.part.id)
        new = str(self.part.after.get("status"))
        if not _speaks_of(self.origins.text, new):
            yield self._said(f"the status {new}", (new,), True)

    def _team(self) -> Iterator[Doubt]:
        yield from self._project(self.part.id)
        old = {m["employee"]: m for m in self.part.before["team"]}
        new = {m["employee"]: m for m in self.part.after["team"] or []}
        changed = [who for who in {*old, *new} if _seat(old.get(who)) != _seat(new.get(who))]
        seats = [old[who] for who in changed if who in old]
        for who in sorted(changed):
            yield from self._person(who)
            if who not in new:
                continue
            share, role = float(new[who]["time_slice"]), str(new[who]["role"])
            known = {float(seat["time_slice"]) for seat in seats}
            if share not in known and not {share, round(share * 100, 4)} & self.origins.numbers:
                yield self._number(f"the share {share}", share)
            roles = {seat["role"] for seat in seats}
            if role == "Lead" and role not in roles and not self.origins.has_words(role):
                yield self._said("the role Lead", ("Lead",), True)

    def _pay(self) -> Iterator[Doubt]:
        yield from self._person(self.part.id)
        new, old = float(self.part.after["salary"]), float(self.part.before["salary"])
        said = self.origins.numbers
        moved = abs(new - old)
        percent = round(100 * moved / old, 2) if old else 0.0
        if not {new, moved, percent, round(percent)} & said and not self._decided(new):
            yield self._number(f"the salary {new:g}", new)

    def _decided(self, amount: float) -> bool:
        """Whether the record's own note has an amount, in the words of a page that says such notes
        decide."""
        note = str(self.part.before.get("notes") or "")
        if amount not in numbers(note):
            return False
        have = {word for word in levelled(note) if word not in _NO_SIGN and not word.isdigit()}
        for text in self.wiki.values():
            for part in text.split("\n\n"):
                rule = " ".join(s for s in _STATEMENT.split(part) if not _REFUSES.search(s))
                speaks = SUBJECTS["notes"].search(rule) and SUBJECTS["pay"].search(part)
                if speaks and len(_signs(rule, have)) >= LEAST_SIGNS:
                    return True
        return False

    def _notes(self) -> Iterator[Doubt]:
        yield from self._person(self.part.id)
        yield from self._text("the note", str(self.part.after["notes"]), "notes")

    def _text(self, what: str, new: str, field: str) -> Iterator[Doubt]:
        """Words of a short text that stand neither in the task nor in what it replaces."""
        old = set(levelled(str(self.part.before.get(field) or "")))
        words = [w for w in levelled(" ".join(telling(new))) if w not in old] if new else []
        strange = [w for w in words if not self.origins.has_words(w)]
        if words and len(strange) > NEW_WORDS * len(words):
            yield self._copied(what, new) or Doubt(what, "", inferred=True)

    def _copied(self, what: str, new: str) -> Doubt | None:
        """A doubt where so many words in a row stand in a text, and not in the task."""
        said = levelled(new)
        runs = [said[n : n + COPIED] for n in range(max(1, len(said) - COPIED + 1))]
        own = f" {' '.join(levelled(self.origins.text))} "
        wanted = [f" {' '.join(run)} " for run in runs[:2000] if run]
        wanted = [run for run in wanted if run not in own]
        for label, text in self.texts.items():
            have = f" {' '.join(levelled(text))} "
            if any(run in have for run in wanted):
                return Doubt(what, label)
        return None

    def _levels(self) -> Iterator[Doubt]:
        yield from self._person(self.part.id)
        old = self.part.before[self.part.field]
        for name, level in self.part.after.items():
            before = old.get(name)
            named = self.origins.speaks_of_all or self._names_level(name)
            if level is None or not named:
                yield self._said(f"{name}", (name, _called(name)), True)
                continue
            moved = abs(level - before) if before is not None else None
            if moved != 1 and not {float(level), float(moved or level)} & self.origins.numbers:
                yield self._number(f"the level {level} of {name}", float(level))

    def _names_level(self, name: str) -> bool:
        if self.origins.says(name) or self.origins.has_words(_called(name)):
            return True
        return any(
            self.origins.has_words(title)
            for text in self.wiki.values()
            for title in _titles(text, name)
        )

    def _place(self) -> Iterator[Doubt]:
        yield from self._person(self.part.id)
        for field, new in self.part.after.items():
            if not self.origins.has_words(str(new)):
                yield self._said(f"the {field} {new}", (str(new),), True)

    def _logged(self) -> Iterator[Doubt]:
        new = self.part.after
        yield from self._person(self.part.id)
        if new.get("project"):
            yield from self._project(str(new["project"]))
        yield from self._hours(float(new.get("hours") or 0), ())
        if (status := str(new.get("status") or "draft")) != "draft" and not _speaks_of(
            self.origins.text, status
        ):
            yield self._said(f"the status {status}", (status,), True)
        if not self._copies_entry(str(new.get("notes") or "")):
            yield from self._text("the note", str(new.get("notes") or ""), "notes")

    def _copies_entry(self, note: str) -> bool:
        entries = [c for c in self.session.changed if c.path == "/time/update"]
        return any(c.body.get("notes") == note for c in entries)

    def _hours(self, new: float, known: tuple[float, ...]) -> Iterator[Doubt]:
        told = self.origins.numbers
        sums = {abs(a - b) for a in told for b in (*told, *known)} | {
            a + b for a in told for b in (*told, *known)
        }
        if new not in {*told, *sums} and new * 60 not in told:
            yield self._number(f"{new:g} hours", new)

    def _entry(self) -> Iterator[Doubt]:
        old, new = self.part.before, self.part.after
        named = project_named(self.origins, str(old.get("project") or ""))
        if not entry_fits(self.origins, {**old, "id": self.part.id}, named):
            yield self._said(f"the entry {self.part.id}", (self.part.id,), True)
        if "hours" in new:
            yield from self._hours(float(new["hours"]), (float(old["hours"]),))
        if "status" in new and not _speaks_of(self.origins.text, str(new["status"])):
            yield self._said(f"the status {new['status']}", (str(new["status"]),), True)
        if "date" in new and not says_day(self.origins, str(new["date"])):
            yield self._said(f"the day {new['date']}", (str(new["date"]),), True)
        if "notes" in new:
            yield from self._text("the note", str(new["notes"]), "notes")

    def _page(self) -> Iterator[Doubt]:
        path, content = self.part.id, str(self.part.after.get("content") or "")
        ids = {id for kind, id in self.session.evidence.records if kind != "wiki"}
        if not self.origins.means_page(path, ids):
            yield self._said(f"the page {path}", (path,), True)
        elif content and not self._moves(content):
            again = any(c.body.get("file") == path for c in self.session.changed)
            if again or not self.origins.share(content) >= 1 - NEW_WORDS:
                copied = self._copied_page(content)
                if copied or again:
                    yield copied or Doubt(f"what {path} shall hold", "")

    def _moves(self, content: str) -> bool:
        """Whether a page that the task names is only copied."""
        return any(
            text == content and self.origins.means_page(path, ())
            for path, text in self.wiki.items()
        )

    def _copied_page(self, content: str) -> Doubt | None:
        """Text of a record, or of a page that has nothing to do with the task."""
        asked = {word for word in levelled(" ".join(telling(self.origins.text))) if len(word) > 3}
        near = {
            label for label, text in self.texts.items()
            if label.startswith("page ") and len(asked & set(levelled(text))) >= RELATED
        }  # fmt: skip
        found = self._copied("what the page shall hold", content)
        return found if found and found.source not in near else None


def doubts_of(
    session: CompanySession,
    part: Part,
    origins: Origins,
    wiki: Mapping[str, str],
    shown: Evidence,
) -> list[Doubt]:
    """What the task's words do not bear out in a part of a change.

    Raises ToolFault: the registry cannot be listed.
    """
    return list(_Look(session, part, origins, wiki, shown).doubts())


def _seat(member: Record | None) -> tuple[object, object] | None:
    return (float(member["time_slice"]), member["role"]) if member else None


def _has(text: str, form: str) -> bool:
    low, said = text.casefold(), form.casefold()
    if said not in low:
        return False
    return (
        regex.search(rf"(?<![\p{{L}}\p{{N}}_]){regex.escape(said)}(?![\p{{N}}_])", low) is not None
    )


def _speaks_of(text: str, status: str) -> bool:
    pattern = _STATUS_WORDS.get(status, regex.escape(status))
    return (
        regex.search(rf"(?<!\p{{L}})(?:{pattern})|{regex.escape(status)}", text, regex.I)
        is not None
    )


def _called(name: str) -> str:
    """The words of a stored name without its prefix: skill_room_modelling is room modelling."""
    _, _, rest = name.partition("_")
    return (rest or name).replace("_", " ")


def _titles(text: str, name: str) -> Iterator[str]:
    """What a page calls the level of a stored name, in the line that has both."""
    for line in text.splitlines():
        if name in line and len(line) < 500:
            rest = regex.sub(rf"[`*|]|{regex.escape(name)}", " ", line)
            yield regex.sub(r"^\W+|\W+$|\bstands for\b|\bmeans\b", "", rest.strip())


def _signs(rule: str, have: set[str]) -> set[str]:
    """The words of a note that a rule has too, inflected or not."""
    return {
        w
        for w in levelled(" ".join(telling(rule)))
        if w not in _NO_SIGN and len(w) > 3 and any(w[:5] == h[:5] for h in have if len(h) > 3)
    }
