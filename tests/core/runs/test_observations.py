"""What the evaluator is told of reads and prints: short, bounded, the newest kept."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ledger import ToolCall
from core.models.tokens import count_text
from core.runs.task import THOUGHT_TOKENS, Decision, Turn
from core.runs.work import (
    LINE_TOKENS,
    OLD_TURN_TOKENS,
    TURN_TOKENS,
    StepRecord,
    WorkReport,
    observations,
)

ROWS = [{"sku": f"pen-{n}", "name": f"Pen number {n}", "price": 7 + n} for n in range(40)]


def read(result: object, number: int = 1, **arguments: object) -> ToolCall:
    return ToolCall(
        number=number,
        name="Find_Pens",
        kind="read",
        arguments=arguments,
        outcome="done",
        result=result,
    )


def test_a_worker_that_searched_printed_and_said_so_leaves_what_it_found() -> None:
    report = WorkReport(
        steps=(StepRecord(code="...", prints="pen-0 costs 7\npen-1 costs 8\n"),),
        result="searched",
        answered=True,
        calls=(read({"matches": ROWS, "sure": 2}, query="pens"),),
    )
    lines = report.prompt(latest=True).splitlines()
    assert lines[1] == 'RESULT: "searched"'
    name, _, found = lines[2].partition(": ")
    assert name == 'RETURNED by Find_Pens(query="pens")'
    table = json.loads(found)["matches"]
    assert table["rows"][0] == ["pen-0", "Pen number 0", 7]
    assert table["more"] + len(table["rows"]) == 40
    assert lines[3:] == ["PRINTED: pen-0 costs 7 pen-1 costs 8"]


def test_what_the_report_holds_is_not_said_twice() -> None:
    found = {"matches": ROWS[:3]}
    report = WorkReport(result={"pens": found}, answered=True, calls=(read(found, query="pens"),))
    assert "RETURNED" not in report.prompt(latest=True)
    assert "RETURNED" in report.model_copy(update={"answered": False}).prompt(latest=True)


def test_the_newest_reads_are_kept_and_the_rest_is_counted() -> None:
    calls = [read({"page": ROWS, "number": n}, n, page=n) for n in range(1, 31)]
    lines = observations(calls, [], "", TURN_TOKENS)
    told = [line.split("page=")[1].split(")")[0] for line in lines[1:]]
    assert told == [str(n) for n in range(31 - len(told), 31)]
    assert lines[0] == f"RETURNED by {30 - len(told)} other calls: left out"


def test_a_short_result_keeps_first_rows_and_says_how_many_more() -> None:
    (line,) = observations([read([{"id": n} for n in range(40)])], [], "", TURN_TOKENS)
    table = json.loads(line.partition("): ")[2])
    assert (table["columns"], table["rows"][0]) == (["id"], [0])
    assert table["more"] + len(table["rows"]) == 40


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=300),
    lambda inner: st.lists(inner, max_size=12) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=30,
)


@given(st.lists(PLAIN, max_size=8), st.lists(st.text(max_size=900), max_size=3), st.text())
def test_whatever_was_read_and_printed_the_bounds_hold(
    results: list[object], prints: list[str], argument: str
) -> None:
    calls = [read(result, n, query=argument) for n, result in enumerate(results, start=1)]
    for most in (TURN_TOKENS, OLD_TURN_TOKENS):
        lines = observations(calls, prints, "", most)
        assert all(count_text(line) <= LINE_TOKENS for line in lines)
        assert not any("\n" in line or "\r" in line for line in lines)
        assert sum(map(count_text, lines[1:])) <= most


def turn(thought: str, number: int = 1) -> Turn:
    said = Decision(thought=thought, decision="PROCEED", instruction="Look.")
    return Turn(number=number, state="{}", decision=said)


@pytest.mark.parametrize("latest", [True, False])
def test_a_past_turn_tells_its_thought_in_one_short_line(latest: bool) -> None:
    first, second, *_ = turn("Two pens\nfit. " * 60).prompt(latest=latest).splitlines()
    assert first.startswith("THOUGHT: Two pens fit. Two pens fit.")
    assert first.endswith("…")
    assert count_text(first.removeprefix("THOUGHT: ")) <= THOUGHT_TOKENS
    assert second == "INSTRUCTION:"


@given(st.lists(st.integers(1, 9), min_size=1, max_size=9), st.integers(200, 900))
def test_no_list_of_an_old_report_loses_all_its_rows(sizes: list[int], chars: int) -> None:
    pages = {f"page-{n}": "text " * chars for n in range(3)}
    tables: Any = {f"t{n}": [{"hours": k, "who": "x" * 40} for k in range(size)]
                   for n, size in enumerate(sizes[:4])}  # fmt: skip
    report = WorkReport(result={**tables, **pages}, answered=True)
    old = json.loads(report.prompt(latest=False).split("RESULT: ")[1])
    for name, rows in tables.items():
        shown = old[name]
        assert shown["rows"][0][0] == 0
        assert len(shown["rows"]) + shown.get("more", 0) == len(rows)
