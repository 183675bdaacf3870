"""Python code as HTML with a class for each kind of word; one small scanner.

Pygments takes 2.5 ms for a snippet, half of what a whole run may pay for its report, and the
standard library's tokenizer stops at code that does not parse, which is recorded too.
"""

from __future__ import annotations

import builtins
import html
import keyword
import re
from functools import lru_cache

from markupsafe import Markup

_TOKEN = re.compile(
    r"""(?P<c>\#[^\n]*)
    |(?P<s>(?:\b[rbfuRBFU]{1,2})?
        (?:'''.*?(?:'''|\Z) | \"\"\".*?(?:\"\"\"|\Z)
        |  '(?:\\.|[^'\\\n])*(?:'|$) | "(?:\\.|[^"\\\n])*(?:"|$)))
    |(?P<n>\b\d[\w.]*)
    |(?P<w>[^\W\d]\w*)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_BUILTINS = frozenset(name for name in dir(builtins) if not name.startswith("_"))


def code_lines(code: str, tools: frozenset[str] = frozenset()) -> list[Markup]:
    """Each line of ``code`` as HTML: c comment, s string, n number, k keyword, b builtin, t tool.

    A string over several lines is closed and opened again at each of them.
    """
    if '"""' in code or "'''" in code:
        return [Markup(line) for line in _scanned(code, tools).split("\n")]
    return [_line(line, tools) for line in code.split("\n")]


@lru_cache(maxsize=4096)
def _line(line: str, tools: frozenset[str]) -> Markup:
    """One line on its own; programs of a playbook differ in a line or two."""
    return Markup(_scanned(line, tools))


def _scanned(code: str, tools: frozenset[str]) -> str:
    parts: list[str] = []
    at = 0
    for match in _TOKEN.finditer(code):
        parts.append(html.escape(code[at : match.start()], quote=False))
        at = match.end()
        parts.append(_marked(match.group(), match.lastgroup or "", tools))
    parts.append(html.escape(code[at:], quote=False))
    return "".join(parts)


def _marked(text: str, kind: str, tools: frozenset[str]) -> str:
    if kind == "w":
        kind = "k" if keyword.iskeyword(text) else "t" if text in tools else ""
        kind = kind or ("b" if text in _BUILTINS else "")
        return f'<span class="{kind}">{text}</span>' if kind else text
    lines = html.escape(text, quote=False).split("\n")
    return "\n".join(f'<span class="{kind}">{line}</span>' for line in lines)
