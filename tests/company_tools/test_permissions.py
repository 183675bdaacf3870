"""The lines of a wiki that speak of an action."""

from __future__ import annotations

from company_tools.permissions import rule_lines


def test_a_question_stands_with_its_answer() -> None:
    pages = {"ask.md": "# Teams\nMay I add somebody to a team?\n\nOnly within your own house.\n"}
    (row,) = rule_lines(pages, "add Ada to my team")
    assert row.text == "May I add somebody to a team? Only within your own house."
    assert (row.line, row.under) == (2, "Teams")


def test_a_question_at_the_end_stands_alone() -> None:
    (row,) = rule_lines({"ask.md": "# Teams\nMay I add somebody to a team?"}, "add to a team")
    assert row.text == "May I add somebody to a team?"
