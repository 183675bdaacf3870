"""The story of a run in a terminal, a pipe and a narrow window."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.cli import app
from cli.lab import play_trivial
from core.models.model_call import Usage
from core.runs.manifest import Identity, Manifest
from core.runs.results import RunResults, TaskResult, read_results
from core.runs.run_view import read_run_view
from core.runs.task import Decision, Turn
from core.runs.work import StepRecord, WorkReport
from tests.kit.run_folders import RunFolder, asked, ended, found, hostile_run, worked
from workshop.views.report.render import record_html
from workshop.views.report.run_page import write_report

ROOT = Path(__file__).parents[3]


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    hostile_run(tmp_path / "20260504-120000-aaaa")
    return tmp_path


def show(logs: Path, *arguments: str) -> str:
    done = CliRunner().invoke(app, ["show", "latest", "--logs", str(logs), *arguments])
    assert done.exit_code == 0, done.stderr
    return done.stdout


def test_failed_tasks_are_a_line_each_with_the_reason(logs: Path) -> None:
    lines = show(logs, "--failed").splitlines()
    first = [n for n, line in enumerate(lines) if not line.startswith(" ")]
    assert [lines[n].split(":")[0] for n in first] == ["wrong", "hostile", "broken"]
    assert "WRONG CHECKOUT" in lines[first[0]]
    assert lines[first[1] + 1].startswith("  task: Buy ")
    assert "FAIL:" in lines[first[1]]
    assert "model failed" in lines[first[2]]


def test_a_story_has_code_calls_and_what_the_evaluator_said(logs: Path) -> None:
    text = show(logs, "--task", "hostile")
    for said in ("Turn 1", "found = Find(query=query)", "line 3: Find(", "next backend: b2"):
        assert said in text
    assert text.index("Turn 2") < text.index("The platform's grader")
    assert "\u202e" not in text
    assert "<script>" in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nope"], "there is no run 'nope'"),
        (["latest", "--task", "nope"], "it has: good, hostile, wrong, broken"),
        (["latest", "--task", "hostle"], "did you mean hostile?"),
        (["latest", "--task", "good", "--turn", "9"], "good has no turn 9; it has: 1, 2"),
        (["latest", "--turn", "1"], "--turn needs --task"),
        (["latest", "--failed", "--task", "good"], "cannot be combined with --task"),
    ],
)
def test_bad_input_is_explained(logs: Path, arguments: list[str], said: str) -> None:
    done = CliRunner().invoke(app, ["show", *arguments, "--logs", str(logs)])
    assert done.exit_code == 2
    assert said in " ".join(done.stderr.replace("│", " ").split())


def test_a_failed_task_that_ran_code_is_one_copied_command_from_it(tmp_path: Path) -> None:
    turn = worked()
    assert turn.report
    pinned = turn.model_copy(update={"report": turn.report.model_copy(update={"pins": (1.0, 2)})})
    run = RunFolder(tmp_path / "20260505-bbbb").task("tea", pinned, score=0.0)
    run.task("talk", ended(1), score=0.0).write()
    lines = show(tmp_path, "--failed").splitlines()
    (step,) = (line for line in lines if "step through" in line)
    assert step.endswith(f"debug {run.path} --task tea")


def broken(line: int, steps: int = 1) -> Turn:
    """A turn whose program of 100 lines failed in one of them, as often as it was sent."""
    code = "\n".join(f"x{n} = {n}" for n in range(1, 101))
    error = f"Code execution failed:\n  line {line}: x{line} = {line}\nNameError: x"
    step = StepRecord(code=code, error=error, sandbox="monty")
    report = WorkReport(steps=(step,) * steps, error=error, pins=(0.0, 1))
    decision = Decision(thought="Look.", decision="PROCEED", instruction="Look")
    return Turn(number=1, state="{}", decision=decision, report=report)


def test_failures_of_one_cause_are_put_together(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "20260504-120000-aaaa")
    for n, line in (("a", 50), ("b", 60)):
        cause = f"worker code failed: NameError: x, line {line}"
        run.task(n, broken(line), score=0.0, cause=cause, eval_log="FAIL: unread")
    run.task("c", score=0.0, eval_log="FAIL: another")
    run.write()
    lines = show(tmp_path, "--failed").splitlines()
    assert lines[0] == "2 tasks: worker code failed: NameError: x"
    assert lines[1] == "  a, b"
    assert "debug" in lines[2]
    assert "--task a" in lines[2]
    assert lines[3].startswith("c: 0.0 declined: FAIL: another")
    assert "declined: worker code failed" in show(tmp_path)


def test_long_code_is_shown_around_the_line_that_failed_and_once(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "20260504-120000-aaaa")
    run.task("a", broken(50, steps=2), score=0.0).write()
    text = show(tmp_path, "--task", "a")
    assert "lines 42 to 58 of 100" in text
    assert "x50 = 50" in text
    assert "x70 = 70" not in text
    assert text.count("x49 = 49") == 1
    assert text.count("same code again") == 1
    page = str(record_html(read_run_view(tmp_path / "20260504-120000-aaaa").tasks[0]))
    assert "<summary>Lines 1 to 41</summary>" in page
    assert "<summary>Lines 59 to 100</summary>" in page
    assert page.count("Same code again") == 1


def test_the_cause_is_what_went_wrong_and_not_only_what_the_platform_says(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "20260504-120000-aaaa")
    unusable = WorkReport(error="the worker's model gave no usable code twice")
    decision = Decision(thought="Look.", decision="PROCEED", instruction="Look")
    turn = Turn(number=1, state="{}", decision=decision, report=unusable)
    run.task("model", turn, ended(), score=0.0, eval_log="FAIL: expected a checkout")
    refused = found("Tea", outcome="failed", error="the total is 9, over the limit of 8")
    report = WorkReport(calls=(refused,), answered=True, result={})
    checkout = turn.model_copy(update={"report": report})
    run.task("checkout", checkout, ended(), score=0.0, eval_log="FAIL: expected a checkout")
    objected = ended(1).model_copy(update={"refused": "nothing has been checked out"})
    run.task("guard", objected, score=0.0).write()
    lines = {line.split(":")[0]: line for line in show(tmp_path, "--failed").splitlines()}
    assert "turn 1: the worker's model gave no usable code twice" in lines["model"]
    went_on = "turn 1: the work went on after an error: Find: the total is 9, over the limit of 8"
    assert went_on in lines["checkout"]
    assert "sent back: nothing has been checked out" in lines["guard"]


def test_each_failed_task_has_a_report_in_the_folder(logs: Path) -> None:
    folder = logs / "20260504-120000-aaaa"
    write_report(folder)
    write_report(folder)
    names = sorted(path.name for path in (folder / "failures").iterdir())
    assert names == [
        f"{n}.{end}" for n in ("broken", "hostile", "wrong") for end in ("json", "txt")
    ]
    assert "Turn 1" in (folder / "failures" / "hostile.txt").read_text()
    told = TaskResult.model_validate_json((folder / "failures" / "wrong.json").read_bytes())
    assert told.harm


def test_a_task_that_a_run_has_several_times_is_named_by_its_journal(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "20260504-120000-aaaa").task("tea", worked())
    second = run.results[0].model_copy(update={"journal": "tea.2", "epoch": 1, "score": 0.0})
    run.results.append(second)
    run.write()
    done = CliRunner().invoke(app, ["show", "--logs", str(tmp_path), "--task", "tea"])
    assert done.exit_code == 2
    assert "tea.2 (pack 'small', epoch 1)" in done.stderr
    assert "failed" in show(tmp_path, "--task", "tea.2")


def test_a_run_and_a_task_say_what_each_role_took(tmp_path: Path) -> None:
    policy = asked("policy", usage=Usage(prompt=40, completion=2), cost_usd=None, seconds=1.0)
    calls = (asked(), asked("worker", cost_usd=0.5), asked("worker", cost_usd=0.25), policy)
    run = RunFolder(tmp_path / "20260504-120000-aaaa")
    for key in ("tea", "cup"):
        run.task(key, *calls, worked())
    run.write()
    once = [
        "evaluator: 1 call, 960 tokens, $0.0012, 200 ms",
        "worker: 2 calls, 1,920 tokens, $0.7500, 400 ms",
        "policy: 1 call, 42 tokens, –, 1.0 s",
    ]
    both = ["evaluator: 2 calls, 1,920 tokens", "worker: 4 calls, 3,840", "policy: 2 calls, 84"]
    assert all(line in show(tmp_path, "--task", "tea").splitlines() for line in once)
    assert all(f"\n  {line}" in show(tmp_path) for line in both)


def test_json_is_the_whole_run_with_its_totals(logs: Path) -> None:
    run = RunResults.model_validate_json(show(logs, "--json"))
    assert run == read_results(logs / run.run_id)
    assert (run.totals.tasks, run.totals.harm, len(run.tasks)) == (4, 1, 4)


@pytest.mark.promise("no secret in an output")
def test_no_secret_of_the_environment_is_kept_or_shown(
    make_run: Any, tea_buyer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "correct-horse-0123456789"
    monkeypatch.setenv("SOME_PROVIDER_API_KEY", key)
    said = f"THOUGHT: no tea for {key}\nDECISION: FINISH\nINSTRUCTION: DECLINED: none for {key}"
    run = make_run(tea_buyer, says=[said] * 3, does=[])
    run.go()
    kept = {"run_id": "run", "created": "now", "benchmark": "store", "identity": Identity()}
    Manifest(**kept).write(run.folder)
    write_report(run.folder)
    files = [path for path in run.folder.rglob("*") if path.is_file()]
    assert {"results.jsonl", "report.html", "shop.txt", "shop.json"} <= {p.name for p in files}
    words = (["show", str(run.folder), *more] for more in ([], ["--failed"], ["--task", "shop"]))
    shown = [CliRunner().invoke(app, one).output for one in words]
    texts = [path.read_bytes().decode() for path in files] + shown
    assert not [text for text in texts if key in text]
    assert any("no tea for [redacted]" in text for text in texts)


@pytest.mark.parametrize(
    ("benchmark", "pack", "players"),
    [
        (
            "store",
            "workshop/simulator/store/packs/store-bundled.json",
            {"nothing": 1.0, "first-match": 1.0},
        ),
        ("company", "", {}),
    ],
)
def test_trivial_players_play_once_the_tasks_that_were_played(
    tmp_path: Path, benchmark: str, pack: str, players: dict[str, float]
) -> None:
    run = RunFolder(tmp_path / "run").task("under_budget_price_equals_limit", worked())
    path = run.write(benchmark=benchmark)
    play_trivial(path)
    assert not read_run_view(path).trivial, "without a pack nothing is known"
    text = (ROOT / pack).read_text(encoding="utf-8") if pack else '{"format": "company-pack/1"}'
    (path / "pack.json").write_text(text, encoding="utf-8")
    play_trivial(path)
    play_trivial(path)
    trivial = read_run_view(path).trivial
    assert {one.player: one.score for one in trivial} == players, "of the one task that was played"
    assert len((path / "results.jsonl").read_text().splitlines()) == 1 + len(players)
