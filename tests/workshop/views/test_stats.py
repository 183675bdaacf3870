"""Figures over runs: what is read, what is put together, what stays apart, what is not known."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text
from typer.testing import CliRunner, Result

from cli.cli import app
from core.models.model_call import Usage
from core.runs.journal import text_hash
from core.runs.manifest import Identity, Manifest
from core.runs.results import results_of
from tests.kit.run_folders import BEGAN, counted_run, done
from workshop.views.stats import (
    By,
    Reading,
    Run,
    Statistics,
    read_runs,
    show_statistics,
    statistics,
)

OLD = {"evaluator": "decide", "worker": "code"}
NEW = OLD | {"worker": "code well"}
WRONG = done("cup", 0.0, verdict="purchased", acts=1, harm=True)


def figures(logs: Path, *bys: By) -> Statistics:
    return statistics(logs, read_runs(logs), bys)


def ask(*words: object) -> Result:
    result = CliRunner().invoke(app, ["stats", *map(str, words)])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Three runs: two prompt versions, two models, two days, an old one."""
    counted_run(tmp_path / "r1", done("tea"), done("cup", 0.0), prompts=OLD, model="lab/a")
    tasks = done("tea", 0.9), WRONG
    counted_run(
        tmp_path / "r2", *tasks, prompts=NEW, model="lab/a", worker="lab/b", hours=1,
        strategy="next-step",
    )  # fmt: skip
    failed = done("pot", None, outcome="error", failure="model", cost_usd=None, attempt=3)
    counted_run(tmp_path / "r3", done("tea"), failed, model="lab/b", hours=4, pack="large")
    return tmp_path


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        (By.DAY, {"2026-05-04": (2, 2, 4, 1), "2026-05-05": (1, 1, 2, 0)}),
        (By.MODEL, {"lab/a": (2, 2, 4, 1), "lab/b": (1, 1, 2, 0)}),
        (By.PACK, {"small": (2, 2, 4, 1), "large": (1, 1, 2, 0)}),
        (By.STRATEGY, {"evaluator-worker": (2, 2, 4, 0), "next-step": (1, 1, 2, 1)}),
        (By.RUN, {"r1": (1, 1, 2, 0), "r2": (1, 1, 2, 1), "r3": (1, 1, 2, 0)}),
        (
            By.TASK,
            {
                "cup": (2, 0, 2, 1), "tea in large": (1, 1, 1, 0), "tea in small": (2, 2, 2, 0),
                "pot": (1, 0, 1, 0),
            },
        ),
        (
            By.PROMPT,
            {
                f"evaluator {text_hash('decide')[:8]}, worker {text_hash('code')[:8]}":
                    (1, 1, 2, 0),
                f"evaluator {text_hash('decide')[:8]}, worker {text_hash('code well')[:8]}":
                    (1, 1, 2, 1),
                "unknown": (1, 1, 2, 0),
            },
        ),
    ],
)  # fmt: skip
def test_each_grouping(logs: Path, by: By, expected: dict[str, Any]) -> None:
    groups = figures(logs, by).groups[by]
    seen = {
        g.name: (g.runs, g.figures.passed.passed, g.figures.passed.of, g.figures.harm.passed)
        for g in groups
    }
    assert seen == expected
    assert list(seen) == list(expected), "in order of time, tasks from the worst on"


def test_the_total_is_over_all_that_is_known(logs: Path) -> None:
    (total,) = figures(logs).totals
    found, means = total.figures, total.figures.means
    assert (total.runs, total.first, found.trials) == (3, BEGAN.isoformat(), 6)
    assert found.score == pytest.approx((1 + 0 + 0.9 + 0 + 1 + 0) / 6, abs=1e-6), "an error is 0"
    assert found.played_score == pytest.approx(2.9 / 5, abs=1e-6), "what began and was scored"
    assert (found.failures, found.outside) == ({"model": 1}, 1)
    assert means["cost_usd"] == pytest.approx(0.01), "of the five that know it"
    assert (means["tokens"], means["turns"], means["seconds"]) == (1000, 2, 0.5)


