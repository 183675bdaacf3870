"""Lines of pages with what they need to be read alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from company_tools.wiki_lines import PART_CHARS, excerpt, lines_of


def shown(page: str, *begins: str) -> list[str]:
    """The excerpt of the lines that begin so, without the page's name."""
    numbers = [line.number for line in lines_of(page) if line.text.strip().startswith(begins)]
    return excerpt({"a.md": page}, [("a.md", n) for n in numbers]).splitlines()[1:]


def test_a_line_stands_under_its_headings_and_not_under_others() -> None:
    page = "# Rights\n\nAll.\n\n## Pay\n\nOnly People.\n\n## Hours\n\nOnly Leads."
    assert shown(page, "Only Leads") == ["# Rights", "", "## Hours", "", "Only Leads."]


def test_a_row_has_the_table_s_columns() -> None:
    page = "| may | who |\n|---|---|\n| see pay | People |\n| log hours | Leads |"
    assert shown(page, "| log") == ["| may | who |", "|---|---|", "| log hours | Leads |"]


def test_an_item_has_the_words_that_open_its_list_and_the_item_above_it() -> None:
    page = "Managers and People:\n\n- records\n  - see pay\n- hours\n\nGulls are white.\n\nEnd."
    assert shown(page, "- see pay") == ["Managers and People:", "", "- records", "  - see pay"]
    assert shown(page, "- hours") == ["Managers and People:", "", "- hours"]
    assert shown(page, "End") == ["End."]


def test_an_unfinished_line_opens_the_list_below_it() -> None:
    page = "The desk may tell a visitor\n\n- the date\n- our towns\n\nThat is all."
    assert shown(page, "- our towns") == ["The desk may tell a visitor", "", "- our towns"]
    closed = "Visitors are welcome.\n\n- the date"
    assert shown(closed, "- the date") == ["- the date"]


def test_a_question_stands_with_its_answer() -> None:
    page = "May I add somebody to a team?\n\nOnly within your own house.\n\nGulls are white."
    both = ["May I add somebody to a team?", "", "Only within your own house."]
    assert shown(page, "Only") == shown(page, "May I") == both


def test_a_wrapped_sentence_is_whole_and_a_finished_one_brings_nothing() -> None:
    page = "Nobody sees\nwhat others earn.\nGulls are white."
    assert shown(page, "what others") == ["Nobody sees", "what others earn."]
    assert shown(page, "Gulls") == ["Gulls are white."]


def test_an_embargo_goes_with_every_line_of_its_page() -> None:
    page = "# News\n\nEmbargo until 2025-06-01.\n\n## Sites\n\nBergen opens."
    assert "Embargo until 2025-06-01." in shown(page, "Bergen")


def test_a_long_line_is_told_in_the_parts_that_labels_open() -> None:
    group = "May see records, hours, teams, notes, and whatever else is kept of colleagues here. "
    page = f"*Leads.* {group * 3}*People.* {group * 3}*Guests.* Nothing at all. " + "x " * 9
    assert len(lines_of(page)) > 2
    assert shown(page, "*Guests.*") == [lines_of(page)[-1].text]


@given(st.text(alphabet="#-|*:?. \nabÄ漢1", max_size=400))
def test_every_line_keeps_its_words_and_needs_what_is_there(page: str) -> None:
    lines = lines_of(page)
    told = "".join(line.text for line in lines)
    assert "".join(told.split()) == "".join(page.split())
    assert all(line.number in line.needs and max(line.needs) <= len(lines) for line in lines)
    assert all(len(line.text) <= PART_CHARS + 200 for line in lines if line.kind == "text")
    excerpt({"a.md": page}, [("a.md", line.number) for line in lines])
