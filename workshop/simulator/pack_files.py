"""Pack files of any format: how they are read, and what is wrong with one in words that help."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError
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


AnyPack = TypeVar("AnyPack", bound=Part)
Place = tuple[int | str, ...]
"""Fields and positions that lead to a value, from the outside in."""


class _Several(ValueError):
    """Several mistakes of one part; its arguments are their texts."""


def read_text(path: str | Path) -> str:
    """The text of a pack file. Raises `PackError`."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise PackError(f"{path}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise PackError(f"{path}: is not UTF-8 text (byte {error.start})") from None


def raw_pack(text: str, source: str, *formats: str) -> dict[str, Any]:
    """The JSON of a pack of one of these formats; `source` names it in a `PackError`."""
    try:
        raw = json.loads(text)
    except RecursionError:
        raise PackError(f"{source}: is nested too deeply") from None
    except ValueError as error:
        raise PackError(f"{source}: is not JSON: {error}") from None
    given = raw.get("format") if isinstance(raw, dict) else None
    if given not in formats:
        known = " or ".join(map(repr, formats))
        raise PackError(f"{source}: format must be {known}, not {_short(given)}")
    assert isinstance(raw, dict)
    return raw


def checked_pack(model: type[AnyPack], raw: dict[str, Any], text: str, source: str) -> AnyPack:
    """A pack out of its JSON and its text.

    Raises `PackError` with every mistake: the scenario, the field, and what would be right there.
    A field that is nearly spelt like one of the format is a mistake, too.
    """
    mistakes = dict(_misspelt(raw, model, ()))
    missing = {(*place[:-1], near) for place, near in mistakes.items()}
    lines = [
        f"{_where(place[:-1], raw)}{_unknown(place[-1], [n])}" for place, n in mistakes.items()
    ]
    pack = None
    try:
        pack = model.model_validate_json(text)
    except ValidationError as error:
        lines += [
            line
            for one in error.errors(include_url=False)
            if not (one["type"] == "missing" and one["loc"] in missing)
            for line in _mistake(one, raw, model)
        ]
    if lines or pack is None:
        raise PackError(*(f"{source}: {line}" for line in lines))
    return pack


def not_empty(value: tuple[Any, ...]) -> tuple[Any, ...]:
    """A validator; a min_length on the field would also fire where only an element is wrong."""
    if not value:
        raise ValueError("must have at least one element")
    return value


def refuse(mistakes: Iterable[str]) -> None:
    """Raise ValueError where there is a mistake; a `PackError` names each one."""
    if lines := list(mistakes):
        raise _Several(*lines)


def repeated(where: str, what: str, values: Iterable[str]) -> Iterator[str]:
    """A mistake for each value that must be unique and appears twice."""
    for value, times in Counter(values).items():
        if times > 1:
            yield f"{where}: {what} {value!r} appears twice; it must be unique"


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """The words that offer the nearest of the known names, or "" where none is near."""
    near = get_close_matches(name, list(known), n=1) if isinstance(name, str) else []
    return f"; did you mean {near[0]!r}?" if near else ""


def mistakes_of(error: ValidationError, part: type[BaseModel]) -> list[str]:
    """The field of each mistake and what would be right, of a part that was read on its own."""
    return [line for one in error.errors(include_url=False) for line in _mistake(one, {}, part)]


def _misspelt(value: object, part: type[BaseModel], place: Place) -> Iterator[tuple[Place, str]]:
    """Fields that are not known and nearly like a known one, which is given beside each.

    What takes no other fields at all refuses them itself.
    """
    if isinstance(value, list):
        for number, one in enumerate(value):
            yield from _misspelt(one, part, (*place, number))
    elif isinstance(value, dict):
        for name in value.keys() - part.model_fields.keys():
            if near := _near_field(name, part):
                yield (*place, name), near
        for name, inner in _inner_parts(part).items():
            yield from _misspelt(value.get(name), inner, (*place, name))


@lru_cache(maxsize=256)
def _near_field(name: str, part: type[BaseModel]) -> str | None:
    return next(iter(get_close_matches(name, list(part.model_fields), n=1, cutoff=0.8)), None)


@lru_cache(maxsize=256)
def _inner_parts(part: type[BaseModel]) -> dict[str, type[BaseModel]]:
    """By field the parts, alone or in a list, that may have fields of other tools."""
    return {
        name: inner
        for name, field in part.model_fields.items()
        if get_origin(field.annotation) is not dict
        and (inner := _part_in(field.annotation))
        and inner.model_config.get("extra") == "ignore"
    }


def _part_in(type_: Any) -> type[BaseModel] | None:
    """The first part that a type is made of, through lists and choices."""
    if isinstance(type_, type) and issubclass(type_, BaseModel):
        return type_
    return next((part for one in get_args(type_) if (part := _part_in(one))), None)


def _part_at(place: Place, part: type[BaseModel]) -> type[BaseModel] | None:
    """The part at a place within another one."""
    type_: Any = part
    for step in place:
        if isinstance(step, int):
            continue
        if get_origin(type_) is dict:
            type_ = get_args(type_)[1]
        elif (inner := _part_in(type_)) and step in inner.model_fields:
            type_ = inner.model_fields[step].annotation
        else:
            return None
    return _part_in(type_)


def _mistake(mistake: ErrorDetails, raw: dict[str, Any], model: type[BaseModel]) -> list[str]:
    place = mistake["loc"]
    if mistake["type"] == "extra_forbidden" and (part := _part_at(place[:-1], model)):
        return [_where(place[:-1], raw) + _unknown(place[-1], part.model_fields)]
    error = mistake.get("ctx", {}).get("error")
    texts = error.args if isinstance(error, _Several) else [_remedy(mistake)]
    return [_where(place, raw) + text for text in texts]


def _where(place: Place, raw: dict[str, Any]) -> str:
    """What stands before a mistake: the scenario by its name, then the field."""
    scenario = ""
    if len(place) > 1 and place[0] == "scenarios" and isinstance(place[1], int):
        scenario = f"{_scenario_name(raw['scenarios'][place[1]], place[1])}: "
        place = place[2:]
    field = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return scenario + (f"{field.removeprefix('.')}: " if field else "")


def _scenario_name(scenario: object, number: int) -> str:
    spec_id = scenario.get("spec_id") if isinstance(scenario, dict) else None
    return f"scenario {spec_id!r}" if isinstance(spec_id, str) else f"scenario number {number}"


def _unknown(name: object, known: Collection[str]) -> str:
    hint = did_you_mean(name, known) or f"; there are {', '.join(known)}"
    return f"unknown field {name!r}{hint}"


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
