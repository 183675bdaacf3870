"""``compare`` over runs of other tools: plain files of scores, logs of Inspect AI."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from cli.cli import app
from core.models.model_call import Usage
from tests.kit.run_folders import hostile_run
from tests.workshop.views.test_comparison import side, some
from workshop.views import other_runs
from workshop.views.comparison import compare, read_side
from workshop.views.other_runs import read_other_run


def call(*arguments: object) -> Result:
    words = ["compare", *map(str, arguments)]
    return CliRunner().invoke(app, words, env={"COLUMNS": "200"}, catch_exceptions=False)


def scores(path: Path, found: object) -> Path:
    path.write_text(found if isinstance(found, str) else json.dumps(found))
    return path


def tasks(passed: int, failed: int) -> dict[str, int]:
    return {f"s{n}": int(n >= failed) for n in range(passed + failed)}


@pytest.mark.parametrize(
    ("before", "after"), [((150, 0), (150, 0)), ((20, 0), (15, 5)), ((20, 0), (16, 4))]
)
def test_scores_of_0_and_1_have_the_verdict_of_a_run(
    tmp_path: Path, before: tuple[int, int], after: tuple[int, int]
) -> None:
    a, b = (scores(tmp_path / f"{n}.json", tasks(*one)) for n, one in enumerate((before, after)))
    found = compare(read_side(a), read_side(b), 0.02)
    native = compare(*(side(*some(*one)) for one in (before, after)), 0.02)
    same = {"code", "reason", "difference", "low", "high", "loss_bound", "tasks_needed"}
    assert found.model_dump(include=same) == native.model_dump(include=same)
    assert call(a, b).exit_code == native.code


def test_repeats_are_averaged_before_tasks_are_compared(tmp_path: Path) -> None:
    a = scores(tmp_path / "a.json", {"one": [1, 1, 0, 0], "two": 1, "only a": 0})
    b = scores(tmp_path / "b.json", {"one": [1, 0, 0], "two": [0.5, 1]})
    done = call(a, b, "--json")
    assert done.exit_code == 3
    found = json.loads(done.stdout)
    assert (found["tasks"], found["only_a"]) == (2, 1)
    assert found["difference"] == pytest.approx((1 / 3 - 1 / 2 + 0.75 - 1) / 2)
    assert found["flips"]["lost"] == ["one", "two"]
    assert [measure["name"] for measure in found["measures"]] == ["score"]
    assert found["found"] == [
        "A: a file of scores, 3 tasks with 6 results, averaged by task",
        "B: a file of scores, 2 tasks with 5 results, averaged by task",
    ]


def test_it_says_what_it_found_and_writes_the_page(tmp_path: Path) -> None:
    a = scores(tmp_path / "a.json", tasks(20, 0))
    b = scores(tmp_path / "b.json", tasks(15, 5))
    done = call(a, b, "--html", tmp_path / "page.html")
    assert done.exit_code == 1
    assert done.stdout.startswith("A: a file of scores, 20 tasks\nB: a file of scores, 20 tasks\n")
    assert "B is WORSE: 5 tasks got worse, 0 better" in done.stdout
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "B is worse than A" in page
    assert "A: a file of scores, 20 tasks" in page
    assert "Turns</" not in page


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is neither a log of Inspect (.eval) nor JSON: Expecting value"),
        ("[1]", 'has to hold scores by task, as {"task": 0.5, "other": [0, 1]}'),
        ("{}", 'has to hold scores by task, as {"task": 0.5, "other": [0, 1]}'),
        ('{"t": 0, "t": 1}', "'t' appears twice"),
        ('{"t": 1.5}', "task 't': the score 1.5 is not a number from 0 to 1"),
        ('{"t": [1, -1]}', "task 't': the score -1 is not a number from 0 to 1"),
        ('{"t": NaN}', "task 't': the score nan is not a number from 0 to 1"),
        ('{"t": "good"}', "task 't': the score good is not a number from 0 to 1"),
        ('{"t": null}', "task 't': the score None is not a number from 0 to 1"),
        ('{"t": []}', "task 't': has no score"),
        ("[" * 100_000, "is neither a log of Inspect (.eval) nor JSON: "),
    ],
)
def test_a_file_that_holds_no_scores_is_refused(tmp_path: Path, text: str, why: str) -> None:
    good = scores(tmp_path / "good.json", {"t": 1})
    done = call(good, scores(tmp_path / "bad.json", text))
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {tmp_path / 'bad.json'}: ")
    assert why in done.stderr


def test_a_file_that_is_too_large_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(other_runs, "MOST_BYTES", 10)
    done = call(*[scores(tmp_path / "a.json", {"a task": 1})] * 2)
    assert (done.exit_code, "is larger than" in done.stderr) == (2, True)


def test_a_run_and_a_file_are_paired_by_the_names_of_their_tasks(tmp_path: Path) -> None:
    done = call(hostile_run(tmp_path / "run"), scores(tmp_path / "a.json", {"good": 1}), "--json")
    assert (done.exit_code, json.loads(done.stdout)["tasks"]) == (3, 1)


def log(path: Path, values: Sequence[Any], epochs: int = 1, status: Any = "success") -> Path:
    """A log of Inspect with these scores, epoch by epoch; None for a sample that failed."""
    pytest.importorskip("inspect_ai", reason="needs the extra: pip install '.[inspect]'")
    from inspect_ai import log as logs
    from inspect_ai.model import ModelUsage
    from inspect_ai.scorer import Score

    samples = [
        logs.EvalSample(
            id=f"t{place // epochs}",
            epoch=place % epochs + 1,
            input="?",
            target="!",
            scores=None if value is None else {"judge": Score(value=value)},
            error=logs.EvalError(message="gone", traceback="", traceback_ansi="")
            if value is None
            else None,
            model_usage={
                "m": ModelUsage(
                    input_tokens=90, input_tokens_cache_read=10, output_tokens=7, total_cost=0.5
                )
            },
            total_time=2.0,
        )
        for place, value in enumerate(values)
    ]
    spec = logs.EvalSpec(
        created="2026-01-01T00:00:00+00:00",
        task="their/task",
        dataset=logs.EvalDataset(),
        model="some/model",
        config=logs.EvalConfig(),
    )
    logs.write_eval_log(logs.EvalLog(status=status, eval=spec, samples=samples), str(path))
    return path


def test_a_log_of_inspect_is_a_run(tmp_path: Path) -> None:
    path = log(tmp_path / "a.eval", ["C", "I", "P", 1, 0.25, True, None, 1], epochs=2)
    run = read_other_run(path)
    assert [(one.spec_id, one.score) for one in run.results] == [
        ("t0", 0.5),
        ("t1", 0.75),
        ("t2", 0.625),
        ("t3", 0.5),
    ]
    assert (run.results[0].tokens, run.results[0].cost_usd, run.results[0].seconds) == (
        Usage(prompt=100, completion=7),
        0.5,
        2.0,
    )
    assert run.description == (
        "a log of Inspect (success) of their/task, scored by judge, "
        "4 tasks with 8 results, averaged by task"
    )


def test_two_logs_of_500_samples_have_a_verdict(tmp_path: Path) -> None:
    a = log(tmp_path / "a.eval", [1.0] * 500)
    b = log(tmp_path / "b.eval", [0.0] * 40 + [1.0] * 460)
    done = call(a, b, "--json")
    found = json.loads(done.stdout)
    assert (done.exit_code, found["tasks"], found["models_a"][0]) == (1, 500, "some/model")
    assert len(found["flips"]["lost"]) == 40


def test_harm_of_our_own_tasks_is_compared(tmp_path: Path) -> None:
    a = log(tmp_path / "a.eval", [{"score": 0.0, "harm": 0.0}] * 20)
    b = log(tmp_path / "b.eval", [{"score": 0.0, "harm": 1.0}] * 20)
    found = compare(read_side(a), read_side(b), 0.02)
    assert (found.code, len(found.harm.lost)) == (1, 20)


@pytest.mark.parametrize("value", [[1, 0], {"first": 1, "second": 0}, 7, "maybe"])
def test_a_score_that_is_no_share_is_refused(tmp_path: Path, value: Any) -> None:
    path = log(tmp_path / "a.eval", [value])
    done = call(path, path)
    assert (done.exit_code, "task 't0': the score" in done.stderr) == (2, True)


def test_a_log_without_scores_or_samples_is_refused(tmp_path: Path) -> None:
    good = log(tmp_path / "good.eval", [1])
    unscored = log(tmp_path / "unscored.eval", [None])
    assert "no sample of this log of Inspect has a score" in call(good, unscored).stderr
    with zipfile.ZipFile(tmp_path / "other.eval", "w") as other:
        other.writestr("_journal/start.json", "{}")
    assert "is not a complete Inspect log" in call(good, tmp_path / "other.eval").stderr


def test_a_damaged_log_is_refused(tmp_path: Path) -> None:
    good = log(tmp_path / "good.eval", [1] * 50)
    raw = bytearray(good.read_bytes())
    with zipfile.ZipFile(good) as parts:
        at = parts.getinfo("summaries.json").header_offset + 60
    raw[at : at + 40] = b"\0" * 40
    bad = tmp_path / "bad.eval"
    bad.write_bytes(raw)
    done = call(good, bad)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {bad}: this log of Inspect cannot be read: ")
