"""``compare`` over runs of other tools: plain files of scores, logs of Inspect AI."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from cli.cli import app
from core.models.model_call import Usage
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


def csv_file(path: Path, values: Mapping[str, Any]) -> Path:
    path.write_text("id,score\n" + "".join(f"{task},{one}\n" for task, one in values.items()))
    return path


def junit_file(path: Path, values: Mapping[str, Any]) -> Path:
    cases = (
        f'<testcase name="{task}" time="0.5">{"" if one else "<failure message=&quot;no&quot;/>"}'
        "</testcase>".replace("&quot;", '"')
        for task, one in values.items()
    )
    path.write_text(f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>")
    return path


def inspect_file(path: Path, values: Mapping[str, Any]) -> Path:
    return log(path.with_suffix(".eval"), [*values.values()], letter="s")


def json_file(path: Path, values: Mapping[str, Any]) -> Path:
    return scores(path, values)


SAME = {"code", "reason", "difference", "low", "high", "loss_bound", "tasks_needed"}


@pytest.mark.parametrize("write", [csv_file, junit_file, inspect_file, json_file])
@pytest.mark.parametrize(("before", "after"), [((100, 0), (92, 8)), ((20, 0), (16, 4))])
def test_every_format_has_the_verdict_of_a_run(
    tmp_path: Path,
    write: Callable[[Path, Mapping[str, Any]], Path],
    before: tuple[int, int],
    after: tuple[int, int],
) -> None:
    a, b = (write(tmp_path / f"{n}", tasks(*one)) for n, one in enumerate((before, after)))
    found = compare(read_side(a), read_side(b), 0.02)
    native = compare(*(side(*some(*one)) for one in (before, after)), 0.02)
    assert found.model_dump(include=SAME) == native.model_dump(include=SAME)
    assert len(found.flips.lost) == len(native.flips.lost)


@pytest.mark.parametrize(
    "write",
    [
        lambda path, rows: scores(path, "id,score\n" + "".join(f"{t},{s}\n" for t, s in rows)),
        lambda path, rows: scores(path, {t: [s for u, s in rows if u == t] for t, _ in rows}),
    ],
    ids=["csv", "json"],
)
def test_repeats_of_a_task_count_as_one_task(
    tmp_path: Path, write: Callable[[Path, list[tuple[str, float]]], Path]
) -> None:
    one = [("one", 1), ("one", 1), ("one", 0), ("one", 0)]
    a = write(tmp_path / "a", [*one, ("two", 1), ("only a", 0)])
    b = write(tmp_path / "b", [("one", 1), ("one", 0), ("one", 0), ("two", 0.5), ("two", 1)])
    done = call(a, b, "--json")
    assert done.exit_code == 3
    found = json.loads(done.stdout)
    assert (found["tasks"], found["only_a"], found["trials"]) == (2, 1, 5)
    assert found["difference"] == pytest.approx((1 / 3 - 1 / 2 + 0.75 - 1) / 2)
    assert found["flips"]["lost"] == ["one", "two"]
    assert [measure["name"] for measure in found["measures"]] == ["score"]
    assert found["found"][0] == "A: a file of scores, 3 tasks with 6 results"


def test_junit_tells_names_times_and_errors_and_leaves_skipped_ones_out(tmp_path: Path) -> None:
    path = scores(
        tmp_path / "report.xml",
        """<?xml version="1.0"?><testsuite><testcase classname="tests.a" name="ok" time="1,000.5"/>
        <testcase classname="tests.a" name="bad"><failure message="1 != 2">long</failure></testcase>
        <testcase name="dead"><error/></testcase><testcase name="none"><skipped/></testcase>
        </testsuite>""",
    )
    run = read_other_run(path)
    assert [(one.spec_id, one.score, one.error) for one in run.results] == [
        ("tests.a::ok", 1.0, None), ("tests.a::bad", 0.0, "1 != 2"), ("dead", 0.0, None),
    ]  # fmt: skip
    assert run.results[0].seconds == 1000.5


def test_it_says_what_it_found(tmp_path: Path) -> None:
    a = scores(tmp_path / "a.json", tasks(20, 0))
    b = scores(tmp_path / "b.json", tasks(15, 5))
    done = call(a, b)
    assert done.exit_code == 1
    assert done.stdout.startswith("A: a file of scores, 20 tasks\nB: a file of scores, 20 tasks\n")
    assert "B is WORSE: 5 tasks got worse, 0 better" in done.stdout


@pytest.mark.parametrize(
    "text",
    [
        "", "[1]", "{}", '{"t": 0, "t": 1}', '{"t": 1.5}', '{"t": [1, -1]}', '{"t": NaN}',
        '{"t": "good"}', '{"t": null}', '{"t": []}', "[" * 100_000, "just words", "id,score\n",
        "id,score\nt,\n", "id,score\nt\n", "t,2\n", "<testsuite>", "<testsuite/>",
        '<!DOCTYPE x [<!ENTITY a "b">]><testsuite><testcase name="&a;"/></testsuite>',
        '<testsuite><testcase name="t" time="soon"/></testsuite>',
    ],
)  # fmt: skip
def test_a_file_that_holds_no_scores_is_refused(tmp_path: Path, text: str) -> None:
    good = scores(tmp_path / "good.json", {"t": 1})
    done = call(good, scores(tmp_path / "bad", text))
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {tmp_path / 'bad'}: ")


def test_a_file_that_is_too_large_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(other_runs, "MOST_BYTES", 10)
    done = call(*[scores(tmp_path / "a.json", {"a task": 1})] * 2)
    assert (done.exit_code, "is larger than" in done.stderr) == (2, True)


def log(path: Path, values: Sequence[Any], epochs: int = 1, letter: str = "t") -> Path:
    """A log of Inspect with these scores, epoch by epoch; None for a sample that failed."""
    pytest.importorskip("inspect_ai", reason="needs the extra: pip install '.[inspect]'")
    from inspect_ai import log as logs
    from inspect_ai.model import ModelUsage
    from inspect_ai.scorer import Score

    cached = {"input_tokens_cache_read": 10, "total_cost": 0.5}
    usage = ModelUsage(input_tokens=90, output_tokens=7, **cached)
    gone = logs.EvalError(message="gone", traceback="", traceback_ansi="")
    samples = [
        logs.EvalSample(
            id=f"{letter}{place // epochs}", epoch=place % epochs + 1, input="?", target="!",
            scores=None if value is None else {"judge": Score(value=value)},
            error=gone if value is None else None, model_usage={"m": usage}, total_time=2.0,
        )
        for place, value in enumerate(values)
    ]  # fmt: skip
    spec = logs.EvalSpec(
        created="2026-01-01T00:00:00+00:00", task="their/task", model="some/model",
        dataset=logs.EvalDataset(), config=logs.EvalConfig(),
    )  # fmt: skip
    logs.write_eval_log(logs.EvalLog(status="success", eval=spec, samples=samples), str(path))
    return path


def test_a_log_of_inspect_is_a_run(tmp_path: Path) -> None:
    path = log(tmp_path / "a.eval", ["C", "I", "P", 1, 0.25, True, None, 1], epochs=2)
    run = read_other_run(path)
    assert [(one.spec_id, one.epoch, one.score) for one in run.results] == [
        ("t0", 0, 1.0), ("t0", 1, 0.0), ("t1", 0, 0.5), ("t1", 1, 1.0),
        ("t2", 0, 0.25), ("t2", 1, 1.0), ("t3", 0, None), ("t3", 1, 1.0),
    ]  # fmt: skip
    assert (run.results[0].tokens, run.results[0].cost_usd, run.results[0].seconds) == (
        Usage(prompt=100, completion=7),
        0.5,
        2.0,
    )
    assert (run.results[6].error, run.results[6].strict) == ("gone", 0.0)
    assert (run.model, run.what) == (
        "some/model", "a log of Inspect (success) of their/task, scored by judge",
    )  # fmt: skip


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
