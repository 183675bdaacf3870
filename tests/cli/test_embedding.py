"""Which embedding model a run asks, and what is said where it cannot be had."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli import embedding
from cli.cli import app
from cli.embedding import vectors_of
from cli.options import Options
from cli.run_models import RunModels
from core.runs.errors import Usage
from tests.fake_embeddings import Handler, serving
from workshop.simulator.company.pack import BUNDLED_PACK, load_pack


def test_without_a_model_there_are_no_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    assert vectors_of("none", None) is None
    assert vectors_of("auto", None) is not None
    monkeypatch.setattr(embedding, "has_local", lambda: False)
    assert vectors_of("auto", None) is None


def test_a_missing_extra_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.models.embeddings.has_local", lambda: False)
    with pytest.raises(Usage, match=r"--embedding local: .*\[semantic\]"):
        vectors_of("local", None)


def test_an_option_or_the_environment_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EMBEDDING_MODEL")
    assert Options().embedding == "auto"
    monkeypatch.setenv("EMBEDDING_MODEL", "openai/small")
    assert Options().embedding == "openai/small"
    assert Options(embedding="none").embedding == "none"


def test_a_served_model_is_asked_by_way_of_the_runs_cassette(tmp_path: Path) -> None:
    brains = RunModels(Options(benchmark="company"))
    brains.record(tmp_path / "tape.jsonl")
    vectors = vectors_of("openai/nobody-here", None, brains)
    assert vectors is not None
    assert [tell() for tell in brains.told_at_the_end] == [""]
    assert brains.writer is not None
    with pytest.raises(Exception, match="OPENAI_API_KEY"):
        vectors.near("question", [["part"]])
    assert brains.writer.exchanges == 1
    assert "1 embedding calls" in brains.notes()[0]


def test_a_run_records_and_replays_what_it_asked(tmp_path: Path) -> None:
    spec = load_pack(BUNDLED_PACK).scenarios[0].spec_id
    tape, models = tmp_path / "tape.jsonl", tmp_path / "models.toml"
    words = ["--benchmark", "company", "--task", spec, "--models", str(models), "--embedding"]
    words += ["small", "--out", str(tmp_path / "out")]
    with serving() as url:
        models.write_text(
            f'[models.small]\nbackends = [{{ model = "openai/small", base_url = "{url}" }}]\n'
            "prices = { input = 1.0, output = 0.0 }\n"
        )
        made = CliRunner().invoke(app, [*words, "--record", str(tape)])
        assert made.exit_code == 0, made.output
        assert "small: 2 embedding calls" in made.output
        asked = len(Handler.seen)
        assert asked == 2
        again = CliRunner().invoke(app, [*words, "--replay", str(tape)])
        assert again.exit_code == 0, again.output
        assert "small: 2 embedding calls" in again.output
        assert len(Handler.seen) == asked
