"""Recorded runs again, unchanged: the same bytes."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import filterfalse
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.benchmarks import tools_of
from cli.cli import app
from core.models.model_call import ModelCall
from core.runs.reader import read_task, read_tasks
from tests.worker.sandbox.kinds import KINDS, STANDING
from workshop.replay.divergence import timeless
from workshop.replay.recorded import is_typed
from workshop.replay.repeat import repeat

Run = Callable[..., Path]
CHANCE = """\
import random, time, datetime
print(random.random(), random.sample(range(1000), 5), time.time(), datetime.datetime.now())
Req_ListProducts(offset=random.randint(0, 2))
final_answer([random.random(), time.time()])"""
GENERATOR = """\
def two():
    yield 1
    yield 2
class Base:
    pass
class Other(Base):
    pass
print(sum(two()), Other.__mro__[1].__name__)
Req_AddProductToBasket(sku="cup", quantity=sum(two()))
final_answer(list(two()))"""


def replay(folder: Path, *options: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["replay", str(folder), *options])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def assert_byte_equal(folder: Path) -> None:
    """The re-made report and the recorded line, as JSON texts without seconds."""
    tools = tools_of("store")
    for path in sorted((folder / "tasks").glob("*.jsonl")):
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        told = (line["report"] for line in lines if line["type"] == "turn" and line["report"])
        reports = [report for report in told if report["steps"]]
        turns = [*filterfalse(is_typed, read_task(path, strict=True).work)]
        assert len(turns) == len(reports)
        for turn, raw in zip(turns, reports, strict=True):
            now, difference = repeat(turn, tools, "shop")
            assert difference is None
            for part in [raw, *raw["steps"]]:
                del part["sandbox"]
            for part in [raw, *raw["steps"], *raw["calls"]]:
                for timed in [part, *part.get("requests", [])] if part is not raw else [part]:
                    del timed["seconds"]
                    timed.pop("started", None)
            assert timeless(now).encode() == json.dumps(raw, ensure_ascii=False).encode()


@pytest.mark.parametrize("sandbox", KINDS)
def test_an_unchanged_run_is_equal_to_the_byte(
    sandbox: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    specs = ["cheapest_mix_ghost_fill_in", "required_coupon_works", "filler_does_not_pay"]
    monkeypatch.setenv("WORKER_SANDBOX", sandbox)
    words = [word for spec in specs for word in ("--task", spec)]
    done = CliRunner().invoke(app, ["--json", "--out", str(tmp_path), *words])
    assert done.exit_code == 0
    (folder,) = tmp_path.iterdir()
    used = {s.sandbox for task in read_tasks(folder) for t in task.work for s in t.steps}
    assert used == {sandbox}
    assert_byte_equal(folder)
    code, output = replay(folder)
    assert code == 0
    assert output.startswith("3 tasks, 4 turns, ")
    assert output.endswith(" s: equal\n")
    code, output = replay(folder, "--task", specs[0], "--turn", "3", "--json")
    found = json.loads(output)
    assert [(t["task"], t["turn"], t["divergence"]) for t in found["turns"]] == [
        (specs[0], 3, None)
    ]


@pytest.mark.parametrize(
    "replies",
    [
                (CHANCE,),
        (GENERATOR,),
        ("x = Req_ViewBasket()\nprint(x)", GENERATOR),
        ("x = 1\n1 / 0", "print(x)", "final_answer(x)"),
        ("Req_AddProductToBasket(sku='tea', quantity=2)\nraise KeyError('later')",) * 3,
        ("Req_AddProductToBasket(sku='nothing', quantity=2)", "final_answer('was refused')"),
        ("try:\n    Req_AddProductToBasket('tea', 0)\nexcept ValueError as e:\n    print(e)\n"
         "Req_ViewBasket()\nfinal_answer(1)",),
        ("Req_AddProductToBasket(amount=2)", "No_Such_Tool()", "import os\nfinal_answer(1)"),
        ("a = {'amount': 2}\nReq_AddProductToBasket(**a)", "Req_ViewBasket()\nfinal_answer(1)"),
        ("for n in range(450):\n    try:\n        Req_ViewBasket()\n    except Exception as e:\n"
         "        print(n, e)\n        break\nfinal_answer(n)",),
        ("final_answer = 3\nfinal_answer(final_answer)", "final_answer(float('nan'))"),
        ("final_answer({'a', 'b', 'c', 'd', 'e', 'f'})",),
        ("final_answer({1: (2, 3), None: 'ü\\u2028 \\ud800'})",),
        ("print({'a', 'b', 'c'}, [hash('x')], object())\nfinal_answer(1)",),
        (ModelCall(role="worker", model="m", text="I cannot.", finish_reason="stop"),
         "final_answer(3)"),
        (ModelCall(role="worker", model="m", text="<code>\nx = 1", finish_reason="length"),
         "final_answer(2)"),
        ("x = 2", ModelCall(role="worker", model="m", text="", error="empty answer"),
         "print(x)", ModelCall(role="worker", model="m", text="Hm.", finish_reason="stop"),
         "final_answer(x)"),
        ("Req_AddProductToBasket(sku='tea', quantity=2)",
         ModelCall(role="worker", model="m", text="Hm.", finish_reason="stop"),
         ModelCall(role="worker", model="m", text="", reasoning="hm", error="empty answer")),
    ],
)  # fmt: skip
def test_whatever_the_code_does_comes_out_again(replies: Any, record: Run) -> None:
    folder = record(*replies)
    assert_byte_equal(folder)
    assert replay(folder)[0] == 0


YIELDS = ("def two():\n    yield 1\nfinal_answer(list(two()))", "final_answer(1)")


@pytest.mark.parametrize("kind", KINDS)
def test_it_runs_where_it_ran(record: Run, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setenv("WORKER_SANDBOX", kind)
    folder = record(*YIELDS)
    monkeypatch.setenv("WORKER_SANDBOX", "auto")
    assert replay(folder)[0] == 0


@pytest.mark.parametrize("kind", STANDING)
def test_code_of_full_python_is_not_repeated_in_monty(
    record: Run, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setenv("WORKER_SANDBOX", kind)
    folder = record(*YIELDS)
    monkeypatch.setattr("worker.sandbox.isolation.probe_landlock", lambda: "no such call")
    code, output = replay(folder)
    assert code == 2
    assert "no such call" in output
