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

from core.models.extras import ExtraMissing, install
from core.runs.prompts import read_prompts
from core.runs.reader import read_task
from core.runs.results import RunResults, TaskResult
from core.runs.task_record import TaskRecord
from workshop.views.tracing import collector as collectors
from workshop.views.tracing.collector import check_collector, trace_run

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


CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"


def exported(record: TaskRecord, prompts: dict[str, str], *window: float) -> list[Any]:
    memory = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")
    from workshop.views.tracing.otel import RunTracer, Window

    store = memory.InMemorySpanExporter()
    tracer = RunTracer(store, "run-1", prompts)
    tracer.write(record, Window(*window) if window else None)
    found = list(store.get_finished_spans())
    tracer.close()
    return found


@pytest.fixture
def spans(bought: tuple[Path, RunResults], monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The spans of the task, with texts."""
    monkeypatch.setenv(CONTENT, "true")
    record = read_task(bought[0] / "tasks" / "shop.jsonl")
    return exported(record, read_prompts(bought[0]))


def under(spans: list[Any], parent: Any) -> list[Any]:
    return [one for one in spans if one.parent and one.parent.span_id == parent.context.span_id]


def root_of(spans: list[Any]) -> Any:
    return next(one for one in spans if one.parent is None)


def doing(spans: list[Any], operation: str) -> list[Any]:
    return [one for one in spans if one.attributes.get("gen_ai.operation.name") == operation]


def test_the_tree_is_that_of_the_task(spans: list[Any]) -> None:
    root = root_of(spans)
    looked, turn = under(spans, root)
    assert (looked.name, turn.name) == ("turn 1", "turn 2")
    assert [one.name for one in under(spans, turn)] == [
        "chat evaluator", "chat worker", "execute_tool Req_AddProductToBasket",
        "execute_tool Req_AddProductToBasket", "execute_tool Req_CheckoutBasket",
    ]  # fmt: skip
    requests = {one.name for tool in doing(spans, "execute_tool") for one in under(spans, tool)}
    assert requests >= {"/basket/add", "/basket/checkout"}
    assert len({one.context.trace_id for one in spans}) == 1
    (broken,) = [one for one in doing(spans, "execute_tool") if not one.status.is_ok]
    assert broken.attributes["gen_ai.tool.call.arguments"] == '{"sku": "none", "quantity": 1}'
    assert broken.attributes["error.type"]
    assert "gen_ai.tool.call.result" not in broken.attributes


def test_nothing_begins_before_or_ends_after_what_it_is_part_of(spans: list[Any]) -> None:
    slack = 2_000_000  # two clocks: one tells when, the other how long
    for parent in spans:
        assert parent.end_time >= parent.start_time > 1_700_000_000_000_000_000
        for child in under(spans, parent):
            assert child.start_time >= parent.start_time - slack
            assert child.end_time <= parent.end_time + slack


@pytest.mark.promise("no secret in an output")
def test_prompts_are_told_whole_and_without_secrets(spans: list[Any]) -> None:
    eyes = next(one for one in doing(spans, "chat") if "[redacted]" in str(dict(one.attributes)))
    asked = json.loads(eyes.attributes["gen_ai.input.messages"])
    assert [message["role"] for message in asked] == ["system", "user"]
    assert "Buy 2x Green Tea" in asked[1]["parts"][0]["content"]
    assert KEY in GO
    every = str([dict(one.attributes) for one in spans])
    assert KEY not in every
    said = json.loads(eyes.attributes["gen_ai.output.messages"])
    assert said[0]["parts"][0]["content"].startswith("THOUGHT: buy with [redacted]")
    assert said[0]["finish_reason"] == "stop"


def test_unknown_stays_unknown() -> None:
    result = TaskResult(spec_id="shop", task_id="tsk", task_text="Buy", outcome="error")
    story = TaskRecord(Path("shop.jsonl"), "shop", "tsk", "Buy", (), result)
    (root,) = exported(story, {}, 10.0, 12.0)
    assert (root.start_time, root.end_time) == (10_000_000_000, 12_000_000_000)
    assert list(root.events) == []


def test_spans_have_the_attributes_of_the_conventions(spans: list[Any]) -> None:
    root = root_of(spans)
    assert root.name == "shop"
    assert root.attributes["gen_ai.operation.name"] == "invoke_agent"
    assert (root.attributes["agent.run_id"], root.attributes["agent.acts"]) == ("run-1", 1)
    assert root.events[0].name == "gen_ai.evaluation.result"
    assert root.events[0].attributes["gen_ai.evaluation.score.value"] == 1.0
    assert root.events[0].attributes["gen_ai.evaluation.score.label"] == "pass"
    for chat in doing(spans, "chat"):
        assert chat.kind.name == "CLIENT"
        assert chat.attributes["gen_ai.request.model"].startswith("canned/")
        assert chat.attributes["gen_ai.provider.name"] == "canned"
        assert chat.attributes["gen_ai.response.finish_reasons"] == ("stop",)
        assert chat.attributes["gen_ai.usage.input_tokens"] > 0
        assert chat.attributes["gen_ai.usage.output_tokens"] > 0
    assert {one.attributes["gen_ai.tool.name"] for one in doing(spans, "execute_tool")} == {
        "Combo_List_All_Products", "Req_AddProductToBasket", "Req_CheckoutBasket",
    }  # fmt: skip


def test_texts_are_sent_only_where_they_are_wanted(
    bought: tuple[Path, RunResults], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(CONTENT, raising=False)
    record = read_task(bought[0] / "tasks" / "shop.jsonl")
    spans = exported(record, read_prompts(bought[0]))
    assert "Green Tea" not in str([dict(one.attributes) for one in spans])


def test_what_is_missing_is_said_before_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collectors, "find_spec", lambda _name: None)
    with pytest.raises(ExtraMissing, match=re.escape(f"need the extra: {install('otel')}")):
        check_collector()


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


# An export that goes wrong


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
