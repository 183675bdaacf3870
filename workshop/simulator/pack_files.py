"""Pack files of any format: how they are read, and what is wrong with one in words that help."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

SHOWN = 8
"""Mistakes that the text of a `PackError` names."""


class PackError(Exception):
    """A pack that cannot be used; each of `mistakes` says where, what was found, what is right."""

    def __init__(self, *mistakes: str) -> None:
        super().__init__(*mistakes)
        self.mistakes = mistakes

    def __str__(self) -> str:
        more = len(self.mistakes) - SHOWN
        rest = [f"and {more} more; the command check shows all"] if more > 0 else []
        return "\n".join([*self.mistakes[:SHOWN], *rest])


class Part(BaseModel):
    """A pack or a scenario; fields of another tool's own, such as notes, may stand there."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class Record(Part):
    """What a scenario is made of; a field that the format does not have is a mistake."""

    model_config = ConfigDict(extra="forbid")


AnyPart = TypeVar("AnyPart", bound=Part)
AnySequence = TypeVar("AnySequence", bound=Sequence[Any])


class Mistakes(ValueError):
    """The mistakes of a part; its arguments are their texts."""


def read_pack(text: str, source: str, models: Mapping[str, type[AnyPart]]) -> AnyPart:
    """A pack of one of these formats; `source` names it in a `PackError`."""
    try:
        raw = json.loads(text)
    except RecursionError:
        raise PackError(f"{source}: is nested too deeply") from None
    except ValueError as error:
        raise PackError(f"{source}: is not JSON: {error}") from None
    given = raw.get("format") if isinstance(raw, dict) else None
    if not isinstance(given, str) or given not in models:
        known = " or ".join(map(repr, models))
        raise PackError(f"{source}: format must be {known}, not {_short(given)}")
    try:
        return read_part(models[given], raw, text)
    except Mistakes as mistakes:
        raise PackError(*(f"{source}: {line}" for line in mistakes.args)) from None


def read_part(part: type[AnyPart], raw: Any, text: str | bytes) -> AnyPart:
    """A part out of its JSON and its text.

    Raises `Mistakes`: the scenario, the field, and what would be right there.
    """
    try:
        return part.model_validate_json(text)
    except ValidationError as error:
        lines: list[str] = []
        for one in error.errors(include_url=False):
            inner = one.get("ctx", {}).get("error")
            texts = inner.args if isinstance(inner, Mistakes) else [remedy(one)]
            lines += [_where(one["loc"], raw) + line for line in texts]
    raise Mistakes(*lines)


def not_empty(value: AnySequence) -> AnySequence:
    """A validator; a min_length on the field would also fire where only an element is wrong."""
    if not value:
        raise ValueError("must have at least one element")
    return value


def _page_or_none(value: int) -> int:
    if value != -1 and value < 1:
        raise ValueError("must be at least 1, or -1 to refuse every listing")
    return value


Name = Annotated[str, Field(min_length=1)]
PageLimit = Annotated[int, AfterValidator(_page_or_none)]
"""The largest `limit` of a listing."""


def _names_in(value: object) -> object:
    # Another tool's field of this name may hold anything.
    return tuple(map(str, value)) if isinstance(value, list) else ()


Names = Annotated[tuple[str, ...], BeforeValidator(_names_in)]
"""Kinds of task: nothing is played by them, results are put together by them."""


def refuse(mistakes: Iterable[str]) -> None:
    """Raise ValueError where there is a mistake; a `PackError` names each one."""
    if lines := list(mistakes):
        raise Mistakes(*lines)


def repeated(where: str, what: str, values: Iterable[str]) -> Iterator[str]:
    """A mistake for each value that must be unique and appears twice."""
    for value, times in Counter(values).items():
        if times > 1:
            yield f"{where}: {what} {value!r} appears twice; it must be unique"


def _where(place: tuple[int | str, ...], raw: Any) -> str:
    """What stands before a mistake: the scenario by its name, then the field."""
    scenario = ""
    if len(place) > 1 and place[0] == "scenarios" and isinstance(place[1], int):
        read = raw["scenarios"][place[1]]
        spec_id = read.get("spec_id") if isinstance(read, dict) else None
        name = repr(spec_id) if isinstance(spec_id, str) else f"number {place[1]}"
        scenario, place = f"scenario {name}: ", place[2:]
    field = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return scenario + (f"{field.removeprefix('.')}: " if field else "")


def remedy(mistake: ErrorDetails) -> str:
    """What is wrong with a value, in words."""
    if mistake["type"] == "missing":
        return "is missing"
    if mistake["type"] == "extra_forbidden":
        return "there is no such field"
    text = mistake["msg"].removeprefix("Value error, ")
    text = text[0].lower() + text[1:]
    if mistake["type"] == "value_error":
        return text
    return f"{text.replace('input should', 'must')}, not {_short(mistake['input'])}"


def _short(value: object) -> str:
    """A value as it would be written, cut; also one that is nested very deeply."""
    try:
        text = repr(value)
    except RecursionError:
        text = f"a {type(value).__name__} nested too deeply"
    return text if len(text) <= 40 else text[:37] + "..."
