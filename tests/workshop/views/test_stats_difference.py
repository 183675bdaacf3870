"""What changed between two runs, and the score next to it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from cli.cli import app
from tests.workshop.views.stats_runs import done, run_folder, wrong
from workshop.views.stats.difference import difference
from workshop.views.stats.reading import read_run

OLD = {"evaluator": "You decide.\nBuy what fits.", "worker": "You code."}
NEW = OLD | {"evaluator": "You decide.\nBuy only what fits."}


def ask(logs: Path, *words: str) -> Result:
    return CliRunner().invoke(app, ["stats", str(logs), "--diff", *words])


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    run_folder(
        tmp_path, "run-a", done("tea"), wrong("cup"), done("pot", None), done("jar"), prompts=OLD
    )
    run_folder(
        tmp_path, "run-b", done("cup"), done("tea", 0.9), done("pot"), done("lid"), prompts=NEW
    )
    return tmp_path


def test_other_steps_around_the_solver_are_named(tmp_path: Path) -> None:
    run_folder(tmp_path, "run-a", done("tea"))
    run_folder(tmp_path, "run-b", done("tea"), steps=("verify", "guest"))
    found = difference(read_run(tmp_path / "run-a"), read_run(tmp_path / "run-b"))
    assert [(c.what, c.was, c.now) for c in found.changes] == [("steps", "none", "verify, guest")]


def test_the_prompt_that_changed_is_a_unified_diff(logs: Path) -> None:
    found = difference(read_run(logs / "run-a"), read_run(logs / "run-b"))
    assert found.prompts is not None
    (prompt,) = found.prompts
    assert prompt.role == "evaluator"
    assert prompt.diff is not None
    assert prompt.diff.splitlines() == [
        "--- run-a/evaluator",
        "+++ run-b/evaluator",
        "@@ -1,2 +1,2 @@",
        " You decide.",
        "-Buy what fits.",
        "+Buy only what fits.",
    ]


def test_scores_are_compared_over_all_tasks_and_over_those_in_both(logs: Path) -> None:
    found = difference(read_run(logs / "run-a"), read_run(logs / "run-b"))
    assert found.score_change == pytest.approx((1 + 0.9 + 1 + 1) / 4 - 2 / 3, abs=1e-6)
    assert (found.tasks_in_both, found.better, found.worse) == (2, ("cup",), ("tea",))
    assert found.paired_change == pytest.approx((1.0 - 0.1) / 2)
    assert (found.was.harm, found.now.harm) == (1, 0)


def test_it_is_told_with_the_score_beside_the_prompt(logs: Path) -> None:
    done_ = ask(logs, "run-a", "run-b")
    assert done_.exit_code == 0, done_.output
    lines = done_.stdout.splitlines()
    assert "prompt of the evaluator (score +0.308, +0.450 over the tasks in both): changed" in lines
    assert lines[lines.index("-Buy what fits.") + 1] == "+Buy only what fits."
    assert "better: cup" in lines
    assert "worse: tea" in lines
    assert "prompt of the worker" not in done_.stdout
    assert "\x1b" not in done_.stdout


def test_the_same_prompts_are_said_to_be_the_same(logs: Path) -> None:
    assert "prompts: the same (score +0.000" in ask(logs, "run-a", "run-a").stdout


def test_model_strategy_pack_versions_and_options(tmp_path: Path) -> None:
    run_folder(
        tmp_path, "one", prompts=OLD, scenarios={"tea": "1", "cup": "2"}, worker="lab/hands",
        versions={"python": "3.11.7", "litellm": "1"}, options={"max_turns": 7, "pack": "/a.json"},
    )  # fmt: skip
    step = {"strategy": "next-step", "max_turns": 30, "pack": "/b.json"}
    run_folder(
        tmp_path, "two", prompts={"next-step": "Pick a tool."}, model="lab/two", pack="other",
        scenarios={"tea": "1", "pot": "3"}, versions={"python": "3.12.1", "litellm": "1"},
        options=step,
    )  # fmt: skip
    found = json.loads(ask(tmp_path, "one", "two", "--json").stdout)
    changes = {c["what"]: (c["was"], c["now"]) for c in found["changes"]}
    assert changes == {
        "strategy": ("evaluator-worker", "next-step"),
        "model of the evaluator": ("lab/one", "lab/two"),
        "model of the worker": ("lab/hands", None),
        "pack": ("small", "other"),
        "scenarios": ("2, 1 of them the same in both", "2, 1 of them the same in both"),
        "version of python": ("3.11.7", "3.12.1"),
        "option max_turns": ("7", "30"),
    }
    roles = {p["role"]: (p["was"] is None, p["now"] is None) for p in found["prompts"]}
    both = {"evaluator": (False, True), "worker": (False, True), "next-step": (True, False)}
    assert roles == both
    step_diff = next(p["diff"] for p in found["prompts"] if p["role"] == "next-step")
    assert step_diff.splitlines()[0] == "--- /dev/null"
    assert "+Pick a tool." in step_diff
    assert "only in the second run" in ask(tmp_path, "one", "two").stdout


@pytest.mark.parametrize(
    ("shas", "packs", "paired"),
    [
        (("1", "1"), ("small", "renamed"), 1),
        (("1", "2"), ("small", "small"), 0),
        ((None, "2"), ("small", "small"), 1),
        ((None, None), ("small", "other"), 0),
    ],
)
def test_a_task_is_the_same_as_far_as_is_known(
    tmp_path: Path, shas: tuple[str | None, ...], packs: tuple[str, ...], paired: int
) -> None:
    for name, sha, pack in zip(("one", "two"), shas, packs, strict=True):
        scenarios = {"tea": sha} if sha else {}
        run_folder(tmp_path, name, done("tea"), scenarios=scenarios, pack=pack)
    found = difference(read_run(tmp_path / "one"), read_run(tmp_path / "two"))
    assert found.tasks_in_both == paired
    assert (found.paired_change is None) == (paired == 0)


def test_an_old_run_has_unknown_prompts(logs: Path) -> None:
    run_folder(logs, "old", done("tea"), manifest=False)
    found = difference(read_run(logs / "old"), read_run(logs / "run-b"))
    assert found.prompts is None
    assert [c.what for c in found.changes] == ["strategy"]
    text = ask(logs, "old", "run-b").stdout
    assert "prompts: not known of both runs" in text
    assert "strategy: was –, is evaluator-worker" in text
    assert "note: old has no run.json" in text


def test_a_prompt_whose_text_is_lost_is_still_told_to_have_changed(logs: Path) -> None:
    for path in (logs / "run-a" / "prompts").iterdir():
        path.write_bytes(b"\xff\xfe")
    found = difference(read_run(logs / "run-a"), read_run(logs / "run-b"))
    assert found.prompts is not None
    assert [(p.role, p.diff) for p in found.prompts] == [("evaluator", None)]
    assert "changed, a text of it is not kept" in ask(logs, "run-a", "run-b").stdout


def test_nothing_that_is_scored_is_unknown_and_not_zero(tmp_path: Path) -> None:
    run_folder(tmp_path, "one", done("tea", None))
    run_folder(tmp_path, "two", done("tea"))
    found = json.loads(ask(tmp_path, "one", "two", "--json").stdout)
    assert (found["score_change"], found["paired_change"]) == (None, None)


def test_a_prompt_steers_no_terminal(tmp_path: Path) -> None:
    run_folder(tmp_path, "one", prompts={"worker": "[bold]a[/bold]"})
    run_folder(tmp_path, "two", prompts={"worker": "\x1b[2J[bold]b[/nothing]\u202e"})
    text = ask(tmp_path, "one", "two").stdout
    assert "-[bold]a[/bold]" in text
    assert "+\\x1b[2J[bold]b[/nothing]\\u202e" in text


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("run-a", "run-x"), 2, "there is no run 'run-x'"),
        (("run", "run-a"), 2, "fits 2 runs"),
        (("run-a", "torn"), 2, "torn/results.json cannot be read"),
        (("run-a",), 2, "2 arguments"),
        (("run-a", "run-b", "--by", "day"), 2, "--diff goes with neither"),
    ],
)
def test_what_cannot_be_compared_is_said(
    logs: Path, words: tuple[str, ...], code: int, said: str
) -> None:
    run_folder(logs, "torn").joinpath("results.json").write_text("{")
    answer = ask(logs, *words)
    assert answer.exit_code == code
    assert said in " ".join(answer.stderr.split())
    assert answer.stdout == ""
