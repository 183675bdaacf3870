"""Imports of modules that Monty lacks, turned into assignments of objects that stand in."""

from __future__ import annotations

import ast
from functools import cache
from importlib import resources

from worker.sandbox.snippet_tree import parse, survey

MODULES = (
    "math re json itertools collections functools datetime decimal copy random bisect csv "
    "hashlib base64 dataclasses typing time heapq statistics string operator textwrap pprint "
    "contextlib"
)
"""What code may import in Monty, for a reader."""
STAND_INS = frozenset(
    {"contextlib", "heapq", "operator", "pprint", "statistics", "string", "textwrap"}
)


@cache
def library(name: str) -> str:
    """Source of the stand-in for a module; it binds ``_sandbox_<name>``."""
    return resources.files("worker.sandbox.inside").joinpath(f"lib_{name}.py").read_text()


def rewrite(code: str) -> tuple[str, list[str]]:
    """The code with such imports replaced, line for line, and the modules that it needs."""
    seen = survey(parse(code))
    imports: list[ast.Import | ast.ImportFrom]
    imports = [*seen.all(ast.Import), *seen.all(ast.ImportFrom)]
    if not imports:
        return code, []
    lines = code.encode().split(b"\n")
    needed: set[str] = set()
    # From the end, so that the places of the earlier statements stay right.
    for node in sorted(imports, key=lambda n: (n.lineno, n.col_offset), reverse=True):
        used, text = _replacement(node)
        if used and _replace(lines, node, text.encode()):
            needed |= used
    return b"\n".join(lines).decode(), sorted(needed)


def _replacement(node: ast.Import | ast.ImportFrom) -> tuple[set[str], str]:
    if isinstance(node, ast.Import):
        used = {alias.name for alias in node.names} & STAND_INS
        parts = [
            f"{alias.asname or alias.name} = _sandbox_{alias.name}"
            if alias.name in STAND_INS
            else f"import {ast.unparse(alias)}"
            for alias in node.names
        ]
        return used, "; ".join(parts)
    module = node.module or ""
    if module not in STAND_INS or node.level or any(alias.name == "*" for alias in node.names):
        return set(), ""
    parts = [f"{a.asname or a.name} = _sandbox_{module}.{a.name}" for a in node.names]
    return {module}, "; ".join(parts)


def _replace(lines: list[bytes], node: ast.Import | ast.ImportFrom, text: bytes) -> bool:
    if node.end_lineno is None or node.end_col_offset is None:
        return False
    first, last = node.lineno - 1, node.end_lineno - 1
    rest = lines[last][node.end_col_offset :]
    if last > first and rest.strip() and not rest.lstrip().startswith(b"#"):
        return False
    lines[first] = lines[first][: node.col_offset] + text + rest
    for index in range(first + 1, last + 1):
        lines[index] = b""
    return True
