"""Traces in a store of MLflow: against a stand-in of its functions, and against it where it is."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.cli import app
from core.models.extras import ExtraMissing
from tests.kit.run_folders import HOSTILE, RunFolder, asked, ended, worked
from workshop.views.tracing import collector
from workshop.views.tracing.collector import check_targets, trace_run

pytest.importorskip("opentelemetry.sdk")


class Written:
    """A span as MLflow keeps it."""

    def __init__(self, store: StandIn, **how: Any) -> None:
        self.how, self.trace_id, self.ended = how, f"tr-{len(store.spans)}", {}
        parent = how["parent_span"]
        if parent:
            self.trace_id = parent.trace_id

    def end(self, **how: Any) -> None:
        assert not self.ended
        self.ended = how


class StandIn(SimpleNamespace):
    """Has the published functions of MLflow that are used."""

    def __init__(self) -> None:
        super().__init__(spans=[], feedback=[], experiment="")

    def set_experiment(self, name: str) -> None:
        self.experiment = name

    def get_tracking_uri(self) -> str:
        return "sqlite:///mlflow.db"

    def flush_trace_async_logging(self) -> None:
        """Nothing waits."""

    def start_span_no_context(
        self,
        name: str,
        span_type: str = "UNKNOWN",
        parent_span: Any = None,
        inputs: Any = None,
        attributes: Any = None,
        tags: Any = None,
        start_time_ns: int | None = None,
    ) -> Written:
        how = {k: v for k, v in locals().items() if k != "self"}
        self.spans.append(Written(self, **how))
        return self.spans[-1]  # type: ignore[no-any-return]

    def log_feedback(self, *, trace_id: str, name: str, value: float) -> None:
        self.feedback.append((trace_id, name, value))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    call = asked(started=1_764_000_000.0, seconds=0.5)
    turn = worked(started=1_764_000_000.0)
    assert turn.report
    (tool,) = turn.report.calls
    at = {"started": 1_764_000_000.6}
    wires = tuple(wire.model_copy(update=at) for wire in tool.requests)
    calls = (tool.model_copy(update={"requests": wires} | at),)
    turn = turn.model_copy(update={"report": turn.report.model_copy(update={"calls": calls})})
    run = RunFolder(tmp_path / "run")
    return run.task("tea", call, turn, ended(), score=0.9).task(HOSTILE[:20], ended(1)).write()


def test_each_task_is_a_trace_with_spans_score_and_tags(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, lines = StandIn(), list[str]()
    monkeypatch.setitem(sys.modules, "mlflow", store)  # type: ignore[arg-type]
    monkeypatch.setattr(collector, "_is_installed", lambda _module: True)
    trace_run(folder, lines.append, ("mlflow",))
    assert lines[1:] == ["traces: at MLflow, sqlite:///mlflow.db"]
    roots = [span for span in store.spans if span.how["parent_span"] is None]
    assert len(roots) == 2
    root = next(span for span in roots if span.how["name"] == "tea")
    assert root.how["span_type"] == "AGENT"
    assert root.how["tags"] == {"spec_id": "tea", "model": "lab/model"}
    mine = [span for span in store.spans if span.trace_id == root.trace_id]
    kinds = {span.how["name"]: span.how["span_type"] for span in mine}
    assert kinds == {
        "tea": "AGENT", "turn 1": "CHAIN", "chat evaluator": "LLM", "execute_tool Find": "TOOL",
        "/list": "TOOL",
    }  # fmt: skip
    chat, tool = (
        next(span for span in mine if span.how["span_type"] == kind) for kind in ("LLM", "TOOL")
    )
    assert chat.how["attributes"]["mlflow.chat.tokenUsage"] == {
        "input_tokens": 900, "output_tokens": 60, "total_tokens": 960,
    }  # fmt: skip
    assert tool.how["inputs"] == {"query": "tea"}
    assert tool.ended["outputs"]["matches"][0]["sku"] == "tea"
    assert all(span.ended["end_time_ns"] >= span.how["start_time_ns"] for span in store.spans)
    assert (root.trace_id, "score", 0.9) in store.feedback


def test_a_store_of_mlflow_has_them(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mlflow = pytest.importorskip("mlflow", reason="needs the extra: pip install '.[mlflow]'")
    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'mlflow.db'}")
    lines = list[str]()
    trace_run(folder, lines.append, ("mlflow",))
    assert not [line for line in lines if "warning" in line]
    (trace,) = mlflow.search_traces(
        return_type="list", filter_string="tags.spec_id = 'tea'", include_spans=True
    )
    assert {span.span_type for span in trace.data.spans} == {"AGENT", "LLM", "TOOL", "CHAIN"}
    assert [(one.name, one.value) for one in trace.info.assessments] == [("score", 0.9)]


def test_without_the_extra_it_is_said_before_a_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collector, "_is_installed", lambda module: module != "mlflow")
    with pytest.raises(ExtraMissing, match="mlflow"):
        check_targets(("mlflow",))
    done = CliRunner().invoke(app, ["export", "--format", "mlflow", str(folder)])
    assert (done.exit_code, "[mlflow]'" in done.stderr) == (1, True), done.output
