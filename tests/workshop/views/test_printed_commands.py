"""Every command that a page, or the end of a run, prints runs as it stands, in another folder."""

from __future__ import annotations

import html
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from cli.cli import app
from core.runs.find import run_folders
from core.runs.run_view import read_run_view
from workshop.views.report.record_parts import commands_of
from workshop.views.report.run_page import record_html

COMMAND = re.compile(r"\S*python\S* \S*submission\.py(?P<words>[^\n<]*)")
CODES = {"minimise": (0,), "compare": (0, 1, 3), "replay": (0, 1)}
"""All that a command may end with that did what it was asked for; of others 0."""


def call(*words: object, typed: str = "q\n") -> Result:
    done = CliRunner().invoke(app, [str(word) for word in words], input=typed)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


MISTAKEN = ("--evaluator", "scripted/store?errors=0.5&seed=0&kinds=code-raises")
"""It makes a mistake in one of the two tasks."""


def printed(text: str) -> list[list[str]]:
    """The words of our own commands in a text or a page, each once."""
    found = (match["words"] for match in COMMAND.finditer(html.unescape(text)))
    return [shlex.split(words) for words in dict.fromkeys(found)]


def run_all(commands: list[list[str]]) -> dict[str, str]:
    """Run each; what the first of each name printed."""
    output: dict[str, str] = {}
    for words in commands:
        done = call(*words)
        assert done.exit_code in CODES.get(words[0], (0,)), (words, done.output)
        output.setdefault(words[0], done.output)
    return output


@pytest.fixture
def shop(tmp_path: Path, shop_json: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a pack of two tasks, one of which fails, and with settings of models."""
    monkeypatch.chdir(tmp_path)
    event = {"items": [{"sku": "tea", "quantity": 2}]}
    wrong = {"items": [{"sku": "tea", "quantity": 1}]}
    shops = [
        shop_json(spec_id=spec, expect={"checkouts": 1, "any_of": [one]}, task_text=text)
        for spec, one, text in (
            ("good", event, "Buy 2x Green Tea"),
            ("wrong", wrong, "Buy 1x Green Tea"),
        )
    ]
    body = {"format": "store-pack/1", "name": "own", "scenarios": shops}
    (tmp_path / "pack.json").write_text(json.dumps(body))
    model = '[models.mine]\nbackends = [{ model = "scripted/literal" }]\n'
    (tmp_path / "models.toml").write_text(model)
    (tmp_path / "elsewhere").mkdir()
    return tmp_path


def test_those_of_a_plain_run(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = call("--pack", "pack.json", *MISTAKEN).output
    monkeypatch.chdir(shop / "elsewhere")
    shown = [words for words in printed(text) if words[0] == "show"]
    assert len(shown) == 1
    shown[0][1] = str(shop / shown[0][1])  # printed for the folder in which the run was started
    listed = run_all(shown)["show"]
    assert list(run_all(printed(listed))) == ["debug"]


@pytest.mark.parametrize("strategy", ["evaluator-worker", "next-step"])
def test_those_of_a_page(shop: Path, monkeypatch: pytest.MonkeyPatch, strategy: str) -> None:
    assert call("--pack", "pack.json", *MISTAKEN, "--strategy", strategy, "--quiet").exit_code == 0
    monkeypatch.chdir(shop / "elsewhere")
    commands = printed(_page(run_folders(shop / "logs")[0], "wrong"))
    output = run_all(commands)
    assert "wrong-small.json" in output["minimise"]
    assert "forked at turn" in output["--fork"]
    assert ("debug" in output) == (strategy == "evaluator-worker")


def test_they_play_with_the_prompts_and_settings_of_the_run(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without either the model is unknown, and the task passes: nothing would be left to do."""
    section = shop / "mine/store/playbooks/budget-check.md"
    section.parent.mkdir(parents=True)
    section.write_text("Buy what is asked for.\n")
    options = ("--prompts", "mine", "--models", "models.toml", "--evaluator", "mine")
    spec = "several_items_over_total_budget"
    assert call("--task", spec, *options, "--quiet").exit_code == 0
    monkeypatch.chdir(shop / "elsewhere")
    commands = printed(_page(run_folders(shop / "logs")[0], spec))
    fork = next(words for words in commands if words[0] == "--fork")
    for option in ("--prompts", "--models", "--evaluator"):
        assert option in fork
    output = run_all(commands)
    assert f"[1/1] {spec}: 0.0" in output["--fork"]
    assert f"{spec}-small.json" in output["minimise"]


def _page(folder: Path, spec: str) -> str:
    record = next(one for one in read_run_view(folder).tasks if one.spec_id == spec)
    page = str(record_html(record))
    assert len(printed(page)) == len(commands_of(record)) > 0
    return page


@pytest.mark.slow
def test_those_of_a_lab_run(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("regress", "--pack", "pack.json", *MISTAKEN, "--jobs", 1)
    assert call(*words).exit_code == 0
    assert set(run_all(printed(call(*words).output))) == {"show"}
    monkeypatch.chdir(shop / "elsewhere")
    output = run_all(printed(_page(run_folders(shop / "logs")[0], "wrong")))
    assert set(output) == {"debug", "replay", "--fork", "minimise"}
