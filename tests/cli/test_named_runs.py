"""A run by its name: every command that takes one finds it, and its own pack with it."""

from __future__ import annotations

import json
import shutil
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from core.runs.find import run_folders
from tests.conftest import scenario
from tests.kit.commands import NEEDS_CODE, write_pack
from tests.kit.commands import type_words as call
from tests.kit.records import results_at

FAILED = "wrong"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of a pack that is gone since, with a task that fails."""
    folder = tmp_path_factory.mktemp("played")
    never = deepcopy(NEEDS_CODE)
    never["expect"]["any_of"][0]["total"] = 1
    failed = scenario(spec_id=FAILED, task_text="Buy 2x Green Tea with ONE", **never)
    shops = [scenario(spec_id="good", **NEEDS_CODE), failed]
    pack = write_pack(folder / "gone.json", *shops)
    for _ in range(2):
        words = ("--evaluator", "scripted/store", "--quiet", "--out", folder / "logs")
        assert call("--pack", pack, *words).exit_code == 0
    pack.unlink()
    return folder / "logs"


@pytest.fixture
def logs(played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of them in the folder where commands are typed."""
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copytree(played, tmp_path / "logs"))


def newest(logs: Path) -> Path:
    return run_folders(logs)[0]


COMMANDS: tuple[tuple[tuple[str, ...], int, str], ...] = (
    (("show", "RUN", "--failed"), 0, FAILED),
    (("report", "RUN"), 0, "report.html"),
    (("report", "RUN", "RUN"), 0, ".html"),
    (("stats", "RUN"), 0, "1/2"),
    (("compare", "RUN", "RUN"), 3, "NOT ENOUGH DATA"),
    (("replay", "RUN"), 0, "equal"),
    (("debug", "RUN"), 0, f"{FAILED}, turn"),
    (("minimise", "--run", "RUN", "--spec", FAILED), 0, f"{FAILED}-small.json"),
    (("--fork", "RUN", "--task", FAILED, "--turn", "1"), 0, "forked at turn 1"),
    (("--resume", "RUN"), 0, ""),
)


@pytest.mark.parametrize(("words", "code", "said"), COMMANDS, ids=lambda x: str(x)[2:14])
def test_every_command_takes_latest_and_a_bare_name(
    logs: Path, words: tuple[str, ...], code: int, said: str
) -> None:
    name = newest(logs).name
    unknown = call(*("no-such-run" if word == "RUN" else word for word in words))
    assert unknown.exit_code == 2
    assert "there is no run 'no-such-run'" in unknown.output
    assert name in unknown.output
    # By turns one command is told latest, and the next one the beginning of the name.
    meant = "latest" if COMMANDS.index((words, code, said)) % 2 else name[:-1]
    done = call(*(meant if word == "RUN" else word for word in words))
    assert (done.exit_code, said in done.output) == (code, True), done.output


def test_without_a_name_the_latest_is_meant_and_compare_takes_the_two_latest(logs: Path) -> None:
    first, second = (folder.name for folder in reversed(run_folders(logs)))
    assert f"A {first}" in call("compare").output
    assert f"B {second}" in call("compare").output
    for words in (("show",), ("report",), ("replay",), ("debug",)):
        assert call(*words).exit_code == 0
    assert (logs / second / "report.html").is_file()


def test_an_edited_answer_is_played_on_from_the_debugger(logs: Path) -> None:
    whole = call("debug", typed="fork\n")
    assert "went as it was recorded" in whole.output
    words = ("debug", "--task", FAILED, "--turn", "1")
    done = call(*words, typed='answer {"error": {"text": "no"}}\nfork\n')
    assert done.exit_code == 0, done.output
    assert "This is not what was recorded" in done.output
    assert "forked at turn" in done.output
    fork = newest(logs)
    (journal,) = (fork / "tasks").glob("*.jsonl")
    turns = [json.loads(line) for line in journal.read_text().splitlines() if '"turn"' in line]
    edited = next(one for one in turns if one.get("type") == "turn" and one["number"] == 1)
    assert edited["report"]["calls"][0]["result"] == {"error": {"text": "no"}}


def test_a_run_that_is_over_says_so_and_shows_no_table_again(logs: Path) -> None:
    done = call("--resume", "latest")
    assert f"resuming {newest(logs).relative_to(logs.parent)}: 2 tasks kept" in done.stderr
    assert "nothing is left to play" in done.stderr
    assert "┃" not in done.stdout
    assert "1 passed, 1 failed, 1 wrong checkout in" in done.stdout


def test_the_debugger_goes_on_in_the_world_of_the_runs_own_pack(logs: Path) -> None:
    talk = call("debug", "latest", typed="n\n!p['coupons'] = []\nc\nq\n").output
    assert "[live]" in talk
    (newest(logs) / "pack.json").write_text("{")
    broken = call("debug", "latest", typed="q\n")
    assert broken.exit_code == 0
    assert "no simulator can answer calls that are not recorded" in broken.output


def test_a_fork_goes_on_as_its_run_was_played(logs: Path, shop_json: Any, tmp_path: Path) -> None:
    pack = write_pack(tmp_path / "steps.json", shop_json(spec_id="one", **NEEDS_CODE))
    assert call("--pack", pack, "--strategy", "next-step", "--quiet").exit_code == 0
    done = call("--fork", "latest", "--task", "one", "--turn", "2", "--json")
    assert done.exit_code == 0, done.output
    results = results_at(newest(logs))
    assert results["run_id"] == json.loads(done.stdout)["run_id"]
    assert results["brain"]["evaluator"] == "scripted/store"


def test_a_failed_task_can_be_read_without_our_tools(logs: Path) -> None:
    """A person opens the folder; the files say what was asked, done, and found wrong."""
    folder = newest(logs) / "failures"
    assert sorted(path.name for path in folder.iterdir()) == [f"{FAILED}.json", f"{FAILED}.txt"]
    record = json.loads((folder / f"{FAILED}.json").read_text(encoding="utf-8"))
    assert (record["spec_id"], record["score"], record["harm"]) == (FAILED, 0.0, True)
    assert (record["task_text"], record["verdict"]) == ("Buy 2x Green Tea with ONE", "purchased")
    assert record["eval_log"]
    text = (folder / f"{FAILED}.txt").read_text(encoding="utf-8")
    assert "\x1b" not in text
    assert text.startswith(f"cause: {record['cause']}\n")
    assert "Expected: " in record["cause"]
    shown = " ".join(text.split())
    for part in ("Buy 2x Green Tea with ONE", "Req_CheckoutBasket(", "score 0.0"):
        assert part in shown, part
