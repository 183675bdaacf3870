"""Traces: the spans of a real run, what a collector and MLflow get of them, and what goes wrong."""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.cli import app
from core.models.extras import ExtraMissing
from core.runs.prompts import read_prompts
from core.runs.reader import read_task
from core.runs.results import TaskResult
from core.runs.task_record import TaskRecord
from tests.kit.run_folders import HOSTILE, RunFolder, asked, ended, worked
from workshop.views.tracing import collector as collectors
from workshop.views.tracing.collector import (
    ENDPOINTS,
    PROTOCOLS,
    CannotTrace,
    check_collector,
    check_targets,
    name_collector,
    trace_run,
)
from workshop.views.tracing.spans import Span, task_span

KEY = "sk-Planted0123456789abcdef"
CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
FINISH = "THOUGHT: done\nDECISION: FINISH\nINSTRUCTION: DONE"
LOOK = "THOUGHT: look\nDECISION: PROCEED\nINSTRUCTION: list all"
LIST = "Thought: look\n<code>\nfinal_answer(Combo_List_All_Products())\n</code>"
ORDER = "CHECKOUT: items tea×2; no coupon; total at most 8"
GO = f"THOUGHT: buy with {KEY}\nDECISION: PROCEED\nINSTRUCTION: buy two\n{ORDER}"
CODE = """Thought: buy
<code>
Req_AddProductToBasket(sku="tea", quantity=2)
try:
    Req_AddProductToBasket(sku="none", quantity=1)
except Exception as error:
    print(error)
final_answer(Req_CheckoutBasket(expected_total=8))
</code>"""


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*ENDPOINTS, *PROTOCOLS, CONTENT):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def bought(make_run: Any, tea_buyer: Any) -> Path:
    """The folder of a run in which a worker bought tea, with a failed call on the way."""
    run = make_run(tea_buyer, says=[LOOK, GO, FINISH], does=[LIST, CODE])
    run.go()
    return run.folder  # type: ignore[no-any-return]


@pytest.fixture
def root(bought: Path) -> Span:
    return task_span(read_task(bought / "tasks" / "shop.jsonl"), "run-1", read_prompts(bought))


def every(span: Span) -> list[Span]:
    return [span, *(one for inner in span.inside for one in every(inner))]


def test_the_tree_is_that_of_the_task_and_each_span_has_its_kind(root: Span) -> None:
    looked, turn = root.inside
    assert (root.name, looked.name, turn.name) == ("shop", "turn 1", "turn 2")
    assert [(one.name, one.kind) for one in turn.inside] == [
        ("chat evaluator", "model"), ("chat worker", "model"),
        ("execute_tool Req_AddProductToBasket", "tool"),
        ("execute_tool Req_AddProductToBasket", "tool"),
        ("execute_tool Req_CheckoutBasket", "tool"),
    ]  # fmt: skip
    requests = {one.name for tool in turn.inside for one in tool.inside}
    assert requests >= {"/basket/add", "/basket/checkout"}
    (broken,) = [one for one in turn.inside if one.error]
    assert broken.inputs == {"sku": "none", "quantity": 1}
    assert (broken.outputs, broken.error_kind) == (None, "ValueError")


def test_nothing_begins_before_or_ends_after_what_it_is_part_of(root: Span) -> None:
    slack = 0.002  # two clocks: one tells when, the other how long
    for parent in every(root):
        assert parent.ended >= parent.began > 1_700_000_000
        for child in parent.inside:
            assert child.began >= parent.began - slack
            assert child.ended <= parent.ended + slack


@pytest.mark.promise("no secret in an output")
def test_prompts_are_told_whole_and_without_secrets(root: Span) -> None:
    chats: list[Any] = [one for one in every(root) if one.kind == "model"]
    chat = next(one for one in chats if "[redacted]" in str(one.outputs))
    assert [message["role"] for message in chat.inputs] == ["system", "user"]
    assert "Buy 2x Green Tea" in chat.inputs[1]["parts"][0]["content"]
    assert KEY in GO
    assert KEY not in str(root)
    (said,) = chat.outputs
    assert said["parts"][0]["content"].startswith("THOUGHT: buy with [redacted]")
    assert said["finish_reason"] == "stop"


def test_unknown_stays_unknown_and_a_task_without_turns_has_the_time_of_its_journal(
    tmp_path: Path,
) -> None:
    path = tmp_path / "shop.jsonl"
    path.touch()
    os.utime(path, (12.0, 12.0))
    result = TaskResult(spec_id="shop", outcome="error", seconds=2.0)
    span = task_span(TaskRecord(path, "shop", "tsk", "Buy", (), result), "run-1", {})
    assert (span.began, span.ended, span.score, span.inside) == (10.0, 12.0, None, [])


