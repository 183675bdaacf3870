"""What a scenario expects of its task: outcome, links, change events, message."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Annotated, Any, Literal, get_type_hints

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
    with_config,
)
from typing_extensions import TypedDict

from core.erc3_client.own.company_shapes import DealPhase, Outcome, TeamRole
from workshop.simulator.pack_files import Record, not_empty, refuse, remedy

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


def _any_of(value: Any, check: ValidatorFunctionWrapHandler) -> Any:
    """Check a value, or each of its alternatives."""
    name, wanted = matcher(value) or ("", [])
    for one in not_empty(wanted) if name == ONE_OF else [value]:
        check(one)
    return value


def _any_text(value: Any, check: ValidatorFunctionWrapHandler) -> Any:
    """Check a text, or each of its alternatives, or of the texts that it has to hold."""
    name, wanted = matcher(value) or ("", [])
    for one in not_empty(wanted) if name else [value]:
        if name == ONE_OF:
            _any_text(one, check)
            continue
        for text in not_empty(one) if name and isinstance(one, list) else [one]:
            check(text)
    return value


_ONE = WrapValidator(_any_of)
Text = Annotated[str, WrapValidator(_any_text)]
Number = Annotated[float, _ONE]
Levels = Annotated[dict[str, Annotated[int | None, _ONE]], _ONE]
_STRICT = ConfigDict(extra="forbid", strict=True)


@with_config(_STRICT)
class Member(TypedDict):
    """A member of a wanted team."""

    employee: Text
    time_slice: Number
    role: Annotated[TeamRole, _ONE]


Team = Annotated[list[Annotated[Member, _ONE]], _ONE]


@with_config(_STRICT)
class Place(TypedDict, total=False):
    """Where somebody works, as far as it is wanted."""

    location: Text
    department: Text


@with_config(_STRICT)
class Hours(TypedDict, total=False):
    """What an entry of hours holds, as far as it is wanted."""

    date: Text
    hours: Number
    work_category: Text
    notes: Text
    billable: Annotated[bool, _ONE]
    status: Text


_LOGGED = dict.fromkeys(("id", "employee", "customer", "project", "logged_by"), Text)
_BY = {"changed_by": Text}
_WHO = {"employee": Text, **_BY}
FIELDS: dict[EventType, dict[str, Any]] = {
    "Evt_TimeEntryLogged": {**_LOGGED, **get_type_hints(Hours, include_extras=True)},
    "Evt_TimeEntryStatusChanged": {"id": Text, "status": Text, **_BY},
    "Evt_TimeEntryUpdated": {"id": Text, "changes": Annotated[Hours, _ONE], **_BY},
    "Evt_ProjectStatusChanged": {"id": Text, "status": Annotated[DealPhase, _ONE], **_BY},
    "Evt_ProjectTeamUpdated": {
        "id": Text,
        "team": Team,
        **_BY,
    },
    "Evt_EmployeeSkillsUpdated": {"skills": Levels, "wills": Levels, **_WHO},
    "Evt_EmployeeNoteUpdated": {"notes": Text, **_WHO},
    "Evt_EmployeeSalaryUpdated": {"salary": Number, **_WHO},
    "Evt_EmployeeInfoUpdated": {"changes": Annotated[Place, _ONE], **_WHO},
    "Evt_WikiArticleUpdated": {"file": Text, "content": Text, **_BY},
}
"""What an event of each type can be compared by; the wiki's digest never is."""
_ADAPTERS = {
    type_: TypeAdapter[Any](with_config(_STRICT)(TypedDict(type_, fields, total=False)))  # type: ignore[operator]
    for type_, fields in FIELDS.items()
}


def _mistakes(error: ValidationError) -> Iterator[str]:
    """A line for each field."""
    for field, several in groupby(error.errors(include_url=False), lambda one: one["loc"][0]):
        one = next(several)
        inner = one["type"] in ("extra_forbidden", "missing") and len(one["loc"]) > 1
        yield f"{field}.{one['loc'][-1]}: {remedy(one)}" if inner else f"{field}: {remedy(one)}"


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
            try:
                _ADAPTERS[self.type].validate_python(self.fields)
            except ValidationError as error:
                refuse(_mistakes(error))
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
