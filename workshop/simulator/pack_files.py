"""Pack files of any format: how they are read, and what is wrong with one in words that help."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

SHOWN = 8


class PackError(Exception):
    """A pack that cannot be used; the text says where and why."""


class Part(BaseModel):
    """Any part of a pack; fields of another tool's own, such as notes, may stand there."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


AnyPack = TypeVar("AnyPack", bound=Part)


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


def checked_pack(
    model: type[AnyPack],
    parts: Mapping[str, type[Part]],
    raw: dict[str, Any],
    text: str,
    source: str,
) -> AnyPack:
    """A pack out of its JSON and its text.

    `parts` are the models of `scenarios` and of the lists in a scenario: what is misspelt there
    is refused. Raises `PackError` that names the scenario, the field and what would be right.
    """
    _refuse_misspelt(raw, model, source)
    for number, scenario in enumerate(_dicts(raw.get("scenarios"))):
        where = f"{source}: scenario {scenario.get('spec_id', number)!r}"
        _refuse_misspelt(scenario, parts["scenarios"], where)
        for field, part in parts.items():
            for one in _dicts(scenario.get(field)):
                _refuse_misspelt(one, part, where)
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        raise PackError(_explained(error, raw, source)) from None


def not_empty(value: tuple[Any, ...]) -> tuple[Any, ...]:
    """A validator; a min_length on the field would also fire where only an element is wrong."""
    if not value:
        raise ValueError("must have at least one element")
    return value


def refuse_twice(where: str, what: str, values: Iterable[str]) -> None:
    """Raise ValueError where a value that must be unique stands twice."""
    for value, times in Counter(values).items():
        if times > 1:
            raise ValueError(f"{where}: {what} {value!r} stands there twice; it must be unique")


def _dicts(value: object) -> list[dict[str, Any]]:
    return [v for v in value if isinstance(v, dict)] if isinstance(value, list) else []


def _refuse_misspelt(raw: dict[str, Any], part: type[BaseModel], where: str) -> None:
    for name in raw.keys() - part.model_fields.keys():
        if near := _near_field(name, part):
            raise PackError(f"{where}: unknown field {name!r}; did you mean {near!r}?")


@lru_cache(maxsize=256)
def _near_field(name: str, part: type[BaseModel]) -> str | None:
    return next(iter(get_close_matches(name, list(part.model_fields), n=1, cutoff=0.8)), None)


def mistakes_of(error: ValidationError) -> list[str]:
    """The field of each mistake and what would be right, of a part that was read on its own."""
    return [_mistake(mistake, {}) for mistake in error.errors(include_url=False)]


def _explained(error: ValidationError, raw: dict[str, Any], source: str) -> str:
    """One line per mistake, the first few of them."""
    mistakes = error.errors(include_url=False)
    lines = [f"{source}: {_mistake(mistake, raw)}" for mistake in mistakes[:SHOWN]]
    if len(mistakes) > SHOWN:
        lines.append(f"{source}: and {len(mistakes) - SHOWN} more")
    return "\n".join(lines)


def _mistake(mistake: ErrorDetails, raw: dict[str, Any]) -> str:
    place = list(mistake["loc"])
    scenario = ""
    if len(place) > 1 and place[0] == "scenarios" and isinstance(place[1], int):
        scenario = _scenario_name(raw["scenarios"][place[1]], place[1])
        place = place[2:]
    field = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return ": ".join(part for part in (scenario, field.removeprefix("."), _remedy(mistake)) if part)


def _scenario_name(scenario: object, number: int) -> str:
    spec_id = scenario.get("spec_id") if isinstance(scenario, dict) else None
    return f"scenario {spec_id!r}" if isinstance(spec_id, str) else f"scenario number {number}"


def _remedy(mistake: ErrorDetails) -> str:
    if mistake["type"] == "missing":
        return "is missing"
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
        text = f"a {type(value).__name__} in many others"
    return text if len(text) <= 40 else text[:37] + "..."
