"""Traces: the spans of a real run, what each library's own store holds of them, and bad days."""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.cli import app
from core.models.extras import ExtraMissing, install
from core.runs.prompts import read_prompts
from core.runs.reader import read_task
from core.runs.results import RunResults, TaskResult
from core.runs.task_record import TaskRecord
from workshop.views.tracing import targets
from workshop.views.tracing.span_tree import Span, task_span
from workshop.views.tracing.targets import CannotTrace, check_targets
from workshop.views.tracing.writer import trace_run

KEY = "sk-Planted0123456789abcdef"
FINISH = "THOUGHT: done\nDECISION: FINISH\nINSTRUCTION: DONE"
GO = f"THOUGHT: buy with {KEY}\nDECISION: PROCEED\nINSTRUCTION: buy two for 8"
CODE = """Thought: buy
<code>
Req_AddProductToBasket(sku="tea", quantity=2)
try:
    Req_AddProductToBasket(sku="none", quantity=1)
except Exception as error:
    print(error)
final_answer(Req_CheckoutBasket(expected_total=8))
</code>"""


@pytest.fixture
def lines() -> list[str]:
    return []


@pytest.fixture
def bought(make_run: Any, tea_buyer: Any) -> tuple[Path, RunResults]:
    """The folder of a run in which a worker bought tea, with a failed call on the way."""
    run = make_run(tea_buyer, says=[GO, FINISH], does=[CODE])
    return run.folder, run.go()


@pytest.fixture
def span(bought: tuple[Path, RunResults]) -> Span:
    folder, _ = bought
    story = read_task(folder / "tasks" / "shop.jsonl")
    return task_span(story, read_prompts(folder))


def of(span: Span, kind: str) -> list[Span]:
    return [found for found in span.walk() if found.kind == kind]


def test_the_tree_is_that_of_the_task(span: Span) -> None:
    assert [turn.name for turn in span.children] == ["turn 1"]
    assert [s.name for s in of(span, "model")] == ["evaluator", "worker"]
    names = [s.name for s in of(span, "tool")]
    assert names == ["Req_AddProductToBasket", "Req_AddProductToBasket", "Req_CheckoutBasket"]
    assert {s.name for s in of(span, "request")} >= {"/basket/add", "/basket/checkout"}
    assert (span.score, span.passed, span.facts["acts"]) == (1.0, True, 1)
    broken = [s for s in of(span, "tool") if s.error]
    assert [s.inputs for s in broken] == ['{"sku": "none", "quantity": 1}']
    assert broken[0].error_type
    assert broken[0].outputs is None


def test_nothing_begins_before_or_ends_after_what_it_is_part_of(span: Span) -> None:
    slack = 0.002  # two clocks: one tells when, the other how long
    for parent in span.walk():
        assert parent.ended >= parent.started > 1_700_000_000
        for child in parent.children:
            assert child.started >= parent.started - slack
            assert child.ended <= parent.ended + slack


def test_prompts_are_told_whole_and_without_secrets(span: Span) -> None:
    eyes = of(span, "model")[0]
    assert [m.role for m in eyes.messages] == ["system", "user"]
    assert all(m.text for m in eyes.messages)
    assert "Buy 2x Green Tea" in str(eyes.messages[1].text)
    assert KEY in GO
    assert KEY not in repr(span)
    assert "buy with [redacted]" in repr(span)


def test_unknown_stays_unknown() -> None:
    result = TaskResult(spec_id="shop", task_id="tsk", task_text="Buy", outcome="error")
    story = TaskRecord(Path("shop.jsonl"), "shop", "tsk", "Buy", (), result)
    found = task_span(story, {}, (10.0, 12.0))
    assert (found.score, found.passed) == (None, None)
    assert (found.started, found.ended) == (10.0, 12.0)
    assert found.children == ()


def test_what_is_missing_is_said_before_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(CannotTrace, match="--trace foo: expected mlflow or otel"):
        check_targets(["foo"], tmp_path)
    monkeypatch.setattr(targets, "find_spec", lambda _name: None)
    for kind in ("otel", "mlflow"):
        with pytest.raises(ExtraMissing, match=re.escape(f"need the extra: {install(kind)}")):
            check_targets([kind], tmp_path)


def test_the_command_line_says_it_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["--trace", "nowhere", "--out", "logs"])
    assert done.exit_code == 2
    assert "'nowhere' is not one of 'mlflow', 'otel'" in done.stderr
    assert not (tmp_path / "logs").exists()


def test_a_protocol_that_is_none_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "carrier-pigeon")
    with pytest.raises(CannotTrace, match="'carrier-pigeon'; expected http/protobuf or grpc"):
        check_targets(["otel"], tmp_path)


# OpenTelemetry


