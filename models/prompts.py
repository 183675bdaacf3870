"""Prompts out of the templates that lie in a room's folder ``prompts``."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from models.prompt_json import as_data


def prompt(room: str, name: str, **values: Any) -> str:
    """The template of that name, filled in. Raises UndefinedError where a value is missing."""
    return _environment(room).get_template(f"{name}.jinja").render(values)


@cache
def _environment(room: str) -> Environment:
    # Prompts are plain text; what may hold markup of ours is defused by the filter as_data.
    made = Environment(
        loader=PackageLoader(room, "prompts"), undefined=StrictUndefined, autoescape=False
    )
    made.filters["as_data"] = as_data
    return made
