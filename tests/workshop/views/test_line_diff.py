"""Prompts compared line by line."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workshop.views.report.differences import diff_lines

TEXTS = st.text(alphabet="ab .\n#-+@", max_size=60)


def test_a_change_stands_between_its_neighbours() -> None:
    was = "a\nb\nc\nd\ne\n"
    assert diff_lines(was, was.replace("c", "x")) == ("@", " b", "-c", "+x", " d")


@given(TEXTS, TEXTS)
def test_what_changed_can_be_read_out_of_the_lines(was: str, now: str) -> None:
    lines = diff_lines(was, now)
    assert all(line[1:] in was.splitlines() for line in lines if line[0] in " -")
    assert all(line[1:] in now.splitlines() for line in lines if line[0] in " +")
    assert bool(lines) == (was.splitlines() != now.splitlines())
