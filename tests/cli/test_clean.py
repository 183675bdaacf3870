"""What ``clean`` removes, and what it leaves."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from cli.cli import app
from core.runs.folder import held
from core.runs.manifest import Identity, Manifest

OLD, LIVE, REAL, ODD = (f"20260101-00000{n}-abcd" for n in range(4))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with four runs, a folder of notes and a cache."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    for name in (OLD, LIVE, REAL, ODD):
        folder = tmp_path / "logs" / name
        folder.mkdir(parents=True)
        (folder / "run.lock").touch()
    (tmp_path / "logs" / OLD / "big").write_bytes(b"x" * 3_000)
    manifest = Manifest(run_id=REAL, created="2026", identity=Identity(), base_url="https://x")
    manifest.write(tmp_path / "logs" / REAL)
    (tmp_path / "logs" / ODD / "run.json").write_text("{")
    (tmp_path / "logs" / "notes").mkdir()
    (tmp_path / "caches" / "erc3-agent").mkdir(parents=True)
    (tmp_path / "caches" / "erc3-agent" / "wiki").write_bytes(b"x" * 2_000)
    return tmp_path


def clean(*words: str) -> Result:
    done = CliRunner().invoke(app, ["clean", *words])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def left(home: Path) -> set[str]:
    return {path.name for folder in ("logs", "caches") for path in (home / folder).iterdir()}


EVERYTHING = {OLD, LIVE, REAL, ODD, "notes", "erc3-agent"}


def test_runs_and_cache_go_but_not_what_still_plays_or_may_be_submitted(home: Path) -> None:
    with held(home / "logs" / LIVE):
        done = clean("--yes")
    assert done.exit_code == 0
    assert "1 run in logs: 3.0 kB" in done.output
    assert f"cache {home / 'caches' / 'erc3-agent'}: 2.0 kB" in done.output
    assert f"kept: logs/{LIVE}: already running" in done.output
    assert f"kept: logs/{REAL} was played on the real platform" in done.output
    assert f"kept: logs/{ODD}/run.json" in done.output
    assert left(home) == EVERYTHING - {OLD, "erc3-agent"}


@pytest.mark.parametrize(("part", "gone"), [("cache", {"erc3-agent"}), ("runs", {OLD, LIVE})])
def test_one_part_alone_can_be_removed(home: Path, part: str, gone: set[str]) -> None:
    assert clean("--only", part, "--yes").exit_code == 0
    assert left(home) == EVERYTHING - gone


def test_without_a_terminal_and_a_yes_nothing_is_removed(home: Path) -> None:
    done = clean()
    assert (done.exit_code, "use --yes to remove without asking" in done.output) == (2, True)
    assert left(home) == EVERYTHING


@pytest.mark.parametrize(("typed", "gone"), [("n\n", set()), ("y\n", {OLD, LIVE, "erc3-agent"})])
def test_at_a_terminal_it_asks(
    home: Path, monkeypatch: pytest.MonkeyPatch, typed: str, gone: set[str]
) -> None:
    monkeypatch.setattr("cli.clean.at_terminal", lambda: True)
    done = CliRunner().invoke(app, ["clean"], input=typed)
    assert (done.exit_code, "Remove them?" in done.output) == (0, True)
    assert left(home) == EVERYTHING - gone


def test_there_may_be_nothing_to_remove(home: Path) -> None:
    assert clean("--yes").exit_code == 0
    again = clean("--yes", "--logs", "elsewhere")
    assert (again.exit_code, "nothing to remove" in again.output) == (0, True)
