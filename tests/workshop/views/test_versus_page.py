"""The page of two runs: its verdict, its figures, what is told in full."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.cli import app
from core.runs.manifest import Identity
from core.runs.prompts import Prompts
from tests.kit.run_folders import RunFolder, asked, ended, worked
from workshop.views.report import versus
from workshop.views.report.versus import versus_page

PROMPT = "You decide.\n\nRules of the game\n- Buy tea.\n- Never guess.\n"


def run(path: Path, *failed: str, prompt: str = PROMPT, tasks: int = 6, **options: Any) -> Path:
    """A run of tasks t0, t1, ... of which those that are named fail."""
    folder = RunFolder(path)
    for spec in (f"t{n}" for n in range(tasks)):
        bad = {"score": 0.0, "eval_log": "FAIL: not wanted", "verdict": "purchased"}
        turns = [worked(name="Cup")] if spec in failed else [worked()]
        folder.task(spec, asked(), *turns, asked(), ended(), **(bad if spec in failed else {}))
    digest = Prompts(path).keep(prompt)
    models = {"evaluator": "lab/model", "worker": "lab/model"}
    identity = Identity(models=models, prompts={"evaluator": digest}, pack="small")
    return folder.write(identity=identity, options=options)


def told(page: str) -> dict[str, str]:
    """By task the story in the page."""
    data = re.search(r'id="page">(.*?)</script>', page, re.S)
    assert data
    keys = [task["key"] for task in json.loads(data[1])["tasks"]]
    packed = re.findall(r'<script type="text/plain" id="story-\d+">(.*?)</script>', page)
    stories = [zlib.decompress(base64.b64decode(text)).decode("utf-8") for text in packed]
    return {key.partition("-")[2]: story for key, story in zip(keys, stories, strict=True)}


def test_the_verdict_comes_first_then_flips_then_differences(tmp_path: Path) -> None:
    every = [f"t{n}" for n in range(6)]
    a = run(tmp_path / "a", max_turns=7)
    b = run(tmp_path / "b", *every, prompt=PROMPT.replace("Never", "Do not"), max_turns=2)
    page = versus_page(a, b)
    parts = (
        "B is worse than A", "exact McNemar test of the flips", 'id="figures"', "What differs:",
        'id="tasks"', "<td>7</td><td>2</td>", "<del>- Never guess",
        "decides</b>",
    )  # fmt: skip
    places = [page.index(part) for part in parts]
    assert places == sorted(places)
    assert "−100.0" in page


def test_a_flipped_task_is_told_in_full_and_marked_where_it_parts(tmp_path: Path) -> None:
    page = versus_page(run(tmp_path / "a"), run(tmp_path / "b", "t3"))
    stories = told(page)
    assert next(iter(stories)) == "t3"
    flipped = stories["t3"]
    assert (
        flipped.index("First difference")
        < flipped.index("Find Green Tea")
        < flipped.index("Find Cup")
    )
    short = stories["t1"]
    assert "Shortened, because" in short
    assert "final_answer" not in short


def test_a_page_that_would_be_too_large_tells_the_rest_in_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = run(tmp_path / "a"), run(tmp_path / "b", "t0", "t1", "t2")
    whole = told(versus_page(a, b))
    assert sum("final_answer" in story for story in whole.values()) == 3
    monkeypatch.setattr(versus, "PAGE_BYTES", 6 * versus.PAIR_BYTES + 4_000)
    some = told(versus_page(a, b))
    assert 0 < sum("final_answer" in story for story in some.values()) < 3
    assert all("FAIL: not wanted" in some[spec] for spec in ("t0", "t1", "t2"))


def test_new_harm_is_named_and_comes_first(tmp_path: Path) -> None:
    a, b = RunFolder(tmp_path / "a"), RunFolder(tmp_path / "b")
    for spec in ("lost", "harmed"):
        a.task(spec, worked(), ended())
    b.task("lost", worked(), ended(), score=0.0)
    b.task("harmed", worked(), ended(), score=0.0, harm=True, acts=1)
    page = versus_page(a.write(), b.write())
    assert list(told(page)) == ["harmed", "lost"]
    assert '<span class="tag bad">new wrong checkout</span>' in page


def test_a_results_file_that_was_kept_has_a_page_beside_a_run(tmp_path: Path) -> None:
    b = run(tmp_path / "b", "t1")
    kept, page = tmp_path / "baseline.jsonl", tmp_path / "page.html"
    kept.write_bytes((run(tmp_path / "a") / "results.jsonl").read_bytes())
    words = ["compare", str(kept), str(b), "--html", str(page)]
    assert CliRunner().invoke(app, words).exit_code == 3
    text = page.read_text(encoding="utf-8")
    assert "Not enough data to tell" in text
    assert f"A: {kept}" in text
    assert next(iter(told(text))) == "t1"
