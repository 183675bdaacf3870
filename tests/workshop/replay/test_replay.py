"""Recorded runs again: equal when nothing changed, the first difference when something did."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.cli import app
from core.runs.manifest import note_progress
from core.runs.reader import read_tasks
from worker.sandbox.isolation import probe_landlock
from workshop.replay.divergence import first_divergence

Run = Callable[..., Path]
Line = dict[str, Any]

FILL = """\
found = Combo_Find_Products_For_Query(query="tea")
print("found", len(found["results"][0]["data"]["matches"]))
r = Req_AddProductToBasket(sku="tea", quantity=2)
r = Req_AddProductToBasket("cup", 1)
final_answer({"basket": Req_ViewBasket()})"""


def replay(folder: Path, *options: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["replay", str(folder), *options])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def change(folder: Path, how: Callable[[Line], None], kind: str = "turn") -> None:
    """Edit the records of one kind in the only journal of a run."""
    path = folder / "tasks" / "shop.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        if line["type"] == kind:
            how(line)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def first(folder: Path) -> Line:
    """The one divergence of a run."""
    code, output = replay(folder, "--json")
    found = json.loads(output)
    assert (code, found["equal"]) == (1, False)
    (turn,) = found["turns"]
    divergence: Line = turn["divergence"]
    return divergence


def test_a_replay_opens_no_socket(record: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = record(FILL)

    def refuse(self: socket.socket, address: object) -> None:
        raise AssertionError(f"connects to {address}")

    probe_landlock()  # the fork server of the sandbox is no part of the network
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)
    assert replay(folder)[0] == 0


def call_of(line: Line, number: int) -> Line:
    found: Line = line["report"]["calls"][number - 1]
    return found


TWICE = ("x = 1\nprint(x)", FILL)
FAILS = ("print('one')\nprint('two')\n1 / 0", "final_answer(1)")
FAILED = {"outcome": "failed", "result": None, "error": "no", "fault": "KeyError"}
DIVERGENCES: dict[str, tuple[tuple[str, ...], Callable[[Line], Any], tuple[Any, ...], str, str]] = {
    "other arguments": (
        (FILL,), lambda t: call_of(t, 2)["arguments"].update(quantity=3),
        ("arguments", 1, 2), '"quantity": 3', '"quantity": 2',
    ),
    "an argument of another kind": (
        (FILL,), lambda t: call_of(t, 3)["arguments"].update(quantity=True),
        ("arguments", 1, 3), "true", "1",
    ),
    "another tool": (
        (FILL,), lambda t: call_of(t, 4).update(name="Req_ListProducts"),
        ("tool", 1, 4), "Req_ListProducts(", "Req_ViewBasket(",
    ),
    "another answer changes what follows": (
        (FILL,), lambda t: call_of(t, 1)["result"]["results"][0]["data"].update(matches=[]),
        ("prints", 1, None), "found 3", '"found 0\\n"',
    ),
    "another answer becomes another result": (
        (FILL,), lambda t: call_of(t, 4)["result"].update(total=99),
        ("final answer", None, None), "", "99",
    ),
    "an answer that was a failure": (
        (FILL,), lambda t: call_of(t, 2).update(FAILED), ("call", 1, 3), "cup", "no such call",
    ),
    "a dropped call": (
        (FILL,), lambda t: t["report"]["calls"].pop(1), ("arguments", 1, 3), '"cup"', '"tea"',
    ),
    "a dropped last call": (
        (FILL,), lambda t: t["report"]["calls"].pop(),
        ("call", 1, 4), "no such call", "Req_ViewBasket(",
    ),
    "another snippet than the reply gives": (
        TWICE, lambda t: t["report"]["steps"][1].update(code=FILL.replace("tea", "pot")),
        ("code", 2, None), "pot", "tea",
    ),
    "other prints": (
        FAILS, lambda t: t["report"]["steps"][0].update(prints="one\nthree\n"),
        ("prints", 1, None), '"one\\nthree\\n"', '"one\\ntwo\\n"',
    ),
    "another error": (
        FAILS, lambda t: t["report"]["steps"][0].update(error="KeyError: 1"),
        ("error", 1, None), "KeyError: 1", "ZeroDivisionError",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DIVERGENCES)
def test_the_first_difference_is_told(record: Run, name: str) -> None:
    replies, how, place, recorded, now = DIVERGENCES[name]
    folder = record(*replies)
    change(folder, how)
    found = first(folder)
    assert (found["what"], found["step"], found["call"]) == place
    assert recorded in found["recorded"]
    assert now in found["now"]
    code, output = replay(folder)
    assert code == 1
    assert output.startswith("DIVERGED shop: turn 1, ")
    assert output.endswith("1 turn not equal\n")


def test_a_reply_that_gives_no_snippet_any_more(record: Run) -> None:
    folder = record(FILL)
    change(folder, lambda m: m.update(text="nothing to see"), "model_call")
    found = first(folder)
    assert (found["what"], found["step"]) == ("code", 1)
    assert "Combo_Find" in found["recorded"]
    assert "Combo_Find" not in found["now"]


def test_what_is_said_cannot_move_a_terminal(record: Run) -> None:
    folder = record(FILL)
    change(folder, lambda t: call_of(t, 1)["arguments"].update(query="\x1b[2J\u202e\u009b"))
    _, output = replay(folder)
    assert not {"\x1b", "\u202e", "\u009b"} & set(output)
    assert len(output.splitlines()) == 2


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda text: text[: len(text) - 40] + "\n", "is not JSON"),
        (
            lambda text: text.replace('"instruction"', '"order"'),
            "instruction: Field required",
        ),
        (lambda text: text.replace('"pins": [', '"other": ['), "without clock and seed"),
    ],
)
def test_a_damaged_run_is_refused_in_words(
    damage: Callable[[str], str], said: str, record: Run
) -> None:
    folder = record(FILL)
    path = folder / "tasks" / "shop.jsonl"
    text = path.read_text(encoding="utf-8")
    path.write_bytes(damage(text).encode("utf-8", "surrogateescape"))
    code, output = replay(folder)
    assert code == 2
    assert said in output
    assert "Traceback" not in output


def test_wrong_usage(record: Run, tmp_path: Path) -> None:
    folder = record(FILL)
    text = f"error: {tmp_path / 'none'} is not a run folder: it has no tasks/*.jsonl\n"
    assert replay(tmp_path / "none") == (2, text)
    code, output = replay(folder, "--task", "cellar")
    assert (code, "it has: shop" in output) == (2, True)
    code, output = replay(folder, "--turn", "4")
    assert (code, "turns with work: 1" in output) == (2, True)
    assert replay(folder, "--turn", "zero")[0] == 2
    note_progress(folder, benchmark="moon")
    code, output = replay(folder)
    assert (code, "no tools for the benchmark 'moon'" in output) == (2, True)


def test_equal_reports_differ_in_nothing(record: Run) -> None:
    (task,) = read_tasks(record(FILL))
    report = task.whole[0].report
    assert report
    assert first_divergence(report, report) is None
    slower = report.model_copy(update={"seconds": 99.0})
    assert first_divergence(report, slower) is None
    more = first_divergence(report, report.model_copy(update={"requests": 77}))
    assert more is not None
    assert more.what == "report"
