"""One process of an agent that is not ours: started, watched, ended with all its children."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

import regex

from core.models.redact import redact
from core.terminal.figures import cut

GRACE_SECONDS = 5.0
"""For an agent that is asked to end, before it is killed."""
POLL_SECONDS = 0.02
LINE_BYTES = 1_048_576
"""A longer line is taken in parts."""
MOST_BYTES = 50_000_000
"""Bytes kept of one stream, so that endless output does not fill the disk."""
CHUNK_BYTES = 65_536
LAST_LINES = 5
LAST_CHARS = 500
"""Maximum characters of each of the last lines."""
DRAIN_SECONDS = 2.0
"""For what is still in a pipe; a process that has left the group may hold it open for ever."""


_CONTROL = regex.compile(
    r"\x1b(?:\[[0-?]*+[ -/]*+[@-~]|\][^\x07\x1b]*+(?:\x07|\x1b\\)?|[@-_])|[^\P{Cc}\t\n]"
)
"""Sequences that move a cursor, colour a text or set a title, and other control characters."""


def ended_with(code: int) -> str:
    """How a process ended, in words."""
    return f"signal {-code}, {signal.strsignal(-code)}" if code < 0 else f"exit code {code}"


class Output:
    """Copies a stream of the agent, and keeps its last lines without secrets.

    Into a file it goes without secrets and up to a size; to a terminal as it comes.
    """

    def __init__(self, stream: IO[bytes], path: Path | None) -> None:
        """``path``: None is our standard error."""
        self._stream = stream
        self._path = path
        self._last: deque[str] = deque(maxlen=LAST_LINES)
        copy = self._to_terminal if path is None else self._to_file
        self._thread = threading.Thread(target=copy, name="output of the agent", daemon=True)
        self._thread.start()

    @property
    def open(self) -> bool:
        """Whether anybody can still print."""
        return self._thread.is_alive()

    def last(self) -> tuple[str, ...]:
        """The last lines, once the agent has ended."""
        self._thread.join(DRAIN_SECONDS)
        return tuple(self._last)

    def _keep(self, data: bytes) -> str:
        line = _CONTROL.sub("", redact(data.decode("utf-8", "replace")))
        if line.strip():
            self._last.append(cut(line.rstrip(), LAST_CHARS))
        return line

    def _to_terminal(self) -> None:
        rest = b""
        with self._stream:
            while data := os.read(self._stream.fileno(), CHUNK_BYTES):
                with suppress(OSError):
                    os.write(2, data)
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    self._keep(line)
                rest = rest[-LINE_BYTES:]
            self._keep(rest)

    def _to_file(self) -> None:
        assert self._path is not None
        left = MOST_BYTES
        with self._stream, self._path.open("w", encoding="utf-8") as file:
            while data := self._stream.readline(LINE_BYTES):
                line = self._keep(data)
                if left <= 0:
                    continue
                left -= len(data)
                # A full disk must not stop the agent at its next print.
                with suppress(OSError):
                    file.write(line if left > 0 else "\n… cut here\n")
                    file.flush()


class AgentProcess:
    """A program of the user's, with its children."""

    def __init__(
        self, command: str | Sequence[str], environment: Mapping[str, str], stem: Path | None
    ) -> None:
        """``stem``: it runs in a group of its own, which the interrupt key does not reach, and what
        it prints goes to files of this name and ``.out``, ``.err``. None: it has the terminal.

        Raises OSError: it cannot be started.
        """
        self._is_alone = stem is not None
        # It is the user's own program and command line.
        self._process = subprocess.Popen(
            command,
            shell=isinstance(command, str),
            stdin=subprocess.DEVNULL if stem else None,
            stdout=subprocess.PIPE if stem else None,
            stderr=subprocess.PIPE,
            env=dict(environment),
            start_new_session=self._is_alone,
        )
        streams = {".out": self._process.stdout, ".err": self._process.stderr}
        self._outputs = [
            Output(stream, stem.with_name(f"{stem.name}{end}") if stem else None)
            for end, stream in streams.items()
            if stream
        ]

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
            if not self._is_alone:  # the interrupt key has reached it as well
                self._wait()
            if not self.ended:
                self._signal(signal.SIGTERM)
                self._wait()
            self._signal(signal.SIGKILL)
            self._process.wait()
        return ended_with(self._process.returncode)

    @property
    def failed(self) -> bool:
        """Whether it has ended with another exit code than 0."""
        return self._process.returncode not in (None, 0)

    def last_words(self) -> tuple[str, ...]:
        """The last lines of its standard error, or else of its standard output."""
        return next((last for one in reversed(self._outputs) if (last := one.last())), ())

    def _wait(self) -> None:
        until = time.monotonic() + GRACE_SECONDS
        # The shell ends at once; whoever can still print is what it has started.
        while time.monotonic() < until and (
            not self.ended or (self._is_alone and any(one.open for one in self._outputs))
        ):
            time.sleep(POLL_SECONDS)

    def _signal(self, number: signal.Signals) -> None:
        # Until it is reaped nobody else's group can have its number.
        with suppress(ProcessLookupError, PermissionError):
            if self._is_alone:
                os.killpg(self._process.pid, number)
            elif not self.ended:
                os.kill(self._process.pid, number)
