"""The isolations: what is said about them, how they prove themselves, what they refuse."""

from __future__ import annotations

import ctypes
import json
import os
import socket
import struct
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from worker.sandbox import fork_server as server_module
from worker.sandbox.contract import SandboxKind
from worker.sandbox.executor import SandboxExecutor
from worker.sandbox.fork_server import ForkServer
from worker.sandbox.isolation import open_sandbox, probe_landlock
from worker.sandbox.seccomp import SERVER, SESSION, assemble

from .kinds import STANDING
from .shop import Shop

ROOT = Path(__file__).parents[3]
each_isolation = pytest.mark.parametrize("name", STANDING)

CHILD = """
import ctypes, json, struct, sys
libc = ctypes.CDLL(None, use_errno=True)

def become_nobody():
    # Keeps only the right to read Python where it lies in a folder of another user.
    import os
    if os.getuid():
        return
    assert libc.prctl(8, 1, 0, 0, 0) == 0  # keep capabilities until they are chosen
    os.setgroups([])
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
    header = struct.pack("=Ii", 0x20080522, 0)
    assert libc.capset(header, struct.pack("=6I", 4, 4, 4, 0, 0, 0)) == 0
    assert libc.prctl(47, 2, 2, 0, 0) == 0  # ambient: programs that we start have it, too

become_nobody()
from worker.sandbox.isolation import open_sandbox, probe_landlock
from core.ledger import Ledger
with open_sandbox(Ledger()) as box:
    value = box("import os, fractions\\nsum(x for x in [1, 2])").output
    print(json.dumps([probe_landlock(), value, box.kind]))
"""


