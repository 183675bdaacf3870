"""Pages out of view models: the templates, their filters, the policy that a page declares."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import (
    BytecodeCache,
    Environment,
    FileSystemBytecodeCache,
    FileSystemLoader,
    StrictUndefined,
)
from markupsafe import Markup, escape

from coordinator.report import blocks
from coordinator.report.records import Story
from worker.sandbox.values import clean

if TYPE_CHECKING:
    from coordinator.report.pairs import Pair
    from coordinator.report.rows import Row

HERE = Path(__file__).parent
PACKING = 6
"""Level of zlib: a higher one takes three times as long for two percent."""


def page(template: str, data: Mapping[str, Any], *, live: bool = False, **values: Any) -> str:
    """A whole page with its style and script in it; ``data`` is what the script reads."""
    return (
        environment()
        .get_template(template)
        .render(
            policy=policy(live=live),
            style=Markup(_asset("style.css")),
            script=Markup(_asset("app.js")),
            data={"live": live, **data},
            live=live,
            **values,
        )
    )


def policy(*, live: bool) -> str:
    """What a page may do: its own script and style by their hashes, and nothing from elsewhere."""
    parts = {
        "default-src": "'none'",
        "script-src": _hash("app.js"),
        "style-src": _hash("style.css"),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    if live:
        parts["connect-src"] = "'self'"
    return "; ".join(f"{name} {value}" for name, value in parts.items())


def story_html(story: Story) -> str:
    """The story of one task as a piece of a page."""
    return str(_macros().whole(story))


def row_html(row: Row) -> str:
    """One row of the table of tasks."""
    return str(environment().get_template("rows.html.jinja").module.row(row))  # type: ignore[attr-defined]


def pair_html(pair: Pair) -> str:
    """The stories of one task in two runs, turn beside turn."""
    return str(_macros().sides(pair))


def packed(html: str) -> str:
    """A piece of a page as deflated base64: small, inert, and unpacked by the page when needed."""
    return base64.b64encode(zlib.compress(html.encode("utf-8"), PACKING)).decode("ascii")


@cache
def environment() -> Environment:
    """The templates. Everything that is printed is escaped, and cleaned of steering signs."""
    found = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_cleaned,
        auto_reload=False,
        bytecode_cache=_compiled(),
    )
    for name in (
        "answer", "arguments", "blocks", "cut", "dollars", "number", "peek", "seconds", "strays",
        "time_bars", "token_bars", "tokens", "tokens_of",
    ):  # fmt: skip
        found.filters[name] = getattr(blocks, name)
    found.filters["breaks"] = _breaks
    found.globals["requests_shown"] = blocks.REQUESTS_SHOWN
    return found


def _breaks(name: str) -> Markup:
    """A long name that may be broken where its words meet."""
    return escape(clean(name)).replace("_", Markup("_<wbr>"))


def _cleaned(value: Any) -> Any:
    # Most texts are short and plain; looking is cheaper than cleaning.
    if type(value) is not str or (value.isascii() and value.isprintable()):
        return value
    return clean(value)


def _compiled() -> BytecodeCache | None:
    """A folder of the user's own for compiled templates: compiling takes as long as a report."""
    try:
        return FileSystemBytecodeCache()
    except (OSError, RuntimeError):
        return None


@cache
def _macros() -> Any:
    return environment().get_template("story.html.jinja").module


@cache
def _asset(name: str) -> str:
    return (HERE / "static" / name).read_text(encoding="utf-8")


@cache
def _hash(name: str) -> str:
    digest = hashlib.sha256(_asset(name).encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
