"""Text made fit for a page. Shops and models wrote most of it, and it never becomes markup.

The pieces of a page that stand in it thousands of times are put together by f-strings, which take
a fifth of the time of a template. In those every text goes through :func:`shown` or :func:`quoted`.
"""

from __future__ import annotations

import html
from urllib.parse import quote

from worker.sandbox.values import clean


def shown(value: object) -> str:
    """A text as HTML between tags; None is nothing. For one within a tag: :func:`quoted`."""
    return "" if value is None else html.escape(plain(str(value)), quote=False)


def quoted(value: object) -> str:
    """A text as the value of an attribute, with its quotes."""
    return f'"{html.escape(plain(str(value)))}"'


def plain(text: str) -> str:
    """A text without signs that steer: what nobody sees is shown as its number."""
    # Most texts have none; looking is cheaper than cleaning.
    return text if text.replace("\n", "").isprintable() else clean(text)


def broken(name: str) -> str:
    """A long name as HTML that may be broken where its words meet."""
    return shown(name).replace("_", "_<wbr>")


def address(key: str) -> str:
    """A name as the part of an address behind its ``#``."""
    return html.escape(quote(key, errors="replace"))


def folded(summary: str, inside: str, kind: str = "") -> str:
    """HTML that is folded away behind a line of HTML; ``kind`` is a class of the style sheet."""
    known = f' class="{kind}"' if kind else ""
    return f"<details{known}><summary>{summary}</summary>{inside}</details>"


def data(text: str, kind: str = "") -> str:
    """JSON as HTML that the page makes a table of when it is first seen."""
    return f'<div class="json{kind and f" {kind}"}">{shown(text)}</div>'


def label(text: str) -> str:
    """A small heading."""
    return f'<p class="label">{text}</p>'


def block(text: str, kind: str = "text") -> str:
    """A text of several lines as HTML."""
    return f'<pre class="{kind}">{shown(text)}</pre>'
