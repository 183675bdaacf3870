"""The host of a sandbox whose work stops at each tool call, and asks at the prompt."""

from __future__ import annotations

from worker.sandbox.executor import SandboxExecutor
from workshop.replay.debugger.answer_source import Pause
from workshop.replay.debugger.debug_state import DebugState
from workshop.replay.debugger.prompt import Prompt
from workshop.replay.recorded_tools import answer_of


class AskingHost:
    """The tools of a debugged instruction; a ToolHost for one run through its snippets."""

    executor: SandboxExecutor | None = None
    """Who runs them: tells where a call stands."""

    def __init__(self, debug: DebugState, prompt: Prompt) -> None:
        self.names = frozenset(debug.answers.tools)
        self.signatures = {name: tool.signature for name, tool in debug.answers.tools.items()}
        self._debug = debug
        self._prompt = prompt
        self._number = 0

    def call(self, name: str, args: list[object], kwargs: dict[str, object]) -> object:
        """The answer that was given before, else the user's. Raises KeyboardInterrupt to stop."""
        self._number += 1
        if self._number <= len(self._debug.history):
            return answer_of(self._debug.calls[self._number - 1])
        step, line = (self.executor and self.executor.position) or (0, 0)
        pause = Pause(self._number, name, tuple(args), dict(kwargs), step, line)
        return answer_of(self._prompt.at(pause).call)
