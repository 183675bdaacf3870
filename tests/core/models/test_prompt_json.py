"""Packed values say the same in fewer tokens, and say so where something is missing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.models.prompt_json import Cut, compact, packed, unpacked
from core.models.tokens import count_text

ROWS = [{"sku": f"tea-{i}", "price": i, "available": 2 * i} for i in range(30)]


def test_like_objects_become_a_table() -> None:
    table = packed({"products": ROWS})
    assert table == {
        "products": {
            "columns": ["sku", "price", "available"],
            "rows": [[f"tea-{i}", i, 2 * i] for i in range(30)],
        }
    }
    assert count_text(compact(table)) < 0.7 * count_text(compact({"products": ROWS}))
    assert unpacked(table) == {"products": ROWS}


def test_one_object_has_the_same_form_as_many() -> None:
    assert packed(ROWS[:1]) == {"columns": ["sku", "price", "available"], "rows": [["tea-0", 0, 0]]}


def test_what_is_left_out_is_counted_and_never_taken_for_the_whole() -> None:
    table = packed(ROWS, rows=4)
    assert isinstance(table, dict)
    assert (len(table["rows"]), table["more"]) == (4, 26)
    texts = packed(["a", "b", "c"], rows=1)
    assert texts == ["a", "… 2 more"]
    for value in (table, {"x": [table]}, texts):
        with pytest.raises(Cut):
            unpacked(json.loads(compact(value)))


def test_long_texts_are_cut() -> None:
    assert packed({"name": "x" * 50}, chars=5) == {"name": "xxxxx…"}


KEYS = st.sampled_from(["a", "b", "sku"])
JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=40,
)
ALIKE = st.lists(st.fixed_dictionaries({"sku": JSON, "b": JSON}), max_size=12)


@given(JSON | ALIKE)
def test_packing_loses_nothing(value: object) -> None:
    assert unpacked(json.loads(compact(packed(value)))) == value
