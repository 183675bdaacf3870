"""Forks: the world rebuilt from recorded writes, the recorded turns taken over, the rest anew."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from cli.cli import app
from coordinator.fork import differences
from core.runs.reader import read_tasks
from core.runs.run_view import read_run_view
from tests.kit import canned
from tests.kit.records import results_at
from workshop.views.report.pairs import pairs_of

NO_ENV = dict.fromkeys(("EVALUATOR_MODEL", "WORKER_MODEL", "EVALUATOR_BASE_URL", "ERC3_CLIENT"), "")
FILL = """
Req_AddProductToBasket(sku="pot", quantity=3)
Req_ApplyCoupon(coupon="TEN")
answer = {"first": Req_ListProducts()}
try:
    Req_ApplyCoupon(coupon="NOPE")
except ValueError as error:
    answer["error"] = str(error)
final_answer(answer)
"""
TRY = """
try:
    final_answer(Req_CheckoutBasket(expected_total=81, expected_coupon="TEN"))
except ValueError as error:
    final_answer(str(error))
"""
THREE = "try\nCHECKOUT: items pot×3; coupon TEN; total at most 81"
ONE = "buy\nCHECKOUT: items pot×1; coupon TEN; total at most 27"
BUY = """
Req_RemoveItemFromBasket(sku="pot", quantity=2)
final_answer(Req_CheckoutBasket(expected_total=27, expected_coupon="TEN"))
"""


def says(*instructions: str) -> list[str]:
    return [f"THOUGHT: t\nDECISION: PROCEED\nINSTRUCTION: {i}" for i in instructions]


def does(*codes: str) -> list[str]:
    return [f"Thought: go.\n<code>\n{code}\n</code>" for code in codes]


class RequestHandler:
    """The command line in a folder of its own, with scripted models."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder
        self.name = name
        self.pack = folder / "pack.json"
        self._runs = 0

    def call(self, *options: object) -> Result:
        words = [str(o) for o in ("--out", self.folder / "logs", *options)]
        result = CliRunner().invoke(app, words, env=NO_ENV)
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result

    def play(self, evaluator: list[str], worker: list[str]) -> list[str]:
        """Options for models that answer so."""
        self._runs += 1
        name = f"{self.name}-{self._runs}"
        eyes = canned.play(f"eyes-{name}", evaluator)
        return ["--evaluator", eyes, "--worker", canned.play(f"hands-{name}", worker)]

    @property
    def runs(self) -> set[Path]:
        return set((self.folder / "logs").iterdir())

    def record(self, evaluator: list[str], worker: list[str]) -> Path:
        """A run to fork."""
        before = self.runs if (self.folder / "logs").exists() else set()
        models = self.play(evaluator, worker)
        done = self.call("--pack", self.pack, "--task", "shop", "--json", *models)
        assert done.exit_code == 0, done.output
        (made,) = self.runs - before
        return made

    def fork(self, run: Path, turn: int, *options: object) -> Result:
        return self.call(
            "--fork", run, "--task", "shop", "--turn", turn, "--pack", self.pack, *options
        )

    def forked(self, run: Path, turn: int, *options: object) -> tuple[dict[str, Any], Path]:
        """The result of a fork that ran, and its run folder."""
        done = self.fork(run, turn, "--json", *options)
        assert done.exit_code == 0, done.output
        document: dict[str, Any] = json.loads(done.stdout)
        return document["tasks"][0], self.folder / "logs" / document["run_id"]


def change(before: Path, now: Path) -> str:
    """The first difference that the page of both runs shows."""
    (pair,) = pairs_of(read_run_view(before), read_run_view(now))
    return pair.first_difference.text


