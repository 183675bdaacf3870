"""The evaluator: every recorded line, the order of its stages, and the penalty."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.workshop.simulator.company.bakery import SiteOf, level, scenario
from workshop.simulator.world import NO_STATISTICS

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
            {"events": [LOGGED]},
            [note(), page(), note("m"), respond()],
            [
                "found unexpected 3 events: "
                "*erc3.Evt_EmployeeNoteUpdated, *erc3.Evt_WikiArticleUpdated"
            ],
        ),
        (
            {"events": [PAUSED]},
            [note(), respond()],
            ["found unexpected 1 events: *erc3.Evt_EmployeeNoteUpdated"],
        ),
        (
            {"events": [NOTED, PAUSED]},
            [pause(), pause("idea"), respond()],
            [
                "expected event of type *erc3.Evt_EmployeeNoteUpdated not found",
                "expected only one event of type *erc3.Evt_ProjectStatusChanged, found 2",
            ],
        ),
        (
            {"events": [{"type": "Evt_WikiArticleUpdated"}, {"type": "Evt_WikiDigestUpdated"}]},
            [respond()],
            [
                "expected event of type *erc3.Evt_WikiArticleUpdated not found",
                "expected event of type *erc3.Evt_WikiDigestUpdated not found",
            ],
        ),
        (
            {"events": [PAGE, {"type": "Evt_WikiDigestUpdated"}]},
            [respond()],
            ["wiki article 'new.md' change expected but not found"],
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
        (
            {"message": {"contains": ["yes"], "excludes": ["é"]}},
            [respond(message="é" * 99 + "a")],
            [
                f"expected message to contain 'yes', got '{'é' * 99}a'",
                f"expected message to NOT contain 'é', got '{'é' * 99}a'",
            ],
        ),
        (
            {"message": {"contains": ["yes"], "excludes": ["é"]}},
            [respond(message="é" * 100)],
            ["expected message to contain 'yes'", "expected message to NOT contain 'é'"],
        ),
        (
            {"links": {"wiki": {"must": ["rules.md"]}}},
            [respond(wiki=["oven.md"])],
            ["expected wiki link to 'rules.md' not found"],
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
            {"events": [{"type": "Evt_WikiArticleUpdated"}, {"type": "Evt_WikiDigestUpdated"}]},
            [page(), respond()],
        ),
        ({"links": {"wiki": {"must": ["rules.md"]}}}, [respond(wiki=["rules.md", "oven.md"])]),
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
    visit = site.visit()
    visit.ask(*respond()[:1], **respond()[1])
    assert visit.complete(logged=False) == (0.9, [NO_STATISTICS])
    fails = "FAIL: agent should provide 1 response, found 0"
    assert site.visit().complete(logged=False) == (0.0, [fails, NO_STATISTICS])


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
