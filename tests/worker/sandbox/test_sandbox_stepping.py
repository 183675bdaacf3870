"""Stepping through generated code: pdb inside the sandbox, and the walls around it stay."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from worker.sandbox.contract import SandboxError, SandboxKind, SandboxLimits
from worker.sandbox.executor import SandboxExecutor
from worker.sandbox.isolation import open_sandbox

from .kinds import STANDING
from .shop import Shop
from .typist import Typist

each_isolation = pytest.mark.parametrize("name", STANDING)
LOOP = """\
def double(x):
    twice = x * 2
    return twice
total = 0
for n in range(4):
    total += double(n)
print("total", total)
final_answer(total)"""


@pytest.fixture
def step(shop: Shop, name: SandboxKind) -> Iterator[Any]:
    """Runs snippets while somebody types these lines; what they were told."""
    boxes: list[SandboxExecutor] = []

    def run(lines: Sequence[str], *codes: str, limits: SandboxLimits | None = None) -> Typist:
        typist = Typist(lines, codes)
        box = open_sandbox(shop, limits, name, terminal=typist)
        boxes.append(box)
        for code in codes:
            box(code)
        return typist

    yield run
    for box in boxes:
        box.cleanup()


def line_of(said: str) -> int:
    """The line at which pdb says that it is."""
    return int(said.split("> <step ", 1)[1].split("(", 1)[1].split(")", 1)[0])


@each_isolation
class TestCommands:
    def test_conditions_until_and_where(self, step: Any) -> None:
        typist = step(["b 2, x == 2", "c", "p n, x", "w", "until 7", "cl all", "until 7"], LOOP)
        assert typist.said[3] == "(2, 2)\n"
        assert [part.split("(")[1][0] for part in typist.said[4].split("<step 1>")[1:]] == [
            "6",
            "2",
        ]

    def test_a_later_snippet_can_have_a_breakpoint_before_it_runs(self, step: Any) -> None:
        typist = step(["b 2:2", "c", "p second"], "first = 1", "second = first + 1\nthird = 3")
        assert typist.said[3] == "2\n"

    def test_a_variable_is_changed_while_a_call_waits(
        self, shop: Shop, name: SandboxKind, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        typist = Typist(["c", "q = 9", "p q"])
        with open_sandbox(shop, None, name, terminal=typist) as box:
            monkeypatch.setattr(shop, "call", lambda *_: box.pause())
            assert box("def f():\n    q = 1\n    return [echo(q), q]\nf()").output == [True, 9]
        assert [line_of(typist.said[n]) for n in (0, 1)] == [1, 3]
        assert typist.said[3] == "9\n"

    def test_what_is_typed_is_not_what_the_code_printed(self, step: Any) -> None:
        typist = step(["print('typed')"], LOOP)
        assert (typist.said[1], typist.printed) == ("typed\n", "total 12\n")

    def test_the_time_that_somebody_thinks_is_not_the_codes(
        self, step: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import time

        def think(*_: object) -> str:
            time.sleep(0.15)
            return "n"

        monkeypatch.setattr(Typist, "ask", think)
        limits = SandboxLimits(seconds=1.0)
        assert step([], "\n".join(["x = 1"] * 8), limits=limits).printed == ""


@each_isolation
class TestWalls:
    @pytest.mark.promise("generated code is contained")
    @pytest.mark.parametrize(
        "line",
        [
            "__import__('os').fork()",
            "open({file!r}).read()",
            "open({file!r}, 'a')",
            "__import__('socket').socket()",
            "__import__('os').execv('/bin/sh', ['sh'])",
            "__import__('os').kill({pid}, 0)",
        ],
    )
    def test_lines_that_are_typed_run_inside(self, step: Any, line: str, tmp_path: Path) -> None:
        file = tmp_path / "file"
        file.write_text("secret")
        typed = line.format(file=str(file), pid=os.getpid())
        (_, answer, *_rest) = step([typed], "x = 1").said
        assert answer.startswith(("*** PermissionError", "*** FileNotFoundError"))

    @pytest.mark.promise("generated code is contained")
    def test_an_expression_calls_no_tool(self, step: Any, shop: Shop) -> None:
        typist = step(["echo(3)", "[echo(n) for n in [1]]"], "x = 1")
        assert all("cannot call tools" in said for said in typist.said[1:3])
        assert shop.calls == []

    @pytest.mark.promise("generated code is contained")
    def test_nobody_is_asked_where_nobody_steps(self, shop: Shop, name: SandboxKind) -> None:
        with open_sandbox(shop, None, name) as box:
            with pytest.raises(SandboxError) as caught:
                box(saying({"said": "Your key?", "new": True}))
            assert caught.value.kind == "crash"

    @pytest.mark.promise("generated code is contained")
    @pytest.mark.parametrize(
        "message",
        [
            {"said": 5, "new": True},
            {"said": "x", "new": 1},
            {"said": "x"},
            {"paused": True},
        ],
    )
    def test_junk_from_inside_ends_the_session(
        self, shop: Shop, name: SandboxKind, message: dict[str, Any]
    ) -> None:
        typist = Typist([])
        with open_sandbox(shop, None, name, terminal=typist) as box:
            with pytest.raises(SandboxError) as caught:
                box(saying(message))
            assert caught.value.kind == "crash"
            assert len(typist.said) == 1
            assert box.host_faults == []


def saying(message: dict[str, Any]) -> str:
    """Code that sends a message to the host past the channel, and waits."""
    return (
        "import gc, json, struct\n"
        "channel = next(o for o in gc.get_objects() if type(o).__name__ == 'Channel')\n"
        f"body = json.dumps({message!r} | {{'token': channel.token}}).encode()\n"
        "channel._link.sendall(struct.pack('>I', len(body)) + body)\n"
        "channel._link.recv(1000)"
    )


def test_in_monty_the_code_does_not_stop(shop: Shop) -> None:
    typist = Typist([])
    with open_sandbox(shop, None, "monty", terminal=typist) as box:
        assert box("print('seen')\n1 + 1").output == 2
        assert box.pause() is False
    assert (typist.said, typist.printed) == ([], "seen\n")
