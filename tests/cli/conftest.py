"""Lives of a run: each ends at a chosen write of a journal, as ``kill -9`` would end it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.kit.records import results_at

ROOT = Path(__file__).parents[2]
KILLED = 137
CLEAN = dict.fromkeys(("EVALUATOR_MODEL", "WORKER_MODEL", "MODELS_FILE"), "")


class Zygote:
    """Where lives are forked: a process of its own, because this one has threads."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("zygote.py"))],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, command: dict[str, Any]) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        return int(json.loads(self._process.stdout.readline()))

    def stop(self) -> None:
        self._process.kill()
        self._process.communicate()


@dataclass
class Lives:
    """Runs the command line, life after life, in one folder."""

    zygote: Zygote
    folder: Path
    env: dict[str, str] = field(default_factory=dict)
    scripts: dict[str, list[str]] = field(default_factory=dict)
    """Replies of ``canned/...`` models."""
    deaths: int = 0
    said: list[str] = field(default_factory=list)

    def live(self, *words: object, **how: Any) -> int:
        """One life; it ends at write ``until`` with half of that write, or ``whole``; or where a
        file would have more than ``room`` bytes."""
        return self.end(self.begin(*words, **how))

    @property
    def log(self) -> Path:
        """What the present life shows."""
        return self.folder / "shown.txt"

    def begin(
        self,
        *words: object,
        until: int | None = None,
        whole: bool = False,
        room: int | None = None,
        ignored: Sequence[int] = (),
    ) -> int:
        """Begin a life; its process. ``ignored``: signals that its parent has switched off."""
        order = {
            "words": [str(w) for w in words],
            "until": until,
            "whole": whole,
            "room": room,
            "ignored": list(ignored),
            "log": str(self.log),
            "cwd": str(self.folder),
            "env": CLEAN | self.env,
            "scripts": self.scripts,
        }
        self.log.write_text("")
        return self.zygote.ask({"begin": order})

    def end(self, child: int) -> int:
        """Wait for the end of a life; its exit code."""
        code = self.zygote.ask({"end": child})
        self.said.append(self.log.read_text(encoding="utf-8"))
        self.deaths += code == KILLED
        return code

    @property
    def run(self) -> Path | None:
        """The run folder, once the run is known to the disk."""
        manifests = sorted((self.folder / "logs").glob("*/run.json"))
        return manifests[-1].parent if manifests else None

    def results(self) -> dict[str, Any]:
        """What the last life left."""
        assert self.run is not None
        results: dict[str, Any] = results_at(self.run)
        return results


@pytest.fixture(scope="session")
def zygote() -> Iterator[Zygote]:
    zygote = Zygote()
    yield zygote
    zygote.stop()


@pytest.fixture
def lives(zygote: Zygote, tmp_path: Path) -> Callable[..., Lives]:
    """Makes the lives of one run."""

    def make(**fields: Any) -> Lives:
        folder = tmp_path / f"lives-{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        return Lives(zygote, folder, **fields)

    return make
