"""A whole run behind a relay that tampers: bought as wanted, or left open; never a traceback."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from coordinator import attempt
from coordinator.limits import Meter
from core.erc3_client import retry_policy
from core.erc3_client.retry_policy import RETRY_SECONDS, pause
from core.runs.results import RunResults, TaskResult, read_lines
from tests.kit.relay import Call, Rule, answering, changing
from tests.kit.wire_run import SCRIPTED, WireRun, bundled, wire_run

SPECS = ("named_item_on_last_page", "required_coupon_works", "coupon_never_discounts")
OTHERS = ("cheapest_mix_ghost_fill_in", "split_stock_tied_models", "coupon_code_unknown")
LIST, VIEW, ADD, APPLY = "/products/list", "/basket/view", "/basket/add", "/coupon/apply"
BUY, COMPLETE = "/basket/checkout", "/tasks/complete"
DEEP = b'{"products":' + b"[" * 100_000
Start = Callable[..., WireRun]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Opens a run of some bundled shops whose relay follows a rule."""
    with ExitStack() as stack:

        def begin(rule: Rule, specs: tuple[str, ...] = SPECS, **config: Any) -> WireRun:
            usual = SCRIPTED["store", config.get("strategy", "evaluator-worker")]
            pack, options = bundled("store", specs), usual | config
            run = stack.enter_context(wire_run(tmp_path / "run", "store", pack, lambda: options))
            run.relay.rule = rule
            return run

        yield begin


def bought(run: WireRun, task: TaskResult) -> bool:
    return bool(run.books.acts(task.task_id))


def check(run: WireRun, results: RunResults) -> None:
    """Every task is as wanted, or is open after a failure of the benchmark with nothing bought."""
    for task in results.tasks:
        if task.failure is None:
            assert task.passed, task
        else:
            assert (task.failure, task.score) == ("benchmark", None), task
            assert not bought(run, task) or "could not be completed" in (task.error or "")
        assert "internal" not in (task.error or "")
        assert len(task.error or "") < 5_000


def page(**changes: Any) -> Rule:
    return changing(LIST, lambda answer, _: answer.update(changes))


def products(change: Callable[[dict[str, Any]], object]) -> Rule:
    def apply(answer: dict[str, Any], _: Call) -> None:
        for product in answer["products"] or []:
            change(product)

    return changing(LIST, apply)


def shown(change: Callable[[dict[str, Any]], object]) -> Rule:
    def apply(answer: dict[str, Any], _: Call) -> None:
        if answer.get("items"):
            change(answer)

    return changing(VIEW, apply)


def again_with_other_data(answer: dict[str, Any], call: Call) -> None:
    if call.body["offset"] and answer["products"]:
        answer["products"][-1] = {"sku": "ghost", "name": "Ghost", "price": 1, "available": 9}
    elif answer["products"]:
        answer["products"].insert(0, {"sku": "ghost", "name": "Ghost", "price": 2, "available": 9})


def first_page_for_ever(answer: dict[str, Any], call: Call) -> None:
    answer["products"] = [{"sku": "a", "name": "A", "price": 1, "available": 9}]
    answer["next_offset"] = call.body["offset"] + 1


def one_further(answer: dict[str, Any], call: Call) -> None:
    answer["next_offset"] = call.body["offset"] + 1


def same_offset(answer: dict[str, Any], call: Call) -> None:
    answer["next_offset"] = call.body["offset"]


def nothing_new(answer: dict[str, Any], call: Call) -> dict[str, Any]:
    return {"products": None, "next_offset": call.body["offset"] + 50}


def two_left_out(answer: dict[str, Any], _: Call) -> None:
    if answer["next_offset"] > 0:
        answer["next_offset"] += 2


def zero_for_the_end(answer: dict[str, Any], _: Call) -> None:
    if answer["next_offset"] == -1:
        answer["next_offset"] = 0


def no_offset(answer: dict[str, Any], _: Call) -> None:
    del answer["next_offset"]


