"""What the debugger does with a benchmark that brings nothing for recorded tasks."""

from __future__ import annotations

import pytest

from cli.registry import declared
from core.ledger import ToolCall, WireCall
from tests.toy.benchmark import TOY
from workshop.replay import company_bench, store_bench
from workshop.replay.debugger.bench import bench_of


def test_each_benchmark_has_its_own() -> None:
    assert bench_of(declared("store")) is store_bench
    assert bench_of(declared("erc3-dev")) is company_bench


def test_without_one_the_writes_are_counted_and_no_pack_is_made() -> None:
    sent = [
        WireCall(path="/add", body={}, kind="write", outcome=outcome)
        for outcome in ("done", "failed")
    ]
    call = ToolCall(
        number=1, name="add", kind="write", arguments={}, outcome="done", requests=tuple(sent)
    )
    shown = bench_of(TOY).state_at("counter: 1", [call])
    assert "counter: 1" in shown
    assert "1 recorded writes" in shown
    with pytest.raises(ValueError, match="no packs"):
        bench_of(TOY).scenario_of("add-two", "Add two.", [call], None)
