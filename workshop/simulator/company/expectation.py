"""What a scenario expects of its task: outcome, links, change events, message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from core.erc3_client.own.company_shapes import DealPhase, Outcome, TeamRole
from workshop.simulator.company.records import Record
from workshop.simulator.pack_files import did_you_mean, not_empty

EventType = Literal[
    "Evt_TimeEntryLogged",
    "Evt_TimeEntryStatusChanged",
    "Evt_TimeEntryUpdated",
    "Evt_ProjectStatusChanged",
    "Evt_ProjectTeamUpdated",
    "Evt_EmployeeSkillsUpdated",
    "Evt_EmployeeNoteUpdated",
    "Evt_EmployeeSalaryUpdated",
    "Evt_EmployeeInfoUpdated",
    "Evt_WikiArticleUpdated",
    "Evt_WikiDigestUpdated",
]
ARTICLE: EventType = "Evt_WikiArticleUpdated"
DIGEST: EventType = "Evt_WikiDigestUpdated"
ONE_OF, CONTAINS = "one_of", "contains"
Check: TypeAlias = Callable[[Any], None]
"""Raises ValueError where a wanted value can never be found."""
LinkKind = Literal["employee", "customer", "project", "wiki", "location", "skill", "will"]
"""Kinds that a scenario may check; the last two are in a wiki's words only."""
Words = str | Annotated[tuple[str, ...], AfterValidator(not_empty)]
"""A text, or several of which one is enough."""


def matcher(value: Any) -> tuple[str, list[Any]] | None:
    """The name and the values of `{"one_of": [...]}` or `{"contains": [...]}`; None of another."""
    if isinstance(value, dict) and len(value) == 1:
        ((name, wanted),) = value.items()
        if name in (ONE_OF, CONTAINS) and isinstance(wanted, list):
            return name, wanted
    return None


def choices(value: Any) -> list[Any]:
    """The values that a wanted value may have: its alternatives, or itself."""
    special = matcher(value)
    if special is None:
        return [value]
    name, wanted = special
    return [one for each in wanted for one in choices(each)] if name == ONE_OF else []


def _plain(*types: type) -> Check:
    def check(value: Any) -> None:
        # For Python, true is a number.
        if isinstance(value, bool) != (bool in types) or not isinstance(value, types):
            names = {str: "a text", float: "a number", bool: "true or false"}
            raise ValueError(f"must be {names[types[0]]}, not {value!r}")

    return _or_matcher(check, texts=str in types)


def _or_matcher(check: Check, texts: bool = False) -> Check:
    def checked(value: Any) -> None:
        special = matcher(value)
        if special is None:
            check(value)
            return
        name, wanted = special
        if not wanted:
            raise ValueError(f"{name} must have at least one element")
        if name == ONE_OF:
            for one in wanted:
                checked(one)
        elif not texts:
            raise ValueError("contains is for texts only")
        else:
            for one in wanted:
                _check_words(one)

    return checked


def _check_words(value: Any) -> None:
    several = value if isinstance(value, list) and value else [value]
    if not all(isinstance(one, str) for one in several):
        raise ValueError(f"contains takes texts and lists of texts, not {value!r}")


def _named(fields: dict[str, Check], needed: bool = False) -> Check:
    """A check of an object that has these fields, and all of them where they are `needed`."""

    def check(value: Any) -> None:
        if not isinstance(value, dict):
            raise ValueError(f"must be an object, not {value!r}")
        _check_fields(value, fields)
        missing = fields.keys() - value.keys() if needed else ()
        if missing:
            raise ValueError(f"{min(missing)} is missing")

    return _or_matcher(check)


def _check_fields(value: dict[str, Any], fields: dict[str, Check]) -> None:
    for name, one in value.items():
        if name not in fields:
            hint = did_you_mean(name, fields) or f"; there are {', '.join(fields)}"
            raise ValueError(f"unknown field {name!r}{hint}")
        try:
            fields[name](one)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None


