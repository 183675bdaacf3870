"""What is wrong with a pack, in words that name the scenario, the field and the remedy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

SHOWN = 8


class PackError(Exception):
    """A pack that cannot be used; the text says where and why."""


def explain(error: ValidationError, raw: dict[str, Any], source: str) -> str:
    """One line per mistake, the first few of them; `raw` is the JSON that was validated."""
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
    field = _with_brackets(place)
    text = _remedy(mistake)
    return ": ".join(part for part in (scenario, field, text) if part)


def _scenario_name(scenario: object, number: int) -> str:
    spec_id = scenario.get("spec_id") if isinstance(scenario, dict) else None
    return f"scenario {spec_id!r}" if isinstance(spec_id, str) else f"scenario number {number}"


def _with_brackets(place: list[str | int]) -> str:
    text = ""
    for part in place:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".")


def _remedy(mistake: ErrorDetails) -> str:
    if mistake["type"] == "missing":
        return "is missing"
    text = mistake["msg"].removeprefix("Value error, ")
    text = text[0].lower() + text[1:]
    if mistake["type"] == "value_error":
        return text
    return f"{text.replace('input should', 'must')}, not {short(mistake['input'])}"


def short(value: object) -> str:
    """A value as it would be written, cut; also one that is nested very deeply."""
    try:
        text = repr(value)
    except RecursionError:
        text = f"a {type(value).__name__} in many others"
    return text if len(text) <= 40 else text[:37] + "..."