def journal(run: Path) -> list[dict[str, Any]]:
    text = (run / "tasks" / "shop.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def rewrite(run: Path, change: Any) -> None:
    """Change the turns of a journal."""
    records = journal(run)
    for record in records:
        if record["type"] == "turn":
            change(record)
    lines = [json.dumps(record) + "\n" for record in records]
    (run / "tasks" / "shop.jsonl").write_text("".join(lines), encoding="utf-8")


@pytest.fixture
def desk(
    tmp_path: Path, shop_json: Any, monkeypatch: pytest.MonkeyPatch, request: Any
) -> RequestHandler:
    """A shop of pots of which only one is there when it comes to buying."""
    monkeypatch.chdir(tmp_path)
    wanted = {"items": [{"sku": "pot", "quantity": 1}], "subtotal": 30, "total": 27}
    shop = shop_json(
        task_text="Buy Tea Pots with TEN",
        coupons=[{"code": "TEN", "discount": {"percent": 10}}],
        expect={"checkouts": 1, "any_of": [wanted]},
    )
    made = RequestHandler(tmp_path, request.node.name)
    pack = {"format": "store-pack/1", "name": "pots", "scenarios": [shop]}
    made.pack.write_text(json.dumps(pack))
    return made


@pytest.fixture
def recorded(desk: RequestHandler) -> Path:
    """Three turns: fill the basket, a checkout that fails, one that does not."""
    return desk.record(says("fill", THREE, ONE), does(FILL, TRY, BUY))


@pytest.mark.slow
def test_the_same_models_come_to_the_same_end(desk: RequestHandler, recorded: Path) -> None:
    for turn in (1, 2, 3):
        models = desk.play(
            says("fill", THREE, ONE)[turn - 1 :],
            does(FILL, TRY, BUY)[turn - 1 :],
        )
        result, folder = desk.forked(recorded, turn, *models)
        assert change(recorded, folder) == "the same"
        assert (result["verdict"], result["score"]) == ("purchased", 1.0)
        prompts = [
            [r["prompt_sha256"] for r in journal(run) if r["type"] == "model_call"]
            for run in (recorded, folder)
        ]
        assert prompts[0] == prompts[1]


def test_a_fork_marks_where_it_comes_from(desk: RequestHandler, recorded: Path) -> None:
    _, folder = desk.forked(recorded, 3, *desk.play(says(ONE), does(BUY)))
    first = journal(folder)[0]
    assert first["type"] == "task"
    assert first["forked_from"] == {"run": recorded.name, "turn": 3}
    assert "forked_from" not in journal(recorded)[0]


def test_the_stock_has_moved_in_the_fork_as_it_had(desk: RequestHandler, recorded: Path) -> None:
    look = "final_answer([Req_ViewBasket(), Combo_List_All_Products()['results'][0]['data']])"
    models = desk.play([*says("look"), "DECISION: FINISH\nINSTRUCTION: DECLINED"], does(look))
    now, folder = desk.forked(recorded, 3, *models)
    basket, products = next(r for r in journal(folder) if r.get("number") == 3)["report"]["result"]
    assert (basket["items"][0]["quantity"], basket["coupon"], basket["total"]) == (3, "TEN", 81)
    assert {p["sku"]: p["available"] for p in products}["pot"] == 1
    before = results_at(recorded)["tasks"][0]
    assert (before["verdict"], before["acts"], before["turns"]) == ("purchased", 1, 3)
    assert (now["verdict"], now["acts"], now["turns"]) == ("declined", 0, 4)
    assert change(recorded, folder) == "turn 3: other calls, other words"


def test_what_was_learnt_before_is_known_in_the_fork(desk: RequestHandler, recorded: Path) -> None:
    """Products were looked at, so nobody asks back; a dead code costs no request again."""
    models = desk.play(["DECISION: FINISH\nINSTRUCTION: DECLINED"], [])
    _, folder = desk.forked(recorded, 2, *models)
    assert next(r for r in journal(folder) if r.get("number") == 2)["challenge"] is None
    again = "try:\n    Req_ApplyCoupon(coupon='NOPE')\nexcept ValueError as e:\n    final_answer(1)"
    finish = "DECISION: FINISH\nINSTRUCTION: DECLINED"
    _, folder = desk.forked(recorded, 2, *desk.play([*says("x"), finish], does(again)))
    assert next(r for r in journal(folder) if r.get("number") == 2)["report"]["requests"] == 0


def test_a_fork_can_be_forked_and_read_again(desk: RequestHandler, recorded: Path) -> None:
    _, first = desk.forked(recorded, 2, *desk.play(says(THREE, ONE), does(TRY, BUY)))
    _, second = desk.forked(first, 3, *desk.play(says(ONE), does(BUY)))
    assert change(first, second) == "the same"
    (task,) = read_tasks(second, "shop")
    assert [t.number for t in task.turns] == [1, 2, 3]
    assert [len(t.of_worker) for t in task.turns] == [1, 1, 1]
    assert results_at(second)["pack"] == "pots"


@pytest.mark.slow
def test_the_bundled_pack_and_the_playbooks_need_no_options(desk: RequestHandler) -> None:
    task = "all_tents_ghost_stock"
    assert desk.call("--task", task, "--json").exit_code == 0
    (run,) = desk.runs
    done = desk.call("--fork", run, "--task", task, "--turn", "3")
    assert done.exit_code == 0, done.output
    for words in ("forked at turn 3", "first difference: the same", "purchased", "tokens"):
        assert words in done.stdout
    (folder,) = desk.runs - {run}
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("turn by turn: ")]
    assert shlex.split(line)[-3:] == ["report", str(run), str(folder)]


