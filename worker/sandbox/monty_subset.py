"""What Monty is known to run as CPython does; every other snippet goes to the process sandbox.

The lists name what has been compared. A look at the text cannot know types, so a method is known
by its name alone.
"""

from __future__ import annotations

import ast
import builtins
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from worker.sandbox.snippet_tree import bound_names, survey

_LISTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_MODULES, _KEYWORDS = (
    {name: frozenset(words.split()) for name, words in _LISTS.pop(table).items()}
    for table in ("modules", "keywords")
)
_SETS = {name: frozenset(words.split()) for name, words in _LISTS.items()}
_BUILTINS, _METHODS, _WORDED_ALIKE = (_SETS[n] for n in ("builtins", "methods", "worded_alike"))
_PAIRING, _LAZY, _LISTING, _REDUCING = (
    _SETS[n] for n in ("pairing", "lazy", "listing", "reducing")
)
if sys.version_info >= (3, 12):
    _BUILTINS -= {"sum"}  # sums of floats are exact there, not so in Monty
_NOT_WORDED_ALIKE = (
    *(ast.Import, ast.ImportFrom, ast.FunctionDef, ast.Lambda, ast.Tuple, ast.Dict, ast.DictComp),
    *(ast.Div, ast.FloorDiv, ast.Mod, ast.Pow),
)


def runs_in_monty(
    tree: ast.Module, tools: frozenset[str], known: frozenset[str] = frozenset()
) -> bool:
    """Whether all of the snippet is in the subset. ``known``: names of earlier steps."""
    return all(map(_Look(tree, tools, known).fits, survey(tree).nodes))


class _Look:
    """One look at a tree; a method says of a node whether it may be there."""

    def __init__(self, tree: ast.Module, tools: frozenset[str], known: frozenset[str]) -> None:
        self._parents = survey(tree).parents
        self._own = bound_names(tree)
        self._names = tools | known | self._own
        self._tools = tools - self._own

    def fits(self, node: ast.AST) -> bool:
        check = _ALLOWED.get(type(node))
        return type(node) in _ALLOWED if check is None else check(self, node)

    def name(self, node: ast.Name) -> bool:
        if node.id not in _BUILTINS:
            return node.id in self._names or not hasattr(builtins, node.id)
        if node.id in self._own:
            return False
        if node.id not in _LAZY:
            return True
        call = self._parents[node]
        return isinstance(call, ast.Call) and call.func is node and self.used_up(call)

    def attribute(self, node: ast.Attribute) -> bool:
        base, call = node.value, self._parents[node]
        if isinstance(base, ast.Name) and base.id in _MODULES:
            return node.attr in _MODULES[base.id]
        called = isinstance(call, ast.Call) and call.func is node and node.attr in _METHODS
        return called and not (isinstance(base, ast.Name) and base.id in _BUILTINS)

    def call(self, node: ast.Call) -> bool:
        name = _called(node)
        if name == "round" and len(node.args) > 1:
            return False  # 2.675 to two digits gives 2.68 in Monty
        if name in ("keys", "items") and isinstance(self._parents[node], ast.BinOp):
            return False
        return name not in _KEYWORDS or {k.arg for k in node.keywords} <= _KEYWORDS[name]

    def alias(self, node: ast.alias) -> bool:
        above = self._parents[node]
        if isinstance(above, ast.ImportFrom):
            return node.asname is None and node.name in _MODULES.get(above.module or "", ())
        return node.asname is None and node.name in _MODULES

    def handler(self, node: ast.ExceptHandler) -> bool:
        """The text of an exception can be read: what is tried must fail with the same words."""
        attempt = self._parents[node]
        return node.name is None or (
            isinstance(attempt, ast.Try)
            and all(self._worded_alike(part) for line in attempt.body for part in ast.walk(line))
        )

    def _worded_alike(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Call):
            name = _called(node)
            return name in _WORDED_ALIKE or (
                isinstance(node.func, ast.Name) and name in self._tools
            )
        return not isinstance(node, _NOT_WORDED_ALIKE)

    def operation(self, node: ast.BinOp) -> bool:
        """Formatting by ``%`` is not the same."""
        text = isinstance(node.left, ast.JoinedStr | ast.Constant)
        return not (text and isinstance(node.op, ast.Mod))

    def used_up(self, node: ast.Call | ast.GeneratorExp) -> bool:
        """Whether it makes no difference that Monty makes all items before the first is used.

        What has effects or may fail must not run ahead of who uses the items one by one.
        """
        parent = self._parents[node]
        looped = isinstance(parent, ast.For | ast.comprehension) and parent.iter is node
        taker = _called(parent) if isinstance(parent, ast.Call) and node in parent.args else ""
        if taker in _LISTING:
            return True
        if isinstance(node, ast.Call) and _called(node) in _PAIRING:
            return looped or taker in _REDUCING | _PAIRING
        return taker in _REDUCING and _has_no_effect(node)


def _called(call: ast.Call) -> str:
    """The name of the function or method, or nothing."""
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def _has_no_effect(node: ast.Call | ast.GeneratorExp) -> bool:
    """Whether making the items calls nothing but builtins and methods."""
    harmless = _BUILTINS - {"print"}
    if isinstance(node, ast.Call):
        first = node.args[0] if node.args else node
        return isinstance(first, ast.Name) and first.id in harmless
    called = (part.func for part in ast.walk(node) if isinstance(part, ast.Call))
    return all(func.id in harmless for func in called if isinstance(func, ast.Name))


_ALLOWED: dict[type[ast.AST], Callable[[_Look, Any], bool] | None] = {
    **dict.fromkeys(
        [
            *(ast.Module, ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For, ast.While),
            *(ast.If, ast.Break, ast.Continue, ast.Pass, ast.Return, ast.Try, ast.Raise),
            *(ast.Assert, ast.Import, ast.arguments, ast.arg, ast.Global, ast.Nonlocal),
            *(ast.keyword, ast.Subscript, ast.Slice, ast.BoolOp, ast.UnaryOp, ast.Compare),
            *(ast.IfExp, ast.Lambda, ast.Starred, ast.Tuple, ast.Dict, ast.ListComp),
            *(ast.DictComp, ast.comprehension, ast.JoinedStr, ast.FormattedValue),
            *(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow),
            *(*ast.boolop.__subclasses__(), *ast.unaryop.__subclasses__()),
            *ast.cmpop.__subclasses__(),
        ]
    ),
    ast.Name: _Look.name,
    ast.Attribute: _Look.attribute,
    ast.Call: _Look.call,
    ast.GeneratorExp: _Look.used_up,
    ast.alias: _Look.alias,
    ast.ImportFrom: lambda _, node: not node.level,
    ast.ExceptHandler: _Look.handler,
    ast.FunctionDef: lambda _, node: not node.decorator_list,
    ast.BinOp: _Look.operation,
    ast.Constant: lambda _, node: not isinstance(node.value, complex | bytes),
    ast.List: lambda _, node: isinstance(node.ctx, ast.Load),
}