def _check_levels(value: Any) -> None:
    if not isinstance(value, dict):
        raise ValueError(f"must be an object of levels by name, not {value!r}")
    for name, level in value.items():
        for one in choices(level):
            if isinstance(one, bool) or not isinstance(one, int | None):
                raise ValueError(f"{name}: must be a whole number or null, not {one!r}")


def _check_team(value: Any) -> None:
    if not isinstance(value, list):
        raise ValueError(f"must be a list of members, not {value!r}")
    for one in value:
        _MEMBER(one)


def _one_of(words: tuple[str, ...]) -> Check:
    def check(value: Any) -> None:
        if value not in words:
            raise ValueError(f"must be one of {', '.join(words)}, not {value!r}")

    return _or_matcher(check, texts=True)


TEXT, NUMBER, FLAG = _plain(str), _plain(float, int), _plain(bool)
_LEVELS, _TEAM = _or_matcher(_check_levels), _or_matcher(_check_team)
_ROLE, _PHASE = _one_of(TeamRole.__args__), _one_of(DealPhase.__args__)  # type: ignore[attr-defined]
_MEMBER = _named({"employee": TEXT, "time_slice": NUMBER, "role": _ROLE}, needed=True)
_ENTRY: dict[str, Check] = {
    "date": TEXT,
    "hours": NUMBER,
    "work_category": TEXT,
    "notes": TEXT,
    "billable": FLAG,
    "status": TEXT,
}
_BY: dict[str, Check] = {"changed_by": TEXT}
_WHO: dict[str, Check] = {"employee": TEXT, **_BY}
FIELDS: dict[EventType, dict[str, Check]] = {
    "Evt_TimeEntryLogged": {
        **dict.fromkeys(("id", "employee", "customer", "project", "logged_by"), TEXT),
        **_ENTRY,
    },
    "Evt_TimeEntryStatusChanged": {"id": TEXT, "status": TEXT, **_BY},
    "Evt_TimeEntryUpdated": {"id": TEXT, "changes": _named(_ENTRY), **_BY},
    "Evt_ProjectStatusChanged": {"id": TEXT, "status": _PHASE, **_BY},
    "Evt_ProjectTeamUpdated": {"id": TEXT, "team": _TEAM, **_BY},
    "Evt_EmployeeSkillsUpdated": {"skills": _LEVELS, "wills": _LEVELS, **_WHO},
    "Evt_EmployeeNoteUpdated": {"notes": TEXT, **_WHO},
    "Evt_EmployeeSalaryUpdated": {"salary": NUMBER, **_WHO},
    "Evt_EmployeeInfoUpdated": {
        "changes": _named({"location": TEXT, "department": TEXT}),
        **_WHO,
    },
    "Evt_WikiArticleUpdated": {"file": TEXT, "content": TEXT, **_BY},
}
"""What an event of each type can be compared by; the wiki's digest never is."""


class Wanted(Record):
    """A change event that is wanted; fields that it does not name are not compared."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "allOf": [
                {
                    "if": {"properties": {"type": {"const": type_}}},
                    "then": {"propertyNames": {"enum": ["type", *fields]}},
                }
                for type_, fields in FIELDS.items()
            ]
        },
    )

    type: EventType

    @model_validator(mode="after")
    def _can_be_found(self) -> Wanted:
        if self.type != DIGEST:
            _check_fields(self.fields, FIELDS[self.type])
        return self

    @property
    def fields(self) -> dict[str, Any]:
        """What is compared, by name."""
        return self.model_extra or {}


class Links(Record):
    """Ids of one kind: all of `must`, and nothing beyond `must` and `may`."""

    must: tuple[str, ...] = ()
    may: tuple[str, ...] = ()


class Message(Record):
    """Literals of the response's message, case-sensitive: all that it holds, and none of others."""

    contains: tuple[Words, ...] = ()
    excludes: tuple[str, ...] = ()


class Expect(Record):
    """What the evaluator wants; a kind of link that is not named is not checked."""

    outcomes: Annotated[tuple[Outcome, ...], AfterValidator(not_empty)]
    links: dict[LinkKind, Links] = Field(default_factory=dict)
    no_links: bool = False
    events: tuple[Wanted, ...] = ()
    message: Message = Message()
