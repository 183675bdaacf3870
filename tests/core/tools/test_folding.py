"""Texts that differ by case and marks alone are one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.tools.folding import fold


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Jürgen MÜLLER", "jurgen muller"),
        ("Đorđe Ćosić", "dorde cosic"),
        ("Łódź Ørsted", "lodz orsted"),
        ("Straße", "STRASSE"),
    ],
)
def test_marks_and_case_tell_nothing_apart(one: str, other: str) -> None:
    assert fold(one) == fold(other) == fold(one.upper())


@given(st.text(max_size=40))
def test_what_is_folded_stays_as_it_is(text: str) -> None:
    assert fold(fold(text)) == fold(text)
