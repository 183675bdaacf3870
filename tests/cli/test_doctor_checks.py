"""The doctor's checks of the machine, as functions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from cli.doctor import address, dotenv, sandbox, summary_of, table
from cli.doctor_models import Diagnosis, Finding, diagnosis
from worker.sandbox import isolation

MISSING = "no such call"


@pytest.mark.parametrize(
    ("missing", "chosen", "state", "words"),
    [
        ("", "auto", "ok", "Landlock"),
        ("", "landlock", "ok", "Landlock"),
        ("", "monty", "warning", "WORKER_SANDBOX=monty"),
        (MISSING, "auto", "warning", MISSING),
        (MISSING, "monty", "warning", "without isolation"),
        (MISSING, "landlock", "problem", MISSING),
        ("", "docker", "problem", "'docker'"),
    ],
)
def test_isolation(
    monkeypatch: pytest.MonkeyPatch,
    missing: str,
    chosen: str,
    state: str,
    words: str,
) -> None:
    monkeypatch.setenv("WORKER_SANDBOX", chosen)
    monkeypatch.setattr(isolation, "probe_landlock", lambda: missing)
    finding = sandbox()
    assert finding.state == state
    assert words in finding.text
    assert bool(finding.fix) == (state != "ok")


@pytest.mark.promise("no secret in an output")
def test_a_dotenv_is_named_by_its_variables(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    assert dotenv(path, {}).state == "info"
    path.write_text("A_KEY=secret-value-1\nB=\nC=3\n")
    assert dotenv(path, {"A_KEY": "secret-value-1"}).state == "ok"
    other = dotenv(path, {"A_KEY": "secret-value-2", "C": "3"})
    assert other.state == "warning"
    assert (
        other.text == "read; it sets A_KEY, C; the environment has different values, "
        "which take precedence: A_KEY"
    )
    assert "secret" not in other.model_dump_json()
    path.write_text("B=1\n\n\nA_KEY secret-value-1\nC\nD=2\n")
    broken = dotenv(path, {})
    assert (broken.state, "lines that cannot be read" in broken.text) == ("problem", True)
    assert "secret" not in broken.model_dump_json()
    path.write_bytes(b"A=\xff\n")
    assert dotenv(path, {}).state == "problem"


@pytest.mark.parametrize(
    ("url", "state"),
    [
        ("", "ok"),
        ("https://example.org", "ok"),
        ("http://127.0.0.1:8300", "ok"),
        ("http://example.org", "warning"),
        ("example.org", "problem"),
    ],
)
def test_addresses(url: str, state: str) -> None:
    assert address({"ERC3_BASE_URL": url}).state == state


@pytest.mark.promise("no secret in an output")
def test_an_address_is_shown_without_its_password() -> None:
    checked = address({"ERC3_BASE_URL": "https://me:secret@example.org/x"})
    assert "secret" not in checked.model_dump_json()
    assert checked.text == "https://example.org/x"


def finding(state: Any, **more: Any) -> Finding:
    fields = {"area": "models", "name": "n", "state": state, "text": "t"}
    return Finding.model_validate(fields | more)


@pytest.mark.parametrize(
    ("states", "ok", "last"),
    [
        (["ok", "info"], True, "a run can begin"),
        (["warning"], True, "a run can begin (1 warning)"),
        (["problem", "warning", "warning"], False, "1 problem: a run would fail (2 warnings)"),
        (["problem", "problem"], False, "2 problems: a run would fail"),
    ],
)
def test_the_verdict(states: list[str], ok: bool, last: str) -> None:
    diagnosed = diagnosis([finding(s) for s in states], "")
    assert (diagnosed.ok, summary_of(diagnosed)) == (ok, last)


@pytest.mark.parametrize("width", [40, 80, 200])
def test_texts_are_data_on_every_screen(width: int) -> None:
    hostile = "[bold]x[/bold] [link=http://a]y"
    diagnosed: Diagnosis = diagnosis(
        [finding("warning", text=hostile, fix="[red]", subject="s")], ""
    )
    console = Console(width=width, no_color=True, force_terminal=False)
    with console.capture() as screen:
        console.print(table(diagnosed))
    joined = "".join(screen.get().split())
    assert "[bold]x[/bold]" in joined
    assert "[red]" in joined
