"""Recorded snippets, run again in a thread that waits at each tool call for its answer."""

from __future__ import annotations

import queue
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from inspect import Signature

from ledger import Tool, ToolCall
from worker.replay.debugger.pauses import Ended, Pause
from worker.replay.recorded_tools import answer_of
from worker.sandbox import Pins, SandboxError, SandboxExecutor, SandboxLimits, open_sandbox

LIMITS = replace(SandboxLimits(), wall_seconds=1e9)
"""A person thinks within a tool call: only the code's own time is limited."""


class Playback:
    """Repeats the snippets of one instruction, as often as wanted, from the start or a call on.

    A sandbox cannot be rewound: going back is a new run that gets the answers given so far.
    """

    def __init__(self, codes: Sequence[str], pins: Pins, tools: Sequence[Tool]) -> None:
        self.codes: Sequence[str] = tuple(codes)
        self.pins = pins
        self.tools = tuple(tools)
        self._run: _Run | None = None

    def start(self, given: Sequence[ToolCall]) -> Pause | Ended:
        """Run from the start, with these answers, to the first call that has none."""
        self.close()
        self._run = _Run(self, given)
        return self._run.wait()

    def answer(self, call: ToolCall) -> Pause | Ended:
        """Answer the call that waits, and run to the next one."""
        assert self._run is not None, "nothing has been started"
        self._run.answers.put(call)
        return self._run.wait()

    def close(self) -> None:
        """End the run, wherever it stands."""
        if self._run is not None:
            self._run.answers.put(None)
            self._run.thread.join(timeout=5)
            self._run = None


class _Run:
    """One run through the snippets; the tool host of its sandbox."""

    def __init__(self, playback: Playback, given: Sequence[ToolCall]) -> None:
        self._playback = playback
        self._given = list(given)
        self._number = 0
        self._executor: SandboxExecutor | None = None
        self._moments: queue.Queue[Pause | Ended | BaseException] = queue.Queue()
        self.answers: queue.Queue[ToolCall | None] = queue.Queue()
        self.names = frozenset(t.name for t in playback.tools)
        self.signatures: Mapping[str, Signature] = {t.name: t.signature for t in playback.tools}
        self.thread = threading.Thread(target=self._play, name="playback", daemon=True)
        self.thread.start()

    def wait(self) -> Pause | Ended:
        """The next moment at which somebody has to say something."""
        moment = self._moments.get()
        if isinstance(moment, BaseException):
            raise moment
        return moment

    def _play(self) -> None:
        try:
            with open_sandbox(self, LIMITS, pins=self._playback.pins) as executor:
                self._executor = executor
                self._moments.put(self._steps(executor))
        except KeyboardInterrupt:
            return  # close() has ended it
        except BaseException as error:  # our own fault belongs to whoever waits
            self._moments.put(error)

    def _steps(self, executor: SandboxExecutor) -> Ended:
        for code in self._playback.codes:
            try:
                output = executor(code)
            except SandboxError:
                continue  # the recorded model went on with its next snippet
            if output.is_final_answer:
                return Ended(tuple(executor.traces), output.output, answered=True)
        return Ended(tuple(executor.traces))

    def call(self, name: str, args: list[object], kwargs: dict[str, object]) -> object:
        """Wait for the answer to one call. Raises ToolFault where that is an error."""
        self._number += 1
        if self._number <= len(self._given):
            return answer_of(self._given[self._number - 1])
        step, line = (self._executor.position if self._executor else None) or (0, 0)
        self._moments.put(Pause(self._number, name, tuple(args), dict(kwargs), step, line))
        answer = self.answers.get()
        if answer is None:
            raise KeyboardInterrupt
        return answer_of(answer)
