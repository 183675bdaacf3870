"""Values at a pause: the run is repeated in a sandbox that evaluates an expression there.

A sandbox cannot be asked while a call waits. So the snippets are rewritten: each tool call gets
one more argument that is evaluated last, in the very scope of the call, and only at the right
call. That shows locals of functions, too.
"""

from __future__ import annotations

import ast
from contextlib import suppress
from inspect import Signature

import regex

from core.ledger import ToolFault
from core.terminal.figures import cut
from worker.sandbox.check import bound_names, parse
from worker.sandbox.contract import SandboxError
from worker.sandbox.isolation import open_sandbox
from workshop.replay.debugger.debug_state import LIMITS, BadCommand, DebugState
from workshop.replay.recorded_tools import answer_of

HERE, LOOK, OVER = "debugger_is_here", "debugger_looks", "debugger_is_over"
TRY = "debugger_try"
SHOWN = 300
"""Characters of a variable in a list."""
_ERROR = regex.compile(r"^\w+(?:Error|Exception|Iteration)\b.*", regex.MULTILINE)
_PRELUDE = f"""\
def {TRY}(get):
    try:
        return repr(get())[:{SHOWN + 1}]
    except Exception:
        return None
"""
"""It runs in the sandbox, where a name may have no value yet, and ``repr`` may raise anything."""


def syntax_error(text: str) -> str | None:
    """Why a text cannot be evaluated; None: it could be."""
    try:
        ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return str(getattr(error, "msg", error))
    return None


def look(debug: DebugState, expression: str) -> str:
    """Return ``repr`` of an expression at the waiting call, or ``***`` and the error."""
    if error := syntax_error(expression):
        return f"*** SyntaxError: {error}"
    return _evaluate(debug, expression)


def variables(debug: DebugState) -> dict[str, str]:
    """The variables at the waiting call as text: no functions, classes, modules or constants.

    Raises BadCommand: nothing can be seen.
    """
    trees = [_tree(code) for code in debug.codes[: debug.place[0]]]
    every = set().union(*map(bound_names, trees)) - {"*"}
    nodes = [node for tree in trees for node in ast.walk(tree)]
    hidden = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    hidden |= {n.asname or n.name.partition(".")[0] for n in nodes if isinstance(n, ast.alias)}
    hidden |= {name for name in every if name.isupper()}
    values = ", ".join(f"{name!r}: {TRY}(lambda: {name})" for name in sorted(every - hidden))
    text = _evaluate(debug, f"{{{values}}}")
    if text.startswith("***"):
        raise BadCommand(text.removeprefix("*** "))
    known = ((name, value) for name, value in ast.literal_eval(text).items() if value is not None)
    return {name: cut(value, SHOWN) for name, value in known}


def names_in(code: str) -> frozenset[str]:
    """Every name that a snippet gives a meaning to."""
    return bound_names(_tree(code))


def _tree(code: str) -> ast.Module:
    try:
        return parse(code)
    except SyntaxError:
        return ast.Module([], [])


def _evaluate(debug: DebugState, expression: str) -> str:
    host = _Host(debug)
    rewriter = _Rewriter(host.tools, expression)
    report = ""
    with open_sandbox(host, LIMITS, debug.sandbox, clock_and_seed=debug.clock_and_seed) as executor:
        executor(_PRELUDE)
        for code in debug.codes:
            with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
                # Other code is refused by the executor, as it was.
                tree = rewriter.visit(ast.parse(code))
                code = ast.unparse(ast.fix_missing_locations(tree))
            try:
                executor(code)
            except SandboxError as error:
                report = error.text
            if host.over:
                break
    if host.value is not None:
        return host.value
    if not host.over:
        return "*** variables cannot be seen at this call: its code does not name the tool"
    match = _ERROR.search(report)
    return f"*** {match[0] if match else 'the expression has no value here'}"


class _Host:
    """Answers as before, and says once that the run is where the question is."""

    waited = 0.0

    def __init__(self, debug: DebugState) -> None:
        self.tools = frozenset(debug.tools)
        self.names = self.tools | {HERE, LOOK, OVER}
        self.signatures: dict[str, Signature] = {}
        self._given = debug.calls
        self.over = False
        self.value: str | None = None

    def call(self, name: str, args: list[object], kwargs: dict[str, object]) -> object:
        """One call; nothing but the given answers comes back, and nothing is sent."""
        if name == OVER:
            return self.over
        if name == HERE:
            here = not self._given and not self.over
            self.over |= here
            return here
        if name == LOOK:
            self.value = str(args[0])
        if self.over or not self._given:
            self.over = True
            raise ToolFault("an expression cannot call tools", kind="RuntimeError", fatal=True)
        return answer_of(self._given.pop(0))


class _Rewriter(ast.NodeTransformer):
    """Puts the question behind the arguments of each tool call, and lets no handler swallow it."""

    def __init__(self, tools: frozenset[str], expression: str) -> None:
        self._tools = tools
        self._question = f"({LOOK}(repr(({expression}))) if {HERE}() else {{}})"

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A call of a tool by its name."""
        if not isinstance(node.func, ast.Name) or node.func.id not in self._tools:
            return self.generic_visit(node)
        node.args = [self.visit(a) for a in node.args]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        node.keywords.append(ast.keyword(None, _expression(self._question)))
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A tool that is handed on, as in ``map(Tool, things)``."""
        if node.id in self._tools and isinstance(node.ctx, ast.Load):
            return _expression(f"lambda *a, **k: {node.id}(*a, **k, **{self._question})")
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        """Exceptions of the question must reach the debugger."""
        self.generic_visit(node)
        node.body[:0] = ast.parse(f"if {OVER}():\n    raise").body
        return node


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
