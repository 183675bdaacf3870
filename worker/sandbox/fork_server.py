"""Our end of the fork server: started once per process, it opens sessions in milliseconds."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import sysconfig
import threading
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from worker.sandbox.bubblewrap import bind_libraries, bubblewrap
from worker.sandbox.seccomp import SERVER, SESSION, assemble

_START_SECONDS = 30.0
_OPEN_SECONDS = 10.0
_CREDENTIALS = struct.Struct("3i")
_HERE = Path(__file__).parent
_SOURCES = (
    "pinned_clock.py",
    "values.py",
    "wire.py",
    "inside/forking.py",
    "inside/interpreter.py",
    "inside/pins.py",
)
_WARM = _HERE / "warm_modules.toml"
_NOT_SHOWN = ("site-packages", "dist-packages", "test", "idlelib", "ensurepip", "lib2to3")


class NoSession(OSError):
    """The fork server did not give a session."""


@dataclass(frozen=True, slots=True)
class Child:
    """A session process: its two lines to us, and a handle that no other process can get."""

    link: socket.socket
    output: int
    handle: int

    def pause(self) -> None:
        """Let nothing run inside, not even threads that outlived a step."""
        signal.pidfd_send_signal(self.handle, signal.SIGSTOP)

    def go_on(self) -> None:
        """Undo ``pause``."""
        signal.pidfd_send_signal(self.handle, signal.SIGCONT)

    def end(self) -> None:
        """Kill the process and give back what it held here."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.handle, signal.SIGKILL)
        self.link.close()
        os.close(self.output)
        os.close(self.handle)


class ForkServer:
    """A warm interpreter behind the wall. Thread safe."""

    def __init__(self) -> None:
        """Raises OSError or SubprocessError where it does not start."""
        self._lock = threading.Lock()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.settimeout(_START_SECONDS)
        with contextlib.ExitStack() as failing:
            failing.callback(self._control.close)
            self._process = _start(theirs)
            failing.pop_all()
        try:
            ready = self._control.recv(16) == b"ready"
        except OSError:
            ready = False
        if not ready:
            words = self.close().decode("utf-8", "replace").strip().splitlines()
            raise NoSession(words[-1][:200] if words else "the fork server did not start")

    def open(self, settings: dict[str, Any]) -> Child:
        """A new session with these settings. Raises OSError."""
        ours, theirs = socket.socketpair()
        output, their_output = os.pipe()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        try:
            fds = [theirs.fileno(), their_output]
            with self._lock:
                socket.send_fds(self._control, [json.dumps(settings).encode()], fds)
            theirs.close()
            pid = _greeting(ours)
            return Child(ours, output, os.pidfd_open(pid))
        except OSError as failure:
            ours.close()
            os.close(output)
            raise NoSession(f"no session from the fork server: {failure}") from None
        finally:
            theirs.close()
            os.close(their_output)

    def alive(self) -> bool:
        """Whether the server runs."""
        return self._process.poll() is None

    def close(self) -> bytes:
        """End the server and every session; what the server said of errors."""
        # A forked child of ours may hold a copy of the socket; shutdown ends them all.
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)
        self._control.close()
        try:
            return self._process.communicate(timeout=_OPEN_SECONDS)[1]
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.communicate()[1]


def _start(control: socket.socket) -> subprocess.Popen[bytes]:
    with control, _memory_file(assemble(SERVER)) as own, _memory_file(assemble(SESSION)) as of:
        return subprocess.Popen(
            _command(own.fileno(), of.fileno()),
            stdin=control.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={},
            pass_fds=(own.fileno(), of.fileno()),
            start_new_session=True,
        )


def _greeting(link: socket.socket) -> int:
    """Wait for the first message; the kernel says which process sent it."""
    link.settimeout(_OPEN_SECONDS)
    data, notes, _, _ = link.recvmsg(64, socket.CMSG_SPACE(_CREDENTIALS.size))
    for level, kind, note in notes:
        if level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS and data:
            pid: int = _CREDENTIALS.unpack(note[: _CREDENTIALS.size])[0]
            return pid
    raise NoSession("it closed the connection")


def _memory_file(content: bytes) -> BinaryIO:
    file = os.fdopen(os.memfd_create("filter"), "w+b")
    file.write(content)
    file.seek(0)
    return file


def _command(own_filter: int, session_filter: int) -> list[str]:
    """The server behind the wall. Its Python sees the standard library and nothing else.

    The flags leave out what ``-I`` leaves out; ``-I`` itself would ignore the one variable
    that is set, without which the order of a set would differ between a run and its replay.
    """
    inside = "/sandbox/worker/sandbox"
    sources = [("--ro-bind", str(_HERE / name), f"{inside}/{name}") for name in _SOURCES]
    return [
        # As the first process of its world, so that everything in it ends when it ends.
        *(*bubblewrap(), "--as-pid-1", "--seccomp", str(own_filter)),
        *("--setenv", "PYTHONHASHSEED", "0", "--setenv", "MALLOC_ARENA_MAX", "1"),
        *_python(),
        *(part for source in sources for part in source),
        *("--ro-bind-data", str(session_filter), "/sandbox/session.filter"),
        *("--remount-ro", "/", "--chdir", "/"),
        *("/python/bin/python3", "-B", "-P", "-s", f"{inside}/inside/forking.py"),
        *tomllib.loads(_WARM.read_text(encoding="utf-8"))["modules"].split(),
    ]


def _python() -> list[str]:
    """Arguments of bwrap that show this Python under /python."""
    program = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    library = Path(sysconfig.get_path("stdlib")).resolve()
    there = f"/python/lib/{version}"
    extensions = Path(sysconfig.get_config_var("DESTSHARED") or library / "lib-dynload").resolve()
    arguments = [
        *("--ro-bind", str(program), "/python/bin/python3", "--ro-bind", str(library), there),
        *bind_libraries(program, *_extensions(extensions)),
    ]
    if extensions.is_dir() and library not in extensions.parents:
        arguments += ["--ro-bind", str(extensions), f"{there}/lib-dynload"]
    for name in _NOT_SHOWN:
        if (library / name).is_dir():
            arguments += ["--tmpfs", f"{there}/{name}", "--remount-ro", f"{there}/{name}"]
    return arguments


def _extensions(folder: Path) -> list[Path]:
    """Native modules that need libraries beside the C library's, and are wanted inside."""
    wanted = ("_ctypes", "zlib", "_bz2", "_lzma", "pyexpat", "_decimal", "_uuid")
    return [path for name in wanted for path in sorted(folder.glob(f"{name}.*so"))]


_lock = threading.Lock()
_servers: dict[int, ForkServer] = {}


def fork_server() -> ForkServer:
    """The server of this process, started when there is none.

    Raises OSError or SubprocessError where it does not come up.
    """
    with _lock:
        server = _servers.get(os.getpid())
        if server is None or not server.alive():
            server = _servers[os.getpid()] = ForkServer()
        return server


@atexit.register
def _close() -> None:
    server = _servers.pop(os.getpid(), None)
    if server is not None:
        server.close()
