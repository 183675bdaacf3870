"""Limits hold, and the sandbox is of use afterwards."""

from __future__ import annotations

import threading
import time

import pytest

from worker.sandbox.contract import SandboxError, SandboxKind, SandboxLimits
from worker.sandbox.executor import SandboxExecutor
from worker.sandbox.isolation import open_sandbox

from .conftest import Opened
from .kinds import STANDING
from .shop import Shop

TIME_BOMBS = {
    "loop": "while True: pass",
    "loop that catches": "while True:\n  try:\n    while True: pass\n  except BaseException: pass",
    "huge power": "x = 3\nwhile True: x = x * x",
    "big sum": "print(sum(range(10**12)))",
    "deep compare": "a = []; b = []\nfor _ in range(40): a = [a, a]; b = [b, b]\na == b",
    "undefined name": "while True:\n    try: nope\n    except NameError: pass",
}
SLACK = 60.0
"""A busy machine is late; what is not ended has no end."""
MEMORY_BOMBS = {
    "list": "x = [0] * 10**10",
    "string": "s = 'ab'\nwhile True: s += s",
    "dict": "d = {}\nwhile True: d[len(d)] = str(len(d)) * 100",
    "bytes": "x = bytes(4 * 10**9)",
    "format": "x = f'{1:>{10**9}}'",
}


def ended(box: SandboxExecutor, code: str) -> tuple[SandboxError, float]:
    began = time.monotonic()
    with pytest.raises(SandboxError) as caught:
        box(code)
    return caught.value, time.monotonic() - began


BOMBS = {
    **{name: (code, 0.2) for name, code in TIME_BOMBS.items()},
    **{name: (code, 2.0) for name, code in MEMORY_BOMBS.items()},
}


@pytest.mark.promise("generated code is contained")
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_ends_and_the_next_step_can_run(opened: Opened, name: str) -> None:
    code, limit = BOMBS[name]
    box = opened(SandboxLimits(seconds=limit))
    box("kept = 1")
    error, seconds = ended(box, code)
    assert seconds < limit + SLACK
    if error.kind != "error":
        assert "started again" in error.text
        assert "name 'kept' is not defined" in ended(box, "kept()")[0].text
    else:
        assert box("kept").output == 1
    assert box("1 + 1").output == 2
    assert box.host_faults == []


@pytest.mark.promise("generated code is contained")
def test_memory_holds_across_steps(opened: Opened) -> None:
    box = opened(SandboxLimits(seconds=2))
    held = 0
    while held < 40:
        try:
            box(f"keep{held} = ['x{held}' * 1000000 for _ in range(5)]")
        except SandboxError:
            break
        held += 1
    assert 0 < held < 40
    assert box("1 + 1").output == 2


def test_recursion_is_an_error_like_another(box: SandboxExecutor) -> None:
    error, _ = ended(box, "def f(): return f()\nf()")
    assert error.kind == "error"
    assert "RecursionError" in error.text


@pytest.mark.promise("generated code is contained")
def test_calls_are_counted(opened: Opened, shop: Shop) -> None:
    box = opened(SandboxLimits(calls=10))
    error, _ = ended(box, "for i in range(100): echo(i)")
    assert "limit of 10 tool calls per step reached" in error.text
    assert len(shop.calls) == 10


@pytest.mark.promise("generated code is contained")
def test_code_that_ignores_the_count_is_stopped(opened: Opened, shop: Shop) -> None:
    box = opened(SandboxLimits(calls=10))
    code = "while True:\n    try: echo(1)\n    except BaseException: pass"
    error, seconds = ended(box, code)
    assert (error.kind, len(shop.calls)) == ("limit", 10)
    assert seconds < SLACK


@pytest.mark.promise("generated code is contained")
def test_sizes_of_arguments_results_and_code(opened: Opened, shop: Shop) -> None:
    box = opened(SandboxLimits(argument_chars=100, result_chars=1000, code_chars=500))
    assert "larger than 100 characters" in ended(box, "echo('x' * 200)")[0].text
    shop.rows *= 50
    text = ended(box, "search_products('', 500)")[0].text
    assert "the call was made, but the answer of search_products is larger than 1000" in text
    assert ended(box, "1 + 1 #" + "x" * 500)[0].kind == "refused"


def test_waiting_for_a_model_is_charged_to_no_clock(opened: Opened, shop: Shop) -> None:
    def judged_echo(value: object = None) -> object:
        time.sleep(0.3)
        shop.waited += 0.3
        return value

    shop._tools["echo"] = judged_echo
    code = "\n".join(["echo()"] * 5 + ["'done'"])
    assert opened(SandboxLimits(wall_seconds=1.0))(code).output == "done"


def test_a_slow_tool_is_charged_to_the_wall_clock_only(opened: Opened, shop: Shop) -> None:
    shop._tools["echo"] = lambda: time.sleep(0.4)
    assert opened(SandboxLimits(seconds=0.3))("echo()\n5").output == 5
    error, _ = ended(opened(SandboxLimits(wall_seconds=0.6)), "while True: echo()")
    assert "tools included" in error.text
    assert len(shop.calls) <= 4


def test_side_by_side(kind: str) -> None:
    shops = [Shop() for _ in range(8)]
    wrong: list[str] = []

    def work(number: int) -> None:
        with open_sandbox(shops[number], None, kind) as box:  # type: ignore[arg-type]
            box(f"mine = {number}")
            for _ in range(10):
                box("mine += echo(1)[1]")
            if box("mine").output != number + 10 or len(shops[number].calls) != 10:
                wrong.append(f"thread {number}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


LATE = """
import threading
from concurrent.futures import ThreadPoolExecutor
going = threading.Event()
def later():
    while not going.wait(0.001):
        try:
            echo("late")
        except BaseException:
            pass
for _ in range(5):
    threading.Thread(target=later, daemon=True).start()
pool = ThreadPoolExecutor(2)
list(pool.map(echo, ["pooled"]))
"""


@pytest.mark.promise("generated code is contained")
@pytest.mark.parametrize("kind", STANDING)
def test_threads_that_outlive_their_step_call_nothing_in_the_next_one(
    shop: Shop, kind: SandboxKind
) -> None:
    with open_sandbox(shop, kind=kind) as box:
        box(LATE)
        before = len(shop.calls)
        box(
            'for _ in range(20): echo("main")\n'
            'list(pool.map(echo, ["pooled again"]))\n'
            't = threading.Thread(target=echo, args=("own",))\nt.start()\nt.join()\ngoing.set()'
        )
        texts = [args[0] for _, args, _ in shop.calls[before:]]
        assert texts == ["main"] * 20 + ["pooled again", "own"]
