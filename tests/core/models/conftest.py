"""Model servers on loopback, and whole runs through them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.cli import app
from tests.kit.fake_openai import FakeOpenAI

KEYS = ("sk-eyes-8c1f77aa90d2", "sk-eyes-1b5b2e66dd", "sk-hands-77ac0e41f9", "sk-hands-c3d8021b")


@dataclass(frozen=True)
class SeenRun:
    """A run through model servers, with what both sides wrote down."""

    results: dict[str, Any]
    journal: dict[str, list[dict[str, Any]]]
    """By task."""
    shown: str
    """All that was printed."""
    folder: Path

    @property
    def calls(self) -> list[dict[str, Any]]:
        """Every model call of every task."""
        return self.of("model_call")

    @property
    def tasks(self) -> list[dict[str, Any]]:
        tasks: list[dict[str, Any]] = self.results["tasks"]
        return tasks

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [line for lines in self.journal.values() for line in lines if line["type"] == kind]

    def tells(self, text: str) -> list[Path]:
        """Files of the run folder that hold a text."""
        files = (path for path in self.folder.rglob("*") if path.is_file())
        return [path for path in files if text.encode() in path.read_bytes()]


@pytest.fixture
def model_server() -> Iterator[Callable[..., FakeOpenAI]]:
    """Starts model servers with the given answer and plan; stopped after the test."""
    with ExitStack() as running:
        yield lambda *args, **kwargs: running.enter_context(FakeOpenAI(*args, **kwargs))


@pytest.fixture
def run_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., SeenRun]:
    """Runs tasks of the bundled pack, each role with its own servers and keys."""
    monkeypatch.chdir(tmp_path)
    for name in ("ERC3_API_KEY", "ERC3_BASE_URL", "EVALUATOR_BASE_URL", "WORKER_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    for number, key in enumerate(KEYS):
        monkeypatch.setenv(f"FAKE_{number}_KEY", key)

    def go(
        eyes: Sequence[FakeOpenAI],
        hands: Sequence[FakeOpenAI],
        specs: Sequence[str] = (),
        jobs: int = 8,
        code: int = 0,
        **params: object,
    ) -> SeenRun:
        text = _table("eyes", eyes, 0, params) + _table("hands", hands, 2, params)
        (tmp_path / "models.toml").write_text(text)
        words = ["--json", "--jobs", str(jobs), "--models", "models.toml"]
        words += ["--evaluator", "eyes", "--worker", "hands"]
        words += [word for spec in specs for word in ("--task", spec)]
        done = CliRunner().invoke(app, words)
        assert done.exit_code == code, done.output
        (folder,) = (tmp_path / "logs").iterdir()
        journal = {
            path.stem: [json.loads(line) for line in path.read_text().splitlines()]
            for path in (folder / "tasks").glob("*.jsonl")
        }
        return SeenRun(json.loads(done.stdout), journal, done.output, folder)

    return go


def _table(
    name: str, servers: Sequence[FakeOpenAI], first_key: int, params: dict[str, object]
) -> str:
    backends = ", ".join(
        f'{{ name = "{name}-{n}", model = "openai/fake-{name}", base_url = "{server.base_url}", '
        f'key_variable = "FAKE_{first_key + n}_KEY" }}'
        for n, server in enumerate(servers)
    )
    lines = [f"{key} = {value}" for key, value in params.items()]
    return "\n".join([f"[models.{name}]", *lines, f"backends = [{backends}]", ""])


@pytest.fixture
def keys() -> tuple[str, ...]:
    """The keys of ``run_through``: two for the evaluator's servers, two for the worker's."""
    return KEYS