def test_nothing_known_is_not_zero(tmp_path: Path) -> None:
    blind = done("tea", None, cost_usd=None, tokens=Usage())
    counted_run(tmp_path / "run", blind, hours=None)
    (total,) = figures(tmp_path).totals
    assert (total.first, total.figures.score) == (None, None)
    assert (total.figures.cost_usd, total.figures.means["tokens"]) == (None, None)


def test_a_changed_scenario_is_another_task_and_another_pack(tmp_path: Path) -> None:
    for n, digest in enumerate("aab"):
        counted_run(tmp_path / f"r{n}", done("tea"), scenarios={"tea": digest * 64}, hours=n)
    counted_run(tmp_path / "r9", done("tea"), hours=9)
    found = figures(tmp_path, By.TASK, By.PACK)
    assert {group.name: group.runs for group in found.groups[By.TASK]} == {
        "tea in small, version aaaaaaaa": 2,
        "tea in small, version bbbbbbbb": 1,
        "tea in small, version unknown": 1,
    }
    assert [group.runs for group in found.groups[By.PACK]] == [2, 1, 1]
    assert len({group.name for group in found.groups[By.PACK]}) == 3


trials = st.builds(
    done,
    st.sampled_from(["tea", "cup", "pot"]),
    st.sampled_from([None, 0.0, 0.9, 1.0]),
    outcome=st.sampled_from(["finished", "error"]),
    harm=st.sampled_from([None, False, True]),
    failure=st.sampled_from([None, "model", "limit"]),
    pack=st.sampled_from(["", "small"]),
)


def a_run(number: int, benchmark: str, strategy: str, model: str, tasks: list[Any]) -> Run:
    identity = Identity(models={"evaluator": model})
    named = {"run_id": "r", "created": "some day", "benchmark": benchmark, "strategy": strategy}
    manifest = Manifest.model_validate(named | {"identity": identity})
    return Run(Path(f"run-{number}"), results_of(manifest, tasks), manifest)


runs = st.builds(
    a_run, st.integers(0, 10**9), st.sampled_from(["store", "company"]),
    st.sampled_from(["evaluator-worker", "next-step"]), st.sampled_from(["lab/a", "lab/b"]),
    st.lists(trials, max_size=6),
)  # fmt: skip


@given(
    st.lists(runs, min_size=1, max_size=6, unique_by=lambda run: run.folder), st.sampled_from(By)
)
def test_groups_share_out_the_total(some: list[Run], by: By) -> None:
    found = statistics(Path("logs"), Reading(tuple(some), ()), [by])
    assert len({group.name for group in found.groups[by]}) == len(found.groups[by]), "told apart"
    for total in found.totals:
        benchmark = total.name.removeprefix("all ")
        several = len(found.totals) > 1
        parts = [
            g.figures
            for g in found.groups[by]
            if not several or g.name.startswith(f"{benchmark}: ")
        ]
        whole = total.figures
        for name in ("trials", "unjudged", "outside"):
            assert sum(getattr(part, name) for part in parts) == getattr(whole, name)
        assert sum(part.harm.passed for part in parts) == whole.harm.passed
        for kind, count in whole.failures.items():
            assert sum(part.failures.get(kind, 0) for part in parts) == count
    assert sum(total.figures.trials for total in found.totals) == sum(
        len(run.results.tasks) for run in some
    )


