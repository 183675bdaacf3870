"""The text of a snippet as a tree, made without trusting the text."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from core.models.python_code import kept_tree

Node = TypeVar("Node", bound=ast.AST)


class Unparsable(ValueError):
    """Not Python; ``line`` is 0 where the parser does not say."""

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


MOST_NESTED = 400
"""Levels of a tree. Far below what the parser can take, because that depends on the depth of the
caller's own stack: the same text must be refused, or not, wherever it is looked at."""


@lru_cache(maxsize=16)
def parse(code: str) -> ast.Module:
    """The tree, which nobody may change. Raises Unparsable, whatever the text."""
    try:
        tree = kept_tree(code)
    except SyntaxError as error:
        raise Unparsable(str(error.msg), error.lineno or 0) from None
    except ValueError as error:
        raise Unparsable(str(error)) from None
    except (RecursionError, MemoryError, SystemError):
        # SystemError: the parser loses count on a chain of thousands of operators.
        raise Unparsable("the code is nested too deeply") from None
    if survey(tree).levels > MOST_NESTED:
        raise Unparsable("the code is nested too deeply")
    return tree


@dataclass(frozen=True)
class Survey:
    """All nodes of a tree, in the order of ``ast.walk``, and the node above each.

    Whether a name is read or written (``ctx``) is no node here.
    """

    nodes: tuple[ast.AST, ...]
    parents: dict[ast.AST, ast.AST]
    levels: int
    _by_kind: dict[type[ast.AST], list[Any]]

    def all(self, kind: type[Node]) -> list[Node]:
        """The nodes of exactly this kind, in order."""
        return self._by_kind.get(kind, [])


@lru_cache(maxsize=16)
def survey(tree: ast.Module) -> Survey:
    """One walk over a tree that nobody changes, for all who look at it."""
    nodes: list[ast.AST] = []
    parents: dict[ast.AST, ast.AST] = {}
    by_kind: dict[type[ast.AST], list[Any]] = {}
    layer: list[ast.AST] = [tree]
    levels = 0
    while layer:
        levels += 1
        nodes += layer
        below: list[ast.AST] = []
        for node in layer:
            kind = type(node)
            by_kind.setdefault(kind, []).append(node)
            for child in _children(node):
                parents[child] = node
                below.append(child)
        layer = below
    return Survey(tuple(nodes), parents, levels, by_kind)


def _children(node: ast.AST) -> list[ast.AST]:
    """As ``ast.iter_child_nodes``, in half the time: every snippet is walked before it runs."""
    children: list[ast.AST] = []
    fields = node.__dict__
    for name in node._fields:
        value = fields.get(name)
        if type(value) is list:
            children += [item for item in value if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST) and name != "ctx":
            children.append(value)
    return children


_BINDING: dict[type[ast.AST], str] = {
    **dict.fromkeys([ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef], "name"),
    **dict.fromkeys([ast.ExceptHandler, ast.MatchAs, ast.MatchStar], "name"),
    ast.MatchMapping: "rest",
    ast.arg: "arg",
}
"""Nodes that bind a name, and the field that holds it, or None."""


@lru_cache(maxsize=16)
def bound_names(tree: ast.Module) -> frozenset[str]:
    """Every name that the code gives a meaning to, at whatever level."""
    nodes = survey(tree)
    names = {getattr(node, field) for kind, field in _BINDING.items() for node in nodes.all(kind)}
    names |= {node.id for node in nodes.all(ast.Name) if not isinstance(node.ctx, ast.Load)}
    names |= {node.asname or node.name.partition(".")[0] for node in nodes.all(ast.alias)}
    return frozenset(names - {None})
