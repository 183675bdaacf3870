"""Where a session plays and who plays it: told and checked before the first task."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from cli.benchmarks import world_named
from coordinator.session import Session
from core.runs import manifest
from tests.kit import fake_openai_faults as faults
from tests.kit.commands import BUY_TEA, type_words
from tests.kit.fake_openai import FakeOpenAI
from tests.kit.records import results_at
from tests.kit.rehearsal import rehearsal
from workshop.simulator.server import Simulator

SPECS = ("first", "second")
Go = Callable[..., Result]


@pytest.fixture
def go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Go:
    """Types a command in an empty folder, whose runs are in ``logs``."""
    monkeypatch.chdir(tmp_path)

    return type_words


@pytest.fixture
def real(platform_of: Any, shop_json: Any) -> Simulator:
    """A platform with two tasks of a shop."""
    simulator: Simulator = platform_of(*(shop_json(spec_id=one, expect=BUY_TEA) for one in SPECS))
    return simulator


def at(simulator: Simulator) -> dict[str, str]:
    return {"ERC3_API_KEY": "key-mine", "ERC3_BASE_URL": simulator.base_url}


def manifests(folder: Path = Path("logs")) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted(folder.glob("*/run.json"))]


def heard(done: Result) -> str:
    return " ".join(done.output.split())


# -- sections of another benchmark or strategy


@pytest.fixture
def both(go: Go) -> Path:
    """Every section of both benchmarks, one of each edited, and one of each strategy."""
    assert go("prompts", "both").exit_code == 0
    edited = ("store/playbooks/budget-check", "company/rules", "next_step/system", "worker/system")
    for name in edited:
        path = Path(f"both/{name}.md")
        path.write_text(path.read_text() + "Be brief.\n")
    return Path("both")


@pytest.mark.parametrize(
    ("words", "used"),
    [
        (["--benchmark", "company"], {"company/rules", "worker/system"}),
        ([], {"store/playbooks/budget-check", "worker/system"}),
        (["--strategy", "next-step"], {"store/playbooks/budget-check", "next_step/system"}),
    ],
)
def test_sections_of_another_benchmark_or_strategy_are_named_and_not_used(
    go: Go, both: Path, words: list[str], used: set[str]
) -> None:
    benchmark = "company" if "company" in words else "store"
    pack = json.loads(world_named(benchmark).bundled.read_text())
    spec = pack["scenarios"][0]["spec_id"]
    done = go("--prompts", both, *words, "--task", spec)
    assert done.exit_code == 0, done.output
    (found,) = manifests()
    assert set(found["identity"]["sections"]) == used
    assert set(found["shipped"]) == used
    left = {"store/playbooks/budget-check", "company/rules", "next_step/system", "worker/system"}
    left -= used
    assert done.output.count("not used") == 1
    assert f"note: --prompts: {len(left)} sections not used" in heard(done)
    assert all(name in heard(done) for name in left)
    assert (Path("logs") / found["run_id"] / "results.jsonl").is_file()


def test_the_lab_and_a_real_session_leave_them_out_too(go: Go, both: Path, real: Simulator) -> None:
    words = ("--pack", "generated:where:1", "--jobs", "1", "--prompts", both)
    done = go("regress", *words)
    assert done.exit_code == 0, done.output
    (found,) = manifests()
    assert set(found["identity"]["sections"]) == {"store/playbooks/budget-check", "worker/system"}
    assert "note: --prompts: 2 sections not used" in heard(done)
    words = (*rehearsal(real, Path("run")), "--yes", "--prompts", both, "--out", "real")
    assert go(*words, **at(real)).exit_code == 0
    (found,) = manifests(Path("real"))
    assert real.platform.session(found["session_id"]).status == "evaluated"


# -- nothing is left open that cannot be gone on with


def test_what_fails_for_a_reason_of_ours_does_so_before_a_session_is_opened(
    go: Go, real: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("cli.run.Run.keep_texts", broken)
    done = go(*rehearsal(real, Path("run")), "--yes", **at(real))
    assert done.exit_code == 1
    assert "No space left" in done.output
    assert not real.platform.sessions
    assert [*Path("logs").iterdir()] == []
    assert "there is no run 'latest'" in go("show", "latest").output


def test_a_session_that_was_opened_is_named_and_can_be_gone_on_with(
    go: Go, real: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(Session, "plans", broken)
        done = go(*rehearsal(real, Path("run")), "--yes", **at(real))
    assert done.exit_code == 1
    (found,) = manifests()
    (session,) = real.platform.sessions.values()
    assert found["session_id"] == session.session_id
    assert f"session {session.session_id} at {real.base_url} is open" in heard(done)
    folder = Path("logs") / found["run_id"]
    assert f"--resume {folder}" in heard(done)
    assert go("--resume", folder, "--yes", **at(real)).exit_code == 0
    assert session.status == "evaluated"


def test_a_session_whose_id_cannot_be_kept_is_named(
    go: Go, real: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(manifest, "write_whole", broken)
    done = go(*rehearsal(real, Path("run")), "--yes", **at(real))
    assert done.exit_code == 1
    (session,) = real.platform.sessions.values()
    assert f"session {session.session_id} at {real.base_url} is open" in heard(done)
    assert "could not keep its id" in heard(done)
    assert "--resume" not in heard(done)


def models_file(server: FakeOpenAI) -> Path:
    backend = f'{{ model = "openai/fake-large", base_url = "{server.base_url}" }}'
    Path("models.toml").write_text(f"[models.mine]\nbackends = [{backend}]\n")
    return Path("models.toml")


# -- the address


def test_a_real_run_begins_with_where_it_plays(go: Go, real: Simulator) -> None:
    done = go(*rehearsal(real, Path("run")), **at(real))
    (found,) = manifests()
    assert found["base_url"] == real.base_url
    session = found["session_id"]
    line = f"playing at {real.base_url}: benchmark store, session {session}, 2 tasks"
    assert line in heard(done)
    assert heard(done).index(line) < heard(done).index("[1/2]")
    folder = Path("logs") / found["run_id"]
    assert "not submitted" in go("show", folder).output
    again = go("--resume", folder, "--yes", ERC3_API_KEY="key-mine")
    assert again.exit_code == 0, again.output
    assert f"resuming at {real.base_url}: benchmark store, session {session}, 2 tasks" in heard(
        again
    )
    assert f"submitted: session {session}" in heard(again)
    assert "not submitted" not in go("show", folder).output


@pytest.mark.parametrize("variable", ["https://other.example", "http://127.0.0.1:9/base"])
def test_a_run_is_resumed_at_no_other_platform(go: Go, real: Simulator, variable: str) -> None:
    go(*rehearsal(real, Path("run")), **at(real))
    (found,) = manifests()
    folder = Path("logs") / found["run_id"]
    words = ("--resume", folder, "--yes")
    done = go(*words, ERC3_API_KEY="key-mine", ERC3_BASE_URL=variable)
    assert done.exit_code == 1
    assert f"ERC3_BASE_URL={real.base_url}" in heard(done)
    assert variable in heard(done)
    assert real.platform.session(found["session_id"]).status == "open"
    same = f"{real.base_url}/"  # another way to write it
    assert go(*words, ERC3_API_KEY="key-mine", ERC3_BASE_URL=same).exit_code == 0


# -- tasks that ended with an error


def test_a_task_that_ended_with_an_error_has_no_score_anywhere(go: Go) -> None:
    with FakeOpenAI(plan=faults.always("404")) as server:
        backend = f'{{ model = "openai/fake-large", base_url = "{server.base_url}" }}'
        Path("models.toml").write_text(f"[models.mine]\nbackends = [{backend}]\n")
        done = go("--models", "models.toml", "--evaluator", "mine", OPENAI_API_KEY="sk-x")
    (found,) = manifests()
    folder = Path("logs") / found["run_id"]
    results = results_at(folder)
    assert [task["score"] for task in results["tasks"]] == [None] * 3
    assert (results["totals"]["score_mean"], results["totals"]["scored"]) == (None, 0)
    assert {part["passed"] for part in results["totals"]["groups"].values()} == {0}
    for shown in (done.output, go("show", folder).output, go("show", folder, "--failed").output):
        assert "would score" not in shown
        assert not re.search(r"│ +[01]\.\d+ +│ error|  [01]\.\d  error", shown), shown
    assert '"score": 0.0' not in go("stats", "--json").output


def test_a_limit_names_the_option_that_raises_it(go: Go) -> None:
    done = go("--max-tokens", "9000", "--quiet")
    assert done.exit_code == 3
    (found,) = manifests()
    folder = Path("logs") / found["run_id"]
    line = next(line for line in done.output.splitlines() if "higher limit" in line)
    assert str(folder) in line
    words = line.split("--resume", 1)[1].split()
    assert words[1] == "--max-tokens"
    assert int(words[2]) >= 18_000
    assert os.path.samefile(words[0], folder)
