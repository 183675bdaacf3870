"""Pages out of view models: the templates, their filters, the policy that a page declares."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import (
    BytecodeCache,
    Environment,
    FileSystemBytecodeCache,
    FileSystemLoader,
    StrictUndefined,
)
from markupsafe import Markup

from views.report import blocks
from views.report.markup import address, broken, plain
from views.report.rows import mark_html, row_html

HERE = Path(__file__).parent
PACKING = 2
"""Level of zlib: 6 takes more than twice as long for a seventh less."""


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


def packed(html: str) -> Markup:
    """A piece of a page as deflated base64: small, inert, and unpacked by the page when needed."""
    coded = base64.b64encode(zlib.compress(html.encode("utf-8"), PACKING))
    return Markup(coded.decode("ascii"))


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
    for name in ("dollars", "number", "seconds", "tokens"):
        found.filters[name] = getattr(blocks, name)
    for made in (address, broken, mark_html, row_html):
        found.filters[made.__name__] = _marked_up(made)
    return found


def _marked_up(made: Callable[[Any], str]) -> Callable[[Any], Markup]:
    """A function that makes HTML as a filter whose result is not escaped again."""
    return lambda value: Markup(made(value))


def _cleaned(value: Any) -> Any:
    return plain(value) if type(value) is str else value


def _compiled() -> BytecodeCache | None:
    """A folder of the user's own for compiled templates: compiling takes as long as a report."""
    try:
        return FileSystemBytecodeCache()
    except (OSError, RuntimeError):
        return None


@cache
def _asset(name: str) -> str:
    return (HERE / "static" / name).read_text(encoding="utf-8")


@cache
def _hash(name: str) -> str:
    digest = hashlib.sha256(_asset(name).encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
