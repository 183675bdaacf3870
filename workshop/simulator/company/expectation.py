"""What a scenario expects of its task: outcome, links, change events, message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias, get_args

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


def _check(value: Any, kind: Kind) -> None:
    """Raise ValueError where no value of this kind can ever fit a wanted one."""
    special = matcher(value)
    if special is None:
        _check_plain(value, kind)
        return
    name, wanted = special
    if not wanted:
        raise ValueError(f"{name} must have at least one element")
    if name == CONTAINS and kind != TEXT and not isinstance(kind, tuple):
        raise ValueError("contains is for texts only")
    for one in wanted:
        if name == ONE_OF:
            _check(one, kind)
            continue
        words = one if isinstance(one, list) and one else [one]
        if not all(isinstance(word, str) for word in words):
            raise ValueError(f"contains takes texts and lists of texts, not {one!r}")


def _check_plain(value: Any, kind: Kind) -> None:
    if isinstance(kind, tuple):
        if value not in kind:
            raise ValueError(f"must be one of {', '.join(kind)}, not {value!r}")
    elif isinstance(kind, dict):
        if not isinstance(value, dict):
            raise ValueError(f"must be an object, not {value!r}")
        _check_fields(value, kind)
    elif kind == LEVELS:
        if not isinstance(value, dict):
            raise ValueError(f"must be an object of levels by name, not {value!r}")
        for name, level in value.items():
            for one in choices(level):
                if isinstance(one, bool) or not isinstance(one, int | None):
                    raise ValueError(f"{name}: must be a whole number or null, not {one!r}")
    elif kind == TEAM:
        if not isinstance(value, list):
            raise ValueError(f"must be a list of members, not {value!r}")
        for one in value:
            _check(one, _MEMBER)
            for member in choices(one):
                if missing := _MEMBER.keys() - member.keys():
                    raise ValueError(f"{min(missing)} is missing")
    # For Python, true is a number.
    elif isinstance(value, bool) != (kind == FLAG) or not isinstance(value, _TYPES[kind]):
        raise ValueError(f"must be {kind}, not {value!r}")


def _check_fields(value: dict[str, Any], kinds: Mapping[str, Kind]) -> None:
    for name, one in value.items():
        if name not in kinds:
            hint = did_you_mean(name, kinds) or f"; there are {', '.join(kinds)}"
            raise ValueError(f"unknown field {name!r}{hint}")
        try:
            _check(one, kinds[name])
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None


Kind: TypeAlias = str | tuple[str, ...] | dict[str, "Kind"]
"""What a wanted value is: by name, one of some texts, or an object with such fields."""
TEXT, NUMBER, FLAG, LEVELS, TEAM = "a text", "a number", "true or false", "levels", "a team"
_TYPES = {TEXT: str, NUMBER: float | int, FLAG: bool}
_MEMBER: dict[str, Kind] = {"employee": TEXT, "time_slice": NUMBER, "role": get_args(TeamRole)}
_ENTRY: dict[str, Kind] = {
    "date": TEXT,
    "hours": NUMBER,
    "work_category": TEXT,
    "notes": TEXT,
    "billable": FLAG,
    "status": TEXT,
}
_BY: dict[str, Kind] = {"changed_by": TEXT}
_WHO: dict[str, Kind] = {"employee": TEXT, **_BY}
FIELDS: dict[EventType, dict[str, Kind]] = {
    "Evt_TimeEntryLogged": {
        **dict.fromkeys(("id", "employee", "customer", "project", "logged_by"), TEXT),
        **_ENTRY,
    },
    "Evt_TimeEntryStatusChanged": {"id": TEXT, "status": TEXT, **_BY},
    "Evt_TimeEntryUpdated": {"id": TEXT, "changes": _ENTRY, **_BY},
    "Evt_ProjectStatusChanged": {"id": TEXT, "status": get_args(DealPhase), **_BY},
    "Evt_ProjectTeamUpdated": {"id": TEXT, "team": TEAM, **_BY},
    "Evt_EmployeeSkillsUpdated": {"skills": LEVELS, "wills": LEVELS, **_WHO},
    "Evt_EmployeeNoteUpdated": {"notes": TEXT, **_WHO},
    "Evt_EmployeeSalaryUpdated": {"salary": NUMBER, **_WHO},
    "Evt_EmployeeInfoUpdated": {"changes": {"location": TEXT, "department": TEXT}, **_WHO},
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
