"""A run as a log of Inspect AI, read back with Inspect's own reader; and errors of the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import workshop.views.commands as command
from cli.cli import app
from core.models.extras import install

KEY = "sk-Planted0123456789abcdef"
GO = f"THOUGHT: buy with {KEY}\nDECISION: PROCEED\nINSTRUCTION: buy two for 8"
CODE = """<code>
Req_AddProductToBasket(sku="tea", quantity=2)
try:
    Req_AddProductToBasket(sku="none", quantity=1)
except Exception as error:
    print(error)
final_answer(Req_CheckoutBasket(expected_total=8))
</code>"""


@pytest.fixture
def folder(make_run: Any, tea_buyer: Any) -> Path:
    """A run of two tasks: one is bought, the model falls silent in the other one."""
    run = make_run(tea_buyer, tea_buyer | {"spec_id": "silent"}, says=[GO], does=[CODE])
    run.go()
    path: Path = run.folder
    return path


def export(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["export", *map(str, arguments)])


@pytest.fixture(params=["log.eval", "log.json"])
def log(folder: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Any:
    reader = pytest.importorskip("inspect_ai.log")
    path = tmp_path / "new" / request.param
    done = export("--format", "inspect", folder, "-o", path)
    assert done.exit_code == 0, done.output
    assert done.stdout.strip() == str(path)
    return reader.read_eval_log(str(path), resolve_attachments=True)


def test_inspect_reads_what_the_run_was(log: Any, folder: Path) -> None:
    results = json.loads((folder / "results.json").read_text())
    assert log.version == 2
    assert log.status == "success"
    assert log.eval.task == "store"
    assert log.eval.run_id == folder.name
    assert log.eval.model.startswith("scripted/eyes")
    assert log.eval.model_roles["worker"].model.startswith("scripted/hands")
    assert log.eval.dataset.sample_ids == ["shop", "silent"]
    assert log.results.total_samples == 2
    metrics = {name: m.value for name, m in log.results.scores[0].metrics.items()}
    assert metrics == {"mean": results["totals"]["score_mean"], "passed": 1, "harm": 0}
    tokens = sum(usage.total_tokens for usage in log.stats.model_usage.values())
    known = results["totals"]["tokens"]
    assert tokens == known["prompt"] + known["completion"]


def test_a_sample_holds_the_task_with_its_score(log: Any) -> None:
    sample = next(s for s in log.samples if s.id == "shop")
    assert sample.input == "Buy 2x Green Tea"
    assert sample.target == "buy"
    assert sample.scores["platform"].value == 1.0
    assert "GOOD" in sample.scores["platform"].explanation
    assert sample.metadata["acts"] == 1
    assert set(sample.role_usage) == {"evaluator", "worker"}
    assert [m.role for m in sample.messages] == ["user", "assistant", "tool", "tool", "tool"]
    tools = {call.id: call.function for call in sample.messages[1].tool_calls}
    assert [tools[m.tool_call_id] for m in sample.messages[2:]] == [
        "Req_AddProductToBasket", "Req_AddProductToBasket", "Req_CheckoutBasket",
    ]  # fmt: skip
    assert sample.messages[3].error.message
    assert sample.error is None


def test_the_events_are_those_of_the_run_in_order(log: Any) -> None:
    sample = next(s for s in log.samples if s.id == "shop")
    kinds = [event.event for event in sample.events]
    assert kinds == [
        "span_begin", "info", "model", "model", "tool", "tool", "tool", "span_end", "score",
    ]  # fmt: skip
    times = [event.timestamp for event in sample.events]
    assert times == sorted(times)
    eyes, hands = (event for event in sample.events if event.event == "model")
    assert [m.role for m in eyes.input] == ["system", "user"]
    assert "Buy 2x Green Tea" in eyes.input[1].text
    assert hands.output.completion.startswith("<code>")
    assert hands.output.usage.output_tokens > 0
    assert hands.completed >= hands.timestamp
    added, failed, checkout = (event for event in sample.events if event.event == "tool")
    assert added.arguments == {"sku": "tea", "quantity": 2}
    assert failed.error.message
    assert any("/basket/checkout" in sent for sent in checkout.metadata["requests"])
    assert "total" in checkout.result


def test_a_failure_is_an_error_of_its_sample(log: Any) -> None:
    sample = next(s for s in log.samples if s.id == "silent")
    assert "no reply left" in sample.error.message
    assert sample.metadata["outcome"] == "error"


@pytest.mark.promise("no secret in an output")
def test_no_secret_leaves_the_run_folder(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    path = tmp_path / "log.json"
    assert export("--format", "inspect", folder, "-o", path).exit_code == 0
    text = path.read_text(encoding="utf-8")
    assert KEY not in text
    assert "buy with [redacted]" in text


def test_a_run_that_was_cut_off_is_exported_too(folder: Path) -> None:
    reader = pytest.importorskip("inspect_ai.log")
    (folder / "results.json").unlink()
    journal = folder / "tasks" / "shop.jsonl"
    lines = journal.read_text(encoding="utf-8").splitlines(keepends=True)
    turn = next(n for n, line in enumerate(lines) if '"type": "turn"' in line)
    journal.write_text("".join(lines[:turn]) + '{"v": 1, "type": "tu', encoding="utf-8")
    done = export("--format", "inspect", folder)
    assert done.exit_code == 0, done.output
    log = reader.read_eval_log(str(folder / "inspect.eval"))
    assert log.status == "started"
    sample = next(s for s in log.samples if s.id == "shop")
    assert sample.scores is None
    assert [e.event for e in sample.events].count("model") == 2


def test_what_is_unknown_is_left_out(run_folder: Any) -> None:
    reader = pytest.importorskip("inspect_ai.log")
    path = run_folder()
    assert export("--format", "inspect", path).exit_code == 0
    (sample,) = reader.read_eval_log(str(path / "inspect.eval")).samples
    assert sample.scores is None
    assert sample.model_usage == {}
    assert [e.event for e in sample.events][:2] == ["span_begin", "info"]


@pytest.fixture
def run_folder(tmp_path: Path) -> Any:
    """A folder from before times were kept, with a call of unknown size."""
    from contextlib import closing

    from core.models.model_call import ModelCall
    from core.runs.journal import Journal
    from core.runs.results import TaskResult
    from core.runs.task import Decision, Turn

    def make() -> Path:
        folder = tmp_path / "old"
        with closing(Journal(folder / "tasks" / "tea.jsonl")) as journal:
            journal.write("task", {"spec_id": "tea", "task_id": "t1", "text": "Buy tea"})
            call = ModelCall(role="evaluator", model="lab/model", text="hm")
            journal.write("model_call", call.model_dump(mode="json"))
            decision = Decision(thought="no", decision="FINISH", instruction="")
            journal.write(
                "turn", Turn(number=1, state="{}", decision=decision).model_dump(mode="json")
            )
            result = TaskResult(
                spec_id="tea", task_id="t1", task_text="", outcome="finished", verdict="declined"
            )
            journal.write("result", result.model_dump(mode="json"))
        return folder

    return make


def test_a_recorded_run_can_be_traced_later(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("opentelemetry.sdk")
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "console")
    done = export("--format", "otel", folder)
    assert done.exit_code == 0, done.output
    assert done.stdout.count('"gen_ai.operation.name": "invoke_agent"') == 2
    assert done.stdout.endswith(f"2 tasks of {folder.name} traced\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--format", "inspect", "nothing"), "there is no run 'nothing'"),
        (("--format", "otel", "latest", "-o", "x.eval"), "--out needs --format inspect"),
        (("--format", "inspect", "latest", "-o", "x.txt"), "must end with .eval or .json"),
        (("--format", "pigeon", "latest"), "'pigeon'"),
        (("latest",), "--format"),
    ],
)
def test_wrong_questions_are_answered(
    arguments: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    done = export(*arguments, "--logs", tmp_path)
    assert done.exit_code == 2
    assert said in done.stderr
    assert "Traceback" not in done.output


def test_a_missing_extra_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "find_spec", lambda _name: None)
    done = export("--format", "inspect", folder)
    assert done.exit_code == 1
    assert done.stderr == f"error: --format inspect needs the extra: {install('inspect')}\n"


def test_a_place_that_cannot_be_written_is_an_error(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    (tmp_path / "file").write_text("")
    done = export("--format", "inspect", folder, "-o", tmp_path / "file" / "log.eval")
    assert done.exit_code == 1
    assert done.stderr == f"error: {tmp_path}/file: File exists\n"
