"""Prompts out of the templates that lie in a room's folder ``prompts``."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from models.prompt_json import as_data
from models.sections import NONE, Texts


def prompt(room: str, name: str, /, texts: Texts = NONE, **values: Any) -> str:
    """The template of that name, filled in; ``texts``: sections that are laid over the shipped.

    Raises UndefinedError where a value is missing.
    """
    laid = texts.get(section(room, name))
    if laid is not None:
        return _template(room, laid).render(values)
    return _environment(room).get_template(f"{name}.jinja").render(values)


def section(room: str, name: str) -> str:
    """What a template is called as a section."""
    return f"{room.replace('.', '/')}/{name}"


def template_sections(room: str, *names: str) -> dict[str, str]:
    """Shipped templates of a room as sections, by name."""
    folder = files(room) / "prompts"
    texts = {name: (folder / f"{name}.jinja").read_text(encoding="utf-8") for name in names}
    return {section(room, name): text.rstrip("\n") for name, text in texts.items()}


@lru_cache(maxsize=64)
def _template(room: str, text: str) -> Template:
    return _environment(room).from_string(text)


@cache
def _environment(room: str) -> Environment:
    # Prompts are plain text; what may hold markup of ours is defused by the filter as_data.
    made = Environment(
        loader=PackageLoader(room, "prompts"), undefined=StrictUndefined, autoescape=False
    )
    made.filters["as_data"] = as_data
    return made