def test_what_cannot_be_read_is_named_and_the_rest_counts_by_time(tmp_path: Path) -> None:
    for name, hours in (("a-unknown", None), ("b-late", 3), ("c-early", 1)):
        counted_run(tmp_path / name, done("tea"), hours=hours)
    torn = counted_run(tmp_path / "torn") / "results.jsonl"
    torn.write_text('{"spec_id": "a"}\n{"spec_id": "b", "outcome"')
    other = counted_run(tmp_path / "other") / "run.json"
    other.write_text(other.read_text().replace("run/1", "run/9"))
    (tmp_path / "killed" / "tasks").mkdir(parents=True)
    (tmp_path / "photos").mkdir()
    (tmp_path / "notes.txt").write_text("hello")
    found = read_runs(tmp_path)
    assert [run.name for run in found.runs] == ["c-early", "b-late", "a-unknown"]
    assert len(found.notes) == 3
    for said in ("torn: results.jsonl: line 1", "has the format run/9", "killed has no run.json"):
        assert any(said in note for note in found.notes)
    alone = read_runs(tmp_path / "b-late")
    assert ([run.name for run in alone.runs], alone.notes) == (["b-late"], ())


def test_the_table_in_a_pipe_is_whole_and_plain(logs: Path) -> None:
    text = ask(logs, "--by", "prompt", "--by", "task").stdout
    assert "\x1b" not in text
    assert "…" not in text
    heads = [line.split()[0] for line in text.splitlines() if "passed" in line and "score" in line]
    assert heads == ["prompt", "task"]
    unknown = next(line for line in text.splitlines() if line.startswith(" unknown"))
    for cell in ("1/2", "0.09–0.91", "1.000", "0.0100", "1,000"):
        assert cell in unknown


@pytest.mark.parametrize("width", [80, 200])
def test_no_figure_is_lost_on_a_narrow_terminal(logs: Path, width: int) -> None:
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=True, no_color=True)
    show_statistics(console, figures(logs, By.MODEL))
    text = out.getvalue()
    assert "…" not in text
    for cell in ("lab/a", "2/4", "0.475", "0.0100", "1,000"):
        assert cell in text
    assert max(Text.from_ansi(line).cell_len for line in text.splitlines()) <= width


def test_effects_and_acts_that_nobody_judged_stand_below_the_table(tmp_path: Path) -> None:
    unjudged = done("pot", None, acts=1, harm=None, verdict="purchased")
    effects = done("tea", doubled=2, lost=0, unauthorised=0), done("cup", lost=1)
    counted_run(tmp_path / "run", *effects, unjudged)
    text = ask(tmp_path, "--by", "model").stdout
    assert "lab/one: effects: 1 lost, 2 doubled" in text
    assert "1 tasks with irreversible actions were never scored" in text
    found = json.loads(ask(tmp_path, "--json").stdout)
    counts = {"lost": 1, "doubled": 2, "unauthorised": 0}
    assert found["totals"][0]["figures"]["effects"] == counts


def test_hostile_names_are_only_text(tmp_path: Path) -> None:
    name = "[red]x[/nothing]\x1b[2J\u202e$\\frac{"
    counted_run(tmp_path / "run", done(name), model=name, prompts={f"{name}$": "text"})
    result = ask(tmp_path, "--by", "task", "--by", "model", "--by", "prompt")
    assert result.exit_code == 0
    assert not {"\x1b", "\u202e"} & {*result.stdout}
    assert "[red]x" in result.stdout


def test_wrong_usage_and_an_empty_folder_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    empty = ask(tmp_path)
    assert (empty.exit_code, empty.stdout) == (1, "")
    assert "has no run with readable results" in empty.stderr
    for words, said in ((("nowhere",), "no run 'nowhere'"), ((".", "--by", "moon"), "moon")):
        result = ask(*words)
        assert (result.exit_code, said in " ".join(result.stderr.split())) == (2, True)


def test_two_benchmarks_are_never_put_together(tmp_path: Path) -> None:
    counted_run(tmp_path / "one", done("tea"))
    counted_run(tmp_path / "two", done("who", 0.0), benchmark="company", hours=1)
    found = figures(tmp_path, By.MODEL)
    named = {group.name: group.figures.score for group in found.groups[By.MODEL]}
    assert named == {"store: lab/one": 1.0, "company: lab/one": 0.0}
    totals = [(total.name, total.figures.score) for total in found.totals]
    assert totals == [("all company", 0.0), ("all store", 1.0)]
