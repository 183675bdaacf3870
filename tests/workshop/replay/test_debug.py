"""The debugger, driven by lines that are typed."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from cli.cli import app
from core.runs.reader import read_tasks
from tests.kit.combo import data_of
from tests.worker.sandbox.kinds import STANDING
from workshop.simulator.worlds import load_pack

ROOT = Path(__file__).parents[3]
Record = Callable[..., Path]
LOOK = """\
def find(name):
    wanted = name.upper()
    return Combo_Find_Products_For_Query(query=name)
tea = find("green tea")["results"][0]["data"]["matches"][0]
print("found", tea["sku"])"""
BUY = """\
report = {"bought": False}
try:
    filled = Combo_Set_Basket_For_Items(items=[{"sku": tea["sku"], "quantity": 2}], coupon="")
    report["receipt"] = Req_CheckoutBasket(expected_total=filled["results"][0]["data"]["total"])
    report["bought"] = True
except Exception as error:
    report["error"] = str(error)
final_answer(report)"""
LONG = """\
found = Combo_Find_Products_For_Query(query="green tea")
matches = found["results"][0]["data"]["matches"]
first = matches[0]
sku = first["sku"]
price = first["price"]
wanted = 0
limit = 10
budget = limit - price
while budget >= 0:
    wanted += 1
    budget -= price
