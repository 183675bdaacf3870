"""Forks: the world rebuilt from recorded writes, the recorded turns taken over, the rest anew."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from coordinator.fork import differences
from core.runs.reader import read_tasks
from core.runs.run_view import read_run_view
from tests.conftest import scenario
from tests.kit import canned
from tests.kit.commands import type_words, write_pack
from tests.kit.records import results_at
from workshop.views.report.pairs import pairs_of

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


class Desk:
    """The command line in a folder of its own, with scripted models."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.pack, self.logs = folder, folder / "pack.json", folder / "logs"

    def play(self, evaluator: list[str], worker: list[str]) -> list[str]:
        """Options for models that answer so."""
        name = self.folder.name
        eyes, hands = canned.play(f"e-{name}", evaluator), canned.play(f"w-{name}", worker)
        return ["--evaluator", eyes, "--worker", hands]

    def fork(self, run: Path, turn: int, *options: object) -> Result:
        words = ["--fork", run, "--task", "shop", "--turn", turn, "--pack", self.pack]
        return type_words(*words, "--out", self.logs, *options)

    def forked(self, run: Path, turn: int, *options: object) -> tuple[dict[str, Any], Path]:
        """The result of a fork that ran, and its run folder."""
        done = self.fork(run, turn, "--json", *options)
        assert done.exit_code == 0, done.output
        document: dict[str, Any] = json.loads(done.stdout)
        return document["tasks"][0], self.logs / document["run_id"]


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


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """Three turns in a shop of pots: fill the basket, a checkout that fails as there is only one
    pot, one that does not."""
    wanted = {"items": [{"sku": "pot", "quantity": 1}], "subtotal": 30, "total": 27}
    shop = scenario(
        task_text="Buy Tea Pots with TEN",
        coupons=[{"code": "TEN", "discount": {"percent": 10}}],
        expect={"checkouts": 1, "any_of": [wanted]},
    )
    made = Desk(tmp_path_factory.mktemp("pots"))
    write_pack(made.pack, shop)
    models = made.play(says("fill", THREE, ONE), does(FILL, TRY, BUY))
    words = ["--pack", made.pack, "--task", "shop", "--out", made.logs, "--quiet"]
    assert type_words(*words, *models).exit_code == 0
    return made


