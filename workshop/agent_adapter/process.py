"""One process of an agent that is not ours: started, watched, ended with all its children."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO

from core.models.redact import redact
from core.terminal.figures import cut

GRACE_SECONDS = 5.0
"""For an agent that is asked to end, before it is killed."""
POLL_SECONDS = 0.02
LINE_BYTES = 1_048_576
"""A longer line is taken in parts."""
MOST_BYTES = 50_000_000
"""Bytes kept of one stream, so that endless output does not fill the disk."""
LAST_LINES = 5
LAST_CHARS = 500
"""Maximum characters of each of the last lines."""
DRAIN_SECONDS = 2.0
"""For what is still in a pipe; a process that has left the group may hold it open for ever."""


def ended_with(code: int) -> str:
    """How a process ended, in words."""
    return f"signal {-code}, {signal.strsignal(-code)}" if code < 0 else f"exit code {code}"


class Output:
    """Copies a stream of the agent into a file, without secrets, and keeps its last lines."""

    def __init__(self, stream: IO[bytes], path: Path) -> None:
        self._stream = stream
        self._path = path
        self._last: deque[str] = deque(maxlen=LAST_LINES)
        self._thread = threading.Thread(target=self._copy, name=path.name, daemon=True)
        self._thread.start()

    @property
    def open(self) -> bool:
        """Whether anybody can still print."""
        return self._thread.is_alive()

    def last(self) -> tuple[str, ...]:
        """The last lines, once the agent has ended."""
        self._thread.join(DRAIN_SECONDS)
        return tuple(self._last)

    def _copy(self) -> None:
        left = MOST_BYTES
        with self._stream, self._path.open("w", encoding="utf-8") as file:
            while data := self._stream.readline(LINE_BYTES):
                line = redact(data.decode("utf-8", "replace"))
                if line.strip():
                    self._last.append(cut(line.rstrip(), LAST_CHARS))
                if left <= 0:
                    continue
                left -= len(data)
                # A full disk must not stop the agent at its next print.
                with suppress(OSError):
                    file.write(line if left > 0 else "\n… cut here\n")
                    file.flush()


class AgentProcess:
    """A command under the shell in a group of its own, which the interrupt key does not reach."""

    def __init__(self, command: str, environment: Mapping[str, str], stem: Path) -> None:
        """``stem``: what it prints goes to files of this name and ``.out``, ``.err``.

        Raises OSError: it cannot be started.
        """
        # It is the user's own program and command line.
        self._process = subprocess.Popen(
            command,
            shell=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment),
            start_new_session=True,
        )
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._out = Output(self._process.stdout, stem.with_name(f"{stem.name}.out"))
        self._err = Output(self._process.stderr, stem.with_name(f"{stem.name}.err"))

    @property
    def ended(self) -> bool:
        """Whether it has ended; it is not reaped, so that its group keeps its number."""
        if self._process.returncode is not None:
            return True
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self._process.pid, flags) is not None

    def end(self) -> str:
        """End it with its whole group, if it has not ended; how it ended, in words."""
        if self._process.returncode is None:
            if not self.ended:
                self._signal(signal.SIGTERM)
                until = time.monotonic() + GRACE_SECONDS
                while self._goes_on() and time.monotonic() < until:
                    time.sleep(POLL_SECONDS)
            self._signal(signal.SIGKILL)
            self._process.wait()
        return ended_with(self._process.returncode)

    @property
    def failed(self) -> bool:
        """Whether it has ended with another exit code than 0."""
        return self._process.returncode not in (None, 0)

    def last_words(self) -> tuple[str, ...]:
        """The last lines of its standard error, or else of its standard output."""
        out, err = self._out.last(), self._err.last()
        return err or out

    def _goes_on(self) -> bool:
        # The shell ends at once; whoever can still print is what it has started.
        return not self.ended or self._out.open or self._err.open

    def _signal(self, number: signal.Signals) -> None:
        # Until it is reaped nobody else's group can have its number.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)
