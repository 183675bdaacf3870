"""What is found in a prompt that only training tasks contain."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.benchmarks import shipped_sections
from cli.lab import LAB
from workshop.lab.packs import source_of
from workshop.lab.task_data import TaskData

RAW: dict[str, Any] = {
    "spec_id": "tsk-Zürich7",
    "task_text": "Please order 44 lanterns for the long garden walk",
    "products": [{"sku": "LAN-44", "name": "Garnet Lantern Deluxe", "price": 1299}],
    "staff": {"EMP_9x": {"name": "Ottilie Brandt", "mail": "o.brandt@firm.example"}},
}
SHIPPED = "Buy what the user asks for. A total of 100 is a total."
DATA = TaskData([RAW], SHIPPED)


@pytest.mark.parametrize(
    ("smuggled", "data"),
    [
        ("Mind the garnet lantern.", "garnet lantern"),
        ("Never buy LAN-44.", "LAN-44"),
        ("It costs 1299 dollars.", "1299"),
        ("Where they want 44, stop.", "44"),
        ("Ottilie Brandt may do that.", "Ottilie Brandt"),
        ("Write to o.brandt@firm.example.", "o.brandt@firm.example"),
        ("Ask emp_9x.", "emp_9x"),
        ("Task TSK-ZÜRICH7 is special.", "TSK-ZÜRICH7"),
    ],
)
def test_what_is_smuggled_in_is_found(smuggled: str, data: str) -> None:
    assert DATA.found_in(smuggled) == [data]
    assert DATA.masked(f"Do this: {smuggled}") == f"Do this: {smuggled}".replace(data, "[data A]")


def test_what_anybody_may_say_is_none() -> None:
    assert DATA.found_in("Buy what the user asks for.\n1. Look. A total of 100 is 1 total.") == []
    assert TaskData([{"spec_id": "a", "task_text": "Buy tea"}], SHIPPED).found_in("a tea") == []


def test_masked_text_keeps_what_is_the_same_apart_from_what_is_not() -> None:
    masked = DATA.masked("LAN-44 is a Garnet Lantern; lan-44 costs 1299.")
    assert masked == "[data A] is a [data B]; [data A] costs [data C]."


@given(st.lists(st.sampled_from(["LAN-44", "Garnet Lantern", "1299", "Ottilie Brandt"])))
def test_nothing_is_left_in_a_masked_text(pieces: list[str]) -> None:
    masked = DATA.masked("; ".join(pieces))
    assert not any(piece in masked for piece in pieces)


@pytest.mark.parametrize("benchmark", ["store", "company"])
def test_each_benchmark_tells_what_its_scenarios_hold(benchmark: str) -> None:
    raws = list(source_of("bundled", LAB[benchmark]()).scenarios())[:3]
    data = TaskData(raws, " ".join(shipped_sections().values()))
    for raw in raws:
        assert data.found_in(f"About {raw['spec_id']}")
        assert not data.found_in("Look before you act, and answer once.")
