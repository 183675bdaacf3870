"""The walls: what is said about them, and the filters they are made of."""

from __future__ import annotations

import struct
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from worker.sandbox import WallReport, open_sandbox, walls
from worker.sandbox.factory import VARIABLE, chosen_kind
from worker.sandbox.monty_pool import pool
from worker.sandbox.seccomp import MONTY, SERVER, SESSION, assemble

from .shop import Shop

ROOT = Path(__file__).parents[3]


class TestReport:
    @pytest.mark.parametrize(
        ("report", "text"),
        [
            (WallReport(True, True, ""), "sandbox: monty and process in bubblewrap"),
            (
                WallReport(True, False, "no memory"),
                "sandbox: monty in bubblewrap; process sandbox off (no memory)",
            ),
            (
                WallReport(False, False, "bubblewrap not found"),
                "sandbox: monty without an operating-system wall (bubblewrap not found)",
            ),
        ],
    )
    def test_one_line(self, report: WallReport, text: str) -> None:
        assert report.text == text
        assert report.complete is report.monty

    def test_of_this_machine(self) -> None:
        assert walls() is walls()
        assert bool(walls().missing) is not walls().process

    def test_without_bubblewrap(self) -> None:
        program = (
            "from worker.sandbox import walls, open_sandbox\n"
            "print(walls().text)\n"
            "class Host:\n"
            "    names, signatures = frozenset(), {}\n"
            "with open_sandbox(Host()) as box:\n"
            "    print(box('1 + 1').output, box.traces[-1].sandbox)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env={"PATH": "/nowhere"},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.splitlines() == [
            "sandbox: monty without an operating-system wall (bubblewrap not found)",
            "2 monty",
        ]


class TestChoice:
    @pytest.mark.parametrize("value", ["auto", "monty", "process"])
    def test_from_the_environment(self, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
        monkeypatch.setenv(VARIABLE, value)
        assert chosen_kind() == value

    def test_default_and_nonsense(self, monkeypatch: pytest.MonkeyPatch, shop: Shop) -> None:
        monkeypatch.delenv(VARIABLE, raising=False)
        assert chosen_kind() == "auto"
        monkeypatch.setenv(VARIABLE, "local")
        with pytest.raises(ValueError, match="must be auto, monty or process, not 'local'"):
            open_sandbox(shop)


class TestFilters:
    @pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
    @pytest.mark.parametrize("rules", [MONTY, SERVER, SESSION])
    def test_jumps_stay_inside(self, rules: object, machine: str) -> None:
        code = assemble(rules, machine)  # type: ignore[arg-type]
        program = list(struct.iter_unpack("=HBBI", code))
        assert len(program) < 4096
        for index, (operation, true, false, _) in enumerate(program):
            if operation & 0x07 == 0x05:
                assert index + 1 + max(true, false) < len(program)
        assert program[-1][0] == 0x06

    @pytest.mark.parametrize(
        ("name", "number", "args", "allowed"),
        [
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
        ],
    )
    def test_what_a_session_may_do(
        self, name: str, number: int, args: tuple[int, ...], allowed: bool
    ) -> None:
        verdict = interpret(assemble(SESSION, "x86_64"), 0xC000003E, number, args)
        assert (verdict == 0x7FFF0000) is allowed, name

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


@pytest.mark.skipif(not walls().monty, reason=f"no wall here: {walls().missing}")
def test_a_worker_outlives_the_thread_that_started_it() -> None:
    seen: list[int] = []

    def use() -> None:
        sessions = [pool(9.5).checkout() for _ in range(3)]
        for session in sessions:
            session.__enter__()
            seen.append(session.feed_run("1"))
        kept.extend(sessions)

    kept: list[object] = []
    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
    for session in kept:
        assert session.feed_run("2") == 2  # type: ignore[attr-defined]
        session.__exit__(None, None, None)  # type: ignore[attr-defined]
    assert seen == [1, 1, 1]
