"""Pages out of views: the templates and what they print with. Imports Jinja2: load it late."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from pydantic_core import to_json

from workshop.simulator.pages.views import View, bar
from workshop.simulator.world import World

TEMPLATES = Path(__file__).parent / "templates"
DASH = "–"
PEEK_CHARS = 110
BODY_CHARS = 4_000
HIDDEN = "account_key"
KEPT_ROWS = 2_000
"""Drawn rows that are kept: most rows of a page are the same at the next poll."""


class Renderer:
    """Draws views. The templates are compiled at once, so no drawing takes long."""

    def __init__(self, worlds: Sequence[World]) -> None:
        self._environment = _environment(worlds)
        rows: Any = self._environment.get_template("rows.html.jinja").module
        for kind in ("session", "task", "log"):
            macro = getattr(rows, kind)
            self._environment.filters[f"{kind}_row"] = lru_cache(KEPT_ROWS)(macro)
        for name in self._environment.list_templates():
            self._environment.get_template(name)

    def page(self, view: View, tag: str) -> str:
        """A whole page; `tag` is what its script asks with for what has changed."""
        values = {"template": view.template, "title": view.title, "tag": tag}
        return self._draw("page.html.jinja", {**values, **view.values()})

    def part(self, view: View) -> str:
        """What changes of a page."""
        return self._draw(view.template, view.values())

    def _draw(self, template: str, values: Mapping[str, Any]) -> str:
        return self._environment.get_template(template).render(values)


def _environment(worlds: Sequence[World]) -> Environment:
    """The templates. Everything printed is escaped, invisible and steering signs are named."""
    found = Environment(
        loader=FileSystemLoader([TEMPLATES, *(one.looks.template.parent for one in worlds)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_plain,
        auto_reload=False,
    )
    found.globals["worlds"] = worlds
    ours = (bar, _cut, _score, _dollars, _day, _clock, _peek, _body)
    found.filters.update((one.__name__.removeprefix("_"), one) for one in ours)
    return found


def _plain(value: Any) -> Any:
    """A value to print; of a text, signs that cannot be seen as such become escapes."""
    if type(value) is not str or value.isprintable():
        return value
    unseen = {ord(sign): _escape(sign) for sign in set(value) if _unseen(sign)}
    return value.translate(unseen) if unseen else value


def _unseen(sign: str) -> bool:
    return not (sign.isprintable() or sign in "\n\t" or unicodedata.category(sign) == "Zs")


def _escape(sign: str) -> str:
    number = ord(sign)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _cut(text: str, most: int = PEEK_CHARS) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def _score(value: float | None) -> str:
    return DASH if value is None or value < 0 else f"{value:.3f}".rstrip("0").rstrip(".")


def _dollars(value: int) -> str:
    return f"${value:,}"


def _day(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"


def _clock(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")[11:23]


def _peek(body: Mapping[str, Any]) -> str:
    """The beginning of a log line's body, for one line."""
    return _cut(to_json(_shown(body)).decode())


def _body(body: Mapping[str, Any]) -> str:
    """A log line's body over several lines; of a very long one the beginning."""
    text = to_json(_shown(body), indent=2).decode()
    if len(text) <= BODY_CHARS:
        return text
    return f"{text[:BODY_CHARS]}…\n({len(text):,} characters in all)"


def _shown(body: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**body, HIDDEN: "(not shown)"} if HIDDEN in body else body
