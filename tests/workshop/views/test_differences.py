"""What two runs were made of differently."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit.run_folders import counted_run, done
from workshop.views.report.differences import differences

OLD = {"evaluator": "You decide.\nBuy what fits.", "worker": "You code."}
NEW = OLD | {"evaluator": "You decide.\nBuy only what fits."}


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    counted_run(tmp_path / "run-a", done("tea"), done("cup", 0.0), prompts=OLD)
    counted_run(tmp_path / "run-b", done("cup"), done("tea", 0.9), prompts=NEW)
    return tmp_path


def test_the_prompt_that_changed_is_shown_line_by_line(logs: Path) -> None:
    prompts = differences(logs / "run-a", logs / "run-b").prompts
    assert prompts is not None
    (prompt,) = prompts
    assert (prompt.role, prompt.text) == ("evaluator", "+1 lines, −1 lines")


def test_model_strategy_pack_versions_and_options(tmp_path: Path) -> None:
    counted_run(
        tmp_path / "one", prompts=OLD, scenarios={"tea": "1", "cup": "2"}, worker="lab/hands",
        versions={"python": "3.11.7", "litellm": "1"}, options={"max_turns": 7, "pack": "/a.json"},
    )  # fmt: skip
    options = {"max_turns": 30, "pack": "/b.json"}
    counted_run(
        tmp_path / "two", prompts={"next-step": "Pick a tool."}, model="lab/two", pack="other",
        strategy="next-step",
        scenarios={"tea": "1", "pot": "3"}, versions={"python": "3.12.1", "litellm": "1"},
        options=options,
    )  # fmt: skip
    compared = differences(tmp_path / "one", tmp_path / "two")
    assert {c.what: (c.was, c.now) for c in compared.changes} == {
        "strategy": ("evaluator-worker", "next-step"),
        "model of the evaluator": ("lab/one", "lab/two"),
        "model of the worker": ("lab/hands", None),
        "pack": ("small", "other"),
        "scenarios": ("2, 1 of them the same in both", "2, 1 of them the same in both"),
        "version of python": ("3.11.7", "3.12.1"),
        "option max_turns": ("7", "30"),
    }
    roles = {p.role: (bool(p.was), bool(p.now)) for p in compared.prompts or ()}
    assert roles == {
        "evaluator": (True, False), "worker": (True, False), "next-step": (False, True)
    }  # fmt: skip


def test_a_prompt_whose_text_is_lost_still_changed(logs: Path) -> None:
    for path in (logs / "run-a" / "prompts").iterdir():
        path.write_bytes(b"\xff\xfe")
    prompts = differences(logs / "run-a", logs / "run-b").prompts
    assert [(p.role, p.text) for p in prompts or ()] == [("evaluator", "its text was not stored")]
