"""What worker code commonly looks like, and what CPython makes of it."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from core.ledger.calls import ToolFault

from .shop import Shop

_FOLDER = Path(__file__).parent / "snippets"


@dataclass(frozen=True)
class Snippet:
    """One row of the table."""

    name: str
    steps: tuple[str, ...]


@dataclass(frozen=True)
class ObservedRequest:
    """All that a run shows, as JSON has it."""

    logs: list[str]
    errors: list[str | None]
    final: object
    calls: list[object]


class Final(BaseException):
    """The end of a snippet in the comparison run."""


def snippets() -> list[Snippet]:
    """All rows, in the order of the files."""
    rows = []
    for file in sorted(_FOLDER.glob("*.txt")):
        for part in file.read_text().split("### ")[1:]:
            name, _, code = part.partition("\n")
            steps = tuple(step.strip("\n") + "\n" for step in code.split("=== next step\n"))
            rows.append(Snippet(name, steps))
    return rows


def all_in_cpython() -> dict[str, ObservedRequest]:
    """Every row, run by a plain interpreter of its own that shares nothing with the tests."""
    here = Path(__file__).parent
    roots = [str(here.parent), str(here.parents[2])]
    program = (
        f"import sys, importlib; sys.path[:0] = {roots!r}; sys.argv[:] = ['']; "
        f"importlib.import_module('{here.name}.common_code').print_all()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return {name: ObservedRequest(**seen) for name, seen in json.loads(done.stdout).items()}


def print_all() -> None:
    """Run every row and print what is seen, as JSON."""
    by_name = {row.name: asdict(_in_cpython(row)) for row in snippets()}
    print(json.dumps(by_name))


def _in_cpython(snippet: Snippet) -> ObservedRequest:
    """Run a row right here. The rows are ours; foreign code must not come here."""
    shop = Shop()
    final: list[object] = []

    def tool(name: str) -> Any:
        def call(*args: object, **kwargs: object) -> object:
            try:
                return shop.call(name, list(args), kwargs)
            except ToolFault as fault:
                kind = {"KeyError": KeyError, "ValueError": ValueError}
                raise kind.get(fault.kind, RuntimeError)(fault.text) from None

        return call

    def final_answer(value: object) -> None:
        final.append(value)
        raise Final

    names: dict[str, Any] = {"__name__": "__main__", "final_answer": final_answer}
    logs: list[str] = []
    errors: list[str | None] = []
    for step in snippet.steps:
        names.update({name: tool(name) for name in shop.names})
        out = io.StringIO()
        errors.append(None)
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
                exec(compile(ast.parse(step), "<snippet>", "exec"), names)
        except (Final, SystemExit):
            pass
        except BaseException as error:
            errors[-1] = type(error).__name__
        logs.append(out.getvalue())
    return ObservedRequest(logs, errors, final[0] if final else None, [*shop.calls])
