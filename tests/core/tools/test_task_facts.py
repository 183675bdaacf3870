"""The fold over a journal's entries: what is known of each write."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ledger import Intent, LedgerEntry, Resolved, WireCall
from core.tools.endpoints import Endpoint
from core.tools.task_facts import TaskFacts, Write

PUT = "/put"
ROWS = {
    PUT: Endpoint(writes=True, look=lambda *_: None, is_certain=lambda text: text == "never"),
    "/blind": Endpoint(writes=True),
}


def intent(**body: object) -> Intent:
    return Intent(path=PUT, body=body, about={"before": 1})


def call(outcome: Any, error: str = "", path: str = PUT) -> WireCall:
    return WireCall(path=path, body={}, kind="write", outcome=outcome, error=error or None)


def settled(took_effect: bool) -> Resolved:
    return Resolved(path=PUT, took_effect=took_effect)


def folded(*entries: LedgerEntry) -> TaskFacts:
    facts = TaskFacts(ROWS)
    for entry in entries:
        facts.take(entry)
    return facts


@pytest.mark.promise("nothing lost at a kill")
@pytest.mark.parametrize(
    ("entries", "effect"),
    [
        ([intent()], "sent"),
        ([intent(), call("done")], "done"),
        ([intent(), call("lost")], "lost"),
        ([intent(), call("unknown")], "unknown"),
        ([intent(), call("failed")], "unknown"),
        ([intent(), call("failed", "never")], "refused"),
        ([intent(), settled(True)], "done"),
        ([intent(), settled(False)], "lost"),
        ([intent(), call("unknown"), settled(True)], "done"),
        ([intent(), call("unknown"), settled(False)], "lost"),
        ([intent(), call("failed"), settled(True)], "done"),
        ([intent(), call("failed"), settled(False)], "refused"),
        ([intent(), call("unknown"), settled(False), settled(True)], "done"),
        ([intent(), call("done"), settled(False)], "done"),
        ([call("done")], "done"),
        ([intent(), call("unknown"), settled(False), intent()], "sent"),
    ],
)
def test_what_the_entries_tell_of_the_last_write(entries: list[Any], effect: str) -> None:
    facts = folded(*entries)
    last = facts.last(PUT)
    assert last is not None
    assert last.outcome == effect
    assert (facts.open_at(PUT) is last) == (effect in ("sent", "unknown"))


def test_a_refusal_where_nobody_can_look_is_believed() -> None:
    last = folded(call("failed", path="/blind")).last("/blind")
    assert last is not None
    assert last.outcome == "refused"


def test_an_earlier_open_write_is_settled_when_later_ones_are_certain() -> None:
    facts = folded(intent(n=1), call("unknown"), intent(n=2), call("done"))
    (open_,) = [facts.open_at(PUT)]
    assert open_ is not None
    assert open_.body == {"n": 1}
    facts.take(settled(True))
    assert facts.open_at(PUT) is None
    assert open_.outcome == "done"


entries = st.lists(
    st.one_of(
        st.just(intent()),
        st.builds(call, st.sampled_from(["done", "failed", "unknown", "lost"])),
        st.builds(settled, st.booleans()),
    ),
    max_size=12,
)


@given(entries, st.integers(0, 12))
def test_it_does_not_matter_when_the_entries_are_taken(made: list[Any], at: int) -> None:
    """The fold over a journal is that of the process that wrote it: there is only one reducer."""
    live, later = folded(*made[:at]), folded(*made)
    for entry in made[at:]:
        live.take(entry)
    for facts in (live, later):
        last, open_ = facts.last(PUT), facts.open_at(PUT)
        assert (last is None) == (not any(one.path == PUT for one in made if _sends(one)))
        assert open_ is None or open_.is_open
    first, second = live.last(PUT), later.last(PUT)
    assert (first and vars(first)) == (second and vars(second))


def _sends(entry: LedgerEntry) -> bool:
    return not isinstance(entry, Resolved)


def test_a_benchmark_is_told_of_replies_and_of_what_the_state_shows() -> None:
    told: list[tuple[str, str]] = []

    class Facts(TaskFacts):
        def take_reply(self, write: Write) -> None:
            told.append(("reply", write.outcome))

        def take_settled(self, write: Write) -> None:
            told.append(("settled", write.outcome))

    facts = Facts(ROWS)
    for entry in (intent(), call("unknown"), settled(False), settled(True), settled(True)):
        facts.take(entry)
    assert told == [("reply", "unknown"), ("settled", "lost"), ("settled", "done")]


def test_only_the_last_of_equal_attempts_without_effect_is_kept() -> None:
    rows = {PUT: Endpoint(writes=True, durable=True, look=lambda *_: None)}
    facts = TaskFacts(rows)
    for entry in (intent(n=1), call("lost"), intent(n=2), call("done"), intent(n=1)):
        facts.take(entry)
    facts.take(intent(n=2))
    assert [(w.body, w.outcome) for w in facts.writes] == [
        ({"n": 2}, "done"), ({"n": 1}, "sent"), ({"n": 2}, "sent"),
    ]  # fmt: skip
