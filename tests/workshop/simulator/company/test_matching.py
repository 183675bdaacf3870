"""What matches what: values, teams, and events one to one in any order."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workshop.simulator.company.bakery import member
from workshop.simulator.company.company_state import Event, Response
from workshop.simulator.company.expectation import Expect, Wanted
from workshop.simulator.company.scoring import evaluate, fits, matches, paired


@pytest.mark.parametrize(
    ("wanted", "found", "fit"),
    [
        (8, 8.0, True),
        (0.1, 0.1, True),
        (1, True, False),
        (True, 1, False),
        (False, 0, False),
        ("8", 8, False),
        (None, None, True),
        (None, 0, False),
        ({"one_of": [1, 2]}, 2.0, True),
        ({"one_of": [1, 2]}, 3, False),
        ({"contains": ["a", ["x", "b"]]}, "cab", True),
        ({"contains": ["a", ["x", "y"]]}, "cab", False),
        ({"contains": ["A"]}, "cab", False),
        ({"a": 1}, {"a": 1}, True),
        ({"a": 1}, {"a": 1, "b": None}, False),
        ({"a": 1, "b": None}, {"a": 1}, False),
        ({"a": {"one_of": [1, None]}}, {"a": None}, True),
        ({}, {}, True),
        ([1, 2, 2], [2, 1, 2], True),
        ([1, 2, 2], [2, 1, 1], False),
        ([{"one_of": [1, 2]}, 1], [1, 2], True),
        ([], [1], False),
    ],
)
def test_values(wanted: Any, found: Any, fit: bool) -> None:
    assert fits(wanted, found) is fit


def test_a_team_has_no_order() -> None:
    team = [member("ben", 1, "QA"), member("mara", 0.5, "Lead")]
    wanted = Wanted.model_validate({"type": "Evt_ProjectTeamUpdated", "team": team})
    found = Event("Evt_ProjectTeamUpdated", {"id": "p", "team": team[::-1], "changed_by": ""})
    assert matches(wanted, found)
    choice = {"type": "Evt_ProjectTeamUpdated", "team": {"one_of": [[], team]}}
    assert matches(Wanted.model_validate(choice), found)
    roles = [team[0] | {"role": {"one_of": ["QA", "Engineer"]}}, team[1]]
    choice = {"type": "Evt_ProjectTeamUpdated", "team": roles}
    assert matches(Wanted.model_validate(choice), found)
    other = Event("Evt_ProjectTeamUpdated", {**found.fields, "team": team[:1]})
    assert not matches(wanted, other)


tables = st.integers(0, 4).flatmap(
    lambda wide: st.lists(st.lists(st.booleans(), min_size=wide, max_size=wide), max_size=4)
)


@given(tables)
def test_as_many_pairs_as_any_order_gives(table: list[list[bool]]) -> None:
    wide = len(table[0]) if table else 0
    found = paired(range(len(table)), range(wide), lambda one, place: table[one][place])
    taken = [place for place in found if place is not None]
    assert len(set(taken)) == len(taken)
    assert all(place is None or table[one][place] for one, place in enumerate(found))
    places: list[int | None] = [*range(wide), *[None] * len(table)]
    best = max(
        sum(place is not None and table[one][place] for one, place in enumerate(order))
        for order in permutations(places, len(table))
    )
    assert len(taken) == best


events = st.lists(
    st.builds(
        lambda type_, hours: {"type": type_, "hours": hours},
        st.just("Evt_TimeEntryLogged"),
        st.integers(1, 3),
    ),
    max_size=5,
)


@given(events, st.randoms())
def test_the_order_of_events_never_matters(wanted: list[dict[str, Any]], random: Any) -> None:
    expect = Expect.model_validate({"outcomes": ("ok_answer",), "events": tuple(wanted)})
    found = [Event(one["type"], {"hours": float(one["hours"])}) for one in wanted]
    random.shuffle(found)
    response = [Response("ok_answer", "", ())]
    assert evaluate(expect, found, response, True).score == 1.0
    if found:
        assert evaluate(expect, found[1:], response, True).score == 0.0
        assert evaluate(expect, [*found, found[0]], response, True).score == 0.0
