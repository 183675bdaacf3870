"""Stages on the command line: chosen, given models, spoiled, taken up again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.benchmarks import benchmark_named, every_stage
from company_tools.rule_choice import WHOLE
from core.models.tokens import count_text
from core.runs.manifest import read_manifest
from core.runs.reader import read_tasks
from tests.cli.test_company import cli
from tests.kit.faulty_models import REPLIES
from tests.kit.records import results_at
from workshop.simulator.company.pack import BUNDLED_PACK
from workshop.views.report.render import record_html

SPECS = (
    "jorvale-load", "jorvale-own-pay", "corvane-nothing-named", "corvane-guest-wiki",
    "corvane-member-sets-status", "corvane-rename-page",
)  # fmt: skip
"""An answer, the asker's own, one name of several, a guest, a denial, a change."""


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("EVALUATOR_MODEL", "WORKER_MODEL", "MODELS_FILE"):
        monkeypatch.delenv(name, raising=False)


def models(folder: Path, **steps: str) -> Path:
    path = folder / "models.toml"
    path.write_text("\n".join(["[stages]", *(f'{k} = "{v}"' for k, v in steps.items())]))
    return path


def run(out: Path, *words: object, specs: tuple[str, ...] = SPECS) -> tuple[dict[str, Any], Path]:
    tasks = [word for spec in specs for word in ("--task", spec)]
    code, text = cli("--benchmark", "company", "--out", out, "--quiet", *tasks, *words)
    assert code in (0, 1), text
    folder = max(out.iterdir(), key=lambda path: path.stat().st_mtime)
    results: dict[str, Any] = results_at(folder)
    return results, folder


def scores(results: dict[str, Any]) -> dict[str, float]:
    return {task["spec_id"]: task["score"] for task in results["tasks"]}


def test_the_names_are_those_of_the_benchmarks() -> None:
    assert [stage.name for stage in benchmark_named("store").stages] == ["verify"]
    assert every_stage() == (
        "verify", "entities", "rule_book", "guest", "ties", "watchdog", "policy", "current_user",
        "wording",
    )  # fmt: skip


def test_a_run_without_the_policy_says_so(tmp_path: Path) -> None:
    results, folder = run(tmp_path, "--stages", "default,-policy", specs=SPECS[:1])
    assert "policy" not in results["steps"]
    assert read_manifest(folder).caveat == results["caveat"] != ""


def test_the_usual_steps_ask_the_models_of_the_run_and_are_cheap(tmp_path: Path) -> None:
    """Of a task their calls, but for book and policy, and their findings in each prompt cost at
    most 2,500 tokens."""
    results, folder = run(tmp_path)
    assert results["steps"] == ["entities", "rule_book", "guest", "ties", "policy"]
    assert (set(scores(results).values()), results["caveat"]) == ({1.0}, "")
    logs = read_tasks(folder)
    assert {c.role for log in logs for c in log.calls} == {
        "evaluator", "worker", "entities", "policy"
    }  # fmt: skip
    for log in logs:
        small = [c for c in log.calls if c.role not in ("evaluator", "worker", "policy")]
        asked = sum(c.role == "evaluator" for c in log.calls)
        told = sum(count_text(found.text) for found in log.findings)
        assert sum((c.usage.prompt or 0) + 150 for c in small) + asked * told <= 2_500
    found = {log.spec_id: [f.text for f in log.findings if f.step == "entities"] for log in logs}
    said = "named: Daiva Lepik (employee daiva_lepik, Sales, Lithuania – Klaipėda, "
    assert said in found["jorvale-load"][0]
    code, text = cli("show", folder, "--task", "jorvale-load")
    assert (code, f"entities: {said}" in " ".join(text.split())) == (0, True)
    assert said in record_html(next(log for log in logs if log.spec_id == "jorvale-load"))


def large_wikis(folder: Path) -> Path:
    """The bundled pack, its wikis with a page so long that they are not shown whole."""
    pack = json.loads(BUNDLED_PACK.read_text())
    for company in pack["companies"].values():
        company["wiki"]["history.md"] = "\n\n".join(f"Gull {n} flew by." for n in range(300))
    path = folder / "large.json"
    path.write_text(json.dumps(pack))
    return path


def test_a_large_wiki_is_indexed_once_for_all_tasks(tmp_path: Path) -> None:
    specs = tuple(name for name in SPECS if name.startswith("corvane"))
    results, folder = run(tmp_path, "--pack", large_wikis(tmp_path), specs=specs)
    assert set(scores(results).values()) == {1.0}
    logs = read_tasks(folder)
    assert sum(call.role == "rule_book" for log in logs for call in log.calls) == 1
    found = [one for log in logs for one in log.findings if one.step == "rule_book"]
    assert {one.facts["by"] for one in found} == {"model"}


def test_each_step_may_have_a_model_of_its_own(tmp_path: Path) -> None:
    named = dict.fromkeys(("watchdog", "rule_book", "current_user", "verify"), "scripted/company")
    path = models(tmp_path, **named)
    results, folder = run(tmp_path, "--stages", "all", "--models", path)
    assert set(scores(results).values()) == {1.0}
    roles = {c.role for log in read_tasks(folder) for c in log.calls}
    assert roles == {"evaluator", "worker", "entities", "watchdog", "policy", "verify", "wording"}
    manifest = json.loads((folder / "run.json").read_text())
    assert manifest["identity"]["models"]["watchdog"] == "scripted/company"
    assert named.keys() <= manifest["identity"]["prompts"].keys()


def test_a_faulty_model_in_every_step_loses_no_task(tmp_path: Path) -> None:
    """Empty, cut off, prose, wrong JSON and whatever else there is, in every reply."""
    bad = f"faulty/company?seed=3&rate=1&streak=99&kinds={','.join(REPLIES)}"
    path = models(
        tmp_path, **dict.fromkeys(("entities", "rule_book", "watchdog", "wording", "verify"), bad)
    )
    results, folder = run(tmp_path / "faulty", "--stages", "all", "--models", path)
    assert set(scores(results).values()) == {1.0}
    assert results["totals"]["harm"] == 0
    assert all(task["failure"] is None for task in results["tasks"])
    failed = {step for task in results["tasks"] for step in task["failed_steps"]}
    assert {"watchdog", "entities", "verify"} <= failed
    named = {f.step for log in read_tasks(folder) for f in log.findings if f.failed}
    assert failed <= named


def test_a_model_that_refuses_every_call_loses_no_task(tmp_path: Path) -> None:
    down = "faulty/company?rate=1&streak=99&kinds=http-500"
    words = ("--models", models(tmp_path, rule_book=down), "--pack", large_wikis(tmp_path))
    results, folder = run(tmp_path, *words, specs=SPECS[:1])
    (task,) = results["tasks"]
    assert (task["score"], task["failed_steps"]) == (1.0, ["rule_book"])
    (log,) = read_tasks(folder)
    (found,) = (one.text for one in log.findings if one.step == "rule_book")
    assert found.startswith(WHOLE)


def test_next_step_has_the_same_steps(tmp_path: Path) -> None:
    path = models(tmp_path, watchdog="scripted/company", verify="scripted/company")
    words = ("--strategy", "next-step", "--stages", "all", "--models", path)
    results, folder = run(tmp_path, *words, specs=("jorvale-load", "jorvale-own-pay"))
    assert set(scores(results).values()) == {1.0}
    for log in read_tasks(folder):
        assert {"watchdog", "verify", "entities", "wording"} <= {f.step for f in log.findings}
