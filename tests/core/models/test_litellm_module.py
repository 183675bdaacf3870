"""LiteLLM is loaded beside the start of a run: what goes wrong there, and how it ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
BEGIN = """
from core.models import litellm_module
litellm_module.begin()
"""
WITHOUT_END = """
print("begun", flush=True)
while True:
    try:
        import nowhere
    except ImportError:
        pass
"""


def program(folder: Path, litellm: str, text: str) -> subprocess.CompletedProcess[str]:
    """Run a program that finds this module in LiteLLM's place."""
    (folder / "litellm.py").write_text(litellm)
    return subprocess.run(
        [sys.executable, "-c", text], cwd=folder, env={"PYTHONPATH": f"{folder}:{ROOT}"},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def test_an_error_of_the_import_is_met_by_whoever_needs_it(tmp_path: Path) -> None:
    wrong = "raise ImportError('no such wheel')"
    done = program(tmp_path, wrong, f"{BEGIN}\nprint('goes on')\nlitellm_module.load()")
    assert done.stdout == "goes on\n"
    assert done.returncode == 1
    assert done.stderr.count("Traceback") == 1
    assert done.stderr.endswith("ImportError: no such wheel\n")


def test_the_end_of_the_program_ends_the_import(tmp_path: Path) -> None:
    done = program(tmp_path, WITHOUT_END, f"{BEGIN}\nraise SystemExit(3)")
    assert (done.returncode, done.stderr) == (3, "")


def test_an_interrupt_ends_the_import_that_is_waited_for(tmp_path: Path) -> None:
    send = "import os, signal, threading\nsignal.signal(2, signal.default_int_handler)\n"
    send += "threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
    done = program(tmp_path, WITHOUT_END, f"{send}{BEGIN}\nlitellm_module.load()")
    assert done.stderr.endswith("KeyboardInterrupt\n")
    assert "begun" in done.stdout
    assert done.returncode != 0
