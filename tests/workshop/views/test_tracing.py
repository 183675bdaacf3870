"""Traces: the spans of a real run, what a collector gets of them, and what goes wrong."""

from __future__ import annotations

import json
import re
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
from workshop.views.tracing import collector as collectors
from workshop.views.tracing.collector import CannotTrace, check_collector, trace_run
from workshop.views.tracing.span_tree import Span, task_span

KEY = "sk-Planted0123456789abcdef"
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


@pytest.fixture
def lines() -> list[str]:
    return []


@pytest.fixture
def bought(make_run: Any, tea_buyer: Any) -> tuple[Path, RunResults]:
    """The folder of a run in which a worker bought tea, with a failed call on the way."""
    run = make_run(tea_buyer, says=[LOOK, GO, FINISH], does=[LIST, CODE])
    return run.folder, run.go()


@pytest.fixture
def span(bought: tuple[Path, RunResults]) -> Span:
    folder, _ = bought
    story = read_task(folder / "tasks" / "shop.jsonl")
    return task_span(story, read_prompts(folder))


def of(span: Span, kind: str) -> list[Span]:
    return [found for found in span.walk() if found.kind == kind]


def test_the_tree_is_that_of_the_task(span: Span) -> None:
    assert [turn.name for turn in span.children] == ["turn 1", "turn 2"]
    assert [s.name for s in of(span, "model")] == ["evaluator", "worker"] * 2
    names = [s.name for s in of(span, "tool")]
    assert names == [
        "Combo_List_All_Products", "Req_AddProductToBasket", "Req_AddProductToBasket",
        "Req_CheckoutBasket",
    ]  # fmt: skip
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


@pytest.mark.promise("no secret in an output")
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


def test_what_is_missing_is_said_before_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collectors, "find_spec", lambda _name: None)
    with pytest.raises(ExtraMissing, match=re.escape(f"need the extra: {install('otel')}")):
        check_collector()


def test_a_form_of_traces_that_does_not_exist_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["--trace", "nowhere", "--out", "logs"])
    assert done.exit_code == 2
    assert "'nowhere' is not one of 'otel'" in done.stderr
    assert not (tmp_path / "logs").exists()


def test_a_protocol_that_is_not_supported_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    with pytest.raises(CannotTrace, match="PROTOCOL is 'grpc'; expected http/protobuf"):
        check_collector()


# OpenTelemetry


def exported(span: Span) -> list[Any]:
    memory = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")
    from workshop.views.tracing.otel import RunTracer

    store = memory.InMemorySpanExporter()
    tracer = RunTracer(store, "run-1")
    tracer.write(span)
    found = list(store.get_finished_spans())
    tracer.close()
    return found


def test_otel_has_one_trace_with_the_attributes_of_the_conventions(span: Span) -> None:
    spans = exported(span)
    by_id = {s.context.span_id: s for s in spans}
    assert len(spans) == len(list(span.walk()))
    assert len({s.context.trace_id for s in spans}) == 1
    root = next(s for s in spans if s.parent is None)
    assert root.name == "shop"
    assert root.attributes["gen_ai.operation.name"] == "invoke_agent"
    assert root.attributes["agent.run_id"] == "run-1"
    assert root.events[0].name == "gen_ai.evaluation.result"
    assert root.events[0].attributes["gen_ai.evaluation.score.value"] == 1.0
    chats = [s for s in spans if s.attributes.get("gen_ai.operation.name") == "chat"]
    assert {by_id[s.parent.span_id].name for s in chats} == {"turn 1", "turn 2"}
    for chat in chats:
        assert chat.kind.name == "CLIENT"
        assert chat.attributes["gen_ai.request.model"].startswith("canned/")
        assert chat.attributes["gen_ai.provider.name"] == "canned"
        assert chat.attributes["gen_ai.response.finish_reasons"] == ("stop",)
        assert chat.attributes["gen_ai.usage.input_tokens"] > 0
        assert chat.attributes["gen_ai.usage.output_tokens"] > 0
    tools = [s for s in spans if s.name.startswith("execute_tool ")]
    assert {s.attributes["gen_ai.tool.name"] for s in tools} == {
        "Combo_List_All_Products", "Req_AddProductToBasket", "Req_CheckoutBasket",
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
    chat = [s for s in wanted if s.name.startswith("chat ")][2]
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
    trace_run(bought[0], lines.append)
    assert [line for line in lines if line.startswith("warning")] == []
    assert {path for path, _ in listener.kept} == {"/v1/traces"}
    names, services = [], set()
    for _, body in listener.kept:
        for part in proto.ExportTraceServiceRequest.FromString(body).resource_spans:
            services |= {a.value.string_value for a in part.resource.attributes
                         if a.key == "service.name"}  # fmt: skip
            names += [s.name for scope in part.scope_spans for s in scope.spans]
    assert services == {"tea-buyer"}
    assert names.count("shop") == 1
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
    trace_run(bought[0], lines.append)
    warnings = [line for line in lines if line.startswith("warning")]
    assert len(warnings) == 1
    assert warnings[0].startswith(
        f"warning: --trace otel: some traces were not written to {url} "
        "(OTEL_EXPORTER_OTLP_ENDPOINT): Failed"
    )


def test_a_variable_with_a_wrong_value_is_one_warning(
    bought: tuple[Path, RunResults],
    lines: list[str],
    collector: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector().url)
    monkeypatch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "99999999")
    trace_run(bought[0], lines.append)
    text = "max_export_batch_size must be less than or equal to max_queue_size."
    assert lines[1:] == [f"warning: --trace otel: {text}"]


# An export that goes wrong


def test_an_export_that_takes_too_long_is_stopped(
    bought: tuple[Path, RunResults],
    lines: list[str],
    collector: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector().url)
    monkeypatch.setattr(collectors, "EXPORT_SECONDS", -1.0)
    trace_run(bought[0], lines.append)
    assert len(lines) == 2
    assert lines[1].endswith("(OTEL_EXPORTER_OTLP_ENDPOINT): stopped after -1 s")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (RuntimeError(f"no room for {KEY}"), "no room for [redacted]"),
        (KeyboardInterrupt(), "--trace otel: interrupted, the traces are incomplete"),
    ],
)
def test_whatever_the_library_raises_is_one_warning(
    error: BaseException,
    text: str,
    bought: tuple[Path, RunResults],
    lines: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr(collectors, "check_collector", fail)
    trace_run(bought[0], lines.append)
    assert lines == ["writing the traces", f"warning: {text}"]