@each_isolation
def test_landlock_needs_no_privilege_and_no_program(name: SandboxKind) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CHILD],
        cwd=ROOT,
        env={**os.environ, "PATH": "/nowhere", "WORKER_SANDBOX": "auto"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == ["", 3, name]


def test_landlock_stands_wherever_the_kernel_has_it() -> None:
    libc = ctypes.CDLL(None)
    version = libc.syscall(444, None, 0, 1) if sys.platform == "linux" else -1
    assert ("landlock" in STANDING) == (version > 0)


class TestProbe:
    """An isolation that does not refuse everything does not count."""

    @pytest.fixture
    def fresh(self, monkeypatch: pytest.MonkeyPatch) -> Any:
        """Tries the isolation out with other rules in force."""
        servers: dict[int, ForkServer] = {}
        monkeypatch.setattr(server_module, "_servers", servers)
        yield probe_landlock.__wrapped__
        for server in servers.values():
            server.close()

    @each_isolation
    def test_without_the_filter_of_sessions(
        self, fresh: Any, name: SandboxKind, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(server_module, "SESSION", SERVER)
        assert fresh() == "code could start a process"

    @each_isolation
    def test_without_landlock(
        self, fresh: Any, name: SandboxKind, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        boot = server_module._BOOT.replace(
            "forking.main()", "forking._restrict_files = lambda readable: None\nforking.main()"
        )
        monkeypatch.setattr(server_module, "_BOOT", boot)
        assert fresh() == ("code could read a file, list a folder, read about processes")

    def test_a_system_without_filters(self, fresh: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("worker.sandbox.isolation.supported", lambda: False)
        assert "no system call filter" in fresh()

    def test_a_kernel_without_landlock(self) -> None:
        code = """
            from worker.sandbox.inside import forking
            forking._CREATE = 999
            try:
                forking._restrict_files([])
            except OSError as error:
                print(error.strerror)
        """
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout == "Landlock: Function not implemented\n"


def tried(box: SandboxExecutor, code: str) -> object:
    """What code comes to, or the class of its error."""
    lines = textwrap.indent(code, "    ")
    return box(f"try:\n{lines}\nexcept Exception as e:\n    seen = type(e).__name__\nseen").output


NOTHING = ("PermissionError", "FileNotFoundError")
HERE = str(ROOT)
TRIED: list[tuple[str, object]] = [
    ("import os\nseen = dict(os.environ)", {}),
    ("import os\nseen = os.uname().nodename", "sandbox"),
    ("import socket\nseen = socket.gethostname()", "PermissionError"),
    ("import time\nseen = time.tzname[0]", "UTC"),
    (f"import os\nseen = os.readlink('/proc/self/exe') == {sys.executable!r}", "PermissionError"),
    ("import os\nseen = os.listdir('/proc/1')", NOTHING),
    ("seen = open('/proc/{pid}/status').read()", NOTHING),
    ("import os\nseen = os.sched_getaffinity({pid})", NOTHING),
    ("import resource\nseen = resource.prlimit({pid}, resource.RLIMIT_CPU)", NOTHING),
    (f"import os\nseen = os.path.exists({HERE!r})", True),  # all that Landlock lets through
    *(
        (f"import os\nseen = {action}({HERE!r})", (*NOTHING, "IsADirectoryError"))
        for action in ("os.listdir", "os.readlink", "os.chdir", "open", "os.rmdir")
    ),
    ("import pyclbr\nseen = 1", 1),  # a module that is not warm
    ("import pip\nseen = 1", "ModuleNotFoundError"),
]
"""Code, and what it comes to: a value, or the class of its error, or one of several."""


@pytest.mark.promise("generated code is contained")
@each_isolation
def test_nothing_of_the_machine_its_users_and_processes_is_shared(
    name: SandboxKind, shop: Shop
) -> None:
    with open_sandbox(shop, None, name) as box:
        for code, expected in TRIED:
            seen = tried(box, code.replace("{pid}", str(os.getpid())))
            assert seen in (expected if isinstance(expected, tuple) else (expected,)), code


@pytest.mark.promise("generated code is contained")
@each_isolation
def test_a_local_socket_of_the_machine_is_out_of_reach(
    name: SandboxKind, shop: Shop, tmp_path: Path
) -> None:
    with (
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as mailbox,
        open_sandbox(shop, None, name) as box,
    ):
        mailbox.bind(str(tmp_path / "log"))
        mailbox.setblocking(False)
        code = (
            "import socket\npair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)\n"
            f"seen = pair[0].{{}}, '{tmp_path / 'log'}')"
        )
        for way in ("sendto(b'x'", "sendmsg([b'x'], [], 0"):
            assert tried(box, code.format(way)) == "PermissionError"
        with pytest.raises(BlockingIOError):
            mailbox.recv(1)


@pytest.mark.promise("generated code is contained")
@each_isolation
def test_sessions_end_with_their_server(name: SandboxKind) -> None:
    server = ForkServer()
    settings = {"memory_mb": 64, "cpu_seconds": 60, "recursion": 100, "clock": 0, "seed": 0}
    child = server.open({**settings, "argument_chars": 1, "output_chars": 1, "names": []})
    server._control.shutdown(socket.SHUT_RDWR)  # as when our process dies
    child.link.settimeout(100)
    while child.link.recv(64):
        pass
    child.end()
    server.close()


CALLS: list[tuple[str, int, tuple[int, ...], bool]] = [
    ("read", 0, (), True),
    ("execve", 59, (), False),
    ("fork", 57, (), False),
    ("socket", 41, (2,), False),
    ("kill", 62, (), False),
    ("a thread", 56, (0x3D0F00,), True),
    ("a process", 56, (17,), False),
    ("a thread in a new namespace", 56, (0x3D0F00 | 0x10000000,), False),
    ("plain memory", 9, (0, 0, 3), True),
    ("code in memory", 9, (0, 0, 7), False),
    ("open to read", 257, (0, 0, 0o2000000), True),
    ("open to write", 257, (0, 0, 1), False),
    ("open to create", 257, (0, 0, 0o100), False),
    ("read a limit", 302, (0, 9, 0), True),
    ("change a limit", 302, (0, 9, 1 << 40), False),
    ("terminal", 16, (1, 0x5401), True),
    ("type into a terminal", 16, (1, 0x5412), False),
    ("owner of signals", 72, (3, 8), False),
    ("open without reading", 257, (0, 0, 0o10000000), False),
    ("send to the other end", 44, (3, 0, 0, 0, 0), True),
    ("send to an address", 44, (3, 0, 0, 0, 1 << 33), False),
    ("send a message with an address in it", 46, (), False),
    ("name of the machine", 63, (), False),
    ("target of a link", 89, (), False),
    ("limits of another process", 302, (1, 9, 0), False),
    ("processors of another process", 204, (1,), False),
    ("change a mode", 90, (), False),
    ("memory file", 319, (), False),
    ("trace", 101, (), False),
]
"""System calls on x86_64: name, number, arguments, and whether a session may make them."""


class TestFilters:
    @pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
    @pytest.mark.parametrize("rules", [SERVER, SESSION])
    def test_jumps_stay_inside(self, rules: object, machine: str) -> None:
        code = assemble(rules, machine)  # type: ignore[arg-type]
        program = list(struct.iter_unpack("=HBBI", code))
        assert len(program) < 4096
        for index, (operation, true, false, _) in enumerate(program):
            if operation & 0x07 == 0x05:
                assert index + 1 + max(true, false) < len(program)
        assert program[-1][0] == 0x06

    @pytest.mark.promise("generated code is contained")
    def test_what_a_session_may_do(self) -> None:
        code = assemble(SESSION, "x86_64")
        verdicts = {
            name: interpret(code, 0xC000003E, number, args) == 0x7FFF0000
            for name, number, args, _ in CALLS
        }
        assert verdicts == {name: allowed for name, _, _, allowed in CALLS}

    @pytest.mark.promise("generated code is contained")
    def test_foreign_numbers_kill(self) -> None:
        code = assemble(SESSION, "x86_64")
        assert interpret(code, 0x40000003, 0, ()) == 0x80000000
        assert interpret(code, 0xC000003E, 0x40000000, ()) == 0x80000000
        assert interpret(code, 0xC000003E, 435, ()) == 0x00050000 | 38


def interpret(code: bytes, architecture: int, number: int, args: tuple[int, ...]) -> int:
    """Run a filter as the kernel would; the verdict."""
    padded = [*args, *[0] * (6 - len(args))]
    data = struct.pack("=iIQ6Q", number, architecture, 0, *padded)
    program = list(struct.iter_unpack("=HBBI", code))
    value = at = 0
    while True:
        operation, true, false, operand = program[at]
        at += 1
        if operation == 0x20:
            (value,) = struct.unpack_from("=I", data, operand)
        elif operation == 0x54:
            value &= operand
        elif operation == 0x15:
            at += true if value == operand else false
        elif operation == 0x35:
            at += true if value >= operand else false
        else:
            return int(operand)
