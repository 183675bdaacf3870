"""What is wrong with a pack, in words that name the scenario, the field and the remedy."""

from __future__ import annotations

from collections.abc import Iterator
from types import UnionType
from typing import TYPE_CHECKING, Any, get_args, get_origin

from pydantic import BaseModel

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

SHOWN = 8


class PackError(Exception):
    """A pack that cannot be used; the text says where and why."""


def explain(
    error: ValidationError, raw: dict[str, Any], source: str, model: type[BaseModel]
) -> str:
    """One line per mistake, the first few of them; `raw` is the JSON that was validated."""
    mistakes = error.errors(include_url=False)
    lines = [f"{source}: {_mistake(mistake, raw, model)}" for mistake in mistakes[:SHOWN]]
    if len(mistakes) > SHOWN:
        lines.append(f"{source}: and {len(mistakes) - SHOWN} more")
    return "\n".join(lines)


def _mistake(mistake: ErrorDetails, raw: dict[str, Any], model: type[BaseModel]) -> str:
    place = list(mistake["loc"])
    scenario = ""
    if len(place) > 1 and place[0] == "scenarios" and isinstance(place[1], int):
        scenario = _scenario_name(raw["scenarios"][place[1]], place[1])
        place = place[2:]
    field = _with_brackets(place)
    text = _remedy(mistake, model)
    return ": ".join(part for part in (scenario, field, text) if part)


def _scenario_name(scenario: object, number: int) -> str:
    spec_id = scenario.get("spec_id") if isinstance(scenario, dict) else None
    return f"scenario {spec_id!r}" if isinstance(spec_id, str) else f"scenario number {number}"


def _with_brackets(place: list[str | int]) -> str:
    text = ""
    for part in place:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".")


def _remedy(mistake: ErrorDetails, model: type[BaseModel]) -> str:
    if mistake["type"] == "missing":
        return "is missing"
    if mistake["type"] == "extra_forbidden":
        holder = _model_at(model, mistake["loc"][:-1])
        return f"is not a field here; known fields: {', '.join(holder.model_fields)}"
    text = mistake["msg"].removeprefix("Value error, ")
    text = text[0].lower() + text[1:]
    if mistake["type"] == "value_error":
        return text
    return f"{text.replace('input should', 'must')}, not {_short(mistake['input'])}"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _model_at(model: type[BaseModel], place: tuple[str | int, ...]) -> type[BaseModel]:
    for part in place:
        if isinstance(part, str) and part in model.model_fields:
            inner = next(_models(model.model_fields[part].annotation), None)
            model = inner or model
    return model


def _models(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    elif isinstance(annotation, UnionType) or get_origin(annotation) is not None:
        for inner in get_args(annotation):
            yield from _models(inner)