items = [{"sku": sku, "quantity": wanted}]
filled = Combo_Set_Basket_For_Items(items=items, coupon="")
total = filled["results"][0]["data"]["total"]
report = {"wanted": wanted}
report["total"] = total
final_answer(report)"""
GHOST = "insufficient inventory for product tea during checkout: available 1, requested 2"

if not STANDING:
    pytest.skip("lines can be stepped through only under Landlock", allow_module_level=True)


@pytest.fixture
def run(record: Record) -> Path:
    return record(LOOK, BUY)


def debug(folder: Path, *typed: str, options: tuple[str, ...] = (), task: str = "shop") -> str:
    """What the debugger says to these lines, in one turn of a recorded run."""
    arguments = ["debug", str(folder), "--task", task, *options]
    done = CliRunner().invoke(app, arguments, input="".join(f"{line}\n" for line in typed))
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code == 0, done.output
    assert "\x1b" not in done.output
    return done.output


def said(folder: Path, *typed: str, **given: Any) -> list[str]:
    """The answer to each line (the first part is what is said before any)."""
    return debug(folder, *typed, **given).split("(debug) ")


def line_of(answer: str) -> tuple[int, int]:
    """Step and line at which pdb says that it is."""
    step, _, rest = answer.partition("> <step ")[2].partition(">(")
    return int(step), int(rest.partition(")")[0])


LONG_LINES = [*range(1, 9), 9, 10, 11, 9, 10, 11, 9, *range(12, 18)]
"""The lines that LONG runs: the loop has two rounds."""


def test_until_leaves_a_loop(record: Record) -> None:
    talk = said(record(LONG), *["n"] * 8, "until 12", "wanted")
    assert (line_of(talk[9]), talk[10]) == ((1, 12), "2\n")


def test_step_enters_a_function(run: Path) -> None:
    talk = said(run, "n", "s", "n", "n", "vars", "w", "r", "p tea['sku']")
    assert [line_of(answer)[1] for answer in talk[2:5]] == [1, 2, 3]
    assert talk[5] == "name = 'green tea'\nwanted = 'GREEN TEA'\n"
    assert (talk[6].count("> <step 1>"), talk[6].count("<step 1>")) == (1, 2)


def test_steps_follow_each_other_and_breakpoints_wait_for_later_ones(run: Path) -> None:
    talk = said(run, "b 2:4", "c", "n", "cl 2:4", "back", "ll")
    assert line_of(talk[2]) == (2, 4)
    assert "found tea" in talk[2]
    assert "call 3: Req_CheckoutBasket" in talk[3]
    assert line_of(talk[5]) == (2, 4)
    assert "report = " in talk[6]
    assert "final_answer(report)" in talk[6]


def test_calls_and_their_answers_are_shown_before_they_come(run: Path) -> None:
    talk = said(run, "answer", "call", "calls")
    assert data_of(json.loads(talk[1].partition("\n")[2]))["matches"][0]["sku"] == "tea"
    assert "->   1 line 3: Combo_Find_Products_For_Query is waiting" in talk[3]
    assert talk[3].count("[to come]") == 2


def test_an_answer_that_is_made_to_raise_leads_into_the_branch_for_ghost_stock(run: Path) -> None:
    typed = ["b 2:4", "c", f"answer raise {GHOST}", "n", "n", "n", "p str(error)", "c"]
    talk = said(run, *typed)
    assert talk[4].count(GHOST) == 2  # as the call's outcome, and as the exception
    assert [line_of(answer) for answer in talk[4:7]] == [(2, 4), (2, 6), (2, 7)]
    assert talk[7] == f"{GHOST!r}\n"
    assert "This is not what was recorded" in talk[8]


def test_a_refusal_can_be_of_another_kind_and_is_dropped_on_demand(run: Path) -> None:
    kind = "answer raise KeyError: tea"
    talk = said(run, kind, "answer recorded", kind, "n", "n", "n")
    assert talk[1].endswith("edited: KeyError: tea\n")
    assert "edited" not in talk[2]
    assert "KeyError: 'tea'" in talk[5]
    look = "p filled['fatal_error']['text']"  # as a Combo tool reports it
    assert said(run, "call 2", "answer raise gone", "n", look)[4] == "'gone'\n"


def test_a_changed_answer_changes_what_comes_out(run: Path) -> None:
    talk = said(run, 'answer results.0.data.matches.0.sku="cup"', "call 2", "c")
    assert '"sku": "cup"' in talk[1]
    assert "[edited]" in talk[2]
    assert "left the record at call 2" in talk[3]
    assert "no recorded answer fits this call" in talk[3]
    typed = ["call 2", "answer results.0.data.total=9", "c", 'answer {"total": 9}', "c"]
    talk = said(run, *typed)
    assert "expected_total=9" in talk[3]
    assert '"receipt": {"total": 9}' in talk[5]
    assert "This is not what was recorded" in talk[5]


def test_back_returns_to_the_stop_before_with_what_was_typed_until_then(record: Record) -> None:
    typed = ["n"] * 5 + ["!budget_of_mine = 7", "n", "n", "back", "back", "p budget_of_mine", "c"]
    talk = said(record(LONG), *typed)
    assert [line_of(talk[n])[1] for n in (7, 8, 9, 10)] == [7, 8, 7, 6]
    assert "NameError" in talk[11]  # it was assigned at this stop, after arriving
    assert "This is what was recorded." in talk[12]


def test_back_goes_to_a_call_and_from_there_another_way(run: Path) -> None:
    typed = ["c", "back 2", "answer raise sold out", "c"]
    talk = said(run, *typed, "back 2", "c", "back 1", "calls")
    assert "call 2 waits: Combo_Set_Basket_For_Items" in talk[2]
    assert line_of(talk[2]) == (2, 3)
    assert "This is not what was recorded" in talk[4]
    assert "the edited answer of call 2 is dropped" in talk[5]
    assert "This is what was recorded." in talk[6]
    assert line_of(talk[7]) == (1, 3)
    assert talk[8].count("[to come]") == 2


def test_back_keeps_breakpoints_and_prints_nothing_twice(run: Path) -> None:
    talk = said(run, "b 2:3", "c", "n", "b 2:5", "back", "c", "q")
    assert line_of(talk[5]) == (2, 3)
    assert "found tea" in talk[2]
    assert "found tea" not in talk[5]
    assert line_of(talk[6]) == (2, 5)


LINES = (
    "n", "s", "c", "r", "", "until 3", "b 3", "b 2:4", "tbreak 2:5", "b 2, True", "cl", "cl 3",
    "call", "call 2", "back", "back 1", "back 2", "u", "d", "w", "vars", "calls", "answer",
    "answer raise gone", "answer raise KeyError: x", "answer recorded", "x = 1", "1/0",
)  # fmt: skip


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.sampled_from(LINES), max_size=20))
def test_whatever_was_typed_going_back_leads_to_the_recorded_end_again(
    run: Path, typed: list[str]
) -> None:
    """``c`` thrice: past breakpoints that ``cl`` came too late for, to the first call's answer."""
    talk = said(run, *typed, "cl", "c", "c", "c", "answer 1", "c", "back 1", "cl", "c", "q")
    assert talk[-2].endswith("This is what was recorded.\n")


