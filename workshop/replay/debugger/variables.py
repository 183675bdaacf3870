"""Variables at a pause: the run is repeated in a sandbox that evaluates an expression there.

A sandbox cannot be asked while a call waits. So the snippets are rewritten: each tool call gets
one more argument that is evaluated last, in the very scope of the call, and only at the right
call. That shows locals of functions, too.
"""

from __future__ import annotations

import ast
from inspect import Signature

import regex

from core.ledger import ToolFault
from worker.sandbox.contract import SandboxError
from worker.sandbox.factory import open_sandbox
from workshop.replay.debugger.debug_state import LIMITS, DebugState
from workshop.replay.recorded_tools import answer_of

HERE, LOOK, OVER = "debugger_is_here", "debugger_looks", "debugger_is_over"
_ERROR = regex.compile(r"^\w+(?:Error|Exception|Iteration)\b.*", regex.MULTILINE)


def look(debug: DebugState, expression: str) -> str:
    """``repr`` of an expression at the call that waits, or why there is none."""
    try:
        ast.parse(expression, mode="eval")
    except (SyntaxError, ValueError) as error:
        return f"*** SyntaxError: {getattr(error, 'msg', error)}"
    host = _Host(debug)
    report = ""
    with open_sandbox(host, LIMITS, debug.sandbox, clock_and_seed=debug.clock_and_seed) as executor:
        for code in debug.codes:
            try:
                executor(_rewritten(code, host.tools, expression))
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

    def __init__(self, debug: DebugState) -> None:
        self.tools = frozenset(debug.answers.tools)
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


def _rewritten(code: str, tools: frozenset[str], expression: str) -> str:
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return code  # the executor refuses it, as it did
    return ast.unparse(ast.fix_missing_locations(_Rewriter(tools, expression).visit(tree)))


class _Rewriter(ast.NodeTransformer):
    """Puts the question behind the arguments of each tool call, and lets no handler swallow it."""

    def __init__(self, tools: frozenset[str], expression: str) -> None:
        self._tools = tools
        self._question = f"({LOOK}(repr(({expression}))) if {HERE}() else {{}})"

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A call of a tool by its name."""
        if isinstance(node.func, ast.Name) and node.func.id in self._tools:
            node.args = [self.visit(a) for a in node.args]
            for keyword in node.keywords:
                keyword.value = self.visit(keyword.value)
            question = ast.parse(self._question, mode="eval").body
            node.keywords.append(ast.keyword(None, question))
            return node
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A tool that is handed on, as in ``map(Tool, things)``."""
        if node.id in self._tools and isinstance(node.ctx, ast.Load):
            called = f"lambda *a, **k: {node.id}(*a, **k, **{self._question})"
            return ast.parse(called, mode="eval").body
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        """What the question raises has to reach us."""
        self.generic_visit(node)
        node.body[:0] = ast.parse(f"if {OVER}():\n    raise").body
        return node