def exported(span: Span) -> list[Any]:
    memory = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")
    from workshop.views.tracing.otel_sink import OtelSink

    store = memory.InMemorySpanExporter()
    sink = OtelSink(store, "run-1")
    sink.task(span)
    found = list(store.get_finished_spans())
    sink.close(None)
    return found


def test_otel_has_one_trace_with_the_attributes_of_the_conventions(span: Span) -> None:
    spans = exported(span)
    by_id = {s.context.span_id: s for s in spans}
    assert len(spans) == len(list(span.walk()))
    assert len({s.context.trace_id for s in spans}) == 1
    root = next(s for s in spans if s.parent is None)
    assert root.name == "invoke_agent erc3-agent"
    assert root.attributes["gen_ai.operation.name"] == "invoke_agent"
    assert root.attributes["agent.run_id"] == "run-1"
    assert root.events[0].name == "gen_ai.evaluation.result"
    assert root.events[0].attributes["gen_ai.evaluation.score.value"] == 1.0
    chats = [s for s in spans if s.attributes.get("gen_ai.operation.name") == "chat"]
    assert {by_id[s.parent.span_id].name for s in chats} == {"turn 1"}
    for chat in chats:
        assert chat.kind.name == "CLIENT"
        assert chat.attributes["gen_ai.request.model"].startswith("scripted/")
        assert chat.attributes["gen_ai.provider.name"] == "scripted"
        assert chat.attributes["gen_ai.response.finish_reasons"] == ("stop",)
        assert chat.attributes["gen_ai.usage.input_tokens"] > 0
        assert chat.attributes["gen_ai.usage.output_tokens"] > 0
    tools = [s for s in spans if s.name.startswith("execute_tool ")]
    assert {s.attributes["gen_ai.tool.name"] for s in tools} == {
        "Req_AddProductToBasket", "Req_CheckoutBasket",
    }  # fmt: skip
    broken = [s for s in tools if not s.status.is_ok]
    assert len(broken) == 1
    assert broken[0].attributes["error.type"]
    assert root.start_time == pytest.approx(span.started * 1e9, abs=1e3)
    assert root.end_time == pytest.approx(span.ended * 1e9, abs=1e3)


def test_otel_holds_texts_only_where_they_are_wanted(
    span: Span, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "Green Tea" not in str([dict(s.attributes) for s in exported(span)])
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true")
    wanted = exported(span)
    chat = next(s for s in wanted if s.name.startswith("chat "))
    asked = json.loads(chat.attributes["gen_ai.input.messages"])
    assert asked[1]["role"] == "user"
    assert "Green Tea" in asked[1]["parts"][0]["content"]
    said = json.loads(chat.attributes["gen_ai.output.messages"])
    assert said[0]["parts"][0]["content"].startswith("THOUGHT: buy with [redacted]")
    assert KEY not in str([dict(s.attributes) for s in wanted])


class Collector:
    """An OTLP collector on loopback that keeps what it is sent."""

    def __init__(self, status: int = 200) -> None:
        kept: list[tuple[str, bytes]] = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                kept.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_args: Any) -> None:
                """Nothing."""

        self.kept = kept
        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def collector() -> Iterator[Any]:
    running: list[Collector] = []

    def start(status: int = 200) -> Collector:
        running.append(Collector(status))
        return running[-1]

    yield start
    for one in running:
        one.server.shutdown()
        one.server.server_close()