@pytest.fixture
def desk(played: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A copy of it."""
    folder = Path(shutil.copytree(played.folder, tmp_path / "desk"))
    monkeypatch.chdir(folder)
    return Desk(folder)


@pytest.fixture
def recorded(desk: Desk) -> Path:
    (run,) = desk.logs.iterdir()
    return run


@pytest.mark.slow
@pytest.mark.parametrize("turn", [1, 2, 3])
def test_the_same_models_come_to_the_same_end(desk: Desk, recorded: Path, turn: int) -> None:
    models = desk.play(says("fill", THREE, ONE)[turn - 1 :], does(FILL, TRY, BUY)[turn - 1 :])
    result, folder = desk.forked(recorded, turn, *models)
    assert change(recorded, folder) == "the same"
    assert (result["verdict"], result["score"]) == ("purchased", 1.0)
    prompts = [
        [r["prompt_sha256"] for r in journal(run) if r["type"] == "model_call"]
        for run in (recorded, folder)
    ]
    assert prompts[0] == prompts[1]
    first = journal(folder)[0]
    assert (first["type"], first["forked_from"]) == ("task", {"run": recorded.name, "turn": turn})


def test_the_stock_has_moved_in_the_fork_as_it_had(desk: Desk, recorded: Path) -> None:
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


def test_what_was_learnt_before_is_known_in_the_fork(desk: Desk, recorded: Path) -> None:
    """Products were looked at, so nobody asks back; a dead code costs no request again."""
    models = desk.play(["DECISION: FINISH\nINSTRUCTION: DECLINED"], [])
    _, folder = desk.forked(recorded, 2, *models)
    assert next(r for r in journal(folder) if r.get("number") == 2)["challenge"] is None
    again = "try:\n    Req_ApplyCoupon(coupon='NOPE')\nexcept ValueError as e:\n    final_answer(1)"
    finish = "DECISION: FINISH\nINSTRUCTION: DECLINED"
    _, folder = desk.forked(recorded, 2, *desk.play([*says("x"), finish], does(again)))
    assert next(r for r in journal(folder) if r.get("number") == 2)["report"]["requests"] == 0


def test_a_fork_can_be_forked_and_read_again(desk: Desk, recorded: Path) -> None:
    _, first = desk.forked(recorded, 2, *desk.play(says(THREE, ONE), does(TRY, BUY)))
    _, second = desk.forked(first, 3, *desk.play(says(ONE), does(BUY)))
    assert change(first, second) == "the same"
    (task,) = read_tasks(second, "shop")
    assert [t.number for t in task.turns] == [1, 2, 3]
    assert [len(t.of_worker) for t in task.turns] == [1, 1, 1]
    assert results_at(second)["pack"] == "pack"


@pytest.mark.slow
def test_the_bundled_pack_and_the_playbooks_need_no_options(tmp_path: Path) -> None:
    task, logs = "all_tents_ghost_stock", tmp_path / "logs"
    assert type_words("--task", task, "--out", logs, "--quiet").exit_code == 0
    (run,) = logs.iterdir()
    done = type_words("--fork", run, "--task", task, "--turn", "2", "--out", logs)
    assert (done.exit_code, "purchased" in done.stdout) == (0, True), done.output
    (folder,) = {*logs.iterdir()} - {run}
    (line,) = [line for line in done.stdout.splitlines() if "forked at turn 2" in line]
    assert shlex.split(line)[-3:] == ["report", str(run), str(folder)]


def test_a_model_that_fails_is_a_result(desk: Desk, recorded: Path) -> None:
    dead = "faulty/store?rate=1&kinds=http-401"
    done = desk.fork(recorded, 3, "--json", "--evaluator", dead)
    assert done.exit_code == 1
    document = json.loads(done.stdout)
    (result,) = document["tasks"]
    assert result["outcome"] == "error"
    assert "http-401" in result["error"]
    folder = desk.logs / document["run_id"]
    assert change(recorded, folder).startswith("turn 3: ")


def another_state(turn: dict[str, Any]) -> None:
    turn["state"] = turn["state"].replace('"quantity": 3', '"quantity": 4')


def no_answer(turn: dict[str, Any]) -> None:
    another_state(turn)
    for wire in (wire for call in turn["report"]["calls"] for wire in call["requests"]):
        wire["outcome"] = "unknown" if wire["path"] == "/basket/add" else wire["outcome"]


def another_answer(turn: dict[str, Any]) -> None:
    for wire in (wire for call in turn["report"]["calls"] for wire in call["requests"]):
        if wire["path"] == "/basket/checkout":
            wire["outcome"], wire["error"] = "done", None


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (another_state, "turn 2: basket.items[0].quantity: recorded 4, now 3"),
        (no_answer, "1 repeated request had no response when recorded"),
        (another_answer, "/basket/checkout {}: recorded done, now failed (insufficient inv"),
    ],
)
def test_another_world_stops_the_fork_and_says_where(
    desk: Desk, recorded: Path, spoil: Any, why: str
) -> None:
    rewrite(recorded, spoil)
    done = desk.fork(recorded, 3)
    assert (done.exit_code, why in " ".join(done.stderr.split())) == (1, True), done.stderr
    assert [*desk.logs.iterdir()] == [recorded]


def test_a_fork_without_its_world_or_its_turn_is_refused(desk: Desk, recorded: Path) -> None:
    done = desk.fork(recorded, 4)
    assert (done.exit_code, "no turn 4; recorded turns: 1, 2, 3" in done.stderr) == (2, True)
    assert "not a run folder" in desk.fork(desk.folder, 1).stderr
    words = ("--out", desk.logs, "--fork", recorded, "--turn", "1", "--task")
    done = type_words(*words, "stop")
    assert (done.exit_code, "has no task 'stop'" in done.stderr) == (2, True), done.stderr
    desk.pack.write_text(desk.pack.read_text().replace("Buy Tea Pots", "Buy no Tea Pots"))
    done = desk.fork(recorded, 2)
    assert (done.exit_code, "the task has changed" in done.stderr) == (1, True)
    (recorded / "pack.json").unlink()
    done = type_words(*words, "shop")
    assert (done.exit_code, "'pack'" in done.stderr, "--pack" in done.stderr) == (2, True, True)


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
def test_options_that_do_not_go_together(options: list[str]) -> None:
    assert type_words(*options).exit_code == 2


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
