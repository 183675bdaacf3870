"""Imports of modules that Monty lacks, turned into assignments of objects that stand in."""

from __future__ import annotations

import ast

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


def rewrite(code: str) -> tuple[str, bool]:
    """The code with such imports replaced, line for line, and whether there are any."""
    seen = survey(parse(code))
    imports: list[ast.Import | ast.ImportFrom]
    imports = [*seen.all(ast.Import), *seen.all(ast.ImportFrom)]
    lines = code.encode().split(b"\n") if imports else []
    replaced = False
    # From the end, so that the places of the earlier statements stay right.
    for node in sorted(imports, key=lambda n: (n.lineno, n.col_offset), reverse=True):
        text = _replacement(node)
        if text and _replace(lines, node, text.encode()):
            replaced = True
    return (b"\n".join(lines).decode(), True) if replaced else (code, False)


def _replacement(node: ast.Import | ast.ImportFrom) -> str:
    """The assignments, or nothing where there is nothing to replace."""
    if isinstance(node, ast.Import):
        parts = [
            f"{alias.asname or alias.name} = _sandbox_{alias.name}"
            if alias.name in STAND_INS
            else f"import {ast.unparse(alias)}"
            for alias in node.names
        ]
        wanted = any(alias.name in STAND_INS for alias in node.names)
    else:
        parts = [f"{a.asname or a.name} = _sandbox_{node.module}.{a.name}" for a in node.names]
        wanted = node.module in STAND_INS and not node.level and node.names[0].name != "*"
    return "; ".join(parts) if wanted else ""


def _replace(lines: list[bytes], node: ast.Import | ast.ImportFrom, text: bytes) -> bool:
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    rest = lines[last][node.end_col_offset :]
    if last > first and rest.strip() and not rest.lstrip().startswith(b"#"):
        return False
    lines[first] = lines[first][: node.col_offset] + text + rest
    for index in range(first + 1, last + 1):
        lines[index] = b""
    return True