BELIEVED = {
    "0 always": page(next_offset=0),
    "none always": page(next_offset=None),
    "no field": changing(LIST, no_offset),
    "0 at the end": changing(LIST, zero_for_the_end),
    "0 once": changing(LIST, lambda answer, _: answer.update(next_offset=0), nth=2),
    "negative once": changing(LIST, lambda answer, _: answer.update(next_offset=-7), nth=3),
    "same offset once": changing(LIST, same_offset, nth=3),
    "products left out": changing(LIST, two_left_out),
    "wrong total once": changing(VIEW, lambda answer, _: answer.update(total=1), nth=5),
    "deep once": answering(LIST, 200, DEEP, nth=2),
    "a proxy's refusal once": answering(BUY, 403, b"<html>blocked</html>", nth=1),
    "empty redirect once": answering(BUY, 302, b"", nth=1, location="/"),
    "an odd wait": answering(
        VIEW, 429, {"status": 429, "error": "slow", "code": ""}, nth=2,
        retry_after="Fri, 31 Dec 9999 23:59:59 -1200",
    ),
    "null once": answering("/sessions/status", 200, None, nth=1),
    "deep completion": answering(COMPLETE, 200, DEEP, nth=1),
    "no evaluation": changing(COMPLETE, lambda a, _: a.update(eval="x"), nth=1),
}  # fmt: skip
"""What the run gets over: every score is as without."""

DISBELIEVED = {
    "same offset": changing(LIST, same_offset),
    "one further": changing(LIST, one_further),
    "the same page for ever": changing(LIST, first_page_for_ever),
    "nothing new for ever": changing(LIST, nothing_new),
    "a SKU with other data": changing(LIST, again_with_other_data),
    "negative price": products(lambda p: p.update(price=-1)),
    "null for a page": answering(LIST, 200, None),
    "total too low": shown(lambda b: b.update(total=b["total"] - 1)),
    "negative total": shown(lambda b: b.update(total=-b["total"])),
    "subtotal too low": shown(lambda b: b.update(subtotal=1, total=1)),
    "discount too high": shown(
        lambda b: b.update(discount=b["subtotal"] + 1, total=-1, coupon="FREE")
    ),
    "a line twice": shown(lambda b: b["items"].append(b["items"][0])),
    "500 on every checkout": answering(BUY, 500, b"oops"),
    "a proxy before every checkout": answering(BUY, 403, b"<html>no</html>"),
    "deep starts": answering("/tasks/start", 200, DEEP),
}  # fmt: skip
"""What it does not: nothing is bought wrongly, and what could not be done is tried again."""


@pytest.mark.promise("no second checkout")
@pytest.mark.parametrize("rule", BELIEVED.values(), ids=BELIEVED.keys())
def test_what_passes_is_got_over(start: Start, rule: Rule) -> None:
    results = start(rule).go()
    assert [(t.score, t.failure) for t in results.tasks] == [(1.0, None)] * len(SPECS)


@pytest.mark.promise("no wrong checkout")
@pytest.mark.parametrize("rule", DISBELIEVED.values(), ids=DISBELIEVED.keys())
def test_what_stays_is_left_open_and_done_when_it_is_over(start: Start, rule: Rule) -> None:
    run = start(rule)
    results = run.go()
    check(run, results)
    assert any(t.failure == "benchmark" for t in results.tasks)
    assert read_lines(run.folder / "results.jsonl") == list(results.tasks)
    run.relay.rule = lambda call: None
    assert [(t.score, t.failure) for t in run.resume().tasks] == [(1.0, None)] * len(SPECS)


def twice(first: int, tells: int) -> Rule:
    """Delivers every fourth request to a shop twice and tells the first or the second answer."""
    numbers = count(4 - first)

    def rule(call: Call) -> None:
        if call.task and next(numbers) % 4 == 0:
            call.send(*(call.forward(), call.forward())[tells])

    return rule


@pytest.mark.promise("no wrong checkout")
@pytest.mark.parametrize(("first", "tells"), [(1, 0), (2, 1), (3, 0), (4, 1)])
def test_a_coupon_search_with_requests_that_arrive_twice_buys_the_cheapest_or_nothing(
    start: Start, first: int, tells: int
) -> None:
    run = start(twice(first, tells), ("pack_sizes_exact_count",))
    (task,) = run.go().tasks
    assert run.relay.seen[ADD] > 4
    assert task.passed or not bought(run, task), task.eval_log


def with_texts(answer: dict[str, Any], _: Call) -> None:
    for task in answer["tasks"]:
        task["task_text"] += " \udcff"


SURROGATES = {
    "name": products(lambda p: p.update(name=p["name"] + " \ud800")),
    "sku": products(lambda p: p.update(sku=p["sku"] + "\udfff")),
    "elsewhere": changing("/sessions/start", lambda a, _: a.update(note="\ud800")),
    "text": changing("/sessions/status", with_texts),
}


@pytest.mark.parametrize("rule", SURROGATES.values(), ids=SURROGATES)
def test_half_characters_are_no_fault_of_ours(start: Start, rule: Rule) -> None:
    run = start(rule)
    for results in (run.go(), run.resume()):
        assert {t.failure for t in results.tasks} <= {None, "benchmark", "model"}
        assert not any(t.harm for t in results.tasks)
        assert "\\ud" not in results.model_dump_json()


