"""Pack files of any format: how they are read, and what is wrong with one in words that help."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache
from typing import Annotated, Any, TypeVar, get_args, get_origin

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
    """Any part of a pack; fields of another tool's own, such as notes, may stand there."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


AnyPart = TypeVar("AnyPart", bound=Part)
Place = tuple[int | str, ...]
"""Fields and positions that lead to a value, from the outside in."""


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

    Raises `Mistakes`: the scenario, the field, and what would be right there. A field that is
    nearly spelt like one of the format is a mistake, too.
    """
    unknown = list(_unknown_fields(raw, part, ()))
    lines = [_where(place[:-1], raw) + line for place, line, _ in unknown]
    told = {place for place, *_ in unknown} | {(*place[:-1], near) for place, _, near in unknown}
    try:
        read = part.model_validate_json(text)
    except ValidationError as error:
        for one in error.errors(include_url=False):
            if one["type"] in ("missing", "extra_forbidden") and one["loc"] in told:
                continue
            inner = one.get("ctx", {}).get("error")
            texts = inner.args if isinstance(inner, Mistakes) else [_remedy(one)]
            lines += [_where(one["loc"], raw) + line for line in texts]
    if lines:
        raise Mistakes(*lines)
    return read


def not_empty(value: tuple[Any, ...]) -> tuple[Any, ...]:
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


_NOTE = BeforeValidator(_names_in)
Names = Annotated[tuple[str, ...], _NOTE]
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


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """The words that offer the nearest of the known names, or "" where none is near."""
    near = get_close_matches(name, list(known), n=1) if isinstance(name, str) else []
    return f"; did you mean {near[0]!r}?" if near else ""


def _unknown_fields(
    value: object, type_: Any, place: Place
) -> Iterator[tuple[Place, str, str | None]]:
    """Fields that are not known: where, what is wrong, and the known one that is like it.

    A part that may have fields of other tools has only those that are nearly like a known one.
    """
    part = _part_in(type_)
    if part is None or not isinstance(value, dict | list):
        return
    if isinstance(value, list) or get_origin(type_) is dict:
        inner = get_args(type_)[1] if get_origin(type_) is dict else part
        for step, one in enumerate(value) if isinstance(value, list) else value.items():
            yield from _unknown_fields(one, inner, (*place, step))
        return
    forbidden = part.model_config.get("extra") == "forbid"
    for name, one in value.items():
        if name in part.model_fields:
            yield from _unknown_fields(one, part.model_fields[name].annotation, (*place, name))
        elif part.model_config.get("extra") != "allow":
            # A note that is spelt in another way is still a note.
            known = tuple(n for n, f in part.model_fields.items() if _NOTE not in f.metadata)
            near = _nearest(name, known, 0.6 if forbidden else 0.8)
            if near or forbidden:
                hint = f"did you mean {near!r}?" if near else f"there are {', '.join(known)}"
                yield (*place, name), f"unknown field {name!r}; {hint}", near


@lru_cache(maxsize=256)
def _nearest(name: str, known: tuple[str, ...], cutoff: float) -> str | None:
    return next(iter(get_close_matches(name, known, n=1, cutoff=cutoff)), None)


def _part_in(type_: Any) -> type[BaseModel] | None:
    """The first part that a type is made of, through lists and choices."""
    if isinstance(type_, type) and issubclass(type_, BaseModel):
        return type_
    return next((part for one in get_args(type_) if (part := _part_in(one))), None)


def _where(place: Place, raw: Any) -> str:
    """What stands before a mistake: the scenario by its name, then the field."""
    scenario = ""
    if len(place) > 1 and place[0] == "scenarios" and isinstance(place[1], int):
        read = raw["scenarios"][place[1]]
        spec_id = read.get("spec_id") if isinstance(read, dict) else None
        name = repr(spec_id) if isinstance(spec_id, str) else f"number {place[1]}"
        scenario, place = f"scenario {name}: ", place[2:]
    field = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return scenario + (f"{field.removeprefix('.')}: " if field else "")


def _remedy(mistake: ErrorDetails) -> str:
    if mistake["type"] == "missing":
        return "is missing"
    text = mistake["msg"].removeprefix("Value error, ")
    text = text[0].lower() + text[1:]
    if mistake["type"] == "value_error":
        return text
    hint = ""
    if mistake["type"] == "literal_error":
        hint = did_you_mean(mistake["input"], re.findall("'([^']*)'", mistake["ctx"]["expected"]))
    return f"{text.replace('input should', 'must')}, not {_short(mistake['input'])}{hint}"


def _short(value: object) -> str:
    """A value as it would be written, cut; also one that is nested very deeply."""
    try:
        text = repr(value)
    except RecursionError:
        text = f"a {type(value).__name__} nested too deeply"
    return text if len(text) <= 40 else text[:37] + "..."
