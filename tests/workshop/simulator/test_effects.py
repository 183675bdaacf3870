"""Effects that are lost, came twice or are wanted by nobody, as the world records them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workshop.simulator.company import bakery
from tests.workshop.simulator.conftest import pack_of, tea_scenario
from workshop.simulator.effects import Effect, WantedEffect, count_effects
from workshop.simulator.server import Simulator, serve
from workshop.simulator.world import Pack

Calls = list[tuple[str, dict[str, Any]]]
KEY = "key-x"
BASKET: Calls = [
    ("/basket/add", {"sku": "tea-green", "quantity": 2}),
    ("/basket/add", {"sku": "cup", "quantity": 1}),
    ("/coupon/apply", {"coupon": "TEATIME"}),
]
BUY: Calls = [("/basket/checkout", {})]
OTHER: Calls = [("/basket/add", {"sku": "cup", "quantity": 1}), *BUY]
LOG = {"employee": "ben", "date": "2025-05-06", "hours": 2, "logged_by": "mara"}
LOGGED = {"type": "Evt_TimeEntryLogged", "employee": "ben", "hours": 2}
LOGGED_MORE = LOGGED | {"hours": 3}
HOURS: Calls = [("/time/log", LOG)]
MORE: Calls = [("/time/log", LOG | {"hours": 3})]
ANSWER: Calls = [("/respond", {"outcome": "ok_answer", "message": "done"})]
OTHER_ANSWER: Calls = [("/respond", {"outcome": "ok_not_found", "message": "no"})]


def fault(path: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"on": path, "nth": 1, "kind": kind, **more}


def shop(**changes: Any) -> Pack:
    return pack_of(tea_scenario(**changes))


def company(*events: dict[str, Any], faults: Any = ()) -> Pack:
    expect = {"outcomes": ["ok_answer"], "events": list(events)}
    return bakery.pack_of(bakery.scenario(expect=expect, faults=list(faults)))


@pytest.fixture
def platform() -> Iterator[Any]:
    opened: list[Simulator] = []

    def open_(pack: Pack) -> Simulator:
        opened.append(serve(pack))
        return opened[-1]

    yield open_
    for one in opened:
        one.stop()


def played(simulator: Simulator, calls: Calls) -> tuple[int, int, int]:
    """Send the calls, whatever comes back; what the world has counted then."""
    served = simulator.platform.served[0]
    spec = {"benchmark": served.world.name, "spec_id": served.pack.scenarios[0].spec_id}
    root = served.world.roots[0]
    with httpx.Client(base_url=simulator.base_url, trust_env=False, timeout=30) as client:
        task = client.post("/tasks/start", json=spec).json()["task_id"]
        for path, body in calls:
            try:
                client.post(f"/{root}/{task}{path}", json=body)
            except httpx.TransportError:
                continue
    counts = simulator.platform.effects_of(task)
    return counts["lost"], counts["doubled"], counts["unauthorised"]


DROP, LATE = fault("/basket/checkout", "drop"), fault("/basket/checkout", "drop", after=True)


@pytest.mark.parametrize(
    ("faults", "calls", "counts"),
    [
        ([], [*BASKET, *BUY], (0, 0, 0)),
        ([], BASKET, (0, 0, 0)),
        ([DROP], [*BASKET, *BUY], (1, 0, 0)),
        ([DROP], [*BASKET, *BUY, *BUY], (0, 0, 0)),
        ([fault("/basket/checkout", "status", status=429)], [*BASKET, *BUY], (1, 0, 0)),
        ([LATE], [*BASKET, *BUY], (0, 0, 0)),
        ([LATE], [*BASKET, *BUY, *BASKET, *BUY], (0, 1, 0)),
        ([fault("/basket/checkout", "twice")], [*BASKET, *BUY], (0, 0, 0)),
        ([], OTHER, (0, 0, 1)),
        ([], [*OTHER, *OTHER], (0, 1, 1)),
        ([], [*OTHER, *BASKET, *BUY], (0, 0, 1)),
        ([], [*BASKET, *BUY, *OTHER, *OTHER], (0, 1, 1)),
    ],
)
def test_purchases_of_a_shop(
    platform: Any, faults: list[Any], calls: Calls, counts: tuple[int, int, int]
) -> None:
    assert played(platform(shop(faults=faults)), calls) == counts


def test_a_purchase_where_none_is_wanted(platform: Any) -> None:
    assert played(platform(shop(expect={"checkouts": 0})), OTHER) == (0, 0, 1)


@pytest.mark.parametrize(
    ("faults", "calls", "counts"),
    [
        ([], [*HOURS, *ANSWER], (0, 0, 0)),
        ([], [], (0, 0, 0)),
        ([], [*HOURS, *HOURS, *ANSWER], (0, 1, 0)),
        ([], [*HOURS, *HOURS, *HOURS, *ANSWER, *ANSWER], (0, 3, 0)),
        ([], [*MORE, *ANSWER], (0, 0, 1)),
        ([], [*MORE, *MORE, *HOURS, *ANSWER], (0, 1, 1)),
        ([fault("/respond", "drop")], [*HOURS, *ANSWER], (1, 0, 0)),
        ([fault("/respond", "drop", after=True)], [*HOURS, *ANSWER, *OTHER_ANSWER], (0, 1, 0)),
        ([fault("/respond", "twice")], [*HOURS, *ANSWER], (0, 0, 0)),
        ([fault("/respond", "twice")], [*HOURS, *ANSWER, *ANSWER], (0, 1, 0)),
        ([fault("/time/log", "status", status=503)], [*HOURS, *ANSWER], (1, 0, 0)),
        ([fault("/time/log", "drop"), fault("/respond", "drop")], [*HOURS, *ANSWER], (2, 0, 0)),
        ([fault("/time/log", "drop")], [*HOURS, *HOURS, *ANSWER], (0, 0, 0)),
        ([fault("/whoami", "drop")], [("/whoami", {}), *HOURS, *ANSWER], (0, 0, 0)),
    ],
)
def test_changes_and_answers_of_a_company(
    platform: Any, faults: list[Any], calls: Calls, counts: tuple[int, int, int]
) -> None:
    assert played(platform(company(LOGGED, faults=faults)), calls) == counts


def test_the_same_change_is_wanted_twice(platform: Any) -> None:
    simulator = platform(company(LOGGED, LOGGED))
    assert played(simulator, [*HOURS, *HOURS, *ANSWER]) == (0, 0, 0)
    assert played(simulator, [*HOURS, *HOURS, *HOURS, *ANSWER]) == (0, 1, 0)


def test_what_was_sent_again_is_not_lost_with_what_was_never_tried(platform: Any) -> None:
    simulator = platform(company(LOGGED, LOGGED_MORE, faults=[fault("/time/log", "drop")]))
    assert played(simulator, [*HOURS, *HOURS, *ANSWER]) == (0, 0, 0)
    assert played(simulator, [*HOURS, *MORE, *ANSWER]) == (1, 0, 0)


def test_a_change_where_none_is_wanted_and_no_answer_counts_as_one(platform: Any) -> None:
    assert played(platform(company()), [*HOURS, *OTHER_ANSWER]) == (0, 0, 1)


def test_the_counts_outlive_a_restart(tmp_path: Any) -> None:
    pack = company(LOGGED, faults=[fault("/respond", "drop")])
    state = tmp_path / "state.jsonl"
    with serve(pack, state=state) as simulator:
        assert played(simulator, [*HOURS, *HOURS, *ANSWER]) == (1, 1, 0)
        (task,) = simulator.platform.single_tasks
    with serve(pack, state=state) as again:
        assert again.platform.effects_of("tsk-of-another-platform") == {}
        assert again.platform.effects_of(task) == {"lost": 1, "doubled": 1, "unauthorised": 0}


WANTED = st.lists(st.sampled_from("abc"), max_size=4)


@given(wanted=WANTED, done=st.lists(st.sampled_from("abcd"), max_size=6), undelivered=WANTED)
def test_counts_of_effects_that_only_have_a_name(
    wanted: list[str], done: list[str], undelivered: list[str]
) -> None:
    """Each effect is wanted, came again, or is wanted by nobody: once each, in any order."""
    lost, doubled, unauthorised = count_effects(
        [WantedEffect(name, lambda act, name=name: act == name) for name in wanted],  # type: ignore[misc]
        [Effect(name, name) for name in done],
        Counter(undelivered),
    )
    came, asked = Counter(done), Counter(wanted)
    missing = asked - came
    assert lost == (missing & Counter(undelivered)).total()
    assert unauthorised == sum(1 for name in came if not asked[name])
    assert doubled == (came - asked).total() - unauthorised
