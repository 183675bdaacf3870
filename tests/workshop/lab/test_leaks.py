"""What is found in a prompt that only training tasks contain."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.benchmarks import shipped_sections
from cli.lab import LAB
from workshop.lab.leaks import Secrets
from workshop.lab.packs import source_of

RAW: dict[str, Any] = {
    "spec_id": "tsk-Zürich7",
    "task_text": "Please order four lanterns for the long garden walk tonight",
    "products": [{"sku": "LAN-44", "name": "Garnet Lantern", "price": 1299}],
    "staff": {"EMP_9x": {"name": "Ottilie Brandt", "mail": "o.brandt@firm.example"}},
}
SHIPPED = ["Buy what the user asks for. A total of 100 is a total."]
SECRETS = Secrets([RAW], SHIPPED)


@pytest.mark.parametrize(
    "smuggled",
    [
        "Mind the garnet lantern.",
        "Never buy LAN-44.",
        "It costs 1,299 dollars.",
        "Ottilie Brandt may do that.",
        "Write to o.brandt@firm.example.",
        "Ask emp_9x.",
        "Task TSK-ZURICH7 is special.",
        "If they order four lanterns for the long garden walk, stop.",
    ],
)
def test_what_is_smuggled_in_is_found(smuggled: str) -> None:
    assert SECRETS.leaks(smuggled)
    assert SECRETS.leaks(f"Do this: {smuggled}")


@pytest.mark.parametrize(
    "honest",
    ["Buy what the user asks for.", "1. Look first.\n2. Then buy.", "A total of 100 is 1 total."],
)
def test_what_anybody_may_say_is_none(honest: str) -> None:
    assert SECRETS.leaks(honest) == []


def test_a_way_of_asking_that_many_tasks_have_is_no_secret() -> None:
    many = [RAW | {"spec_id": f"s{n}"} for n in range(3)]
    assert Secrets(many, SHIPPED).leaks("Order four lanterns for the long garden walk") == []


def test_masked_text_keeps_what_is_the_same_apart_from_what_is_not() -> None:
    masked = SECRETS.masked("LAN-44 is a Garnet Lantern; LAN-44 costs 1299.")
    assert masked == "[data A] is a [data B]; [data A] costs [data C]."


@given(st.lists(st.sampled_from(["LAN-44", "Garnet Lantern", "1299", "Ottilie Brandt"])))
def test_nothing_is_left_in_a_masked_text(pieces: list[str]) -> None:
    masked = SECRETS.masked("; ".join(pieces))
    assert not any(piece in masked for piece in pieces)


@pytest.mark.parametrize("benchmark", ["store", "company"])
def test_each_benchmark_tells_what_its_scenarios_hold(benchmark: str) -> None:
    raws = list(source_of("bundled", LAB[benchmark]()).scenarios())[:3]
    secrets = Secrets(raws, shipped_sections().values())
    for raw in raws:
        assert secrets.leaks(f"About {raw['task_text']}")
        assert not secrets.leaks("Look before you act, and answer once.")
