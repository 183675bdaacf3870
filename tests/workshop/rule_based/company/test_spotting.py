"""What texts name is found as records are spelled, or nearly so."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workshop.rule_based.company.bakery import CUSTOMERS, PEOPLE, PROJECTS
from workshop.rule_based.company.reckoning.meanings import counted_statuses
from workshop.rule_based.company.reckoning.office import Unclear, strong_level
from workshop.rule_based.company.reckoning.spotting import fold, people_in, projects_in


@given(st.text(max_size=80))
def test_folded_words_have_one_blank_between_and_no_marks(text: str) -> None:
    folded = fold(text)
    assert folded == " ".join(folded.split())
    assert not any(unicodedata.combining(c) for c in folded)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Schäfer Jörg", [["b_02"]]),
        ("ask joerg schaefer", [["b_02"]]),
        ("b_03 and Ase Braekhus", [["b_03"], ["b_01"]]),
        ("where is Ida?", [["b_03", "b_04"]]),
        ("is ida there, or moe?", []),
        ("Nygård", [["b_04"]]),
    ],
)
def test_people(text: str, ids: list[list[str]]) -> None:
    assert [[p["id"] for p in group] for group in people_in(text, PEOPLE)] == ids


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("pause proj_oven", ["proj_oven"]),
        ("the rye renewal, please", ["proj_rye"]),
        ("the dark crust at the harbour", ["proj_rye"]),
        ("the cake", []),
    ],
)
def test_projects(text: str, ids: list[str]) -> None:
    assert [p["id"] for p in projects_in(text, PROJECTS, CUSTOMERS)] == ids


@pytest.mark.parametrize(
    ("told", "counted"),
    [
        ("Load is the sum of shares over all projects, whatever their status.", "all"),
        (
            "Workload = shares over active and exploring projects; idea ones do not count.",
            "active exploring",
        ),
        (
            "The load is the sum of shares. Archived projects do not count.",
            "idea exploring active paused",
        ),
        ("We bake bread.", "all"),
    ],
)
def test_which_statuses_count_as_load(told: str, counted: str) -> None:
    every = {"idea", "exploring", "active", "paused", "archived"}
    assert counted_statuses({"x.md": told}) == (every if counted == "all" else set(counted.split()))


@pytest.mark.parametrize(
    ("told", "level"),
    [
        ("Levels go from 1 to 10. Strong: 8 or more.", 8),
        ("From 6 on we call somebody strong.", 6),
        ("A level of 7 and above is **strong**; 6 is solid.", 7),
    ],
)
def test_from_where_on_it_is_strong(told: str, level: int) -> None:
    assert strong_level({"x.md": told}) == level


def test_without_a_word_of_it_nobody_is_strong() -> None:
    with pytest.raises(Unclear):
        strong_level({"x.md": "We bake bread."})
