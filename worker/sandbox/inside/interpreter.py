"""One session of the process sandbox: the interpreter loop behind the filter.

Whatever is said here may be said by hostile code instead: the host believes nothing of it.
"""

from __future__ import annotations

import ast
import builtins
import io
import linecache
import mmap
import os
import re
import signal
import socket
import sys
import threading
import types
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

from worker.sandbox.inside import determinism
from worker.sandbox.values import NotPlain, Plain, Unframer, frame, plain_json, shorten

_FILE = re.compile(r"<step (\d+)>")
_MOST_FRAMES = 40
_NAME_CHARS = 200
_MESSAGE_CHARS = 20_000
_STACK = 1 << 20
RESERVE = 8 << 20
"""Bytes beside the memory of the code, for our own work between steps."""
_BELOW = 8
"""Number of our frames below the first frame of a snippet."""


class Channel:
    """Messages to and from the host; one call at a time."""

    def __init__(self, link: socket.socket, argument_chars: int) -> None:
        self._link = link
        self._incoming = Unframer(1 << 31)
        self._lock = threading.RLock()
        self._limit = argument_chars
        self._late: weakref.WeakSet[threading.Thread] = weakref.WeakSet()
        """Threads that have outlived the step in which they began."""
        self.step = 0
        self.token = ""
        """Told by the host with each snippet; it listens to no message without it, so that code
        cannot speak for a later step."""
        self.stepper: Any = None
        """Of a session that a person steps through: the debugger."""

    def receive(self) -> dict[str, Any]:
        """The next message; the process ends with the connection."""
        while (message := self._incoming.next()) is None:
            data = self._link.recv(1 << 16)
            if not data:
                os._exit(0)
            self._incoming.feed(data)
        return message

    def end(self, result: dict[str, Any]) -> None:
        """Report a step and close the way for threads that outlive it, also in later steps."""
        with self._lock:
            self._late.update(t for t in threading.enumerate() if not _may_go_on(t))
            token, self.token = self.token, ""
            self._link.sendall(frame({"end": result, "token": token}))

    def call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a tool. Raises what the host answers, SystemExit when the step is over."""
        try:
            what = f"an argument of {name}"
            plain = [plain_json(args, self._limit, what), plain_json(kwargs, self._limit, what)]
        except NotPlain as refusal:
            raise TypeError(f"{refusal}; tools take plain data") from None
        place = _place(sys._getframe(1))
        return self._ask({"call": name, "args": plain[0], "kwargs": plain[1], "at": place})

    def finish(self, limit: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Give the final answer, which ends the step. Raises SystemExit."""
        given = [_value(value, limit) for value in (*args, *kwargs.values())]
        self._ask({"call": "final_answer", "args": given, "kwargs": {}})

    def ask_person(self, message: dict[str, Any]) -> dict[str, Any]:
        """Say something to the person who steps through the code; their reply."""
        with self._lock:
            self._link.sendall(frame({**message, "token": self.token}))
            return self.receive()

    def _ask(self, request: dict[str, Any]) -> Any:
        if self.stepper and self.stepper.is_asking:
            raise RuntimeError("an expression cannot call tools")
        with self._lock:
            if not self.token or threading.current_thread() in self._late:
                raise SystemExit
            self._link.sendall(frame({**request, "token": self.token}))
            while "pause" in (answer := self.receive()):
                paused = bool(self.stepper and self.stepper.pause())
                self._link.sendall(frame({"paused": paused, "token": self.token}))
        if answer["raises"]:
            raise getattr(builtins, answer["raises"])(*[answer["text"]] if answer["text"] else [])
        return answer["value"]


def prepare(settings: dict[str, Any]) -> io.TextIOWrapper[Any]:
    """Set up what generated code finds around it; the stream of its prints."""
    threading.stack_size(_STACK)
    sys.setrecursionlimit(int(settings["recursion"]) + _BELOW)
    sys.argv = [""]
    sys.stdin = io.StringIO("")
    raw = io.BufferedWriter(io.FileIO(1, "w", closefd=False), 1 << 15)
    prints = io.TextIOWrapper(raw, "utf-8", "replace", line_buffering=True)
    sys.stdout = sys.stderr = prints
    sys.__stdout__ = sys.__stderr__ = prints  # type: ignore[misc]
    main = types.ModuleType("__main__")
    main.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = main
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    determinism.start(float(settings["clock"]), int(settings["seed"]))
    return prints


