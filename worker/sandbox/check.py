"""Checks of a snippet before it runs, at no cost."""

from __future__ import annotations

import ast
import builtins
import difflib
import inspect
from collections.abc import Iterator

from core.ledger.tool import spelled
from core.models.python_code import kept_tree
from worker.sandbox.contract import SandboxLimits, ToolHost
from worker.sandbox.tool_bridge import FINAL

_CLOSE = 0.6
_SOURCE_CHARS = 160
_MOST_FINDINGS = 5
_NOT_NAMED = frozenset({"exec", "eval", "globals", "locals", "vars", "setattr"})
"""Functions that can create names which the code's text does not show."""


MOST_NESTED = 400
"""Levels of a tree. Far below what the parser can take, because that depends on the depth of the
caller's own stack: the same text must be refused, or not, wherever it is looked at."""
_BINDING: dict[type[ast.AST], str] = {
    **dict.fromkeys([ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef], "name"),
    **dict.fromkeys([ast.ExceptHandler, ast.MatchAs, ast.MatchStar], "name"),
    ast.MatchMapping: "rest",
    ast.arg: "arg",
}
"""Nodes that bind a name, and the field that holds it, or None."""


def parse(code: str) -> ast.Module:
    """The tree, which nobody may change. Raises SyntaxError, whatever the text."""
    try:
        tree = kept_tree(code)
    except ValueError as error:
        raise SyntaxError(str(error)) from None
    except (RecursionError, MemoryError, SystemError):
        # SystemError: the parser loses count on a chain of thousands of operators.
        raise SyntaxError("the code is nested too deeply") from None
    levels = 0
    layer: list[ast.AST] = [tree]
    while layer:
        levels += 1
        children = [child for node in layer for child in ast.iter_child_nodes(node)]
        # Whether a name is read or written is no level.
        layer = [child for child in children if not isinstance(child, ast.expr_context)]
    if levels > MOST_NESTED:
        raise SyntaxError("the code is nested too deeply")
    return tree


def bound_names(tree: ast.Module) -> frozenset[str]:
    """Every name that the code gives a meaning to, at whatever level."""
    names: set[str | None] = set()
    for node in ast.walk(tree):
        if field := _BINDING.get(type(node)):
            names.add(getattr(node, field))
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name.partition(".")[0])
    return frozenset(name for name in names if name is not None)


def _expected(name: str, host: ToolHost) -> str:
    signature = host.signatures.get(name)
    if signature is None:
        return f"{name}(...)"
    return f"{name}{signature.replace(return_annotation=inspect.Signature.empty)}"


def refuse(code: str, limits: SandboxLimits, host: ToolHost, known: frozenset[str]) -> str | None:
    """Why this snippet is not run, or None. ``known``: names that earlier steps made."""
    if len(code) > limits.code_chars:
        return f"the code has {len(code)} characters, at most {limits.code_chars} are allowed"
    try:
        tree = parse(code)
    except SyntaxError as error:
        return _at(code, error.lineno or 0) + f"SyntaxError: {error.msg}"
    findings = list(_findings(tree, host, known))[:_MOST_FINDINGS]
    return "\n".join(_at(code, line) + text for line, text in findings) or None


def source_line(code: str, line: int) -> str:
    """One line of a snippet, bare and bounded; empty when there is no such line."""
    lines = code.splitlines()
    text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    return text if len(text) <= _SOURCE_CHARS else text[: _SOURCE_CHARS - 3] + "..."


def _at(code: str, line: int) -> str:
    source = source_line(code, line)
    return f"line {line}: {source}\n" if source else ""


def _findings(tree: ast.Module, host: ToolHost, known: frozenset[str]) -> Iterator[tuple[int, str]]:
    own = bound_names(tree)
    if FINAL in own:
        lines = (n.lineno for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == FINAL)
        yield next(lines, 0), f"{FINAL} is a function: call {FINAL}(report), do not assign to it"
    mentioned = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    if "*" in own or mentioned & {*_NOT_NAMED, "NameError"}:
        return
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        name = node.func.id
        if name in own or name in known:
            continue
        if name in host.names:
            wrong = _misfit(node, name, host)
            if wrong:
                yield node.lineno, wrong
        elif name != FINAL and not hasattr(builtins, name):
            yield node.lineno, _unknown(name, host)


def _misfit(call: ast.Call, name: str, host: ToolHost) -> str | None:
    signature = host.signatures.get(name)
    starred = any(isinstance(arg, ast.Starred) for arg in call.args)
    if signature is None or starred or any(keyword.arg is None for keyword in call.keywords):
        return None
    given = {keyword.arg: None for keyword in call.keywords if keyword.arg}
    try:
        signature.bind(*(None for _ in call.args), **spelled(signature.parameters, given))
    except TypeError as error:
        return f"TypeError: {name}(): {error}. Expected: {_expected(name, host)}"
    return None


def _unknown(name: str, host: ToolHost) -> str:
    near = difflib.get_close_matches(name, [*host.names, FINAL], n=1, cutoff=_CLOSE)
    text = f"NameError: name '{name[:80]}' is not defined"
    if near:
        expected = f"{FINAL}(answer)" if near[0] == FINAL else _expected(near[0], host)
        return f"{text}. Did you mean {expected}?"
    return f"{text}. Tools: {', '.join(sorted(host.names))}"
