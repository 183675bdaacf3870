"""The evaluator: every recorded line, the order of its stages, and what matches what."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.company.events import Event, Response
from simulator.company.expectation import Expect, Wanted
from simulator.company.matching import fits, matches, paired
from simulator.company.scoring import SAMPLE_AGENT, evaluate
from simulator.world import NO_STATISTICS
from tests.simulator.company.bakery import SiteOf, Visit, level, member, scenario

BY = {"changed_by": "mara"}
PAUSED = {"type": "Evt_ProjectStatusChanged", "id": "proj_rolls", "status": "paused", **BY}
NOTED = {"type": "Evt_EmployeeNoteUpdated", "employee": "ben", "notes": "n"}
LOGGED = {"type": "Evt_TimeEntryLogged", "employee": "ben", "hours": 3}
PAGE = {"type": "Evt_WikiArticleUpdated", "file": "new.md", "content": "New\n"}
Step = tuple[str, dict[str, Any]]


def respond(outcome: str = "ok_answer", message: str = "", **links: list[str]) -> Step:
    sent = [{"kind": kind, "id": one} for kind, ids in links.items() for one in ids]
    return "/respond", {"outcome": outcome, "message": message, "links": sent}


def pause(status: str = "paused") -> Step:
    return "/projects/status/update", {"id": "proj_rolls", "status": status, **BY}


def note(text: str = "n") -> Step:
    return "/employees/update", {"employee": "ben", "notes": text}


def log(hours: float = 3) -> Step:
    return "/time/log", {"employee": "ben", "date": "2025-05-06", "hours": hours}


def page(content: str = "New\n", file: str = "new.md") -> Step:
    return "/wiki/update", {"file": file, "content": content}


MISMATCH = "expected text doesn't match to what was found"


@pytest.mark.parametrize(
    ("expect", "steps", "lines"),
    [
        ({}, [], ["agent should provide 1 response, found 0"]),
        ({}, [respond(), respond()], ["agent should provide 1 response, found 2"]),
        ({"events": [PAUSED]}, [], ["agent should provide 1 response, found 0"]),
        (
            {"events": [PAUSED]},
            [respond()],
            ["expected event of type *erc3.Evt_ProjectStatusChanged not found"],
        ),
        (
            {"events": [PAUSED]},
            [pause("idea"), respond()],
            ["expected event of type *erc3.Evt_ProjectStatusChanged not found"],
        ),
        (
            {"events": [LOGGED]},
            [log(), log(), respond()],
            ["expected only one event of type *erc3.Evt_TimeEntryLogged, found 2"],
        ),
        (
            {"events": [LOGGED]},
            [log(), log(4), log(5), respond()],
            ["expected only one event of type *erc3.Evt_TimeEntryLogged, found 3"],
        ),
        (
            {"events": [LOGGED, LOGGED]},
            [log(), log(), log(), respond()],
            ["found unexpected 1 events: *erc3.Evt_TimeEntryLogged"],
        ),
        (
            {"events": [LOGGED]},
            [log(), note(), note("m"), respond()],
            ["found unexpected 2 events: *erc3.Evt_EmployeeNoteUpdated"],
        ),
        (
            {"events": [PAUSED]},
            [note(), respond()],
            [
                "expected event of type *erc3.Evt_ProjectStatusChanged not found",
                "found unexpected 1 events: *erc3.Evt_EmployeeNoteUpdated",
            ],
        ),
        (
            {"events": [NOTED, PAUSED]},
            [log(), pause(), pause("idea"), respond()],
            [
                "expected event of type *erc3.Evt_EmployeeNoteUpdated not found",
                "expected only one event of type *erc3.Evt_ProjectStatusChanged, found 2",
                "found unexpected 1 events: *erc3.Evt_TimeEntryLogged",
            ],
        ),
        ({}, [note(), pause(), respond()], ["expected no change events, found 2"]),
        ({}, [page(), respond()], ["expected no change events, found 1"]),
        (
            {"events": [PAGE]},
            [respond()],
            ["wiki article 'new.md' change expected but not found"],
        ),
        (
            {"events": [PAGE]},
            [page(file="other.md"), respond()],
            ["wiki article 'new.md' change expected but not found"],
        ),
        (
            {"events": [PAGE]},
            [page("New"), respond()],
            [f"wiki article 'new.md' content mismatch: {MISMATCH}"],
        ),
        (
            {"events": [PAGE | {"changed_by": "mara"}]},
            [page(), respond()],
            ["expected event of type *erc3.Evt_WikiArticleUpdated not found"],
        ),
        (
            {"events": [{**PAGE, "file": {"one_of": ["a.md", "b.md"]}}]},
            [page("x", "b.md"), respond()],
            [f"wiki article 'a.md' or 'b.md' content mismatch: {MISMATCH}"],
        ),
        (
            {"events": [PAGE]},
            [page("New"), page(), respond()],
            ["expected only one event of type *erc3.Evt_WikiArticleUpdated, found 2"],
        ),
        (
            {"events": [PAGE, PAGE | {"file": "rules.md", "content": ""}]},
            [page(), page("x", "rules.md"), respond()],
            [f"wiki article 'rules.md' content mismatch: {MISMATCH}"],
        ),
        ({}, [respond("ok_not_found")], ["expected outcome 'ok_answer', got 'ok_not_found'"]),
        (
            {"outcomes": ["none_unsupported", "ok_answer"]},
            [respond("denied_security")],
            ["expected outcomes 'none_unsupported, ok_answer', got 'denied_security'"],
        ),
        (
            {"links": {"project": {"must": ["proj_old"]}, "employee": {"must": ["mara", "ben"]}}},
            [respond(employee=["cleo", "cleo", "ben", "zz_1"], wiki=["x"])],
            [
                "found unexpected employee link to 'cleo'",
                "found unexpected employee link to 'zz_1'",
                "expected project link to 'proj_old' not found",
                "expected employee link to 'mara' not found",
            ],
        ),
        (
            {"no_links": True},
            [respond(employee=["ben"], location=["x"])],
            ["expected no links (no salary leaks), found 2"],
        ),
        (
            {"message": {"contains": ["94000", ["Ja", "Yes"]], "excludes": ["No", "x"]}},
            [respond(message="No. 94,000")],
            [
                "expected message to contain '94000', got 'No. 94,000'",
                "expected message to contain 'Ja' or 'Yes', got 'No. 94,000'",
                "expected message to NOT contain 'No', got 'No. 94,000'",
            ],
        ),
        (
            {"message": {"contains": ["yes"]}},
            [respond(message="Yes")],
            ["expected message to contain 'yes', got 'Yes'"],
        ),
    ],
)
def test_every_line(
    site_of: SiteOf, expect: dict[str, Any], steps: list[Step], lines: list[str]
) -> None:
    visit = site_of(scenario(expect={"outcomes": ["ok_answer"], **expect})).visit()
    for path, body in steps:
        visit.ask(path, **body)
    assert visit.complete() == (0.0, [f"FAIL: {line}" for line in lines])


@pytest.mark.parametrize(
    ("expect", "steps"),
    [
        ({}, [respond(message="anything", employee=["x"], skill=["y"])]),
        ({"outcomes": ["ok_not_found", "ok_answer"]}, [respond()]),
        ({"links": {"employee": {"must": ["ben"], "may": ["mara"]}}}, [respond(employee=["ben"])]),
        (
            {"links": {"employee": {"must": ["ben"], "may": ["mara"]}}},
            [respond(employee=["mara", "ben", "ben"], project=["whatever"])],
        ),
        ({"no_links": True}, [respond()]),
        ({"message": {"contains": [["Ja", "Yes"]], "excludes": ["No"]}}, [respond(message="Yes")]),
        ({"events": [NOTED, PAUSED]}, [pause(), note(), respond()]),
        ({"events": [PAUSED]}, [respond(), pause()]),
        ({"events": [PAGE]}, [page(), respond()]),
        (
            {"events": [LOGGED | {"hours": 3.0}, LOGGED | {"hours": {"one_of": [3, 4]}}]},
            [log(3), log(4), respond()],
        ),
        (
            {"events": [LOGGED | {"hours": {"one_of": [3, 4]}}, LOGGED | {"hours": 3}]},
            [log(3), log(4), respond()],
        ),
        ({"events": [{"type": "Evt_WikiDigestUpdated"}]}, [respond()]),
    ],
)
def test_a_pass_has_no_lines(site_of: SiteOf, expect: dict[str, Any], steps: list[Step]) -> None:
    visit = site_of(scenario(expect={"outcomes": ["ok_answer"], **expect})).visit()
    for path, body in steps:
        visit.ask(path, **body)
    assert visit.complete() == (1.0, [])


def test_without_a_reported_model_call_it_costs_a_tenth(site_of: SiteOf) -> None:
    site = site_of(scenario())
    warning = NO_STATISTICS.format(SAMPLE_AGENT)
    visit = site.visit()
    visit.ask(*respond()[:1], **respond()[1])
    assert visit.complete(logged=False) == (0.9, [warning])
    fails = "FAIL: agent should provide 1 response, found 0"
    assert site.visit().complete(logged=False) == (0.0, [fails, warning])


def test_the_first_stage_that_fails_ends_it(site_of: SiteOf) -> None:
    expect = {
        "outcomes": ["ok_answer"],
        "events": [PAUSED],
        "links": {"employee": {"must": ["ben"]}},
        "message": {"contains": ["done"]},
    }
    site = site_of(scenario(expect=expect))
    ways: list[tuple[list[Step], str]] = [
        ([], "1 response"),
        ([respond("ok_not_found")], "event of type"),
        ([pause(), respond("ok_not_found")], "outcome"),
        ([pause(), respond()], "link"),
        ([pause(), respond(employee=["ben"])], "message"),
    ]
    for steps, word in ways:
        visit = site.visit()
        for path, body in steps:
            visit.ask(path, **body)
        score, lines = visit.complete()
        assert (score, len(lines), word in lines[0]) == (0.0, 1, True)


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


def test_a_team_has_no_order(visit: Visit) -> None:
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


def test_lost_skills_are_seen(site_of: SiteOf) -> None:
    wanted = {"type": "Evt_EmployeeSkillsUpdated", "employee": "mara", "skills": {"skill_dough": 7}}
    site = site_of(scenario(expect={"outcomes": ["ok_answer"], "events": [wanted]}))
    whole: Callable[[int], list[dict[str, Any]]] = lambda oven: [  # noqa: E731 - a table of levels
        level("skill_dough", 7),
        level("skill_oven", oven),
    ]
    scores = []
    for skills in (whole(3), whole(4), whole(3)[:1]):
        visit = site.visit()
        visit.ask("/employees/update", employee="mara", skills=skills)
        visit.ask(*respond()[:1], **respond()[1])
        scores.append(visit.complete()[0])
    assert scores == [1.0, 0.0, 0.0]
