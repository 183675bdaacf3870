"""Landlock: file, network and signal rules that a process lays on itself for good.

Three system calls of Linux 5.13 and later, and no privilege (landlock(7)). What Landlock does not
know, such as UDP, local sockets and the owner of a file, the system call filter has to refuse.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable

_CREATE, _ADD, _RESTRICT = 444, 445, 446
"""The numbers of the calls, on every architecture."""
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

_libc = ctypes.CDLL(None, use_errno=True)


def restrict(readable: Iterable[str]) -> None:
    """Take every right over files away but reading these files and folders, for ever.

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
    """A system call. Raises OSError."""
    converted = (ctypes.c_long(a) if isinstance(a, int) else a for a in arguments)
    answer = int(_libc.syscall(ctypes.c_long(number), *converted))
    if answer < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"Landlock: {os.strerror(code)}")
    return answer