SCORES = (b"1e308", b"-1e999", b"1.5", b"-0.1", b'"good"', b"[1]", b"true", b"1" + b"0" * 400)


@pytest.mark.parametrize("score", SCORES)
def test_a_score_that_is_no_number_from_0_to_1_is_unknown_in_a_run_and_when_resumed(
    start: Start, score: bytes
) -> None:
    def rule(call: Call) -> None:
        if call.path == COMPLETE:
            status, _ = call.forward()
            call.send(status, b'{"status":"completed","eval":{"score":' + score + b',"logs":""}}')

    run = start(rule, SPECS[:1])
    for results in (run.go(), run.resume()):
        assert [(t.score, t.failure) for t in results.tasks] == [(None, None)]
        assert results.totals.scored == 0
        assert [t.score for t in read_lines(run.folder / "results.jsonl")] == [None]


@pytest.mark.promise("what comes from outside is bounded")
def test_an_error_text_without_end_is_cut_where_it_enters(start: Start) -> None:
    long = {"status": 400, "error": "no " * 1_000_000, "code": ""}
    run = start(answering(ADD, 400, long))
    run.go()
    assert sum(f.stat().st_size for f in run.folder.rglob("*.jsonl")) < 1_000_000


def test_reports_that_are_never_taken_are_named(start: Start) -> None:
    results = start(answering("/tasks/log", 500, b"oops")).go()
    assert [t.score for t in results.tasks] == [0.9] * len(SPECS)
    assert all("reports of model calls were not accepted" in (t.error or "") for t in results.tasks)


class Outage:
    """The platform is gone for so many seconds from the nth request to a path on."""

    def __init__(self, clock: Any, path: str, seconds: float, nth: int) -> None:
        self.clock, self.path, self.seconds, self.nth = clock, path, seconds, nth
        self.began: float | None = None
        self.met = 0

    def __call__(self, call: Call) -> None:
        if self.began is None and call.path == self.path and call.number >= self.nth:
            self.began = self.clock.now()
        if self.began is not None and self.clock.now() < self.began + self.seconds:
            self.met += 1
            call.drop()


@pytest.fixture
def clock(no_waiting: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Real pauses on a clock that does not wait."""
    monkeypatch.setattr(retry_policy, "pause", pause)
    return no_waiting


WHERE = [LIST, VIEW, ADD, APPLY, BUY, COMPLETE, "/tasks/log", "/tasks/start"]


@pytest.mark.parametrize(
    ("path", "config"),
    [*((path, {}) for path in WHERE), (ADD, {"strategy": "next-step"}), (ADD, {"jobs": 3})],
)
def test_an_outage_of_60_seconds_costs_nothing(
    start: Start, clock: Any, path: str, config: dict[str, Any]
) -> None:
    outage = Outage(clock, path, 60, nth=2)
    results = start(outage, SPECS + OTHERS, **config).go()
    assert outage.met > 5
    assert [(t.score, t.failure, t.error) for t in results.tasks] == [(1.0, None, None)] * 6


@pytest.mark.promise("no second checkout")
def test_an_outage_longer_than_the_retry_time_leaves_its_tasks_open(
    start: Start, clock: Any
) -> None:
    run = start(Outage(clock, BUY, 10 * RETRY_SECONDS, nth=1))
    results = run.go()
    check(run, results)
    assert {t.failure for t in results.tasks} == {"benchmark"}
    assert not any(bought(run, t) for t in results.tasks)
    clock.rest(10 * RETRY_SECONDS)
    assert [t.score for t in run.resume().tasks] == [1.0] * 3


def test_a_limit_of_the_task_ends_the_waiting(
    start: Start, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attempt, "Meter", partial(Meter, clock=clock.now))
    outage = Outage(clock, LIST, 100, nth=1)
    run = start(outage, SPECS[:1], task_seconds=30)
    before = clock.now()
    (task,) = run.go().tasks
    assert task.failure == "limit"
    assert outage.began is not None
    assert clock.now() - before < 110


@pytest.mark.promise("what comes from outside is bounded")
def test_the_retry_time_is_used_once_and_not_by_every_request(start: Start, clock: Any) -> None:
    before = clock.now()
    run = start(Outage(clock, LIST, 10 * RETRY_SECONDS, nth=1), SPECS[:1])
    (task,) = run.go().tasks
    assert (task.failure, task.score) == ("benchmark", None)
    assert clock.now() - before < 1.2 * RETRY_SECONDS
