"""The wheel is whole: what it installs plays, shows and replays in an empty folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
START = """
import sys
sys.meta_path[:] = [f for f in sys.meta_path if getattr(f, "__name__", "") != "_EditableFinder"]
sys.path.insert(0, {installed!r})
import submission
assert submission.__file__.startswith({installed!r})
sys.argv = ["erc3-agent", *{words!r}]
submission.main()
"""
"""What the command does, with the files of the wheel and nothing of this checkout."""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a wheel that was built from a copy of this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    sources = folder / "sources"
    left = shutil.ignore_patterns(
        ".*", "build", "docs", "logs", "tests", "__pycache__", "*.egg-info"
    )
    shutil.copytree(ROOT, sources, ignore=left)
    options = ["--wheel", "--no-isolation", "--outdir", str(folder)]
    build = [sys.executable, "-m", "build", *options, str(sources)]
    subprocess.run(build, check=True, capture_output=True, timeout=200)
    (wheel,) = folder.glob("erc3_agent-*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "installed")
    return folder / "installed"


@pytest.fixture
def typed(installed: Path, tmp_path: Path) -> Callable[..., str]:
    """Types a command in an empty folder; gives what it prints."""

    def run(*words: str) -> str:
        code = START.format(installed=str(installed), words=list(words))
        command = [sys.executable, "-P", "-c", code]
        # Neither settings nor keys of whoever runs the tests.
        kept = {k: v for k, v in os.environ.items() if "KEY" not in k and "MODEL" not in k}
        done = subprocess.run(
            command, cwd=tmp_path, env=kept, capture_output=True, text=True, timeout=200
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_a_first_score_a_report_and_a_replay_come_from_an_empty_folder(
    typed: Callable[..., str], tmp_path: Path
) -> None:
    typed("--task", "budget_fits_thanks_to_coupon", "--name", "first")
    assert '"score": 1.0' in typed("show", "latest", "--json")
    assert (tmp_path / typed("report", "latest").strip()).is_file()
    typed("replay", "latest")
    typed("prompts", "mine")
    assert (tmp_path / "mine" / "store" / "playbooks" / "budget-check.md").is_file()


def test_the_wheel_has_a_licence_and_no_tests(installed: Path) -> None:
    assert list(installed.glob("*.dist-info/licenses/LICENSE"))
    assert not (installed / "tests").exists()
