"""What is cut to so many tokens is JSON, fits, and says what is missing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.models.prompt_json import Cut, unpacked
from core.models.tokens import count_text
from core.runs.fit import TOTALS_KEPT, fit

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=40),
    lambda inner: (
        st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=6), inner, max_size=6)
    ),
    max_leaves=30,
)


@settings(max_examples=60, deadline=None)
@given(JSON, st.integers(20, 400))
def test_what_is_fitted_is_json_within_its_tokens(value: Any, tokens: int) -> None:
    text = fit(value, tokens)
    json.loads(text)
    assert count_text(text) <= tokens + 8


@settings(max_examples=60, deadline=None)
@given(JSON)
def test_what_fits_is_whole(value: Any) -> None:
    assert unpacked(json.loads(fit(value, 20_000))) == value


@pytest.mark.parametrize(
    "value",
    [
        "x" * 5000,
        "word " * 5000,
        list(range(5000)),
        [[i] * 50 for i in range(500)],
        {str(n): "y" * 50 for n in range(500)},
        {"rows": [{"sku": f"p-{n}", "about": "z " * 90} for n in range(500)]},
    ],
)
@pytest.mark.parametrize("tokens", [25, 100, 700])
def test_a_large_value_fits_and_is_never_taken_for_the_whole(value: object, tokens: int) -> None:
    text = fit(value, tokens)
    assert count_text(text) <= tokens + 8
    with pytest.raises((Cut, AssertionError)):
        assert unpacked(json.loads(text)) == value


def test_rows_of_a_table_are_whole_and_the_rest_is_counted() -> None:
    rows = [{"sku": f"tea-{n}", "price": 1000 + n} for n in range(300)]
    table = json.loads(fit({"rows": rows}, 200))["rows"]
    assert len(table["rows"]) + table["more"] == 300
    assert table["rows"][:2] == [["tea-0", 1000], ["tea-1", 1001]]


def test_a_table_with_totals_keeps_more_of_its_rows_than_others() -> None:
    choices = [{"items": f"a {n}", "total": n} for n in range(40)]
    other = [{"sku": f"tea-{n}", "name": "long name " * 4} for n in range(400)]
    said = json.loads(fit({"choices": choices, "found": other}, 150))
    assert len(said["choices"]["rows"]) >= TOTALS_KEPT > len(said["found"]["rows"])