def serve(link: socket.socket, settings: dict[str, Any], prints: io.TextIOWrapper[Any]) -> None:
    """Run snippets until the host closes its end or ends the process."""
    channel = Channel(link, int(settings["argument_chars"]))
    limit = int(settings["output_chars"])
    tools = {name: _tool(name, partial(channel.call, name)) for name in settings["names"]}
    tools["final_answer"] = _tool("final_answer", partial(channel.finish, limit))
    names = sys.modules["__main__"].__dict__
    link.sendall(frame({"hello": 1}))  # the kernel adds who says it
    while True:
        request = channel.receive()
        channel.step, channel.token = int(request["step"]), str(request["token"])
        # A name that the code gave to something else is a tool again in the next step.
        names.update(tools)
        if request.get("stepper"):
            channel.stepper = channel.stepper or _new_stepper(request["stepper"], channel, tools)
            channel.stepper.show(request["codes"])
        result = _run(request["run"], channel, names, limit)
        prints.flush()
        channel.end(result if _room() else {"error": _error(MemoryError())})


def _tool(name: str, ask: Callable[..., Any]) -> Any:
    def tool(*args: Any, **kwargs: Any) -> Any:
        return ask(args, kwargs)

    tool.__name__ = tool.__qualname__ = name
    tool.__module__ = "__main__"
    return tool


def _new_stepper(text: str, channel: Channel, tools: dict[str, Any]) -> Any:
    """The debugger, whose text comes from the host: no other session pays for it."""
    module = types.ModuleType("stepper")
    exec(compile(text, "/sandbox/stepper.py", "exec"), module.__dict__)
    return module.Stepper(channel.ask_person, set(tools))


def _run(code: str, channel: Channel, names: dict[str, Any], limit: int) -> dict[str, Any]:
    result: dict[str, Any]
    try:
        if channel.stepper:
            channel.stepper.start()
        result = {"value": _value(_execute(code, f"<step {channel.step}>", names), limit)}
    except SystemExit as leaving:
        ended = leaving.code in (None, 0)
        result = {"value": None} if ended else {"error": _error(leaving)}
    except BaseException as error:
        result = {"error": _error(error)}
    finally:
        sys.settrace(None)
    for thread in threading.enumerate():
        # As at the end of a program; a pool that was left open waits for work for ever.
        if not (thread.daemon or _may_go_on(thread)):
            thread.join()
    return result


def _may_go_on(thread: threading.Thread) -> bool:
    """Whether a thread is of use to the next step: the one that runs it, or one of a pool."""
    pools = sys.modules.get("concurrent.futures.thread")
    of_a_pool = pools is not None and thread in pools._threads_queues
    return thread is threading.current_thread() or of_a_pool


def _room() -> bool:
    """Whether there is memory for the next step; without it the session could not be kept."""
    try:
        mmap.mmap(-1, RESERVE // 2).close()
    except OSError:
        return False
    return True


def _execute(code: str, file: str, names: dict[str, Any]) -> Any:
    lines = code.splitlines(keepends=True)
    linecache.cache[file] = (len(code), None, lines, file)
    tree = ast.parse(code, file)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, file, "exec", dont_inherit=True), names)
    if not isinstance(last, ast.Expr):
        return None
    return eval(compile(ast.Expression(last.value), file, "eval", dont_inherit=True), names)


def _value(value: Any, limit: int) -> Plain:
    """A value as plain data, or as a text about it."""
    try:
        return plain_json(value, 20 * limit, "the value")
    except NotPlain as refusal:
        if "of the type" not in str(refusal):
            return f"<{refusal}>"
    return shorten(repr(value), limit)


def _error(error: BaseException) -> dict[str, Any]:
    frames = []
    trace = error.__traceback__
    while trace is not None:
        place = _place_of(trace.tb_frame.f_code.co_filename)
        if place:
            frames.append([place, trace.tb_lineno, trace.tb_frame.f_code.co_name[:_NAME_CHARS]])
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and _place_of(error.filename or "") and error.lineno:
        frames.append([_place_of(error.filename or ""), error.lineno, "<module>"])
    if len(frames) > _MOST_FRAMES:
        frames = frames[: _MOST_FRAMES // 2] + frames[-_MOST_FRAMES // 2 :]
    name, message = type(error).__name__[:_NAME_CHARS], _message(error)[:_MESSAGE_CHARS]
    return {"name": name, "message": message, "frames": frames}


def _message(error: BaseException) -> str:
    try:
        if isinstance(error, SyntaxError):
            return str(error.msg)
        if isinstance(error, KeyError) and len(error.args) == 1:
            return str(error.args[0])
        return str(error)
    except BaseException:
        return "<a message that cannot be shown>"


def _place(at: types.FrameType | None) -> list[int] | None:
    """Step and line of the innermost frame that is generated code."""
    while at is not None:
        step = _place_of(at.f_code.co_filename)
        if step:
            return [step, at.f_lineno]
        at = at.f_back
    return None


def _place_of(file: str) -> int:
    match = _FILE.fullmatch(file)
    return int(match.group(1)) if match else 0