def exported(root: Span) -> list[Any]:
    """What OpenTelemetry is given of a task."""
    memory = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")
    from workshop.views.tracing import otel

    class Kept(memory.InMemorySpanExporter):  # type: ignore[misc, name-defined]
        """Keeps the spans also when it is shut down."""

        def shutdown(self) -> None:
            """Nothing."""

    store = Kept()
    assert otel.send([root], 60.0, store) == ""
    return list(store.get_finished_spans())


def test_spans_have_the_attributes_of_the_conventions_and_texts_only_if_wanted(
    root: Span, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "Green Tea" not in str([dict(one.attributes) for one in exported(root)])
    monkeypatch.setenv(CONTENT, "true")
    spans = exported(root)
    assert "Green Tea" in str([dict(one.attributes) for one in spans])
    assert len({one.context.trace_id for one in spans}) == 1
    by = {name: [one for one in spans if one.name.startswith(name)] for name in ("chat", "shop")}
    (task,) = by["shop"]
    assert task.parent is None
    assert task.attributes["gen_ai.operation.name"] == "invoke_agent"
    assert (task.attributes["agent.run_id"], task.attributes["agent.acts"]) == ("run-1", 1)
    (event,) = task.events
    assert event.name == "gen_ai.evaluation.result"
    assert event.attributes["gen_ai.evaluation.score.value"] == 1.0
    assert event.attributes["gen_ai.evaluation.score.label"] == "pass"
    for chat in by["chat"]:
        assert chat.kind.name == "CLIENT"
        assert chat.attributes["gen_ai.provider.name"] == "canned"
        assert chat.attributes["gen_ai.response.finish_reasons"] == ("stop",)
        assert chat.attributes["gen_ai.usage.input_tokens"] > 0
        assert "gen_ai.input.messages" in chat.attributes
    (broken,) = [s for s in spans if not s.status.is_ok and s.name.startswith("execute_tool")]
    assert broken.attributes["gen_ai.tool.call.arguments"] == '{"sku": "none", "quantity": 1}'
    assert broken.attributes["error.type"] == "ValueError"


@pytest.fixture
def collector() -> Iterator[Callable[..., Any]]:
    """Starts OTLP collectors on loopback that keep what they are sent."""
    running: list[HTTPServer] = []

    def start(status: int = 200) -> Any:
        kept: list[tuple[str, bytes]] = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                kept.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_args: Any) -> None:
                """Nothing."""

        running.append(HTTPServer(("127.0.0.1", 0), Handler))
        threading.Thread(target=running[-1].serve_forever, daemon=True).start()
        return SimpleNamespace(kept=kept, url=f"http://127.0.0.1:{running[-1].server_port}")

    yield start
    for one in running:
        one.shutdown()
        one.server_close()


