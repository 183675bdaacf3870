"""One command with subcommands, whose options come from one record."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import typer
from pydantic import BaseModel, Field
from typer.testing import CliRunner

from cli.cli import COMMANDS, app
from cli.options import Options
from core.terminal.record_command import takes


def said(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, words)
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return done.exit_code, " ".join(done.output.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_help_of_its_own(name: str) -> None:
    code, text = said(name, "--help")
    assert code == 0
    assert "usage: " in text.lower()
    assert name in text
    assert f" {name} {COMMANDS[name][1]} " in said("--help")[1]
    assert COMMANDS[name][1] in text, "the list of commands says what the command itself says"


def test_the_list_of_commands_cuts_no_sentence() -> None:
    assert "..." not in said("--help")[1].partition("[ARGS]...")[2]


def test_the_version_is_shown() -> None:
    code, text = said("--version")
    assert (code, text.strip()) == (0, metadata.version("erc3-agent"))


class Asked(BaseModel):
    number: int = Field(default=3, ge=1, le=5, description="A number.")
    many: tuple[str, ...] = Field(default=(), alias="one", description="Texts.")
    late: str = Field(default_factory=lambda known: "x" * known["number"], description="A text.")
    hidden: int = 7


def test_fields_become_options_and_only_what_is_given_is_set() -> None:
    seen: list[Asked] = []
    only = typer.Typer()
    only.command()(takes(Asked)(lambda asked, _context: seen.append(asked) or 4))
    done = CliRunner().invoke(only, ["--one", "a", "--one", "b"])
    assert done.exit_code == 4
    assert seen == [Asked(one=("a", "b"))]
    assert (seen[0].model_fields_set, seen[0].late) == ({"many"}, "xxx")
    assert CliRunner().invoke(only, ["--number", "6"]).exit_code == 2
    assert CliRunner().invoke(only, ["--hidden", "6"]).exit_code == 2


def options(**given: Any) -> Options:
    return Options.model_validate(given)


def test_a_run_goes_on_with_its_options_except_for_those_that_are_given() -> None:
    then = options(jobs=4, tasks=("a",), pack=Path("p.json"), yes=True, evaluator="m", record="t")
    stored = then.stored()
    assert stored["pack"] == str(Path("p.json").resolve())
    assert not stored.keys() & {"yes", "resume", "out", "as_json", "quiet", "force"}
    now = options(resume=Path("run"), max_turns=9).restored(stored)
    assert (now.jobs, now.tasks, now.evaluator, now.max_turns) == (4, ("a",), "m", 9)
    assert (now.yes, now.record, now.resume) == (False, None, Path("run"))


def test_a_strategy_of_one_model_goes_on_with_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKER_MODEL", "another")
    then = options(strategy="next-step", evaluator="first")
    assert (then.worker, then.max_turns, then.name) == ("first", 30, "next-step")
    now = options(resume=Path("run"), evaluator="second").restored(then.stored())
    assert (now.evaluator, now.worker) == ("second", "second")


@pytest.mark.parametrize("wrong", [{"jobs": 0}, {"retry_seconds": float("inf")}, {"unknown": 1}])
def test_what_cannot_have_been_asked_for_is_named(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=rf"run\.json: options\.{next(iter(wrong))}"):
        options().restored(options().stored() | wrong)