def test_a_collector_gets_the_trace_from_the_writer(
    bought: tuple[Path, RunResults],
    lines: list[str],
    collector: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    proto = pytest.importorskip("opentelemetry.proto.collector.trace.v1.trace_service_pb2")
    listener = collector()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", listener.url)
    monkeypatch.setenv("OTEL_SERVICE_NAME", "tea-buyer")
    trace_run(["otel"], bought[0], 1, lines.append)
    assert [line for line in lines if line.startswith("warning")] == []
    assert {path for path, _ in listener.kept} == {"/v1/traces"}
    names, services = [], set()
    for _, body in listener.kept:
        for part in proto.ExportTraceServiceRequest.FromString(body).resource_spans:
            services |= {a.value.string_value for a in part.resource.attributes
                         if a.key == "service.name"}  # fmt: skip
            names += [s.name for scope in part.scope_spans for s in scope.spans]
    assert services == {"tea-buyer"}
    assert names.count("invoke_agent erc3-agent") == 1
    assert names.count("execute_tool Req_CheckoutBasket") == 1


def test_a_collector_that_refuses_is_one_warning(
    bought: tuple[Path, RunResults],
    lines: list[str],
    collector: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
    url = collector(400).url
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
    trace_run(["otel"], bought[0], 1, lines.append)
    warnings = [line for line in lines if line.startswith("warning")]
    assert len(warnings) == 1
    assert warnings[0].startswith(
        f"warning: --trace otel: some traces were not written to {url} "
        "(OTEL_EXPORTER_OTLP_ENDPOINT): Failed"
    )


# MLflow


@pytest.fixture
def mlflow_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    pytest.importorskip("mlflow")
    pytest.importorskip("sqlalchemy")
    uri = f"sqlite:///{tmp_path / 'mlflow.db'}"
    monkeypatch.setenv("MLFLOW_TRACKING_URI", uri)
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("MLFLOW_EXPERIMENT_NAME", "tea")
    monkeypatch.chdir(tmp_path)
    return uri


def test_mlflow_holds_a_trace_for_a_task_and_a_run_for_the_run(
    bought: tuple[Path, RunResults], lines: list[str], mlflow_store: str, collector: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    # Both at once: a collector for the one must not draw away what is meant for the other.
    listener = collector()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", listener.url)
    folder, results = bought
    trace_run(["mlflow", "otel"], folder, len(results.tasks), lines.append)
    assert {path for path, _ in listener.kept} == {"/v1/traces"}
    assert [line for line in lines if line.startswith("warning")] == []
    from mlflow import MlflowClient

    client = MlflowClient(mlflow_store)
    experiment = client.get_experiment_by_name("tea")
    run = client.search_runs([experiment.experiment_id])[0]
    assert run.info.run_name == folder.name
    assert run.info.status == "FINISHED"
    assert isinstance(run.data.params, dict)
    assert run.data.metrics["score_mean"] == 1.0
    assert run.data.metrics["harm"] == 0
    found = client.search_traces(locations=[experiment.experiment_id])
    assert len(found) == 1
    info, spans = found[0].info, found[0].data.spans
    assert info.tags["spec_id"] == "shop"
    assert info.tags["score"] == "1"
    assert info.trace_metadata["mlflow.sourceRun"] == run.info.run_id
    kinds = {s.name: s.span_type for s in spans}
    assert kinds["shop"] == "AGENT"
    assert kinds["turn 1"] == "CHAIN"
    assert kinds["Req_CheckoutBasket"] == "TOOL"
    chats = [s for s in spans if s.span_type == "CHAT_MODEL"]
    usage = [s.get_attribute("mlflow.chat.tokenUsage") for s in chats]
    assert all(u["total_tokens"] == u["input_tokens"] + u["output_tokens"] > 0 for u in usage)
    assert json.loads(info.trace_metadata["mlflow.trace.tokenUsage"])["total_tokens"] == sum(
        u["total_tokens"] for u in usage
    )
    assert "Green Tea" in chats[0].inputs["messages"][1]["content"]
    assert KEY not in str(found[0].to_dict())


def test_a_store_that_cannot_be_used_is_one_warning(
    bought: tuple[Path, RunResults], lines: list[str], mlflow_store: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "pigeon://nowhere")
    trace_run(["mlflow"], bought[0], 1, lines.append)
    warnings = [line for line in lines if line.startswith("warning")]
    assert len(warnings) == 1
    assert warnings[0].startswith(
        "warning: --trace mlflow: some traces were not written to pigeon://nowhere "
        "(MLFLOW_TRACKING_URI): "
    )


# An export that goes wrong


@pytest.fixture
def exporter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Puts another program in the place of the export."""

    def put(code: str) -> None:
        program = tmp_path / "export"
        program.write_text(f"#!{sys.executable}\n{code}")
        program.chmod(0o755)
        monkeypatch.setattr(sys, "executable", str(program))

    return put


def test_an_export_that_hangs_is_stopped(
    exporter: Any, tmp_path: Path, lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    exporter("import time\ntime.sleep(600)\n")
    monkeypatch.setattr("workshop.views.tracing.writer.CLOSE_SECONDS", 0.2)
    trace_run(["otel"], tmp_path, 0, lines.append)
    assert lines == ["warning: --trace otel: stopped, because it took more than 0 s"]


def test_an_export_that_dies_is_one_warning_of_each_kind(
    exporter: Any, tmp_path: Path, lines: list[str]
) -> None:
    exporter("raise SystemExit(3)\n")
    trace_run(["otel", "mlflow"], tmp_path, 1, lines.append)
    assert lines == [f"warning: --trace {kind}: exit code 3" for kind in ("otel", "mlflow")]


def test_an_export_that_cannot_start_is_one_warning(
    tmp_path: Path, lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "nothing"))
    trace_run(["otel"], tmp_path, 1, lines.append)
    assert lines == [f"warning: --trace otel: the export cannot be started ({os.strerror(2)})"]


def test_the_export_never_gets_the_key_of_a_model(
    exporter: Any, tmp_path: Path, lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    exporter("import os, sys\nsys.exit(str('OPENAI_API_KEY' in os.environ))\n")
    trace_run(["otel"], tmp_path, 1, lines.append)
    assert lines == ["warning: --trace otel: False"]
