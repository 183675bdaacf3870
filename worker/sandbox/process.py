"""A sandbox session on an isolated CPython process."""

from __future__ import annotations

import codecs
import os
import secrets
import select
import signal
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from subprocess import SubprocessError
from typing import Any

from worker.sandbox.contract import ClockAndSeed, SandboxUnavailable
from worker.sandbox.fork_server import fork_server
from worker.sandbox.tool_bridge import CodeFailure, Frame, Place, StepOver, ToolBridge
from worker.sandbox.values import Prints, Unframer, display, frame

_STEPPER = Path(__file__).parent / "inside" / "stepper.py"
_CPU_SECONDS = 600
"""A backstop for the day when nobody is left to end the process."""
_PORTION = 1 << 16
_MOST_FRAMES = 100
_MOST_PORTIONS = 64
_CHARS = 8
"""Bytes that a character, with its share of quotes and commas, takes at most on the line."""
_SEND_SECONDS = 0.5
_BROKEN = "the sandbox broke the protocol"
_DIED = "the sandbox process ended while the code ran"


class ProcessInterpreter:
    """One interpreter in a process of its own."""

    def __init__(self, bridge: ToolBridge, clock_and_seed: ClockAndSeed) -> None:
        """Raises SandboxUnavailable."""
        self._bridge = bridge
        self._limits = limits = bridge.limits
        self._prints = Prints(0)
        most = _CHARS * max(limits.argument_chars, 20 * limits.output_chars) + _PORTION
        self._incoming = Unframer(most)
        self._token = ""
        """Of the step that runs; whatever comes without it is not heard."""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        settings = {
            **asdict(limits),
            **asdict(clock_and_seed),
            "cpu_seconds": _CPU_SECONDS,
            "names": sorted(bridge.host.names),
        }
        try:
            self._child = fork_server().open(settings)
        except (OSError, MemoryError, RuntimeError, SubprocessError) as failure:
            text = f"no process sandbox could be opened: {failure}"
            raise SandboxUnavailable(text) from failure
        self._output = select.poll()
        self._output.register(self._child.output, select.POLLIN)
        self._both = select.poll()
        for line in (self._child.link, self._child.output):
            self._both.register(line, select.POLLIN)

    def run(self, prints: Prints) -> object:
        """Run the bridge's step to its end; the value of its last expression, safe to display.

        Returns None after ``final_answer`` (see ``bridge.final``). Raises CodeFailure when the code
        raised, StepOver when the interpreter is of no more use, and KeyboardInterrupt out of a
        tool.
        """
        try:
            handle = self._child.wait_started()
        except OSError as failure:
            text = f"no process sandbox could be opened: {failure}"
            raise SandboxUnavailable(text) from failure
        self._prints, bridge, stepping = prints, self._bridge, {}
        if terminal := bridge.terminal:
            stepping = {"stepper": _STEPPER.read_text("utf-8"), "codes": [*terminal.codes]}
            bridge.pause = self._pause
        try:
            signal.pidfd_send_signal(handle, signal.SIGCONT)
            self._token = secrets.token_hex(8)
            order = {"run": bridge.code, "step": bridge.step, "token": self._token}
            self._send({**order, **stepping})
            result = self._until("end")
            # Nothing may run inside until the next step, not even threads that outlived this one.
            signal.pidfd_send_signal(handle, signal.SIGSTOP)
        except OSError:
            raise StepOver(_DIED) from None
        if not self._drain():
            raise StepOver(_DIED)
        if bridge.final:
            return None
        match result:
            case {"value": value}:
                return display(value, self._limits.output_chars)
            case {"error": {"name": "MemoryError"}}:
                text = f"memory limit of {self._limits.memory_mb} MB reached"
                raise StepOver(text, "limit")
            case {"error": {"name": str(name), "message": str(message), "frames": list(frames)}}:
                raise CodeFailure(name, message, tuple(_frames(frames[:_MOST_FRAMES])))
        raise StepOver(_BROKEN)

    def close(self) -> None:
        """Kill the process."""
        self._child.end()

    def _until(self, word: str) -> Any:
        """Answer the session until it says ``word``, or what it must not say now; what it says."""
        while True:
            message = self._message()
            if message is None:
                self._wait()
            elif "said" in message:
                self._ask_person(message)
            elif "call" in message and word == "end":
                self._answer(message)
            else:
                return message.get(word)

    def _pause(self) -> bool:
        """Let the person look around inside, at the call that waits; False: it cannot be done."""
        self._send({"pause": True})
        return self._until("paused") is True

    def _ask_person(self, message: dict[str, Any]) -> None:
        self._drain()
        match message:
            case {"said": str(said), "new": bool(is_new)}:
                pass
            case _:
                raise StepOver(_BROKEN)
        if self._bridge.terminal is None:
            raise StepOver(_BROKEN)
        with self._bridge.stop_clock():
            line = self._bridge.terminal.ask(said, is_new)
        self._send({"line": line})

    def _wait(self) -> None:
        """Until something arrives or the time is up; takes it in."""
        self._bridge.check_time()
        for fd, _ in self._both.poll(self._bridge.seconds_left() * 1000 + 1):
            if fd == self._child.output:
                self._take_output()
                continue
            data = self._child.link.recv(_PORTION)
            if not data:
                self._drain()
                raise StepOver(_DIED)
            self._incoming.feed(data)

    def _message(self) -> dict[str, Any] | None:
        try:
            while (message := self._incoming.next()) is not None:
                if message.get("token") == self._token:
                    return message
        except (ValueError, RecursionError):
            raise StepOver(_BROKEN) from None
        return None

    def _answer(self, message: dict[str, Any]) -> None:
        name, args, kwargs = message["call"], message.get("args"), message.get("kwargs")
        if not (isinstance(name, str) and isinstance(args, list) and isinstance(kwargs, dict)):
            raise StepOver(_BROKEN)
        place: Place | None = None
        match message.get("at"):
            case [int(step), int(line)] if 0 < step <= self._bridge.step:
                place = step, min(max(line, 0), self._limits.code_chars)
        answer = self._bridge.call(name, args, kwargs, place)
        reply = {"value": answer.value, "raises": answer.raises, "text": answer.text}
        self._send(reply)

    def _send(self, message: dict[str, Any]) -> None:
        """Send, but do not wait for ever for a process that does not listen."""
        self._child.link.settimeout(self._bridge.seconds_left() + _SEND_SECONDS)
        self._child.link.sendall(frame(message))

    def _take_output(self) -> bool:
        data = os.read(self._child.output, _PORTION)
        self._prints.write(self._decoder.decode(data))
        return bool(data)

    def _drain(self) -> bool:
        """Take in what is left of the prints; false when the line is cut."""
        for _ in range(_MOST_PORTIONS):
            if not self._output.poll(0):
                break
            if not self._take_output():
                return False
        return True


def _frames(reported: list[Any]) -> Iterator[Frame]:
    for each in reported:
        match each:
            case [int(step), int(line), str(function)]:
                yield Frame(step, line, function)
