"""The step debugger, driven by commands on standard input."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.cli import app
from workshop.simulator.worlds import load_pack

ROOT = Path(__file__).parents[3]
Record = Callable[..., Path]
LOOK = """\
def find(name):
    wanted = name.upper()
    return Combo_Find_Products_For_Query(query=name)
tea = find("green tea")["matches"][0]
print("found", tea["sku"])"""
BUY = """\
report = {"bought": False}
try:
    filled = Combo_Set_Basket_For_Items(items=[{"sku": tea["sku"], "quantity": 2}], coupon="")
    report["receipt"] = Req_CheckoutBasket(expected_total=filled["total"])
    report["bought"] = True
except Exception as error:
    report["error"] = str(error)
final_answer(report)"""
ALIASED = """\
ask = Combo_Find_Products_For_Query
names = ["tea", "cup"]
final_answer([r["catalog_size"] for r in map(ask, names)])"""


@pytest.fixture
def run(record: Record) -> Path:
    return record(LOOK, BUY)


def debug(folder: Path, *commands: str, options: tuple[str, ...] = ()) -> str:
    """What the debugger says to these commands, in one turn of a recorded run."""
    arguments = ["debug", str(folder), "--task", "shop", "--turn", "1", *options]
    done = CliRunner().invoke(app, arguments, input="".join(f"{c}\n" for c in commands))
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code == 0, done.output
    return done.output


def said(folder: Path, *commands: str) -> list[str]:
    """The answer to each command (the first part is what is said before any)."""
    return debug(folder, *commands).split("(debug) ")


def test_a_stop_shows_the_code_with_its_line_and_the_call(run: Path) -> None:
    first = said(run)[0]
    assert "3  ->     return Combo_Find_Products_For_Query(query=name)" in first
    assert 'call 1: Combo_Find_Products_For_Query(query="green tea")' in first
    assert "Task: Buy tea" in first
    assert "\x1b" not in first


def test_stepping_to_the_end_comes_to_what_was_recorded(run: Path) -> None:
    _, second, third, end, over, _ = said(run, "n", "s", "next", "n")
    assert "4      tea = find" not in second
    assert "call 2: Combo_Set_Basket_For_Items" in second
    assert 'call 3: Req_CheckoutBasket(expected_total=8)' in third  # fmt: skip
    assert "step 1 printed:\nfound tea" in end
    assert "This is what was recorded." in end
    assert over.startswith("*** the code has ended")


def test_an_empty_line_repeats_and_c_runs_to_the_end(run: Path) -> None:
    _, second, third, *_ = said(run, "n", "")
    assert "call 2:" in second
    assert "call 3:" in third
    assert "This is what was recorded." in said(run, "c")[1]


def test_looking_around(run: Path) -> None:
    _, args, answer, short, whole, calls, _ = said(run, "a", "r", "l", "ll", "calls")
    assert args == 'query = "green tea"\n'
    assert json.loads(answer)["matches"][0]["sku"] == "tea"
    assert short == whole
    assert "->   1 line 3: Combo_Find_Products_For_Query is waiting" in calls
    assert calls.count("[to come]") == 2


def test_variables_are_seen_where_the_call_stands(run: Path) -> None:
    _, local, outer, wrong, missing, names, _, step2, tool, _ = said(
        run, "p wanted", "p name * 2", "p 1 +", "p nothing", "vars", "n", "p report, tea['sku']",
        "p Req_ViewBasket()",
    )  # fmt: skip
    assert local == "'GREEN TEA'\n"
    assert outer == "'green teagreen tea'\n"
    assert wrong.startswith("*** SyntaxError")
    assert missing == "*** NameError: name 'nothing' is not defined\n"
    assert "wanted = 'GREEN TEA'" in names
    assert step2 == "({'bought': False}, 'tea')\n"
    assert "an expression cannot call tools" in tool


NESTED = """\
import math
LIMIT = 3
def ask(word):
    size = len(word)
    return Combo_Find_Products_For_Query(query=word)
def both(words):
    return [ask(word)["catalog_size"] for word in words]
