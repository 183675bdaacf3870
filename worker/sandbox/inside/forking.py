"""The fork server of the process sandbox: a warm interpreter that splits off sessions.

Reads requests, each with the two descriptors of a new session, and answers none: the session
speaks for itself. It holds nothing worth taking.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import json
import mmap
import os
import resource
import signal
import site
import socket
import struct
import sys
from collections.abc import Iterable
from typing import Any

from worker.sandbox.inside import determinism

determinism.install()  # before any module takes its own reference to the clock or to random bytes

from worker.sandbox.inside import interpreter  # noqa: E402

_libc = ctypes.CDLL(None, use_errno=True)
_NO_NEW_PRIVILEGES, _DIE_WITH_PARENT, _SET_FILTER = 38, 1, 22
"""Options of prctl(2)."""
_FILTER_MODE = 2
_LEAST = 16 << 20
"""Bytes that code must have for its data, or it is not worth beginning."""
_CREATE, _ADD, _RESTRICT = 444, 445, 446
"""The numbers of the calls of Landlock, on every architecture."""
_ASK_VERSION = 1
_BENEATH = 1
_FILE_RIGHTS = ((1, 13), (2, 14), (3, 15), (5, 16))
"""Number of file access rights, by version of the interface."""
_READ_FILE, _READ_FOLDER = 1 << 2, 1 << 3
_TCP_FROM, _SCOPES_FROM = 4, 6
_BIND_AND_CONNECT = 0b11
_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11
_CAPABILITY_VERSION = 0x20080522
_READ_ANYTHING = 1 << 2
"""CAP_DAC_READ_SEARCH."""


def main() -> None:
    """Serve on the socket that is standard input, until the host closes its end."""
    control = socket.socket(fileno=0)
    start = json.loads(control.recv(1 << 18))
    sys.argv = sys.orig_argv = [""]
    for name in start["modules"]:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    determinism.tame_asyncio()
    site.setquit()
    site.sethelper()
    os.environ.clear()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    program = _Filter(bytes.fromhex(start["session_filter"]))
    _control(_NO_NEW_PRIVILEGES, 1)
    with open("/proc/self/statm", encoding="ascii") as file:
        size = int(file.read().split()[0]) * mmap.PAGESIZE
    _check_room(size)
    _restrict_files(_library(start["not_shown"]))
    _Filter(bytes.fromhex(start["server_filter"])).load()
    gc.collect()
    gc.freeze()
    control.send(b"ready")
    while True:
        message, fds, _, _ = socket.recv_fds(control, 65536, 2)
        if not message:
            return
        # Where there is no room for one more, the client sees the line closed and the others live.
        with contextlib.suppress(OSError):
            if len(fds) == 2 and not os.fork():
                _run_session(control, json.loads(message), fds, program, size)
        for fd in fds:
            os.close(fd)


def _run_session(
    control: socket.socket, settings: dict[str, Any], fds: list[int], program: _Filter, size: int
) -> None:
    """Be a session from here on; never returns."""
    try:
        control.close()
        _control(_DIE_WITH_PARENT, signal.SIGKILL)
        _become_session(settings, fds[0], fds[1], program, size)
    finally:
        os._exit(0)


def _library(not_shown: list[str]) -> list[str]:
    """The parts of the standard library; links may lead out of it."""
    entries = os.scandir(os.path.dirname(os.path.realpath(os.__file__)))
    return [e.path for e in entries if e.name not in not_shown and not e.is_symlink()]


def _become_session(
    settings: dict[str, Any], channel: int, output: int, program: _Filter, size: int
) -> None:
    null, other = os.pipe()
    os.close(other)
    os.dup2(null, 0)  # in place of the line to the host; reading finds the end at once
    os.dup2(output, 1)
    os.dup2(output, 2)
    for fd in (null, output):
        os.close(fd)
    _limit(settings, size)
    prints = interpreter.prepare(settings)
    program.load()
    interpreter.serve(socket.socket(fileno=channel), settings, prints)


def _limit(settings: dict[str, Any], size: int) -> None:
    space = size + (int(settings["memory_mb"]) << 20) + interpreter.RESERVE
    for kind, most in (
        (resource.RLIMIT_AS, space),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_CPU, int(settings["cpu_seconds"])),
    ):
        lower = _at_most(kind, most)
        resource.setrlimit(kind, (lower, lower))


def _at_most(kind: int, most: int) -> int:
    """The limit that is wished for, or the lower one that our parents have set for good."""
    _, hard = resource.getrlimit(kind)
    return most if hard == resource.RLIM_INFINITY else min(most, hard)


def _check_room(size: int) -> None:
    """End the server where the rest of the address space is too little for any session."""
    most = _at_most(resource.RLIMIT_AS, 1 << 40)
    if most < size + interpreter.RESERVE + _LEAST:
        sys.exit(f"the limit of the address space, {most >> 20} MB, is too small to run code")


class _Filter:
    """A system call filter, ready to be loaded."""

    def __init__(self, code: bytes) -> None:
        self._code = ctypes.create_string_buffer(code, len(code))
        # struct sock_fprog: a count of 16 bits, padding, a pointer.
        self._header = (ctypes.c_size_t * 2)(len(code) // 8, ctypes.addressof(self._code))

    def load(self) -> None:
        _control(_SET_FILTER, _FILTER_MODE, ctypes.addressof(self._header))


def _control(option: int, *arguments: int) -> None:
    """Call prctl(2). Raises OSError."""
    given = [ctypes.c_ulong(number) for number in (*arguments, 0, 0, 0, 0)][:4]
    if _libc.prctl(ctypes.c_int(option), *given):
        raise OSError(ctypes.get_errno(), f"prctl({option}): {os.strerror(ctypes.get_errno())}")


def _restrict_files(readable: Iterable[str]) -> None:
    """Take every right over files away but reading these, for ever, with Landlock.

    Three system calls of Linux 5.13 and later, and no privilege (landlock(7)). What Landlock does
    not know, such as UDP, local sockets and the owner of a file, the system call filter refuses.
    Root loses its powers, too. Needs PR_SET_NO_NEW_PRIVS. Raises OSError where the kernel
    has no Landlock or does not take the rules.
    """
    version = _call(_CREATE, None, 0, _ASK_VERSION)
    rights = max(count for since, count in _FILE_RIGHTS if version >= since)
    rules = struct.pack(
        "=QQQ",
        (1 << rights) - 1,
        _BIND_AND_CONNECT if version >= _TCP_FROM else 0,
        _ABSTRACT_SOCKETS_AND_SIGNALS if version >= _SCOPES_FROM else 0,
    )
    ruleset = _call(_CREATE, rules, len(rules), 0)
    for path in readable:
        _allow(ruleset, path)
    _call(_RESTRICT, ruleset, 0)
    os.close(ruleset)
    _drop_capabilities()


def _drop_capabilities() -> None:
    """All but reading what belongs to others, where that is held: the library may be theirs."""
    header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    held = ctypes.create_string_buffer(24)
    _libc.capget(header, held)
    capabilities = struct.unpack_from("=III", held)[1] & _READ_ANYTHING
    if _libc.capset(header, struct.pack("=6I", capabilities, capabilities, 0, 0, 0, 0)):
        raise OSError(ctypes.get_errno(), "the capabilities could not be dropped")


def _allow(ruleset: int, path: str) -> None:
    place = os.open(path, os.O_PATH | os.O_CLOEXEC | os.O_NOFOLLOW)
    rights = _READ_FILE | (_READ_FOLDER if os.path.isdir(path) else 0)
    _call(_ADD, ruleset, _BENEATH, struct.pack("=Qi", rights, place), 0)
    os.close(place)


def _call(number: int, *arguments: int | bytes | None) -> int:
    converted = (ctypes.c_long(a) if isinstance(a, int) else a for a in arguments)
    answer = int(_libc.syscall(ctypes.c_long(number), *converted))
    if answer < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"Landlock: {os.strerror(code)}")
    return answer
