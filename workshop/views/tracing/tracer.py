"""The run's side of tracing: says which tasks are done, to a process that writes their traces.

A task's journal holds everything that its trace shows, so the run hands over a line for each task
and nothing else. Reading, building and writing take place in a process of their own, with the
lowest rights to the processor: no store, however slow or broken, can hold up or fail a run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any

from core.ledger import ToolCall
from core.models.model_call import ModelCall
from core.models.redact import redact
from core.runs.results import TaskResult
from core.runs.task import TaskInfo
from core.runs.turn import Turn
from core.runs.turn_context import Decision
from workshop.views.tracing.sinks import check_kinds, to_console
from workshop.views.tracing.targets import named, way_to

CLOSE_SECONDS = 60.0
"""How long the end of a run waits for its traces at most,"""
TASK_SECONDS = 0.25
"""and how much longer for each of its tasks."""
NOTICE_SECONDS = 1.0
"""Longer waits are announced."""
ROOT = Path(__file__).parents[3]


class Tracer:
    """Looks on at a run and has its tasks traced."""

    def __init__(
        self,
        kinds: Sequence[str],
        folder: Path,
        options: dict[str, Any],
        say: Callable[[str], None],
        *,
        close_seconds: float = CLOSE_SECONDS,
    ) -> None:
        """``folder``: of the run; ``options``: what it was asked for; ``say``: a line for its user.

        Raises:
            CannotTrace: a kind is unknown, or its extra is not installed.
        """
        self._kinds = list(dict.fromkeys(kinds))
        check_kinds(self._kinds)
        self._head = {"folder": str(folder.resolve()), "kinds": self._kinds, "options": options}
        self._logs = folder.parent
        self._say = say
        self._close_seconds = close_seconds
        self._began: dict[str, float] = {}
        self._tasks = 0
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self._writer: subprocess.Popen[str] | None = None

    def __enter__(self) -> Tracer:
        """Start the writer; a machine that cannot is a warning."""
        command = [sys.executable, "-P", "-m", "workshop.views.tracing.writer"]
        path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        try:
            self._writer = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=None if to_console() else subprocess.DEVNULL, text=True, encoding="utf-8",
                env=os.environ | {"PYTHONPATH": path},
            )  # fmt: skip
        except OSError as error:
            self._say(f"warning: no traces: their writer cannot be started ({error.strerror})")
            return self
        pipe = (self._writer.stdin,)
        threading.Thread(target=self._hand_over, args=pipe, name="traces", daemon=True).start()
        self._lines.put(json.dumps(self._head, default=str))
        return self

    def __exit__(self, *_exc: object) -> None:
        """Wait until what is known is written, but not for ever."""
        self._lines.put(None)
        if self._writer is None:
            return
        retry_policy = self._close_seconds + TASK_SECONDS * self._tasks
        ended = "interrupted"
        try:
            in_time = self._finished(self._writer, retry_policy)
            ended = "" if in_time else f"not written after {retry_policy:.0f} s"
        except KeyboardInterrupt:  # whoever does not want to wait for traces keeps the results
            pass
        finally:
            self._writer.kill()
            self._writer.wait()
        if ended:
            self._say(f"warning: traces are not complete: {ended}")
        else:
            self._report([json.loads(line) for line in self._writer.stdout or ()])

    def _finished(self, writer: subprocess.Popen[str], retry_policy: float) -> bool:
        """Whether the writer has ended by itself within so many seconds."""
        with suppress(subprocess.TimeoutExpired):
            writer.wait(NOTICE_SECONDS)
            return True
        self._say("writing traces…")
        _hasten(writer.pid)
        with suppress(subprocess.TimeoutExpired):
            writer.wait(retry_policy)
            return True
        return False

    def task_started(self, task: TaskInfo) -> None:
        """Keep when the task began."""
        self._began[task.task_id] = time.time()

    def call_done(self, task: TaskInfo, call: ModelCall) -> None:
        """Nothing: the journal holds it."""

    def decided(self, task: TaskInfo, number: int, decision: Decision) -> None:
        """Nothing: the journal holds it."""

    def tool_called(self, task: TaskInfo, call: ToolCall) -> None:
        """Nothing: the journal holds it."""

    def turn_done(self, task: TaskInfo, turn: Turn) -> None:
        """Nothing: the journal holds it."""

    def task_done(self, result: TaskResult) -> None:
        """Have the task traced."""
        now = time.time()
        self._tasks += 1
        began = self._began.pop(result.task_id, now)
        line = {"spec_id": result.spec_id, "task_id": result.task_id}
        self._lines.put(json.dumps(line | {"started": began, "ended": now}))

    def _hand_over(self, pipe: IO[str]) -> None:
        with suppress(OSError, ValueError), pipe:
            while (line := self._lines.get()) is not None:
                pipe.write(line + "\n")
                pipe.flush()

    def _report(self, records: list[dict[str, Any]]) -> None:
        """Say what went wrong by the writer's own records, and where the rest is to be seen."""
        found = [complaint(told) for told in records if told["error"]]
        silent = set(self._kinds) - {told["kind"] for told in records}
        died = (f"--trace {kind}: the writer of the traces died" for kind in self._kinds)
        found += [line for kind, line in zip(self._kinds, died, strict=True) if kind in silent]
        if found:
            self._say(f"warning: {redact('; '.join(found))}")
        for told in records:
            way = "" if told["error"] else way_to(told["kind"], self._logs, told["page"])
            if way:
                self._say(redact(way))


def complaint(told: dict[str, Any]) -> str:
    """What a record of the writer complains of, with the target and what names it."""
    kind = told["kind"]
    return f"--trace {kind}: not all is written to {named(kind)}: {told['error']}"


def _hasten(pid: int) -> None:
    """Give a process its share of the processor again, where that is allowed; nobody else runs."""
    with suppress(AttributeError, OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            os.sched_setscheduler(int(thread.name), os.SCHED_OTHER, os.sched_param(0))