def test_a_model_that_fails_is_a_result(desk: RequestHandler, recorded: Path) -> None:
    dead = "faulty/store?rate=1&kinds=http-401"
    done = desk.fork(recorded, 3, "--json", "--evaluator", dead)
    assert done.exit_code == 1
    document = json.loads(done.stdout)
    (result,) = document["tasks"]
    assert result["outcome"] == "error"
    assert "http-401" in result["error"]
    folder = desk.folder / "logs" / document["run_id"]
    assert change(recorded, folder).startswith("turn 3: ")


def test_another_state_stops_the_fork_and_says_where(desk: RequestHandler, recorded: Path) -> None:
    def change(turn: dict[str, Any]) -> None:
        turn["state"] = turn["state"].replace('"quantity": 3', '"quantity": 4')

    rewrite(recorded, change)
    before = desk.runs
    done = desk.fork(recorded, 3)
    assert done.exit_code == 1
    assert "turn 2: basket.items[0].quantity: recorded 4, now 3" in " ".join(done.stderr.split())
    assert desk.runs == before


def test_requests_without_an_answer_are_named_where_the_state_differs(
    desk: RequestHandler, recorded: Path
) -> None:
    def change(turn: dict[str, Any]) -> None:
        turn["state"] = turn["state"].replace('"quantity": 3', '"quantity": 4')
        for call in turn["report"]["calls"]:
            for wire in call["requests"]:
                wire["outcome"] = "unknown" if wire["path"] == "/basket/add" else wire["outcome"]

    rewrite(recorded, change)
    done = desk.fork(recorded, 3)
    assert done.exit_code == 1
    assert "1 repeated request had no response when recorded" in " ".join(done.stderr.split())


def test_another_answer_stops_the_fork_and_says_which(desk: RequestHandler, recorded: Path) -> None:
    def change(turn: dict[str, Any]) -> None:
        for call in turn["report"]["calls"]:
            for wire in call["requests"]:
                if wire["path"] == "/basket/checkout":
                    wire["outcome"], wire["error"] = "done", None

    rewrite(recorded, change)
    done = desk.fork(recorded, 3)
    assert done.exit_code == 1
    assert "/basket/checkout {}: recorded done, now failed (insufficient inv" in done.stderr


def test_a_shop_with_another_task_is_no_place_for_it(desk: RequestHandler, recorded: Path) -> None:
    desk.pack.write_text(desk.pack.read_text().replace("Buy Tea Pots", "Buy no Tea Pots"))
    done = desk.fork(recorded, 2)
    assert done.exit_code == 1
    assert "the task has changed" in done.stderr


def test_a_pack_that_the_run_does_not_keep_has_to_be_given(
    desk: RequestHandler, recorded: Path
) -> None:
    (recorded / "pack.json").unlink()
    done = desk.call("--fork", recorded, "--task", "shop", "--turn", "1")
    assert done.exit_code == 2
    assert "'pots'" in done.stderr
    assert "--pack" in done.stderr


def test_what_is_not_recorded_is_an_error_that_says_what_is(
    desk: RequestHandler, recorded: Path
) -> None:
    done = desk.fork(recorded, 4)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "no turn 4; recorded turns: 1, 2, 3" in done.stderr
    done = desk.call("--fork", recorded, "--task", "stop", "--turn", "1")
    assert done.exit_code == 2
    assert "did you mean shop?" in done.stderr
    done = desk.fork(desk.folder, 1)
    assert "not a run folder" in done.stderr


@pytest.mark.parametrize(
    "options",
    [
        ["--turn", "2"],
        ["--fork", "."],
        ["--fork", ".", "--turn", "2"],
        ["--fork", ".", "--task", "shop"],
        ["--fork", ".", "--task", "shop", "--task", "stop", "--turn", "1"],
        ["--fork", ".", "--task", "shop", "--turn", "0"],
        ["--fork", ".", "--task", "shop", "--turn", "3", "--max-turns", "2"],
        ["--fork", ".", "--task", "shop", "--turn", "1", "--real"],
    ],
    ids=" ".join,
)
def test_options_that_do_not_go_together(desk: RequestHandler, options: list[str]) -> None:
    assert desk.call(*options).exit_code == 2


def test_differences_name_every_place() -> None:
    old = {"a": [1, {"b": 2}], "c": "x", "d": None}
    new = {"a": [1, {"b": 3}, 4], "c": "x", "e": 5}
    assert differences(old, new) == [
        "a[1].b: recorded 2, now 3",
        "a[2]: recorded nothing, now 4",
        "d: recorded null, now nothing",
        "e: recorded nothing, now 5",
    ]
    assert differences("before", "after") == ['state: recorded "before", now "after"']
    assert differences(old, old) == []
