"""Programs as trees: parsed once, and what they name."""

from __future__ import annotations

import ast
import threading
from collections.abc import Collection
from functools import lru_cache

_one_at_a_time = threading.RLock()


@lru_cache(maxsize=16)
def kept_tree(code: str) -> ast.Module:
    """Parse a program; the tree is cached and must not be changed.

    Raises what ``ast.parse`` raises. CPython 3.11 counts the depth of all trees under construction
    together: two threads that build one at the same time can get a SystemError for code in which
    nothing is wrong.
    """
    with _one_at_a_time:
        return ast.parse(code)


def ignore_imports(code: str, names: Collection[str]) -> str:
    """Replace imports of nothing but these names, which are there without an import, by ``pass``.

    Line numbers stay. Code that is not Python comes back as it is.
    """
    tree = parse(code)
    lines = code.splitlines(keepends=True)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.ImportFrom) and all(alias.name in names for alias in node.names):
            first, end = lines[node.lineno - 1].encode(), (node.end_lineno or node.lineno) - 1
            rest = lines[end].encode()[node.end_col_offset :].decode()
            head = first[: node.col_offset].decode()
            lines[node.lineno - 1 : end + 1] = [
                f"{head}pass{rest}",
                *["\n"] * (end + 1 - node.lineno),
            ]
    return "".join(lines)


def names_read(tree: ast.Module) -> frozenset[str]:
    """Names whose values a program uses."""
    names = (n for n in ast.walk(tree) if isinstance(n, ast.Name))
    return frozenset(n.id for n in names if isinstance(n.ctx, ast.Load))


def names_defined(tree: ast.Module) -> frozenset[str]:
    """Names that a program sets, defines or imports, at any depth."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).split(".")[0])
    return frozenset(names)


def parse(code: str) -> ast.Module | None:
    """The tree of a program, which must not be changed; None: it is not Python."""
    try:
        return kept_tree(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError, SystemError):
        return None


def does_something(tree: ast.Module) -> bool:
    """Whether there is more than values: JSON in a fence is Python too."""
    return any(not isinstance(s, ast.Expr) for s in tree.body) or any(
        isinstance(n, ast.Call) for n in ast.walk(tree)
    )
