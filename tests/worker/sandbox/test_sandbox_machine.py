"""Machines that grant little: low limits, no descriptor left."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from worker.sandbox.contract import SandboxKind, SandboxUnavailable
from worker.sandbox.fork_server import fork_server
from worker.sandbox.isolation import open_sandbox

from .kinds import STANDING
from .shop import Shop

ROOT = Path(__file__).parents[3]
LIMITS = {
    "address space": ("RLIMIT_AS", 400 << 20),
    "file size": ("RLIMIT_FSIZE", 8192),
    "open files": ("RLIMIT_NOFILE", 32),
    "processor time": ("RLIMIT_CPU", 30),
    "stack": ("RLIMIT_STACK", 256 << 10),
    "locked memory": ("RLIMIT_MEMLOCK", 0),
}

each_isolation = pytest.mark.parametrize("isolation", STANDING)

PROGRAM = """
import atexit, json, os, resource, sys
from worker.sandbox.contract import SandboxUnavailable
from worker.sandbox.isolation import open_sandbox
from worker.sandbox.isolation import probe_landlock

class Host:
    names, signatures, waited = frozenset(), {}, 0.0

def opened(kind):
    try:
        with open_sandbox(Host(), kind=kind) as box:
            return box("kept = [0] * 1000000\\nsum([1, 2, 3])").output
    except SandboxUnavailable as error:
        return f"unavailable: {error}"

def both():
    return [probe_landlock(), opened("monty"), opened(sys.argv[2])]

def limited(name, most):
    resource.setrlimit(getattr(resource, name), (most, most))
    return both()

def exhausted():
    # Both workers that there are by then are held: the next one has to be started.
    with open_sandbox(Host(), kind="monty") as one, open_sandbox(Host(), kind="monty") as other:
        one("1"), other("1"), probe_landlock()
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
        taken = []
        try:
            while True:
                taken.append(os.open(os.devnull, os.O_RDONLY))
        except OSError:
            without = both()
        for number in taken:
            os.close(number)
        return [without, both()]

def child(name, *args):
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.close(reader)
        os.write(os.dup2(writer, 200), json.dumps(globals()[name](*args)).encode())
        atexit._run_exitfuncs()  # what was started here ends here
        os._exit(0)
    os.close(writer)
    with open(reader) as file:
        text = file.read()
    os.wait()
    return json.loads(text or "null")

print(json.dumps([child(*order) for order in json.loads(sys.argv[1])]))
"""


def answers(isolation: str) -> dict[str, Any]:
    """What both sandboxes say in every situation, each in a process of its own."""
    orders = {name: ["limited", *limit] for name, limit in LIMITS.items()}
    orders["exhausted"] = ["exhausted"]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(list(orders.values())), isolation],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return dict(zip(orders, json.loads(done.stdout), strict=True))


GOOD = ["", 6, 6]


@each_isolation
def test_limits_of_the_parent_are_kept_and_what_cannot_be_had_is_our_failure(
    isolation: str,
) -> None:
    found = answers(isolation)
    (_, *opened), afterwards = found.pop("exhausted")
    assert found == dict.fromkeys(LIMITS, GOOD)
    for kind, text in zip(("monty", "process"), opened, strict=True):
        assert text.startswith(f"unavailable: no {kind} sandbox could be opened: ")
        assert "Too many open files" in text
    assert afterwards == GOOD


class TestNotOpened:
    """What an executor does when sessions cannot be had; the code must never hear of it."""

    def test_it_is_raised_as_ours_and_kept(
        self, shop: Shop, kind: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: object, **__: object) -> None:
            raise BlockingIOError(11, "Resource temporarily unavailable")

        monkeypatch.setattr("worker.sandbox.monty.pool", fail)
        monkeypatch.setattr("worker.sandbox.process.fork_server", fail)
        with open_sandbox(shop, None, kind) as box:  # type: ignore[arg-type]
            with pytest.raises(SandboxUnavailable, match="temporarily unavailable") as caught:
                box("1")
            assert box.host_faults == [caught.value]
            assert box.traces == []

    def test_a_panic_of_the_binding_is_no_other_thing(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        class Panic(BaseException):
            pass

        def panic(*_: object) -> None:
            raise Panic("called `Result::unwrap()` on an `Err` value")

        monkeypatch.setattr("worker.sandbox.monty.pool", panic)
        with open_sandbox(shop, None, "monty") as box, pytest.raises(SandboxUnavailable):
            box("1")
        monkeypatch.undo()
        with open_sandbox(shop, None, "monty") as box:
            box("1")
            monkeypatch.setattr("worker.sandbox.monty.MontyInterpreter.run", panic)
            with pytest.raises(SandboxUnavailable, match=r"the sandbox failed: .*unwrap"):
                box("2")
            assert [type(fault) for fault in box.host_faults] == [SandboxUnavailable]

    @each_isolation
    def test_a_server_that_died_is_replaced(
        self, shop: Shop, isolation: SandboxKind, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("worker.sandbox.fork_server._servers", {})
        server = fork_server()
        server._process.kill()
        server._process.wait()
        with open_sandbox(shop, None, isolation) as box:
            assert box("1 + 1").output == 2
        assert fork_server() is not server
