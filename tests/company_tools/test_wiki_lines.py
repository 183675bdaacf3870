"""Lines of pages with what they need to be read alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_tools.wiki_lines import excerpt, lines_of


def shown(page: str, *begins: str) -> list[str]:
    """The excerpt of the lines that begin so, without the page's name."""
    numbers = [line.number for line in lines_of(page) if line.text.strip().startswith(begins)]
    return excerpt({"a.md": page}, [("a.md", n) for n in numbers]).splitlines()[1:]


def test_a_line_stands_under_its_headings_and_not_under_others() -> None:
    page = "# Rights\n\nOne.\n\nTwo.\n\n## Pay\n\nOnly People.\n\n## Hours\n\nOnly Leads."
    assert shown(page, "Only Leads") == ["# Rights", "", "## Hours", "", "Only Leads."]


def test_a_row_has_the_table_s_columns_and_what_is_left_out_is_told() -> None:
    page = "| may | who |\n|---|---|\n| see pay | People |\n| log hours | Leads |"
    head = ["| may | who |", "|---|---|"]
    assert shown(page, "| log") == [*head, "…", "| log hours | Leads |"]
    assert shown(page, "| see") == [*head, "| see pay | People |", "…"]
    assert shown(page, "|") == page.splitlines()


def test_an_item_has_the_words_that_open_its_list_and_the_item_above_it() -> None:
    page = "Managers and People:\n\n- records\n  - see pay\n- hours\n\nGulls are white.\n\nEnd."
    opener = ["Managers and People:", ""]
    assert shown(page, "- see pay") == [*opener, "- records", "  - see pay", "…"]
    assert shown(page, "- hours") == ["Managers and People:", "…", "- hours"]
    assert shown(page, "- ") == [*opener, "- records", "  - see pay", "- hours"]
    assert shown(page, "End") == ["End."]


def test_an_unfinished_line_opens_the_list_below_it() -> None:
    page = "The desk may tell a visitor\n\n- the date\n- our towns\n\nThat is all."
    assert shown(page, "- our towns") == ["The desk may tell a visitor", "…", "- our towns"]
    closed = "Visitors are welcome.\n\n- the date"
    assert shown(closed, "- the date") == ["- the date"]


def test_a_line_that_is_bold_as_a_whole_is_a_title() -> None:
    page = "**Leads**\n\nMay set a status.\n\n**People**\n\nMay set pay."
    assert shown(page, "May set pay") == ["**People**", "", "May set pay."]
    assert not lines_of(page)[0].rules


def test_a_question_stands_with_its_answer() -> None:
    page = "May I add somebody to a team?\n\nOnly within your own house.\n\nGulls are white."
    both = ["May I add somebody to a team?", "", "Only within your own house."]
    assert shown(page, "Only") == shown(page, "May I") == both


def test_a_wrapped_sentence_is_whole_and_a_finished_one_brings_nothing() -> None:
    page = "Nobody sees\nwhat others earn.\nGulls are white."
    assert shown(page, "Nobody sees") == ["Nobody sees", "what others earn."]
    assert shown(page, "Gulls") == ["Gulls are white."]


def test_the_short_line_under_a_title_goes_with_every_line_of_its_page() -> None:
    page = "# News\n\nEmbargo until 2025-06-01.\n\n## Sites\n\nBergen opens."
    assert "Embargo until 2025-06-01." in shown(page, "Bergen")
    page = "# News\n\nOne.\n\nTwo.\n\n## Sites\n\nBergen opens."
    assert "One." not in shown(page, "Bergen")


def test_a_long_row_is_read_in_the_parts_that_labels_open() -> None:
    group = "May see records, hours, teams, notes, and whatever else is kept of colleagues here. "
    row = f"*Leads.* {group * 3}*People.* {group * 9}*Guests.* Nothing at all."
    leads, *people, guests = lines_of(f"# Rights\n\n{row}")[1:]
    assert (leads.row, guests.row, len(people)) == (3, 3, 3)
    assert shown(f"# Rights\n\n{row}", "*Guests.*") == ["# Rights", "", guests.text]
    assert all(people[0].number in one.needs for one in people)
    assert {one.group for one in people} == {people[0].number}


@pytest.mark.parametrize("break_", ["\n", "\r\n", "\r"])
def test_rows_are_counted_whatever_ends_them(break_: str) -> None:
    page = break_.join(["# Rights", "", "Form\u2028feed.", "", "- item", "[a]: b"])
    assert [(one.row, one.kind) for one in lines_of(page)] == [
        (1, "heading"), (3, "text"), (5, "item"),
    ]  # fmt: skip


@given(st.text(alphabet="#-|*:?. \nabÄ漢1>`[]\t~=+_<", max_size=300))
def test_every_line_keeps_its_words_and_needs_what_is_there(page: str) -> None:
    lines = lines_of(page)
    told = "".join(line.text for line in lines)
    assert "".join(told.split()) == "".join(page.split())
    assert [line.number for line in lines] == list(range(1, len(lines) + 1))
    assert all(line.number in line.needs and max(line.needs) <= len(lines) for line in lines)
    whole = excerpt({"a.md": page}, [("a.md", line.number) for line in lines])
    assert "…" not in whole
    assert "".join(whole.split()) in ("", f"==a.md=={''.join(page.split())}")
