"""Which tests would notice a wrong line: mutation testing of one module.

    python -m tests.mutation coordinator/task.py tests/coordinator/test_task.py
    python -m tests.mutation --stored [MODULE...]

The tests are collected once; of those behind ``--marked`` only the ones that hold a promise. For
each mutant a child is forked, whose functions get the changed code, and which runs the tests until
the first one fails. Prints the mutants that none noticed. Texts, annotations, and what stands
outside of functions stay as they are.

``--stored`` does this for the rows of ``mutation_counts.toml``, prints the new counts, and fails if
a smaller share of the mutants is noticed than there.
"""

from __future__ import annotations

import ast
import copy
import gc
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

PAIRS: list[tuple[type[ast.AST], type[ast.AST]]] = [
    (ast.Eq, ast.NotEq), (ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.In, ast.NotIn),
    (ast.Is, ast.IsNot), (ast.And, ast.Or), (ast.Add, ast.Sub), (ast.Break, ast.Continue),
]  # fmt: skip
STORED = Path(__file__).with_name("mutation_counts.toml")
SECONDS = 60
"""A test of a mutant may run so long, because a mutant may loop without end. The slowest test
of the stored rows takes 2 s on one idle core of the machine that stored them."""
SWAPS = dict([*PAIRS, *((two, one) for one, two in PAIRS)])


def changed(node: ast.AST) -> Iterator[ast.AST]:
    """What a node may be replaced by."""
    match node:
        case ast.Compare(ops=[op]) if type(op) in SWAPS:
            yield ast.Compare(node.left, [SWAPS[type(op)]()], node.comparators)
        case ast.BoolOp(op=op) | ast.BinOp(op=op) if type(op) in SWAPS:
            new = copy.copy(node)
            new.op = SWAPS[type(op)]()
            yield new
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield ast.Constant(value + 1)
        case ast.Break() | ast.Continue():
            yield SWAPS[type(node)]()
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield ast.Return(ast.Constant(None))
        case ast.Expr(value=ast.Call()) | ast.Raise():
            yield ast.Pass()
        case ast.If() | ast.IfExp() | ast.While():
            new = copy.copy(node)
            new.test = ast.UnaryOp(ast.Not(), node.test)
            yield new


def mutants(tree: ast.Module) -> Iterator[tuple[int, str, ast.Module]]:
    """Every tree with one change in a function: its line, what is there instead, the tree."""
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef | ast.Module)]
    functions = [n for one in classes for n in one.body if isinstance(n, ast.FunctionDef)]
    inside = [node for f in functions for statement in f.body for node in ast.walk(statement)]
    for parent in (node for node in (*functions, *inside) if not isinstance(node, ast.JoinedStr)):
        for field, value in ast.iter_fields(parent):
            if field == "annotation" or (isinstance(parent, ast.FunctionDef) and field != "body"):
                continue
            nodes = value if isinstance(value, list) else [value]
            for place, node in enumerate(nodes):
                for new in changed(node) if isinstance(node, ast.AST) else ():
                    nodes[place] = ast.copy_location(new, node)
                    setattr(parent, field, nodes if isinstance(value, list) else nodes[place])
                    ast.fix_missing_locations(tree)
                    yield node.lineno, ast.unparse(new).split("\n")[0], copy.deepcopy(tree)
                    nodes[place] = node
                setattr(parent, field, nodes if isinstance(value, list) else node)


def codes(code: CodeType) -> Iterator[CodeType]:
    """The code of all functions in a module's."""
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from (const, *codes(const))


class Mutation:
    """A plugin of pytest that runs the collected tests once for each mutant."""

    def __init__(self, path: Path, tests: list[str]) -> None:
        self.path = path
        self.tests = [Path(one.split("::")[0]).resolve() for one in tests]

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [
            item
            for item in items
            if item.get_closest_marker("promise")
            or any(item.path.is_relative_to(one) for one in self.tests)
        ]

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        text, file = self.path.read_text(encoding="utf-8"), str(self.path)
        gc.unfreeze()  # what is frozen is not among the objects
        functions = [f for f in gc.get_objects() if isinstance(f, FunctionType)]
        ours = [f for f in functions if f.__code__.co_filename == file]
        assert ours, f"no function of {file} is loaded"
        assert not noticed(session, ours, {}), "the tests fail without a change"
        every = mutants(ast.parse(text))
        found = {f"{self.path.name}:{line}: {name}": tree for line, name, tree in every}
        left = 0
        for label, tree in found.items():
            new = codes(compile(tree, file, "exec"))
            if not noticed(session, ours, {(c.co_qualname, c.co_firstlineno): c for c in new}):
                print(label, flush=True)
                left += 1
        print(f"{self.path.name}: {len(found) - left} of {len(found)} mutants noticed")
        return True


def noticed(session: pytest.Session, ours: list[FunctionType], new: dict) -> bool:
    """Whether a test fails in a child whose functions have the new code."""
    failed = True
    child = os.fork()
    if child == 0:
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        try:
            for function in ours:
                key = function.__code__.co_qualname, function.__code__.co_firstlineno
                function.__code__ = new.get(key, function.__code__)
            for item, after in zip(session.items, [*session.items[1:], None], strict=True):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
                if session.testsfailed:
                    break
            failed = bool(session.testsfailed)
        finally:
            os._exit(failed)
    _, status = os.waitpid(child, 0)
    return status != 0


def measure(module: str, tests: list[str], marked: list[str]) -> int:
    """Print the mutants that no test notices, and the count; the exit code of pytest."""
    options = ["-n", "0", "-p", "no:cacheprovider", "-s", "-q", "--tb=native", "--timeout"]
    plugin = Mutation(Path(module).resolve(), tests)
    return pytest.main([*tests, *marked, *options, str(SECONDS)], [plugin])


def stored_rows() -> list[dict[str, Any]]:
    """What is stored: a module with its tests, how many mutants it has, how many were noticed.

    A row without counts was not measured yet.
    """
    rows: list[dict[str, Any]] = tomllib.loads(STORED.read_text(encoding="utf-8"))["row"]
    return rows


def compare(row: dict[str, Any]) -> bool:
    """Whether the tests of a stored row notice as large a share of the mutants as stored."""
    words = [row["module"], *row["tests"], "--marked", *row["marked"]]
    run = subprocess.run(
        [sys.executable, "-m", "tests.mutation", *words], stdout=subprocess.PIPE, text=True
    )
    found = re.search(r"(\d+) of (\d+) mutants noticed", run.stdout)
    noticed, mutants = map(int, found.groups()) if found else (0, 1)
    was, of = row.get("noticed", 0), row.get("mutants", 1)
    kept = noticed * of >= was * mutants and found is not None
    now = found[0] if found else f"no count\n{run.stdout}"
    stored = f"stored: {was} of {of}" if "mutants" in row else "nothing stored"
    print(f"{'kept' if kept else 'FELL'} {row['module']}: {now} ({stored})", flush=True)
    return kept


def main(words: list[str]) -> int:
    """Measure one module, or compare all that is stored; the exit code."""
    if words[0] == "--stored":
        wanted = [row for row in stored_rows() if row["module"] in words[1:] or not words[1:]]
        return 0 if wanted and all([compare(row) for row in wanted]) else 1
    module, *tests = words
    end = tests.index("--marked") if "--marked" in tests else len(tests)
    return measure(module, tests[:end], tests[end + 1 :])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
