"""Lists of the system calls that each side of a sandbox may make, as filters for the kernel.

A filter is a small program for the kernel's packet filter machine, written out here word by
word, so that no native library is needed. What a list does not name fails with EPERM.
"""

from __future__ import annotations

import errno
import platform
import struct
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, TypeAlias

_ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""Name of the kernel's for the architecture, and the column in ``_NUMBERS``."""

_NUMBERS: dict[str, list[int]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)
"""Numbers of the known system calls, one per architecture; -1 if it has none."""

_PROT_EXEC = 0x4
_OPEN_TO_WRITE = 0o1 | 0o2 | 0o100 | 0o1000 | 0o2000 | 0o20000000
_THREAD = 0x100 | 0x800 | 0x10000
"""CLONE_VM, CLONE_SIGHAND, CLONE_THREAD: all three make a thread, without them a process."""
_NAMESPACES = 0x7E020000
_OPEN_PATH = 0o10000000
"""A descriptor of a file without the right to read it: no rule about files forbids that."""
_FCNTL = (0, 1, 2, 3, 4, 1030)
"""Duplicate, flags of the descriptor and of the file; not who gets its signals."""
_IOCTL = (0x5401, 0x541B, 0x5421, 0x5450, 0x5451)
"""Is it a terminal, how much is there to read, blocking or not, closed at exec or not."""
_AF_UNIX = 1


class Test(NamedTuple):
    """What an argument must be: some bits of it one of these values."""

    argument: int
    allowed: tuple[int, ...] = (0,)
    mask: int = 0xFFFFFFFF
    high: bool = False
    """Whether it is about the upper half of the argument."""


Rules: TypeAlias = dict[str, tuple[Test, ...]]
"""The calls that a filter allows, each with the tests that it must pass, often none."""

_LOAD, _AND, _JUMP_EQUAL, _JUMP_GREATER, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_X32 = 0x40000000


_READ_ONLY: Rules = {
    "open": (Test(1, mask=_OPEN_TO_WRITE | _OPEN_PATH),),
    "openat": (Test(2, mask=_OPEN_TO_WRITE | _OPEN_PATH),),
    "ioctl": (Test(1, _IOCTL),),
    "fcntl": (Test(1, _FCNTL),),
    "socketpair": (Test(0, (_AF_UNIX,)),),
}
_SERVER_ONLY = {
    *("prctl", "seccomp", "sendmsg", "recvmsg", "readlink", "readlinkat", "getcwd", "uname"),
}

SERVER: Rules = {**dict.fromkeys(_NUMBERS, ()), **_READ_ONLY}
"""For the fork server of the process sandbox, which runs no foreign code."""

SESSION: Rules = {
    **dict.fromkeys(_NUMBERS.keys() - _SERVER_ONLY, ()),
    **_READ_ONLY,
    "clone": (Test(0, (_THREAD,), _THREAD), Test(0, mask=_NAMESPACES)),
    "mmap": (Test(2, mask=_PROT_EXEC),),
    "mprotect": (Test(2, mask=_PROT_EXEC),),
    # Of itself, and only to read them.
    "prlimit64": (Test(0), Test(2), Test(2, high=True)),
    "sched_getaffinity": (Test(0),),
    # To the other end and to no address, which a local datagram socket would reach.
    "sendto": (Test(4), Test(4, high=True)),
}
"""For generated code: threads and reading, no new process, program, file, address or name."""


def supported() -> bool:
    """Whether filters for this machine can be written."""
    return platform.system() == "Linux" and platform.machine() in _ARCHITECTURES


def assemble(rules: Rules, machine: str | None = None) -> bytes:
    """The filter as the kernel takes it. Raises KeyError for an unknown architecture."""
    architecture, column = _ARCHITECTURES[machine or platform.machine()]
    program = [
        (_LOAD, 0, 0, 4),
        (_JUMP_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, 0),
        # On x86_64 the calls of the x32 interface would pass by their other numbers.
        (_JUMP_GREATER, 0, 1, _X32),
        (_RETURN, 0, 0, _KILL),
    ]
    for name, numbers in _NUMBERS.items():
        body = _body(rules, name)
        if numbers[column] >= 0 and body:
            program += [(_JUMP_EQUAL, 0, len(body), numbers[column]), *body]
    program.append((_RETURN, 0, 0, _ERRNO | errno.EPERM))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


Instruction: TypeAlias = tuple[int, int, int, int]
"""Operation, how many to skip if true and if false, operand."""


def _body(rules: Rules, name: str) -> list[Instruction]:
    if name == "clone3":
        # As if the kernel did not know it: the C library then takes an older call, whose
        # arguments a filter can see.
        return [(_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]
    if not rules.get(name):
        return [(_RETURN, 0, 0, _ALLOW)] if name in rules else []
    steps: list[Instruction] = []
    for test in reversed(rules[name]):
        steps = [*_tested(test, len(steps) + 1), *steps]
    return [*steps, (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _ERRNO | errno.EPERM)]


def _tested(test: Test, to_refusal: int) -> Iterable[Instruction]:
    """One test; if it fails, it jumps to the refusal."""
    last = len(test.allowed) - 1
    return [
        (_LOAD, 0, 0, 16 + 8 * test.argument + 4 * test.high),
        (_AND, 0, 0, test.mask),
        *(
            (_JUMP_EQUAL, last - index, to_refusal if index == last else 0, value)
            for index, value in enumerate(test.allowed)
        ),
    ]
