"""Prompts compared by section and word."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workshop.views.report.differences import count_words, diff_sections

WAS = """You decide.

Prime directives
1. Say what, not how.
2. Never guess.
3. Be brief.
4. Stop in time.

# Playbooks
- tea: boil water first
"""


def shown(was: str, now: str) -> dict[str, list[str]]:
    marks = {"ins": "+{}+", "del": "-{}-", "same": "{}"}
    return {
        part.title: [
            "".join(marks[kind].format(text) for kind, text in line.words) or f"~{line.skipped}"
            for line in part.lines
        ]
        for part in diff_sections(was, now)
    }


def test_a_word_is_marked_in_its_line_under_its_section() -> None:
    found = shown(WAS, WAS.replace("Be brief", "Be very brief"))
    assert found == {
        "Prime directives": [
            "~2",
            "2. Never guess.",
            "3. Be +very +brief.",
            "4. Stop in time.",
            "~1",
        ]
    }


def test_only_sections_that_changed_are_shown() -> None:
    now = WAS.replace("boil water", "warm milk").replace("2. Never guess.\n", "")
    found = shown(WAS, now)
    assert list(found) == ["Prime directives", "Playbooks"]
    assert "-2. Never guess.-" in found["Prime directives"]
    assert found["Playbooks"][-1] == "- tea: -boil water -+warm milk +first"


def test_lines_that_have_nothing_in_common_are_not_one_line() -> None:
    assert shown("Alpha beta gamma.", "Zzz.") == {"": ["-Alpha beta gamma.-", "+Zzz.+"]}


def test_words_are_counted() -> None:
    parts = diff_sections("Be brief.", "Be very very brief.")
    assert (count_words(parts, "ins"), count_words(parts, "del")) == (2, 0)


TEXTS = st.text(alphabet="ab .\n#-", max_size=60)


@given(TEXTS, TEXTS)
def test_both_texts_can_be_read_out_of_what_changed(was: str, now: str) -> None:
    lines = [line for part in diff_sections(was, now) for line in part.lines if line.changed]
    old = ["".join(t for kind, t in line.words if kind != "ins") for line in lines]
    new = ["".join(t for kind, t in line.words if kind != "del") for line in lines]
    assert [text for text in old if text] == [x for x in old if x and x in was.splitlines()]
    assert all(text in now.splitlines() for text in new if text)
    assert bool(lines) == (was.splitlines() != now.splitlines())


@given(TEXTS)
def test_a_text_does_not_differ_from_itself(text: str) -> None:
    assert diff_sections(text, text) == ()