def test_variables_can_be_changed_and_the_code_goes_on_with_them(run: Path) -> None:
    talk = said(run, "b 2:3", "c", "!tea = {'sku': 'cup'}", "n")
    assert "left the record at call 2" in talk[4]


def test_the_shop_goes_on_where_the_record_ends(
    run: Path, tmp_path: Path, shop_json: Callable[..., dict[str, Any]]
) -> None:
    pack = tmp_path / "pack.json"
    shops = {"format": "store-pack/1", "name": "small", "scenarios": [shop_json()]}
    pack.write_text(json.dumps(shops), encoding="utf-8")
    higher = "!filled['results'][0]['data']['total'] = 9"
    talk = said(run, "b 2:4", "c", higher, "n", "back 3", options=("--pack", str(pack)))
    assert "the basket's total is 8, expected 9" in talk[4]
    assert line_of(talk[5]) == (2, 4)


def test_save_writes_a_pack_that_the_platform_takes(run: Path, tmp_path: Path) -> None:
    path = tmp_path / "new.json"
    save = f"save {path}"
    talk = debug(run, "answer results.0.data.matches.0.available=1", "b 2:1", "c", save, save)
    assert f"written: {path}" in talk
    assert "cannot be written" in talk
    (scenario,) = load_pack(path).scenarios
    assert (scenario.spec_id, scenario.task_text) == ("shop", "Buy tea")
    first = scenario.products[0]
    assert (first.sku, first.price, first.available) == ("tea", 4, 1)
    assert scenario.expect.checkouts == 0


def test_calls_by_another_name_and_from_a_thread_can_be_stopped_at(record: Record) -> None:
    code = """\
import concurrent.futures
with concurrent.futures.ThreadPoolExecutor(1) as pool:
    rows = list(pool.map(lambda name: Combo_Find_Products_For_Query(query=name), ["tea"]))
final_answer([len(r["results"]) for r in map(Combo_Find_Products_For_Query, ["cup"])])"""
    talk = said(record(code), "call", "p 1", "call", "p rows[0]['query']", "c")
    assert "call 1 waits" in talk[1]
    assert "cannot be looked into" in talk[2]
    assert "call 2 waits" in talk[3]
    assert line_of(talk[3]) == (1, 4)
    assert "This is what was recorded." in talk[5]


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("fly", "NameError"),
        ("h", "answer raise TEXT"),
        ("back x", "expected a number"),
        ("back", "this is the first stop"),
        ("back 7", "no call was made"),
        ("call 0", "the next call is 1"),
        ("b 99", "End of file"),
        ("run", "back goes to an earlier stop"),
        ("answer nix", "not JSON"),
        ("answer results.9.data=1", "the answer has no 'results.9.data'"),
        ("answer raise", "use: answer raise TEXT"),
        ("save", "use: save FILE"),
        ("save /nowhere/at/all", "cannot be written"),
    ],
)
def test_what_cannot_be_done_is_said(run: Path, line: str, answer: str) -> None:
    assert answer in said(run, line)[1]


def test_a_fork_plays_the_task_on_behind_the_edited_turn(tmp_path: Path) -> None:
    task = "budget_fits_thanks_to_coupon"
    models = dict.fromkeys(("EVALUATOR_MODEL", "WORKER_MODEL"), "")
    words = ["--task", task, "--out", str(tmp_path), "--quiet"]
    assert CliRunner().invoke(app, words, env=models).exit_code == 0
    (folder,) = tmp_path.iterdir()
    typed = "answer raise the shop is closed\nfork\n"
    debugged = ["debug", str(folder), "--task", task, "--turn", "1"]
    done = CliRunner().invoke(app, debugged, input=typed, env=models)
    assert "forked at turn 2" in done.output
    (fork,) = set(tmp_path.iterdir()) - {folder}
    turns = [one.turn for one in read_tasks(fork)[0].work if one.turn and one.turn.report]
    first = turns[0].report.calls[0] if turns[0].report else None
    assert first is not None
    assert (first.outcome, first.error) == ("failed", "the shop is closed")
    assert read_tasks(fork)[0].result != read_tasks(folder)[0].result


