"""Prompts out of the templates that lie in a package's folder ``prompts``."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from core.models.prompt_json import as_data
from core.models.sections import MOST_RENDERED, NONE, SectionError, Texts


def prompt(package: str, name: str, /, texts: Texts = NONE, **values: Any) -> str:
    """Fill in the template of that name; ``texts``: sections that replace built-in ones.

    Raises:
        SectionError: with these sections it is too long.
        UndefinedError: a value is missing.
    """
    override = texts.get(section(package, name))
    if override is not None:
        template = _environment(package).from_string(override)
    else:
        template = _environment(package).get_template(f"{name}.jinja")
    rendered = template.render(values)
    if texts and len(rendered) > MOST_RENDERED:
        text = f"the prompt {section(package, name)} has more than {MOST_RENDERED:,} characters"
        raise SectionError(f"{text} with these sections; shorten them")
    return rendered


def section(package: str, name: str) -> str:
    """The section name of a template."""
    return f"{package.replace('.', '/')}/{name}"


def template_sections(package: str, *names: str) -> dict[str, str]:
    """Shipped templates of a package as sections, by name."""
    folder = files(package) / "prompts"
    texts = {name: (folder / f"{name}.jinja").read_text(encoding="utf-8") for name in names}
    return {section(package, name): text.rstrip("\n") for name, text in texts.items()}


@cache
def _environment(package: str) -> Environment:
    # Prompts are plain text; what may hold markup of ours is defused by the filter as_data.
    environment = Environment(
        loader=PackageLoader(package, "prompts"), undefined=StrictUndefined, autoescape=False
    )
    environment.filters["as_data"] = as_data
    return environment
