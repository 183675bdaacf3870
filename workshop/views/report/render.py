"""Pages out of view models: the templates, their filters, the policy that a page declares."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jinja2
from markupsafe import Markup, escape

from core.runs.summary import EFFECTS
from core.runs.task_record import TaskRecord
from core.terminal import figures
from core.terminal.task_columns import COLUMNS
from workshop.views.causes import why
from workshop.views.report.record_parts import commands_of, plain, show_command, snippets_of
from workshop.views.report.setup import briefing_of

HERE = Path(__file__).parent
SCRIPT = ("shown.js", "app.js")
"""Its parts, which are one script in a page."""
REQUESTS_SHOWN = 30
SEEN_SHOWN = 300
"""Requests shown of a task; an external agent has no other record."""


def page(template: str, data: Mapping[str, Any], *, live: bool = False, **values: Any) -> str:
    """A whole page with its style and script in it; ``data`` is what the script reads."""
    return (
        environment()
        .get_template(template)
        .render(
            policy=policy(live=live),
            style=Markup(_asset("style.css")),
            script=Markup(_asset(*SCRIPT)),
            data={"live": live, **data},
            live=live,
            **values,
        )
    )


def record_html(record: TaskRecord) -> Markup:
    """The record of one task as a piece of a page."""
    return piece("record.html.jinja", "whole", record)


def piece(template: str, macro: str, *arguments: object) -> Markup:
    """A piece of a page, made by a macro of a template."""
    return Markup(getattr(environment().get_template(template).module, macro)(*arguments))


def policy(*, live: bool) -> str:
    """The page's content security policy: its own script and style by hash, nothing else."""
    parts = {
        "default-src": "'none'",
        "script-src": _hash(*SCRIPT),
        "style-src": _hash("style.css"),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    if live:
        parts |= {"connect-src": "'self'", "form-action": "'self'"}
        parts["script-src"] += f" {_hash('index.js')}"
        parts["style-src"] += f" {_hash('index.css')}"
    return "; ".join(f"{name} {value}" for name, value in parts.items())


def packed(html: str) -> Markup:
    """A piece of a page as deflated base64: small, inert, and unpacked by the page when needed."""
    coded = base64.b64encode(zlib.compress(html.encode("utf-8")))
    return Markup(coded.decode("ascii"))


def printed(value: Any) -> Any:
    """Text of a value in a template before escaping; None is ""."""
    if isinstance(value, Markup):
        return value
    return "" if value is None else plain(str(value))


def broken(name: str) -> Markup:
    """A long name that may be broken where its words meet."""
    return escape(plain(name)).replace("_", Markup("_<wbr>"))


def capital(text: str) -> str:
    """A text as a sentence begins."""
    return text[:1].upper() + text[1:]


def address(key: str) -> str:
    """A name as the part of an address behind its ``#``."""
    return quote(key, errors="replace")


@cache
def environment() -> jinja2.Environment:
    """The templates. Everything printed is escaped and free of control characters."""
    jinja = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=printed,
        auto_reload=False,
    )
    for used in (
        figures.answer, figures.arguments, figures.counted, figures.cut, figures.dollars,
        figures.found_parts, figures.number, figures.peek, figures.seconds, figures.strays,
        figures.tokens,
        figures.tokens_of, address, broken, capital,
    ):  # fmt: skip
        jinja.filters[used.__name__] = used
    jinja.globals.update(
        asset=lambda name: Markup(_asset(name)),
        snippets_of=snippets_of, COLUMNS=COLUMNS, EFFECTS=EFFECTS, REQUESTS_SHOWN=REQUESTS_SHOWN,
        SEEN_SHOWN=SEEN_SHOWN, briefing_of=briefing_of, commands_of=commands_of,
        show_command=show_command, why=why,
    )  # fmt: skip
    return jinja


@cache
def _asset(*names: str) -> str:
    return "".join((HERE / "static" / name).read_text(encoding="utf-8") for name in names)


@cache
def _hash(*names: str) -> str:
    digest = hashlib.sha256(_asset(*names).encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