def test_at_the_end_only_going_back_is_left(run: Path) -> None:
    talk = said(run, "c", "n", "answer raise x", "fork", "back")
    assert "the code has ended" in talk[2]
    assert "the code has ended" in talk[3]
    assert "the turn went as it was recorded" in talk[4]
    assert line_of(talk[5]) == (1, 1)


def test_what_is_printed_neither_moves_a_terminal_nor_floods_it(record: Record) -> None:
    code = "text = '\\x1b[2J' + chr(0x202e)\nprint(text * 1_000_000)\nfinal_answer(text)"
    talk = debug(record(code), "n", "print(text)", "p text", "c")
    assert not {"\x1b", "\u202e"} & set(talk)
    assert len(talk) < 100_000
    assert "This is what was recorded." in talk


NESTED = """\
def ask(word):
    return Combo_Find_Products_For_Query(query=word)
rows = [ask(word) for word in ["tea", "cup"]]
final_answer([len(row["results"]) for row in rows])"""


class TestMonty:
    @pytest.fixture
    def monty(self, record: Record, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setenv("WORKER_SANDBOX", "monty")
        return record(NESTED)

    def test_it_steps_by_call_and_says_so(self, monty: Path) -> None:
        talk = said(monty, "p word", "l", "n", "c")
        assert "Monty cannot stop at lines" in talk[0]
        assert "   2 ->     return Combo" in talk[0]
        assert "cannot be looked into" in talk[1]
        assert "   2 ->     return Combo" in talk[2]
        assert "call 2 waits" in talk[3]
        assert "This is what was recorded." in talk[4]

    def test_answers_are_edited_and_calls_gone_back_to(self, monty: Path) -> None:
        talk = said(monty, "n", "answer raise gone", "n", "back 2", "c", "back", "back", "c")
        assert "call 2: Combo_Find" in talk[3]
        assert "gone" in talk[3]
        assert "call 2 waits" in talk[4]
        assert "This is what was recorded." in talk[5]
        assert "call 2 waits" in talk[6]
        assert "call 1 waits" in talk[7]
        assert "This is what was recorded." in talk[8]


def test_the_last_turn_with_code_is_opened_and_quitting_leaves_nothing_behind(run: Path) -> None:
    talk = debug(run, "q")
    assert "shop, turn 1. Task: Buy tea" in talk
    assert talk.endswith("(debug) ")
    assert debug(run).endswith("(debug) \n")


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


class Screen:
    """A program at a terminal of its own: what is typed, and what is shown."""

    def __init__(self, *words: str) -> None:
        self._ours, theirs = pty.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "submission.py", *words],
            cwd=ROOT, stdin=theirs, stdout=theirs, stderr=theirs,
            env={**os.environ, "TERM": "dumb"},
        )  # fmt: skip
        os.close(theirs)
        self._shown = b""

    def interrupt_code(self, command: str, text: str) -> None:
        """Let the code run on by this command and press Ctrl-C until this is shown.

        The keys are echoed before the program reads them: Ctrl-C can come while it still waits for
        the line, which it then forgets.
        """
        for _ in range(30):
            self.type(f"{command}\n")
            self.until(f"{command}\r\n")
            self._process.send_signal(signal.SIGINT)
            if text in self.until("(debug) "):
                return
        raise AssertionError(text)

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def say(self, line: str) -> str:
        """Type a line; what is shown until the next question."""
        self.type(f"{line}\n")
        return self.until("(debug) ")

    def until(self, text: str, seconds: float = 60) -> str:
        """What is shown up to this text. Raises AssertionError: it does not come."""
        while text.encode() not in self._shown:
            ready, _, _ = select.select([self._ours], [], [], seconds)
            assert ready, self._shown.decode()
            self._shown += os.read(self._ours, 10_000)
        before, found, self._shown = self._shown.partition(text.encode())
        return (before + found).decode()

    def end(self) -> int:
        with suppress(OSError):
            while os.read(self._ours, 10_000):
                pass
        code = self._process.wait(100)
        os.close(self._ours)
        return code


