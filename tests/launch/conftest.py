"""Lives of a run: each ends at a chosen write of a journal, as ``kill -9`` would end it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

KILLED = 137


@dataclass
class Lives:
    """Runs the command line in child processes of this one, which has all imports done."""

    folder: Path
    deaths: int = 0
    said: list[str] = field(default_factory=list)

    def live(self, *words: object, until: int | None = None, whole: bool = False) -> int:
        """One life; it ends at write number ``until`` with half of that write, or ``whole``."""
        return self.end(self.begin(*words, until=until, whole=whole))

    @property
    def log(self) -> Path:
        """What the present life shows."""
        return self.folder / "shown.txt"

    def begin(self, *words: object, until: int | None = None, whole: bool = False) -> int:
        """Begin a life; its process."""
        child = os.fork()
        if child == 0:
            _live([str(w) for w in words], until, whole, self.log)
        return child

    def end(self, child: int) -> int:
        """Wait for the end of a life; its exit code."""
        _, status = os.waitpid(child, 0)
        self.said.append(self.log.read_text(encoding="utf-8"))
        code = os.waitstatus_to_exitcode(status)
        self.deaths += code == KILLED
        return code

    @property
    def run(self) -> Path | None:
        """The run folder, once the run is known to the disk."""
        found = sorted((self.folder / "logs").glob("*/run.json"))
        return found[-1].parent if found else None

    def results(self) -> dict[str, Any]:
        """What the last life left."""
        assert self.run is not None
        found: dict[str, Any] = json.loads((self.run / "results.json").read_text())
        return found


def _live(words: list[str], until: int | None, whole: bool, log: Path) -> None:
    """The child: it never returns."""
    from launch.cli import app

    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(out, 1)
    os.dup2(out, 2)
    sys.stdout, sys.stderr = os.fdopen(1, "w", 1), os.fdopen(2, "w", 1)
    if until is not None:
        _die_at(until, whole)
    code = 1
    try:
        app(words)
    except SystemExit as end:
        code = int(end.code or 0)
    except BaseException as error:
        print(repr(error), file=sys.stderr)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _die_at(until: int, whole: bool) -> None:
    """Count the writes of journals and of the platform's state; die at one of them."""
    real, left = os.write, [until]

    def write(file: int, data: Any) -> int:
        kept = os.readlink(f"/proc/self/fd/{file}").endswith(".jsonl")
        left[0] -= kept
        if kept and left[0] <= 0:
            real(file, data if whole else bytes(data)[: len(data) // 2])
            os._exit(KILLED)
        return real(file, data)

    os.write = write


@pytest.fixture
def lives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Lives]:
    """Makes the lives of one run."""
    import launch.run
    import launch.setting  # noqa: F401 - what every life needs is imported once, before

    monkeypatch.chdir(tmp_path)
    for name in ("EVALUATOR_MODEL", "WORKER_MODEL", "MODELS_FILE"):
        monkeypatch.delenv(name, raising=False)

    def make() -> Lives:
        folder = tmp_path / f"lives-{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        return Lives(folder)

    return make