rows = {"found": both(["tea", "cup"]), "of": ["a" * 60, "b" * 60]}
final_answer(rows["found"])"""


@pytest.mark.parametrize("kind", ["process", "monty"])
def test_variables_of_a_function_are_seen_in_each_sandbox(
    record: Record, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setenv("WORKER_SANDBOX", kind)
    _, names, size, _ = said(record(NESTED), "vars", "size + 1")
    assert names == "size = 3\nword = 'tea'\n"
    assert size == "4\n"


def test_values_are_printed_over_lines_and_a_command_with_more_may_be_an_expression(
    record: Record,
) -> None:
    code = "n = {'a': ['x' * 60, 'y' * 60]}\nCombo_Find_Products_For_Query(query='tea')"
    _, pretty, sums, *_ = said(record(code), "pp n", "n and 1", "c = 2")
    assert pretty == f"{{'a': ['{'x' * 60}',\n       '{'y' * 60}']}}\n"
    assert sums == "1\n"


def test_tab_completes_commands_and_names(run: Path) -> None:
    pytest.importorskip("readline")
    ours, theirs = pty.openpty()
    command = [sys.executable, "submission.py", "debug", str(run), "--task", "shop"]
    try:
        with subprocess.Popen(command, cwd=ROOT, stdin=theirs, stdout=theirs) as process:
            os.close(theirs)
            os.write(ours, b"p wan\t\nq\n")
            shown = b""
            with suppress(OSError):  # it has ended
                while part := os.read(ours, 10_000):
                    shown += part
            assert process.wait(100) == 0
    finally:
        os.close(ours)
    assert b"'GREEN TEA'" in shown


def test_variables_are_seen_at_a_call_by_another_name(record: Record) -> None:
    _, first, _, second, _ = said(record(ALIASED), "p names", "n", "p len(names)")
    assert first == "['tea', 'cup']\n"
    assert second == "2\n"


def test_an_edited_answer_changes_what_comes_out(run: Path) -> None:
    talk = debug(run, "edit answer matches.0.sku=\"cup\"", "n", "a", "calls", "n")  # fmt: skip
    assert "left the record at call 2" in talk
    assert 'items = [{"sku": "cup", "quantity": 2}]' in talk
    assert "1 line 3: Combo_Find_Products_For_Query" in talk
    assert "[edited]" in talk
    assert "no recorded result fits this call" in talk


def test_off_the_record_the_user_answers(run: Path) -> None:
    talk = debug(
        run, "n", 'edit answer {"total": 9}', "n", "a", "c", 'edit answer {"total": 9}', "c"
    )
    assert talk.count("left the record at call 3") == 1
    assert "expected_total = 9" in talk
    assert "This is not what was recorded" in talk
    assert '"receipt": {"total": 9}' in talk


def test_an_edited_argument_leaves_the_record_and_can_be_put_back(run: Path) -> None:
    talk = debug(run, "n", "n", "edit args expected_total=9", "n", "edit none", "n")
    assert 'arguments: {"expected_total": 9}' in talk
    assert "left the record at call 3" in talk
    assert "This is what was recorded." in talk


def test_back_goes_another_way(run: Path) -> None:
    commands = ("c", "back 2", 'edit answer {"total": 8}', "n", "calls", "back 2", "calls")
    talk = said(run, *commands, "back 1", "c")
    assert "call 2: Combo_Set_Basket_For_Items" in talk[2]
    assert "[edited]" in talk[5]
    assert "call 2: Combo_Set_Basket_For_Items" in talk[6]
    assert "[edited]" not in talk[7]
    assert "call 1: Combo_Find" in talk[8]
    assert "This is what was recorded." in talk[9]


def test_breakpoints(run: Path) -> None:
    talk = said(run, "b 2:4", "b 2:1", "b", "c", "c", "l", "cl all", "b", "c")
    assert talk[1] == "breakpoint at step 2, line 4\n"
    assert talk[2] == "breakpoint at step 2, line 3 (line 1 calls no tool)\n"
    assert talk[3] == "step 2, line 3\nstep 2, line 4\n"
    assert "call 2:" in talk[4]
    assert "call 3:" in talk[5]
    assert "4 B->" in talk[6]
    assert talk[8] == ""
    assert "This is what was recorded." in talk[9]


def test_the_state_follows_the_writes(run: Path) -> None:
    _, before, _, _, after, *_ = said(run, "state", "n", "n", "state")
    assert 'after 0 recorded writes: {"items": {}, "coupon": ""}' in before
    assert 'after 1 recorded writes: {"items": {"tea": 2}, "coupon": ""}' in after
    assert "last seen in an answer (call 2" in after


def test_save_writes_a_pack_that_the_platform_takes(run: Path, tmp_path: Path) -> None:
    path = tmp_path / "new.json"
    talk = debug(run, "edit answer matches.0.available=1", "n", f"save {path}", f"save {path}")
    assert f"written: {path}" in talk
    assert "cannot be written" in talk
    (scenario,) = load_pack(path).scenarios
    assert (scenario.spec_id, scenario.task_text, scenario.page_limit) == ("shop", "Buy tea", 2)
    first = scenario.products[0]
    assert (first.sku, first.price, first.available) == ("tea", 4, 1)
    assert scenario.expect.checkouts == 0


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("fly", "name 'fly' is not defined; see h"),
        ("fly high", "'fly' is neither a command"),
        ("c = 1", "c takes no argument"),
        ("h", "edit args KEY=JSON"),
        ("back x", "expected a number"),
        ("back", "there is no earlier call"),
        ("back 7", "there is no earlier call"),
        ("b 99", "step 1 has 5 lines"),
        ("b 4", "calls no tool in line 4 or later"),
        ("cl 3", "there is no breakpoint"),
        ("p", "use: p EXPR"),
        ("edit", "no edits"),
        ("edit it", "use: edit args KEY=JSON"),
        ("edit args", "use: edit args KEY=JSON"),
        ("edit args sku=1", "has no argument 'sku'"),
        ("edit args query=tea", "put text in double quotes"),
        ("edit answer nix", "not JSON"),
        ("edit answer matches.9.sku=1", "the result has no 'matches.9.sku'"),
        ("save", "use: save FILE"),
        ("save /nowhere/at/all", "cannot be written"),
    ],
)
def test_what_cannot_be_done_is_said(run: Path, command: str, answer: str) -> None:
    assert answer in said(run, command)[1]


def test_the_turn_that_is_not_named_is_the_last_one_that_ran_code(run: Path) -> None:
    done = CliRunner().invoke(app, ["debug", str(run), "--task", "shop"], input="q\n")
    assert done.exit_code == 0
    assert "shop, turn 1. Task: Buy tea" in done.output


def test_quit_and_end_of_input_leave_nothing_behind(run: Path) -> None:
    assert debug(run, "q").endswith("(debug) ")
    assert debug(run).endswith("(debug) \n")


def test_the_shop_goes_on_where_the_record_ends(
    run: Path, tmp_path: Path, shop_json: Callable[..., dict[str, Any]]
) -> None:
    pack = tmp_path / "pack.json"
    shops = {"format": "store-pack/1", "name": "small", "scenarios": [shop_json()]}
    pack.write_text(json.dumps(shops), encoding="utf-8")
    commands = ("n", "n", "edit args expected_total=9", "n", "state", "back 3", "n")
    talk = debug(run, *commands, options=("--pack", str(pack)))
    assert "the basket's total is 8, expected 9" in talk
    assert "live state" in talk
    assert "This is what was recorded." in talk


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--task", "nope", "--turn", "1"], "has no task 'nope'; it has: shop"),
        (["--task", "shop", "--turn", "4"], "no work in turn 4"),
        (["--task", "shop", "--turn", "1", "--pack", "nope.json"], "cannot be read"),
        (["--turn", "1"], "--turn needs --task"),
        ([], "no task of this run failed"),
    ],
)
def test_wrong_usage_is_2_without_a_traceback(run: Path, options: list[str], words: str) -> None:
    done = CliRunner().invoke(app, ["debug", str(run), *options])
    assert done.exit_code == 2
    assert words in done.output
    assert "Traceback" not in done.output


def live(typed: str, *options: str) -> tuple[int, str]:
    """A live run on the bundled pack with a terminal to type at."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "submission.py", "--debug", *options]
    try:
        with subprocess.Popen(
            command, cwd=ROOT, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True,
        ) as process:  # fmt: skip
            os.write(ours, typed.encode())
            said, _ = process.communicate(timeout=100)
        return process.returncode, said
    finally:
        os.close(ours)
        os.close(theirs)


def test_a_live_run_stops_at_each_call(tmp_path: Path) -> None:
    options = ("--task", "named_item_on_last_page", "--out", str(tmp_path))
    code, talk = live("p p\nn\nn\np basket\nback\nq\n", *options)
    assert code == 130
    assert "'moka-6'" in talk
    assert "'total': 36" in talk
    assert "cannot go back" in talk
    assert "stopped at the debugger" in talk
    (journal,) = tmp_path.glob("*/tasks/*.jsonl")
    assert json.loads(journal.read_text().splitlines()[-1])["type"] == "result"


def test_a_live_run_needs_a_terminal() -> None:
    done = subprocess.run(
        [sys.executable, "submission.py", "--debug"],
        cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert done.returncode == 2
    assert "standard input is not one" in done.stderr
