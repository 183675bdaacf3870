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

_TOKEN = re.compile(
    r"""(?P<e>&(?:amp|lt|gt);)
    |(?P<c>\#[^\n]*)
    |(?P<s>(?:\b[rbfuRBFU]{1,2})?
        (?:'''.*?(?:'''|\Z) | \"\"\".*?(?:\"\"\"|\Z)
        |  '(?:\\.|[^'\\\n])*(?:'|$) | "(?:\\.|[^"\\\n])*(?:"|$)))
    |(?P<n>\b\d[\w.]*)
    |(?P<w>[^\W\d]\w*)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_KEYWORDS = frozenset(keyword.kwlist)
_KINDS = {name: "b" for name in dir(builtins) if not name.startswith("_")}
_KINDS |= dict.fromkeys(_KEYWORDS, "k")


def code_lines(code: str, tools: frozenset[str] = frozenset()) -> list[str]:
    """Each line of ``code`` as HTML: c comment, s string, n number, k keyword, b builtin, t tool.

    A string over several lines is closed and opened again at each of them.
    """
    if '"""' in code or "'''" in code:
        return _scanned(code, tools).split("\n")
    return [_line(line, tools) for line in code.split("\n")]


@lru_cache(maxsize=4096)
def _line(line: str, tools: frozenset[str]) -> str:
    """One line on its own; programs of a playbook differ in a line or two."""
    return _scanned(line, tools)


def _scanned(code: str, tools: frozenset[str]) -> str:
    def marked(match: re.Match[str]) -> str:
        text, kind = match.group(), match.lastgroup
        if kind == "w":
            kind = "t" if text in tools and text not in _KEYWORDS else _KINDS.get(text, "e")
        if kind == "e":
            return text
        inside = text.replace("\n", f'</span>\n<span class="{kind}">')
        return f'<span class="{kind}">{inside}</span>'

    # Quotes stay as they are, so that escaped code has the same words as the code itself.
    return _TOKEN.sub(marked, html.escape(code, quote=False))
