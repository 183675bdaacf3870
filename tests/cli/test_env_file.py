"""A ``.env`` that cannot be used, and a working folder that is gone, are told and not met."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dotenv import load_dotenv
from typer.testing import CliRunner

from cli.cli import app
from cli.doctor import dotenv

ROOT = Path(__file__).parents[2]
PACKAGES = ("cli", "coordinator", "core", "evaluator", "worker", "workshop")
_SET_BY_THE_PROGRAM = {"PYTHON_DOTENV_DISABLED", "TIKTOKEN_CACHE_DIR"}

BROKEN: dict[str, tuple[Callable[[Path], Any], str]] = {
    "bytes": (lambda p: p.write_bytes(b"A=\xff\n"), "is not UTF-8 text (byte 2)"),
    "nul": (lambda p: p.write_bytes(b"A=x\0y\n"), "holds a NUL character"),
    "pipe": (os.mkfifo, "is not a regular file"),
    "device": (lambda p: p.symlink_to("/dev/zero"), "is not a regular file"),
    "folder": (Path.mkdir, "is not a regular file"),
    "nowhere": (lambda p: p.symlink_to("nowhere"), "cannot be read: No such file"),
    "name": (lambda p: p.write_text("'A=B'=secret-value\n"), "sets a variable that cannot be used"),
    "large": (lambda p: p.write_text("#" * 100_001), "is larger than 100,000 bytes"),
}


@pytest.mark.parametrize("kind", BROKEN)
@pytest.mark.timeout(60)
def test_an_env_file_that_cannot_be_used_is_one_line(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, says = BROKEN[kind]
    make(tmp_path / ".env")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["show", "latest"])
    assert done.exit_code == 2, done.output
    assert f"error: {tmp_path / '.env'}: {says}" in done.output
    assert len(done.output.splitlines()) == 1
    assert "secret-value" not in done.output
    checked = dotenv(tmp_path / ".env", {})
    if kind == "name":
        return
    assert (checked.state, says in checked.text) == ("problem", True)


def test_no_library_reads_a_file_of_its_own_choice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text("ONE=1\nTWO=\nTHREE=${ONE}3\n")
    for name in ("ONE", "TWO", "THREE", "PYTHON_DOTENV_DISABLED"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setenv("TWO", "kept")
    monkeypatch.chdir(tmp_path)
    CliRunner().invoke(app, ["show", "latest"])
    assert [os.environ[name] for name in ("ONE", "TWO", "THREE")] == ["1", "kept", "13"]
    (tmp_path / ".env").write_text("FOUR=4\n")
    load_dotenv(tmp_path / ".env")
    assert "FOUR" not in os.environ


@pytest.mark.timeout(60)
def test_a_working_folder_that_is_gone_is_one_line(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    code = (
        "import os, sys; os.rmdir(os.getcwd()); sys.argv[1:] = ['--quiet'];"
        "from cli.cli import main; main()"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=gone,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert done.stderr.strip() == (
        "error: the working folder cannot be used: No such file or directory; "
        "change to another folder"
    )


def test_the_example_names_every_variable_that_the_program_reads() -> None:
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    known = re.findall(r"^(?:# )?([A-Z][A-Z0-9_]*)=", example, re.MULTILINE)
    inner = ("ERC3_COMPAT_", "LITELLM_", "PYTHONPATH", "PATH", "PWD")
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            names = re.findall(r'environ(?:\.get\(|\[)"([A-Z0-9_]+)"', text)
            names += re.findall(r'^[A-Z_]*VARIABLE = "([A-Z0-9_]+)"', text, re.MULTILINE)
            unknown = {n for n in names if n not in known and not n.startswith(inner)}
            assert not unknown - _SET_BY_THE_PROGRAM, f"{path}: {unknown}"
