"""Our end of the fork server: started once per process, it opens sessions in milliseconds."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import shutil
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
from typing import Any

from worker.descriptors import reserve
from worker.sandbox.contract import Isolation
from worker.sandbox.seccomp import SERVER, SESSION, assemble

PROGRAM = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
"""The interpreter, without the virtual environment that it may run in."""
_START_SECONDS = 30.0
_OPEN_SECONDS = 10.0
_CREDENTIALS = struct.Struct("3i")
_HERE = Path(__file__).parent
_ROOT = _HERE.parents[1]
_SOURCES = (
    "core.text", "worker.sandbox.fixed_clock", "worker.sandbox.values",
    "worker.sandbox.inside.determinism", "worker.sandbox.inside.interpreter",
    "worker.sandbox.inside.forking",
)  # fmt: skip
"""The modules that the server consists of."""
_NOT_SHOWN = [
    "site-packages", "dist-packages", "test", "idlelib", "ensurepip", "lib2to3", "sitecustomize.py",
]  # fmt: skip
"""Parts of the library's folder that are no standard library, or of no use to code."""
_ENVIRONMENT = {"PYTHONHASHSEED": "0", "MALLOC_ARENA_MAX": "1", "TZ": "UTC", "PYTHONTZPATH": ""}
"""Without the first the order of a set would differ between a run and its replay. The server
empties its environment before there is a session."""
_HOME = "/proc/self/cwd"
"""The path of Python inside: neutral, and the same in each isolation.
With Landlock it is only a name, in bubblewrap a folder."""
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
    """A warm interpreter in an isolation. Thread safe."""

    def __init__(self, isolation: Isolation) -> None:
        """Raises OSError or SubprocessError: it does not start."""
        reserve()
        self._lock = threading.Lock()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.settimeout(_START_SECONDS)
        with contextlib.ExitStack() as failing:
            failing.callback(self._control.close)
            self._process = _start(isolation, theirs)
            failing.pop_all()
        try:
            self._control.send(_settings(isolation))
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


def _start(isolation: Isolation, control: socket.socket) -> subprocess.Popen[bytes]:
    # This Python by its name for those inside, as far as it lies with its library.
    home = Path(sys.base_prefix).resolve()
    inside = PROGRAM.relative_to(home) if PROGRAM.is_relative_to(home) else PROGRAM
    python, environment = [str(Path(_HOME) / inside)], {**_ENVIRONMENT, "PYTHONHOME": _HOME}
    if isolation == "bubblewrap":
        python, environment = _bubblewrap(environment), {}
    with control:
        return subprocess.Popen(
            [*python, *_FLAGS, "-c", (_HERE / "inside" / "boot.py").read_text(encoding="utf-8")],
            stdin=control.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment,
            cwd=sys.base_prefix,
            start_new_session=True,
        )


def _bubblewrap(environment: dict[str, str]) -> list[str]:
    """Program and arguments that start Python without a network, user, parent or foreign file.

    Raises FileNotFoundError where there is no bubblewrap.
    """
    program = shutil.which("bwrap", path=os.environ.get("PATH", os.defpath))
    if program is None:
        raise FileNotFoundError("bubblewrap not found")
    return [
        *(program, "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net"),
        *("--unshare-uts", "--unshare-cgroup-try", "--uid", "65534", "--gid", "65534"),
        *("--hostname", "sandbox", "--cap-drop", "ALL", "--clearenv", "--new-session"),
        # As the first process of its namespace, so that everything there ends with it.
        "--as-pid-1",
        *(part for name, value in environment.items() for part in ("--setenv", name, value)),
        *_show_python(),
        *("--remount-ro", "/", "--chdir", "/", f"{_HOME}/bin/{PROGRAM.name}"),
    ]


def _show_python() -> list[str]:
    """Arguments that show this Python and the shared libraries that it needs, but no other file."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    library = Path(sysconfig.get_path("stdlib")).resolve()
    there = f"{_HOME}/{sys.platlibdir}/{version}"
    extensions = Path(sysconfig.get_config_var("DESTSHARED") or library / "lib-dynload").resolve()
    # These need libraries beside the C library's, and are wanted inside.
    linked = ("_ctypes", "zlib", "_bz2", "_lzma", "pyexpat", "_decimal", "_uuid")
    binaries = [path for name in linked for path in sorted(extensions.glob(f"{name}.*so"))]
    command = ["ldd", str(PROGRAM), *map(str, binaries)]
    listing = subprocess.run(command, capture_output=True, text=True, timeout=_START_SECONDS).stdout
    paths = {word for line in listing.splitlines() for word in line.split() if word[0] == "/"}
    arguments = [
        *("--ro-bind", str(PROGRAM), f"{_HOME}/bin/{PROGRAM.name}"),
        *("--ro-bind", str(library), there),
    ]
    for path in sorted(filter(os.path.exists, paths)):
        arguments += ["--ro-bind", path, path]
    if extensions.is_dir() and library not in extensions.parents:
        arguments += ["--ro-bind", str(extensions), f"{there}/lib-dynload"]
    for name in _NOT_SHOWN:
        if (library / name).is_dir():
            arguments += ["--tmpfs", f"{there}/{name}", "--remount-ro", f"{there}/{name}"]
    return arguments


def _settings(isolation: Isolation) -> bytes:
    warm = (_HERE / "warm_modules.toml").read_text(encoding="utf-8")
    sources = dict.fromkeys(("core", "worker", "worker.sandbox", "worker.sandbox.inside"), "")
    for name in _SOURCES:
        path = _ROOT.joinpath(*name.split(".")).with_suffix(".py")
        sources[name] = path.read_text(encoding="utf-8")
    settings = {
        "sources": sources,
        "modules": tomllib.loads(warm)["modules"].split(),
        "server_filter": assemble(SERVER).hex(),
        "session_filter": assemble(SESSION).hex(),
        "landlock": isolation == "landlock",
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
_servers: dict[tuple[int, Isolation], ForkServer] = {}


def fork_server(isolation: Isolation) -> ForkServer:
    """Return this process's server with this isolation; start it if necessary.

    Raises OSError or SubprocessError: it does not start.
    """
    key = os.getpid(), isolation
    with _lock:
        server = _servers.get(key)
        if server is None or server._process.poll() is not None:
            server = _servers[key] = ForkServer(isolation)
        return server


@atexit.register
def _close() -> None:
    for key in [key for key in _servers if key[0] == os.getpid()]:
        _servers.pop(key).close()
