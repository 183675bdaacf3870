"""The text of a snippet as a tree, made without trusting the text."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from core.models.reply_code import kept_tree

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
    """The nodes of a tree by kind, each in the order of ``ast.walk``, and how deep it is."""

    levels: int
    _by_kind: dict[type[ast.AST], list[Any]]

    def all(self, kind: type[Node]) -> list[Node]:
        """The nodes of exactly this kind."""
        return self._by_kind.get(kind, [])


@lru_cache(maxsize=16)
def survey(tree: ast.Module) -> Survey:
    """One walk over a tree that nobody changes, for all who look at it.

    Whether a name is read or written (``ctx``) is no node here.
    """
    by_kind: dict[type[ast.AST], list[Any]] = {}
    layer: list[ast.AST] = [tree]
    levels = 0
    while layer:
        levels += 1
        for node in layer:
            by_kind.setdefault(type(node), []).append(node)
        children = (child for node in layer for child in ast.iter_child_nodes(node))
        layer = [child for child in children if not isinstance(child, ast.expr_context)]
    return Survey(levels, by_kind)


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
