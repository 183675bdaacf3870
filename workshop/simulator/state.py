"""The state file of a platform: every call that may have changed something, in order.

The first line is a header, each further one a call as JSON. A platform is rebuilt by repeating
the calls with their own time and random number, so ids and log lines come out the same. A line
is written before its call takes effect; one that was cut off by a crash therefore never
happened, and is taken away when the file is opened again.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic_core import to_json

from core.files import SERIES_BYTES, Unfit, check_regular, read_bytes
from workshop.simulator.faults import Fault
from workshop.simulator.world import Pack

FORMAT = "platform-state/1"


class StateError(Exception):
    """A state file that cannot be used or written; the text says which and why."""


@dataclass(frozen=True, slots=True)
class Call:
    """One request with all that has to be known to repeat it: a line of the file.

    `at` (unix nanoseconds) and `salt` are its time and random number; `path` is as the API names
    it; `task_id` is the task of a call to its world, a core call names its task, if any, in the
    body; `fault` is what it met.
    """

    __pydantic_config__ = ConfigDict(strict=True, extra="forbid")

    at: int
    salt: int
    path: str
    task_id: str | None
    body: dict[str, Any]
    fault: Fault | None = None


_LINE = TypeAdapter(Call)


class StateFile:
    """An open state file, locked against a second platform.

    Raises `StateError` when the file cannot be opened, is in use, is no state file, or belongs to
    another version or other packs.
    """

    def __init__(self, path: str | Path, *packs: Pack) -> None:
        self._path = Path(path)
        try:
            self._fd = os.open(
                self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NONBLOCK, 0o600
            )
        except OSError as error:
            raise self._error(f"cannot be opened: {error.strerror or error}") from None
        with ExitStack() as on_failure:
            on_failure.callback(os.close, self._fd)
            try:
                check_regular(self._fd, self._path, SERIES_BYTES)
            except Unfit as error:
                raise self._error(str(error.strerror)) from None
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise self._error("is in use by another simulator") from None
            self._size = 0
            self._lines = self._read(_header(packs))
            on_failure.pop_all()

    def calls(self) -> Iterator[Call]:
        """What the file held when it was opened, oldest first."""
        for number, line in enumerate(self._lines, start=2):
            try:
                yield _LINE.validate_json(line)
            except ValidationError as error:
                mistake = error.errors(include_url=False, include_input=False)[0]
                raise self._error(f"line {number} is damaged: {mistake['msg']}") from None
        self._lines = []

    def append(self, call: Call, sync: bool) -> None:
        """Write a call; with `sync`, wait until the disk has it.

        Raises `StateError` when that fails; the file is then as it was before, at the latest when
        the next line is written.
        """
        self._write(to_json(call, inf_nan_mode="null") + b"\n", sync)

    def close(self) -> None:
        """Close the file and let others open it; a second call does nothing."""
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = -1

    def _read(self, header: dict[str, str]) -> list[bytes]:
        """The lines after the header; cuts a torn one off and writes the header of a new file."""
        own = json.dumps(header).encode() + b"\n"
        data = read_bytes(self._path, SERIES_BYTES)
        self._size = data.rfind(b"\n") + 1
        if not self._size:
            if not own.startswith(data):
                raise self._error("is not a state file; name another one")
            self._write(own, sync=True)
            # Or the new file may be gone after a power failure, however often it was synced itself.
            folder = os.open(self._path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
            return []
        first, *lines = data[: self._size - 1].split(b"\n")
        try:
            theirs = json.loads(first)
        except (ValueError, RecursionError):
            theirs = None
        if not isinstance(theirs, dict) or "format" not in theirs:
            raise self._error("is not a state file; name another one")
        if theirs["format"] != FORMAT:
            raise self._error(
                f"has the format {theirs['format']!r}; this platform needs {FORMAT!r}"
            )
        if theirs.get("pack_sha256") != header["pack_sha256"]:
            their, our = (
                f"{one.get('pack')!r} ({str(one.get('pack_sha256'))[:12]})"
                for one in (theirs, header)
            )
            raise self._error(f"belongs to the pack {their}, not to {our}; name another file")
        os.ftruncate(self._fd, self._size)
        return lines

    def _write(self, line: bytes, sync: bool) -> None:
        try:
            # Nothing stands behind the last complete line.
            os.ftruncate(self._fd, self._size)
            if os.write(self._fd, line) < len(line):
                raise OSError("the disk is full")
            if sync:
                os.fsync(self._fd)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._fd, self._size)
            raise self._error(f"cannot be written: {error.strerror or error}") from None
        self._size += len(line)

    def _error(self, text: str) -> StateError:
        return StateError(f"state file {self._path}: {text}")


def _header(packs: Sequence[Pack]) -> dict[str, str]:
    """The first line; of several packs, whose order does not matter, it has one hash."""
    digests = sorted(hashlib.sha256(one.model_dump_json().encode()).hexdigest() for one in packs)
    digest, *more = digests
    if more:
        digest = hashlib.sha256("".join(digests).encode()).hexdigest()
    name = " + ".join(sorted(one.name for one in packs))
    return {"format": FORMAT, "pack": name, "pack_sha256": digest}