def test_a_collector_gets_the_trace_from_the_writer(
    bought: Path, collector: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    proto = pytest.importorskip("opentelemetry.proto.collector.trace.v1.trace_service_pb2")
    listener, lines = collector(), list[str]()
    monkeypatch.setenv(ENDPOINTS[1], listener.url)
    monkeypatch.setenv("OTEL_SERVICE_NAME", "tea-buyer")
    trace_run(bought, lines.append)
    assert lines == ["writing the traces", f"traces: at {listener.url} ({ENDPOINTS[1]})"]
    assert {path for path, _ in listener.kept} == {"/v1/traces"}
    names, services = [], set()
    for _, body in listener.kept:
        for part in proto.ExportTraceServiceRequest.FromString(body).resource_spans:
            services |= {a.value.string_value for a in part.resource.attributes
                         if a.key == "service.name"}  # fmt: skip
            names += [s.name for scope in part.scope_spans for s in scope.spans]
    assert services == {"tea-buyer"}
    assert (names.count("shop"), names.count("execute_tool Req_CheckoutBasket")) == (1, 1)


def test_whatever_goes_wrong_is_one_warning_without_a_secret(
    bought: Path, collector: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
    monkeypatch.setenv(ENDPOINTS[1], collector(400).url)
    for error, said in (
        (None, f"some traces were not written to {os.environ[ENDPOINTS[1]]}"),
        (RuntimeError(f"no room for {KEY}"), "no room for [redacted]"),
        (KeyboardInterrupt(), "--trace otel: interrupted, the traces are incomplete"),
    ):
        lines = list[str]()
        if error:
            monkeypatch.setattr(collectors, "check_collector", lambda error=error: _fail(error))
        trace_run(bought, lines.append)
        assert len(lines) == 2
        assert lines[1].startswith("warning: ")
        assert said in lines[1]


def _fail(error: BaseException) -> None:
    raise error


# -- what is found out before a run


@pytest.mark.promise("no secret in an output")
def test_a_collector_is_looked_for_before_a_run_and_named_without_its_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
    monkeypatch.chdir(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        monkeypatch.setenv(ENDPOINTS[1], f"http://me:secret@{place}")
        check_collector()
        assert "secret" not in name_collector()
        assert place in name_collector()
    for variable in reversed(ENDPOINTS):  # the more special one wins
        monkeypatch.setenv(variable, f"http://{place}")
        with pytest.raises(CannotTrace, match=rf"no answer from http://{place} \({variable}\)"):
            check_collector()
    done = CliRunner().invoke(app, ["--trace", "otel", "--quiet"])
    assert (done.exit_code, f"no answer from http://{place}" in done.stderr) == (1, True)
    assert not (tmp_path / "logs").exists()
    monkeypatch.setenv(ENDPOINTS[0], "http://[")
    with pytest.raises(CannotTrace, match=f"not a valid address: .*{ENDPOINTS[0]}"):
        check_collector()


# -- MLflow


class StandIn:
    """Has the published functions of MLflow that are used."""

    def __init__(self) -> None:
        self.spans: list[Any] = []
        self.feedback: list[tuple[str, str, float]] = []

    def set_experiment(self, experiment_name: str) -> None:
        """There is one."""

    def get_tracking_uri(self) -> str:
        return "sqlite:///mlflow.db"

    def flush_trace_async_logging(self) -> None:
        """Nothing waits."""

    def start_span_no_context(
        self, name: str, span_type: str = "UNKNOWN", parent_span: Any = None, inputs: Any = None,
        attributes: Any = None, tags: Any = None, start_time_ns: int | None = None,
    ) -> Any:  # fmt: skip
        known = {k: v for k, v in locals().items() if k != "self"}
        trace_id = parent_span.trace_id if parent_span else f"tr-{len(self.spans)}"
        span = SimpleNamespace(trace_id=trace_id, **known)
        span.end = lambda *, outputs, status, end_time_ns: vars(span).update(
            outputs=outputs, status=status, end_time_ns=end_time_ns
        )
        self.spans.append(span)
        return span

    def log_feedback(self, *, trace_id: str, name: str, value: float) -> None:
        self.feedback.append((trace_id, name, value))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    at = {"started": 1_764_000_000.6}
    call, turn = asked(seconds=0.5, **at), worked(**at)
    assert turn.report
    (tool,) = turn.report.calls
    wires = tuple(wire.model_copy(update=at) for wire in tool.requests)
    report = turn.report.model_copy(
        update={"calls": (tool.model_copy(update={"requests": wires} | at),)}
    )
    run = RunFolder(tmp_path / "run")
    run.task("tea", call, turn.model_copy(update={"report": report}), ended(), score=0.9)
    return run.task(HOSTILE[:20], ended(1)).write()


def test_mlflow_gets_a_trace_of_each_task_with_types_score_and_tags(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, lines = StandIn(), list[str]()
    monkeypatch.setitem(sys.modules, "mlflow", store)  # type: ignore[arg-type]
    monkeypatch.setattr(collectors, "_is_installed", lambda _module: True)
    trace_run(folder, lines.append, ("mlflow",))
    assert lines[1:] == ["traces: at MLflow, sqlite:///mlflow.db"]
    roots = {one.name: one for one in store.spans if one.parent_span is None}
    assert len(roots) == 2
    root = roots["tea"]
    assert root.tags == {"spec_id": "tea", "model": "lab/model"}
    mine = {span.name: span for span in store.spans if span.trace_id == root.trace_id}
    assert {name: span.span_type for name, span in mine.items()} == {
        "tea": "AGENT", "turn 1": "CHAIN", "chat evaluator": "LLM", "execute_tool Find": "TOOL",
        "/list": "TOOL",
    }  # fmt: skip
    assert mine["chat evaluator"].attributes["mlflow.chat.tokenUsage"] == {
        "input_tokens": 900, "output_tokens": 60, "total_tokens": 960,
    }  # fmt: skip
    assert mine["execute_tool Find"].inputs == {"query": "tea"}
    assert mine["execute_tool Find"].outputs["matches"][0]["sku"] == "tea"
    assert all(span.end_time_ns >= span.start_time_ns for span in store.spans)
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


@pytest.mark.parametrize("kind", ["otel", "mlflow"])
def test_without_the_extra_it_is_said_before_a_run(
    kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collectors, "_is_installed", lambda _module: False)
    with pytest.raises(ExtraMissing, match=kind):
        check_targets((kind,))
    done = CliRunner().invoke(app, ["export", "--format", kind, str(folder)])
    assert (done.exit_code, f"[{kind}]'" in done.stderr) == (1, True), done.output
