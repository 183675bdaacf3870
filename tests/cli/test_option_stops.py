"""An option lives in one settings record, and is read where it is used.

A stop is a place at which the value of one option of a run is handed on within ``cli`` and
``coordinator``: an argument of a call of theirs that is read from the settings record
(``options.jobs``, ``config.jobs``), or that is a parameter with the option's name. What is handed
to another package, which does what the option says, is its use, and the whole record is no stop.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from pathlib import Path

from cli.options import Options

ROOT = Path(__file__).parents[2]
OURS = ("cli", "coordinator")
LEFT_OUT = {
    "options.py", "config.py",
    "checks.py", "commands.py", "debugging.py", "doctor.py", "lab.py", "wiki_command.py",
}  # fmt: skip
"""Where options are declared, and what is of other commands."""
RECORDS = {"options", "config"}
OPTIONS = {name for name, field in Options.model_fields.items() if field.description}
AT_MOST = 30


def stops(tree: ast.Module) -> Iterator[str]:
    """The option and the line of each place at which one is handed on."""
    others = {
        name.asname or name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] not in OURS
        for name in node.names
    } | {*dir(builtins), "platform"}
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        parameters = {one.arg for one in (*function.args.args, *function.args.kwonlyargs)}
        for call in ast.walk(function):
            if not isinstance(call, ast.Call) or names_of(call.func) & others:
                continue
            for value in (*call.args, *(one.value for one in call.keywords)):
                is_read = isinstance(value, ast.Attribute) and name_of(value.value) in RECORDS
                if name_of(value) in OPTIONS and (is_read or name_of(value) in parameters):
                    yield f"{call.lineno}: {name_of(value)}"


def names_of(called: ast.expr) -> set[str]:
    inner = names_of(called.value) if isinstance(called, ast.Attribute) else set[str]()
    return inner | {name_of(called)}


def name_of(value: ast.expr) -> str:
    return value.attr if isinstance(value, ast.Attribute) else getattr(value, "id", "")


def test_options_are_handed_on_rarely() -> None:
    found = [
        f"{package}/{path.name}:{stop}"
        for package in OURS
        for path in sorted((ROOT / package).glob("*.py"))
        if path.name not in LEFT_OUT
        for stop in stops(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert len(found) <= AT_MOST, "\n".join(found)
