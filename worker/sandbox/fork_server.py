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
import threading
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worker.descriptors import reserve
from worker.sandbox.seccomp import SERVER, SESSION, assemble

PROGRAM = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
"""The interpreter, without the virtual environment that it may run in."""
_START_SECONDS = 30.0
_OPEN_SECONDS = 10.0
_CREDENTIALS = struct.Struct("3i")
_HERE = Path(__file__).parent
_ROOT = _HERE.parents[1]
_BOOT = """
import os, sys
sys.path.append(sys.argv[1])
from worker.sandbox.inside import forking
sys.path.pop()
sys.path_importer_cache.clear()
os.close(int(os.path.basename(sys.argv[1])))
forking.main()
"""
"""The first code of the server. It sees our modules below a descriptor, so that no path of the
machine is visible inside."""
_NOT_SHOWN = [
    "site-packages", "dist-packages", "test", "idlelib", "ensurepip", "lib2to3", "sitecustomize.py",
]  # fmt: skip
"""Parts of the library's folder that are no standard library, or of no use to code."""
_ENVIRONMENT = {"PYTHONHASHSEED": "0", "MALLOC_ARENA_MAX": "1", "TZ": "UTC", "PYTHONTZPATH": ""}
"""Without the first the order of a set would differ between a run and its replay. The server
empties its environment before there is a session."""
_HOME = "/proc/self/cwd"
"""The path of Python inside, so that the machine's own is not visible there."""
_FLAGS = ("-B", "-P", "-s", "-S")
"""As ``-I``, which would ignore the hash seed, and no packages of others."""


@dataclass(slots=True)
class Child:
    """A session process and its two lines to us."""

    link: socket.socket
    output: int
    handle: int | None = None
    """For signals to this process and no other; known once it has started."""

    def wait_started(self) -> int:
        """Wait until it has started; its handle. Raises OSError."""
        if self.handle is None:
            self.handle = os.pidfd_open(_greeting(self.link))
        return self.handle

    def end(self) -> None:
        """Kill the process and give back what it held here.

        One that has not been waited for has run no code, and leaves when its line is closed.
        """
        if self.handle is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self.handle, signal.SIGKILL)
            os.close(self.handle)
        self.link.close()
        os.close(self.output)


class ForkServer:
    """A warm interpreter in isolation. Thread safe."""

    def __init__(self) -> None:
        """Raises OSError or SubprocessError: it does not start."""
        reserve()
        self._lock = threading.Lock()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.settimeout(_START_SECONDS)
        with contextlib.ExitStack() as failing:
            failing.callback(self._control.close)
            self._process = _start(theirs)
            failing.pop_all()
        try:
            self._control.send(_settings())
            ready = self._control.recv(16) == b"ready"
        except OSError:
            ready = False
        if not ready:
            words = self.close().decode("utf-8", "replace").strip().splitlines()
            raise OSError(words[-1][:200] if words else "the fork server did not start")

    def open(self, settings: dict[str, Any]) -> Child:
        """Begin a new session with these settings. Raises OSError."""
        ours, theirs = socket.socketpair()
        output, their_output = os.pipe()
        try:
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            try:
                fds = [theirs.fileno(), their_output]
                with self._lock:
                    socket.send_fds(self._control, [json.dumps(settings).encode()], fds)
            finally:
                theirs.close()
                os.close(their_output)
            return Child(ours, output)
        except OSError as failure:
            ours.close()
            os.close(output)
            raise OSError(f"the fork server opened no session: {failure}") from None

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
    # This Python by its name for those inside, as far as it lies with its library.
    home = Path(sys.base_prefix).resolve()
    inside = PROGRAM.relative_to(home) if PROGRAM.is_relative_to(home) else PROGRAM
    root = os.open(_ROOT, os.O_RDONLY)
    try:
        with control:
            return subprocess.Popen(
                [str(Path(_HOME) / inside), *_FLAGS, "-c", _BOOT, f"/proc/self/fd/{root}"],
                stdin=control.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env={**_ENVIRONMENT, "PYTHONHOME": _HOME},
                cwd=sys.base_prefix,
                pass_fds=(root,),
                start_new_session=True,
            )
    finally:
        os.close(root)


def _settings() -> bytes:
    warm = (_HERE / "warm_modules.toml").read_text(encoding="utf-8")
    settings = {
        "modules": tomllib.loads(warm)["modules"].split(),
        "server_filter": assemble(SERVER).hex(),
        "session_filter": assemble(SESSION).hex(),
        "not_shown": _NOT_SHOWN,
    }
    return json.dumps(settings).encode()


def _greeting(link: socket.socket) -> int:
    """Wait for the first message; the kernel says which process sent it. Raises OSError."""
    link.settimeout(_OPEN_SECONDS)
    data, notes, _, _ = link.recvmsg(64, socket.CMSG_SPACE(_CREDENTIALS.size))
    for level, kind, note in notes:
        if level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS and data:
            pid: int = _CREDENTIALS.unpack(note[: _CREDENTIALS.size])[0]
            return pid
    raise OSError("it closed the connection")


_lock = threading.Lock()
_servers: dict[int, ForkServer] = {}
"""By process: a forked child must not talk to its parent's server."""


def fork_server() -> ForkServer:
    """Return this process's server; start it if necessary.

    Raises OSError or SubprocessError: it does not start.
    """
    key = os.getpid()
    with _lock:
        server = _servers.get(key)
        if server is None or server._process.poll() is not None:
            server = _servers[key] = ForkServer()
        return server


@atexit.register
def _close() -> None:
    server = _servers.pop(os.getpid(), None)
    if server is not None:
        server.close()
