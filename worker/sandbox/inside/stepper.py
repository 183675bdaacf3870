"""Python's own debugger inside a session: it steps through generated code and asks the host.

The host sends this text only to a session that a person steps through. Lines that the person
types are carried out here, behind the same walls as the generated code.
"""

from __future__ import annotations

import ctypes
import linecache
import pdb
import sys
import threading
import types
from collections.abc import Callable, Sequence
from typing import Any

_SAID_CHARS = 20_000
_VALUE_CHARS = 300
_ALONE = frozenset(
    {"n", "next", "s", "step", "c", "cont", "continue", "r", "return", "a", "args", "vars"}
    | {"q", "quit", "exit"}
)
"""Commands without an argument: a longer line, such as ``n + 1``, is an expression."""


class _Terminal:
    """Where pdb writes and reads: a line is asked of the host, with what was said before."""

    def __init__(self, ask: Callable[[str], str]) -> None:
        self._ask = ask
        self._said: list[str] = []

    def write(self, text: str) -> None:
        self._said.append(text)

    def flush(self) -> None:
        pass

    def readline(self) -> str:
        said, self._said = "".join(self._said), []
        return self._ask(said[-_SAID_CHARS:]) + "\n"


class Stepper(pdb.Pdb):
    """Stops at lines of generated code only; commands are those of pdb, and ``vars``."""

    def __init__(self, ask: Callable[[dict[str, Any]], dict[str, Any]], tools: set[str]) -> None:
        """``ask`` sends a message to the host and returns its reply."""
        self._ask = ask
        self._tools = tools
        self._is_new = False
        self.is_asking = False
        """Whether the person is at a stop: then the code itself does not run."""
        terminal: Any = _Terminal(self._read)
        super().__init__(stdin=terminal, stdout=terminal, nosigint=True, readrc=False)
        self.prompt = ""
        self.reset()

    def _read(self, said: str) -> str:
        is_new, self._is_new = self._is_new, False
        return str(self._ask({"said": said, "new": is_new})["line"])

    def show(self, codes: Sequence[str]) -> None:
        """Make the snippets known, so that lines of later ones can have breakpoints."""
        for step, code in enumerate(codes, start=1):
            file = f"<step {step}>"
            linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)

    def start(self, at: types.FrameType | None = None) -> None:
        """Trace from here on, unless the person goes on and there is no breakpoint."""
        if self.stoplineno == -1 and not self.breaks:
            return
        while at is not None:
            if _is_step(at):
                at.f_trace = self.trace_dispatch
            at = at.f_back
        sys.settrace(self.trace_dispatch)

    def pause(self) -> bool:
        """Stop within a tool call, at the line that calls; False: not from this thread."""
        calling: types.FrameType | None = sys._getframe(1)
        while calling is not None and not _is_step(calling):
            calling = calling.f_back
        if calling is None or threading.current_thread() is not threading.main_thread():
            return False
        sys.settrace(None)
        self.interaction(calling, None)
        if sys.version_info < (3, 13):  # what was assigned here is a copy, which a tracer returns
            ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(calling), ctypes.c_int(0))
        self.start(calling)
        return True

    def interaction(self, frame: types.FrameType | None, *args: Any, **kwargs: Any) -> None:
        """Ask what to do at this stop."""
        self._is_new = self.is_asking = True
        try:
            super().interaction(frame, *args, **kwargs)
        finally:
            self.is_asking = False

    def trace_dispatch(self, frame: types.FrameType, event: str, arg: Any) -> Any:
        """Follow frames of generated code and no others."""
        return super().trace_dispatch(frame, event, arg) if _is_step(frame) else None

    def user_call(self, frame: types.FrameType, argument_list: None) -> None:
        """Stop where a function begins; a snippet begins with its first line."""
        if frame.f_code.co_name != "<module>":
            super().user_call(frame, argument_list)

    def user_return(self, frame: types.FrameType, return_value: Any) -> None:
        """Stop where a function returns; the next stop after a snippet is in the next one."""
        if frame.f_code.co_name != "<module>":
            super().user_return(frame, return_value)

    def user_exception(self, frame: types.FrameType, exc_info: Any) -> None:
        """Stop where an exception is raised or passes; the end of the work is none."""
        if not issubclass(exc_info[0], SystemExit):
            super().user_exception(frame, exc_info)

    def get_stack(
        self, f: types.FrameType | None, t: types.TracebackType | None
    ) -> tuple[list[tuple[types.FrameType, int]], int]:
        """The frames of generated code."""
        stack, at = super().get_stack(f, t)
        kept = [entry for entry in stack if _is_step(entry[0])]
        return kept, kept.index(stack[at]) if stack[at] in kept else len(kept) - 1

    def canonic(self, filename: str) -> str:
        """A step by its number is its file."""
        return f"<step {filename}>" if filename.isdigit() else super().canonic(filename)

    def lookupmodule(self, filename: str) -> str:
        """As ``canonic``: there are no other files."""
        return self.canonic(filename)

    def parseline(self, line: str) -> tuple[str | None, str | None, str]:
        """The command and its argument; None for a line that can only be a statement."""
        command, argument, line = super().parseline(line)
        if command in _ALONE and argument:
            return None, None, line
        return command, argument, line

    def do_clear(self, arg: str) -> bool | None:
        """cl(ear) [STEP:]LINE | NUMBER: delete a breakpoint; all of them without an argument."""
        if arg not in ("", "all"):
            return super().do_clear(arg)
        self.clear_all_breaks()
        return None

    def do_longlist(self, arg: str) -> bool | None:
        """ll: the whole snippet. What pdb does here asks for the path of a file."""
        file = self.curframe.f_code.co_filename if self.curframe else ""
        return self.do_list(f"1, {max(2, len(linecache.getlines(file)))}")

    def do_run(self, arg: str) -> bool | None:
        """run: there is nothing to restart here; back goes to an earlier stop."""
        self.error("back goes to an earlier stop")
        return None

    do_cl, do_ll, do_restart = do_clear, do_longlist, do_run

    def do_vars(self, _: str) -> None:
        """vars: the variables of this frame; no functions, classes, modules or constants."""
        for name, value in dict(self.curframe_locals).items():
            hidden = types.FunctionType | types.BuiltinFunctionType | types.ModuleType | type
            if name.startswith("__") or name.isupper() or name in self._tools:
                continue
            if not isinstance(value, hidden):
                self.message(f"{name} = {_shown(value)}")


def _is_step(frame: types.FrameType) -> bool:
    return frame.f_code.co_filename.startswith("<step ")


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except Exception as error:
        return f"<{type(error).__name__} in repr()>"
    return text if len(text) <= _VALUE_CHARS else f"{text[:_VALUE_CHARS]}…"
