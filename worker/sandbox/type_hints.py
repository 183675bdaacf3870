"""What a type checker says about failed code, with stubs made from the tools' signatures.

The findings can be wrong, so they are shown beside an error and never stop code from running.
"""

from __future__ import annotations

import inspect
import re
import textwrap

from pydantic_monty import MontyError, MontyTypingError

from worker.sandbox.check import Word
from worker.sandbox.contract import ToolHost
from worker.sandbox.monty_pool import pool
from worker.sandbox.values import clean

_NAMED = frozenset({"str", "int", "float", "bool", "list", "dict"})
_FINDING = re.compile(r"main\.py:(\d+):\d+: error\[([a-z-]+)\] (.*)")
_USEFUL = frozenset(
    {
        "invalid-argument-type",
        "missing-argument",
        "not-iterable",
        "too-many-positional-arguments",
        "unknown-argument",
        "unresolved-attribute",
        "unsupported-operator",
    }
)
_MOST = 3
_CHARS = 200
_SECONDS = 0.2
"""With the pool's grace the checker gets about a second; hostile code can make it slow."""


def type_findings(code: str, host: ToolHost) -> list[str]:
    """At most three findings, each with its line; nothing where the checker gives up."""
    if not host.signatures:
        return []
    # Inside a function that nobody calls the code is checked and not run.
    unused = "def _unused():\n" + textwrap.indent(code, "    ")
    try:
        with pool(_SECONDS).checkout(
            type_check=True, type_check_stubs=stubs(host), type_check_format="concise"
        ) as worker:
            worker.feed_run(unused)
    except MontyTypingError as error:
        found = (_FINDING.fullmatch(line) for line in error.display().splitlines())
        useful = [match for match in found if match and match.group(2) in _USEFUL]
        return [_shown(match) for match in useful[:_MOST]]
    except MontyError:
        pass
    return []


def stubs(host: ToolHost) -> str:
    """The tools as a type checker reads them; only plain types are named."""
    lines = ["from typing import Any", "def final_answer(answer: Any) -> None: ..."]
    for name in sorted(host.names):
        signature = host.signatures.get(name)
        if signature is None:
            lines.append(f"def {name}(*args: Any, **kwargs: Any) -> Any: ...")
            continue
        bare = [_plain(parameter) for parameter in signature.parameters.values()]
        shown = inspect.Signature(bare, return_annotation=inspect.Signature.empty)
        lines.append(f"def {name}{shown} -> Any: ...")
    return "\n".join(lines)


def _plain(parameter: inspect.Parameter) -> inspect.Parameter:
    given, default = parameter.annotation, parameter.default
    text = given if isinstance(given, str) else getattr(given, "__name__", "")
    named = text in _NAMED and default is not None
    return parameter.replace(
        annotation=Word(text if named else "Any"),
        default=default if default is inspect.Parameter.empty else Word("..."),
    )


def _shown(match: re.Match[str]) -> str:
    text = clean(match.group(3)).replace("`", "'")
    return f"line {int(match.group(1)) - 1}: {text[:_CHARS]}"