@pytest.fixture(params=["store", "company"])
def recorded(request: pytest.FixtureRequest) -> tuple[Path, str, tuple[int, int]]:
    """A run, its task, and step and line of a loop's body, in the program of that turn."""
    if request.param == "store":
        return request.getfixturevalue("record")(LONG), "shop", (1, 10)
    folder = request.getfixturevalue("company_run")
    (task,) = read_tasks(folder, SEVERAL_READS)
    first = task.work[-1].tools[0]
    return folder, SEVERAL_READS, (first.step or 0, first.line or 0)


SEVERAL_READS = "corvane-projects-of"
"""A task of the company whose program, which the run's own model wrote, reads in a loop."""


@pytest.fixture(scope="module")
def company_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("logs")
    words = ["--benchmark", "company", "--task", SEVERAL_READS, "--out", str(out), "--quiet"]
    models = dict.fromkeys(("EVALUATOR_MODEL", "WORKER_MODEL"), "scripted/company")
    assert CliRunner().invoke(app, words, env=models).exit_code == 0
    (folder,) = out.iterdir()
    return folder


def test_a_session_at_a_real_terminal(recorded: tuple[Path, str, tuple[int, int]]) -> None:
    folder, task, (step, line) = recorded
    screen = Screen("debug", str(folder), "--task", task)
    stops = [line_of(screen.until("(debug) ")), *(line_of(screen.say("n")) for _ in range(20))]
    assert len(set(stops)) < 21  # lines of a loop come again
    if task == "shop":
        assert [at for _, at in stops] == LONG_LINES[:21]

    assert "call 1 waits" in screen.say("back 1")
    screen.say(f"b {step}:{line}")
    assert line_of(screen.say("c")) == (step, line)
    assert line_of(screen.say("c")) == (step, line)

    screen.say("cl all")
    screen.say("back 1")
    screen.say("answer raise RuntimeError: not allowed")
    assert "RuntimeError: not allowed" in screen.say("n")
    assert "This is not what was recorded" in screen.say("c")

    assert "edited answer of call 1 is dropped" in screen.say("back 1")
    assert "edited" in screen.say('answer {"matches": [], "note": "made up"}')
    assert '{"matches": [], "note": "made up"} [edited]' in screen.say("n")
    screen.say("back 1")
    assert "This is what was recorded." in screen.say("c")
    screen.type("q\n")
    assert screen.end() == 0


def test_code_that_runs_on_is_interrupted_and_gone_back_from(record: Record) -> None:
    code = "n = 0\nwhile n < 1:\n    pass\nfinal_answer(1)"
    screen = Screen("debug", str(record(code, "final_answer(2)")), "--task", "shop")
    screen.until("(debug) ")
    screen.type("n\n")
    screen.until("(debug) ")
    screen.interrupt_code("c", "Interrupted.")
    screen.type("back\n")
    screen.until("(2)<module>()")
    screen.type("q\n")
    assert screen.end() == 0


def test_a_live_run_is_stepped_through(tmp_path: Path) -> None:
    screen = Screen("--debug", "--task", "budget_fits_thanks_to_coupon", "--out", str(tmp_path))
    screen.until("(debug) ")
    for line, shown in (
        ("call", "call 1 waits"), ("back", "cannot go back"), ("fork", "not forked"),
        ("n", "[live]"),
    ):  # fmt: skip
        assert shown in screen.say(line)
    screen.type("q\n")
    assert screen.end() == 130
    (journal,) = tmp_path.glob("*/tasks/*.jsonl")
    assert json.loads(journal.read_text().splitlines()[-1])["type"] == "result"


def test_a_live_run_needs_a_terminal() -> None:
    done = CliRunner().invoke(app, ["--debug"])
    assert done.exit_code == 2
    assert "standard input is not one" in done.output
