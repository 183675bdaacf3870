"""Which sandbox a snippet runs in: what Monty is known to run as CPython does, runs there.

The lists name what has been compared; everything else goes to the process sandbox. A look at
the text cannot know types, so a method is known by its name alone.
"""

from __future__ import annotations

import ast
import builtins
import sys

from worker.sandbox.source import bound_names, survey

_STATEMENTS = (
    *(ast.Module, ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For, ast.While, ast.If),
    *(ast.Break, ast.Continue, ast.Pass, ast.FunctionDef, ast.Return, ast.Import, ast.ImportFrom),
    *(ast.Try, ast.ExceptHandler, ast.Raise, ast.Assert, ast.alias, ast.arguments, ast.arg),
    *(ast.Global, ast.Nonlocal),
)
_EXPRESSIONS = (
    *(ast.Name, ast.Constant, ast.Call, ast.keyword, ast.Attribute, ast.Subscript, ast.Slice),
    *(ast.BinOp, ast.BoolOp, ast.UnaryOp, ast.Compare, ast.IfExp, ast.Lambda, ast.Starred),
    *(ast.List, ast.Tuple, ast.Dict, ast.ListComp, ast.DictComp, ast.GeneratorExp),
    *(ast.comprehension, ast.JoinedStr, ast.FormattedValue, ast.NamedExpr),
)
_GROUPS = (ast.expr_context, ast.operator, ast.boolop, ast.unaryop, ast.cmpop)
_KNOWN_NODES = frozenset(
    [*_STATEMENTS, *_EXPRESSIONS, *(kind for group in _GROUPS for kind in group.__subclasses__())]
)
_LOOKED_AT = frozenset(
    [
        *(ast.Name, ast.Attribute, ast.Call, ast.GeneratorExp, ast.Import, ast.ImportFrom),
        *(ast.ExceptHandler, ast.FunctionDef, ast.NamedExpr, ast.BinOp, ast.Constant),
    ]
)
"""Nodes of which more is to be known than their kind."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BUILTINS = _words(
    """
    abs all any bool chr dict divmod enumerate float int isinstance len list max min ord pow
    print range repr reversed round sorted str sum tuple zip map filter
    ArithmeticError AssertionError AttributeError Exception IndexError KeyError LookupError
    NameError RuntimeError StopIteration TimeoutError TypeError ValueError ZeroDivisionError
    True False None __name__
    """
)
if sys.version_info >= (3, 12):
    _BUILTINS -= {"sum"}  # sums of floats are exact there, not so in Monty
_EAGER = _words("map filter zip enumerate reversed")
"""Lazy in CPython, lists in Monty: only where they are used up at once."""
_CONSUMERS = _words("list tuple dict sum sorted max min join")
_METHODS = _words(
    """
    append extend insert pop remove clear copy count index sort reverse
    get items keys values setdefault update
    upper lower strip lstrip rstrip split rsplit join replace startswith endswith find rfind
    title capitalize isdigit isalpha isalnum isspace splitlines zfill ljust rjust center
    removeprefix removesuffix partition rpartition
    """
)
_WORDED_ALIKE = _words(
    """
    final_answer print len str bool abs sum min max sorted list enumerate range
    append extend get items keys values lower upper strip startswith endswith
    """
)
"""Functions and methods whose complaints are the same in both."""
_MODULES: dict[str, frozenset[str]] = {
    "math": _words("ceil floor sqrt inf pi e isclose gcd lcm comb perm factorial prod"),
    "json": _words("dumps loads"),
    "itertools": _words("product combinations permutations chain repeat accumulate"),
    "collections": _words("defaultdict Counter"),
    "functools": _words("reduce lru_cache cache partial"),
    "time": _words("sleep"),
    "typing": _words("Any Dict List Optional Tuple"),
}
_KEYWORDS = {
    "print": frozenset({"sep", "end"}),
    "dumps": frozenset({"indent", "sort_keys"}),
    "loads": frozenset[str](),
    "sort": frozenset({"reverse"}),
    "split": frozenset({"maxsplit"}),
}


def wants_process(
    tree: ast.Module, tools: frozenset[str], known: frozenset[str] = frozenset()
) -> str | None:
    """What in the snippet Monty may not run as CPython does, or None.

    ``known``: names of earlier steps.
    """
    return _Look(tree, tools, known).reason()


class _Look:
    def __init__(self, tree: ast.Module, tools: frozenset[str], known: frozenset[str]) -> None:
        seen = survey(tree)
        self.seen, self.parents = seen, seen.parents
        self.own = bound_names(tree)
        self.names = tools | known | self.own
        self.tools = tools - self.own
        self.modules = {
            alias.asname or alias.name: alias.name
            for node in seen.all(ast.Import)
            for alias in node.names
        }

    def reason(self) -> str | None:
        for node in self.seen.nodes:
            kind = type(node)
            if kind not in _KNOWN_NODES:
                return kind.__name__
            found = self._of(node) if kind in _LOOKED_AT else None
            if found:
                return found
        return None

    def _of(self, node: ast.AST) -> str | None:
        match node:
            case ast.Name():
                return self._name(node)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Call():
                return self._call(node)
            case ast.GeneratorExp():
                return None if self._at_once(node) else "generator expression"
            case ast.Import():
                wrong = [alias.name for alias in node.names if alias.name not in _MODULES]
                return f"module {wrong[0]}" if wrong else None
            case ast.ImportFrom():
                return self._from(node)
            case ast.ExceptHandler(name=str(name)) if self._used(name):
                attempt = self.parents[node]
                plain = isinstance(attempt, ast.Try) and all(map(self._fails_alike, attempt.body))
                return None if plain else "text of an exception"
            case ast.FunctionDef():
                return self._function(node)
            case ast.NamedExpr() if self._in_comprehension(node):
                return "assignment inside a comprehension"
            case ast.BinOp(op=ast.BitOr() | ast.BitAnd() | ast.BitXor()):
                return "set operation"
            case ast.BinOp(op=ast.Sub(), left=ast.Call(func=ast.Attribute(attr="keys" | "items"))):
                return "set operation"
            case ast.BinOp(op=ast.Mod(), left=ast.Constant(value=str()) | ast.JoinedStr()):
                return "formatting with %"
            case ast.Constant(value=complex() | bytes()):
                return "constant"
            case _:
                return None

    def _name(self, node: ast.Name) -> str | None:
        if node.id in _BUILTINS and node.id in self.own:
            return f"{node.id} given another meaning"
        if node.id in _EAGER and node.id not in self.own:
            call = self.parents[node]
            called = isinstance(call, ast.Call) and call.func is node
            return None if called and self._at_once(call) else f"{node.id} object"
        if node.id in _BUILTINS or node.id in self.names:
            return None
        return f"name {node.id}" if hasattr(builtins, node.id) else None

    def _attribute(self, node: ast.Attribute) -> str | None:
        base = node.value
        if isinstance(base, ast.Name) and base.id in self.modules:
            known = node.attr in _MODULES.get(self.modules[base.id], ())
            return None if known else f"{self.modules[base.id]}.{node.attr}"
        call = self.parents[node]
        if not (isinstance(call, ast.Call) and call.func is node and node.attr in _METHODS):
            return f"attribute {node.attr}"
        if isinstance(base, ast.Name) and base.id in _BUILTINS:
            return f"{base.id}.{node.attr}"
        return None

    def _call(self, node: ast.Call) -> str | None:
        func = node.func
        name = func.id if isinstance(func, ast.Name) else getattr(func, "attr", "")
        given = {keyword.arg for keyword in node.keywords}
        if name in _KEYWORDS and not given <= _KEYWORDS[name]:
            return f"arguments of {name}"
        if name == "round" and len(node.args) + len(given) > 1:
            return "rounding to digits"  # 2.675 gives 2.68 in Monty
        return None

    def _from(self, node: ast.ImportFrom) -> str | None:
        known = _MODULES.get(node.module or "", frozenset())
        wrong = [alias.name for alias in node.names if alias.name not in known]
        return f"{node.module}.{wrong[0]}" if wrong or node.level else None

    def _function(self, node: ast.FunctionDef) -> str | None:
        for decorator in node.decorator_list:
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            if not (isinstance(target, ast.Name) and target.id in ("lru_cache", "cache")):
                return "decorator"
        return None

    def _at_once(self, node: ast.AST) -> bool:
        """Whether it makes no difference that Monty makes all items before the first is used.

        Calls with effects must not run ahead of a consumer that may stop or fail half way.
        """
        consumer = self._consumer(node)
        if consumer in ("list", "tuple", "sorted"):
            return True
        return consumer is not None and not self._has_effects(node)

    def _consumer(self, node: ast.AST) -> str | None:
        """Name of what takes the items; ``for`` for a loop."""
        parent = self.parents[node]
        if isinstance(parent, ast.For | ast.comprehension) and parent.iter is node:
            return "for"
        if not isinstance(parent, ast.Call) or node not in parent.args:
            return None
        func = parent.func
        name = func.id if isinstance(func, ast.Name) else getattr(func, "attr", "")
        if name in _EAGER:
            return self._consumer(parent)
        return name if name in _CONSUMERS else None

    def _has_effects(self, node: ast.AST) -> bool:
        """Whether making an item of something lazy calls more than builtins and methods."""
        if isinstance(node, ast.GeneratorExp):
            # The first iterable is made at once in CPython, too.
            apart = set(ast.walk(node.generators[0].iter))
            calls = [n for n in ast.walk(node) if isinstance(n, ast.Call) and n not in apart]
            names = [call.func.id for call in calls if isinstance(call.func, ast.Name)]
            return any(name not in _BUILTINS for name in names)
        if not isinstance(node, ast.Call) or self._name_of(node) not in _EAGER:
            return False
        if self._name_of(node) in ("map", "filter"):
            first = node.args[0] if node.args else node
            if not (isinstance(first, ast.Name) and first.id in _BUILTINS):
                return True
        return any(self._has_effects(argument) for argument in node.args)

    @staticmethod
    def _name_of(node: ast.AST) -> str:
        func = node.func if isinstance(node, ast.Call) else node
        return func.id if isinstance(func, ast.Name) else ""

    def _used(self, name: str) -> bool:
        names = self.seen.all(ast.Name)
        return any(node.id == name and isinstance(node.ctx, ast.Load) for node in names)

    def _fails_alike(self, statement: ast.stmt) -> bool:
        """Whether all that can go wrong is worded in Monty as in CPython: tools, mostly."""
        for node in ast.walk(statement):
            match node:
                case ast.Call(func=ast.Name(id=name)):
                    alike = name in self.tools or name in _WORDED_ALIKE
                case ast.Call(func=ast.Attribute(attr=name)):
                    alike = name in _WORDED_ALIKE
                case ast.BinOp(op=ast.Div() | ast.FloorDiv() | ast.Mod() | ast.Pow()):
                    alike = False
                case ast.Tuple(ctx=ast.Store()) | ast.List(ctx=ast.Store()):
                    alike = False
                case ast.Dict(keys=keys):
                    alike = all(isinstance(key, ast.Constant) for key in keys)
                case (
                    ast.Import() | ast.ImportFrom() | ast.Call() | ast.FunctionDef() | ast.Lambda()
                ):
                    alike = False
                case _:
                    alike = True
            if not alike:
                return False
        return True

    def _in_comprehension(self, node: ast.AST) -> bool:
        above: ast.AST | None = node
        while above is not None:
            if isinstance(above, ast.comprehension | ast.ListComp | ast.DictComp):
                return True
            above = self.parents.get(above)
        return False
