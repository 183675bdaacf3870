"""Python code for a page: words marked by kind, lines parted where calls were made."""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from operator import itemgetter

from markupsafe import Markup, escape
from pygments.lexer import inherit
from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Text, _TokenType

from core.ledger import ToolCall
from core.runs.task_record import TurnLog
from core.runs.work import StepRecord
from core.text import clean

_KINDS = (
    (Comment, "c"), (String, "s"), (Number, "n"), (Keyword, "k"), (Operator.Word, "k"),
    (Name.Builtin, "b"),
)  # fmt: skip
"""Classes of the style sheet; ``t`` is a tool."""


class _Lexer(PythonLexer):  # type: ignore[misc]
    """Tries first what most of a program is made of: blanks, brackets and plain strings."""

    tokens = {  # noqa: RUF012
        "root": [
            (r"(?<=\S)[^\S\n]+|[][(){},:=]+", Text),
            (r'"[^"\\\n]*"(?!")', String),
            (r"'[^'\\\n]*'(?!')", String),
            inherit,
        ]
    }


_LEXER = _Lexer()


@dataclass(frozen=True)
class Stretch:
    """Lines of code, the last of which made calls, unless it is the end."""

    first: int
    """Number of the first line."""
    lines: Sequence[Markup]
    calls: Sequence[ToolCall]


@dataclass(frozen=True)
class Snippet:
    """One snippet of a worker with its calls where they belong."""

    step: StepRecord
    stretches: Sequence[Stretch]
    loose: Sequence[ToolCall]
    """Calls whose line is not known."""


def plain(text: str) -> str:
    """A text without signs that steer: what nobody sees is shown as its number."""
    # Most texts have none; looking is cheaper than cleaning.
    return text if text.replace("\n", "").isprintable() else clean(text)


def snippets_of(act: TurnLog) -> list[Snippet]:
    """The snippets of a turn."""
    tools = frozenset(call.name for call in act.tools)
    return [
        _snippet(step, [call for call in act.tools if call.step == number], tools)
        for number, step in enumerate(act.steps, start=1)
    ]


def _snippet(step: StepRecord, calls: Sequence[ToolCall], tools: frozenset[str]) -> Snippet:
    lines = code_lines(plain(step.code), tools)
    under: dict[int, list[ToolCall]] = {}
    loose: list[ToolCall] = []
    for call in calls:
        inside = call.line is not None and 1 <= call.line <= len(lines)
        (under.setdefault(call.line or 0, []) if inside else loose).append(call)
    ends = [*sorted(under), *([] if len(lines) in under else [len(lines)])]
    starts = [0, *ends]
    return Snippet(
        step=step,
        stretches=[
            Stretch(begin + 1, lines[begin:end], under.get(end, ()))
            for begin, end in zip(starts, ends, strict=False)
        ],
        loose=loose,
    )


def code_lines(code: str, tools: frozenset[str] = frozenset()) -> list[Markup]:
    """Each line of ``code`` as HTML: c comment, s string, n number, k keyword, b builtin, t tool.

    A string over several lines is closed and opened again at each of them.
    """
    if '"""' in code or "'''" in code:
        return _marked(code, tools).split("\n")
    return [_line(line, tools) for line in code.split("\n")]


@lru_cache(maxsize=4096)
def _line(line: str, tools: frozenset[str]) -> Markup:
    """One line on its own: a lexer is slow, and programs differ in a line or two."""
    return _marked(line, tools)


def _marked(code: str, tools: frozenset[str]) -> Markup:
    words = (
        ("t" if text in tools and not keyword.iskeyword(text) else _kind(token), text)
        for _, token, text in _LEXER.get_tokens_unprocessed(code)
    )
    parts = []
    for kind, same in groupby(words, key=itemgetter(0)):
        html = str(escape("".join(text for _, text in same)))
        if kind:
            html = html.replace("\n", f'</span>\n<span class="{kind}">')
            html = f'<span class="{kind}">{html}</span>'
        parts.append(html)
    return Markup("".join(parts))


@lru_cache(maxsize=256)
def _kind(token: _TokenType) -> str:
    return next((kind for parent, kind in _KINDS if token in parent), "")
