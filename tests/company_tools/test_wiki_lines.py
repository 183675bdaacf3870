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


TABLE = "| may | who |\n|---|---|\n| see pay | People |\n| log hours | Leads |"
HEAD = ["| may | who |", "|---|---|"]
LIST = "Managers and People:\n\n- records\n  - see pay\n- hours\n\nGulls are white.\n\nEnd."
QUESTION = "May I add somebody to a team?\n\nOnly within your own house.\n\nGulls are white."
BOTH = ["May I add somebody to a team?", "", "Only within your own house."]
UNFINISHED = "The desk may tell a visitor\n\n- the date\n- our towns\n\nThat is all."
WRAPPED = "Nobody sees\nwhat others earn.\nGulls are white."
BOLD = "**Leads**\n\nMay set a status.\n\n**People**\n\nMay set pay."


@pytest.mark.parametrize(
    ("page", "begins", "excerpted"),
    [
        (
            "# Rights\n\nOne.\n\nTwo.\n\n## Pay\n\nOnly People.\n\n## Hours\n\nOnly Leads.",
            "Only Leads", ["# Rights", "", "## Hours", "", "Only Leads."],
        ),
        (TABLE, "| log", [*HEAD, "…", "| log hours | Leads |"]),
        (TABLE, "| see", [*HEAD, "| see pay | People |", "…"]),
        (TABLE, "|", TABLE.splitlines()),
        (LIST, "- see pay", ["Managers and People:", "", "- records", "  - see pay", "…"]),
        (LIST, "- hours", ["Managers and People:", "…", "- hours"]),
        (LIST, "- ", ["Managers and People:", "", "- records", "  - see pay", "- hours"]),
        (LIST, "End", ["End."]),
        (UNFINISHED, "- our towns", ["The desk may tell a visitor", "…", "- our towns"]),
        ("Visitors are welcome.\n\n- the date", "- the date", ["- the date"]),
        (BOLD, "May set pay", ["**People**", "", "May set pay."]),
        (QUESTION, "Only", BOTH),
        (QUESTION, "May I", BOTH),
        (WRAPPED, "Nobody sees", ["Nobody sees", "what others earn."]),
        (WRAPPED, "Gulls", ["Gulls are white."]),
    ],
)  # fmt: skip
def test_an_excerpt_has_all_that_a_line_needs_and_tells_what_is_left_out(
    page: str, begins: str, excerpted: list[str]
) -> None:
    """Headings, the columns of a table, what opens a list, an item's parents, a whole sentence."""
    assert shown(page, begins) == excerpted


def test_a_title_rules_nothing() -> None:
    rules = [line.rules for line in lines_of(f"# Rights\n\n{BOLD}")]
    assert rules == [False, False, True, False, True]


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
