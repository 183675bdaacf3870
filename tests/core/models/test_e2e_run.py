"""The bundled pack through model servers that misbehave, two roles at two servers at once.

Behind the servers sits the scripted model, which solves every task of the pack; so a score below
1.0 is an answer that was lost on the way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.kit import fake_openai_faults as faults
from tests.kit.fake_openai import Billed, FakeOpenAI

SOME = (
    "named_item_on_last_page", "cheapest_mix_ghost_fill_in", "pack_sizes_exact_count",
    "one_of_two_coupons_allowed", "coupon_code_unknown", "two_coupons_demanded_together",
    "exact_variant_sold_out", "hostile_product_name", "bundle_complete_percent_coupon",
    "fixed_item_best_of_five_codes", "required_coupon_works",
)  # fmt: skip
FEW = ("stock_exactly_enough", "single_item_over_budget", "required_coupon_works")
REFUSED = ("429", "429-after", "500", "502", "503", "503-quoting", "529", "error-200")
"""Faults that cost nothing and pass."""
UNTOLD = ("html", "empty-body", "no-json", "no-choices", "drop", "slow")
"""Faults after which nobody knows what was billed."""

Serve = Callable[..., FakeOpenAI]


def total(*servers: FakeOpenAI) -> Billed:
    bill = Billed()
    for server in servers:
        bill += server.billed
    return bill


def all_solved(run: Any) -> bool:
    lost = {t["spec_id"]: t["error"] or t["eval_log"] for t in run.tasks if t["score"] != 1.0}
    assert not lost
    return bool(run.results["totals"]["harm"] == 0)


def nothing_of_a_decoy_was_done(run: Any) -> None:
    for turn in run.of("turn"):
        assert "decoy" not in str(turn["decision"])
        assert "decoy" not in str(
            [step["code"] for step in (turn["report"] or {"steps": []})["steps"]]
        )


def assert_accounted(run: Any, *servers: FakeOpenAI) -> None:
    """Tokens of calls, tasks and run are those on the servers' bills."""
    bill = vars(total(*servers))
    assert run.results["totals"]["tokens"] == bill
    for part, tokens in bill.items():
        assert sum(task["tokens"][part] for task in run.tasks) == tokens
        assert sum(call["usage"][part] for call in run.calls) == tokens
    assert len(run.calls) == sum(len(server.seen) for server in servers)


def assert_no_key_is_told(run: Any, keys: tuple[str, ...]) -> None:
    for key in keys:
        assert not run.tells(key)
        assert key not in run.shown


def test_every_dress_of_an_answer_is_read_without_a_question(
    model_server: Serve, run_through: Any, keys: tuple[str, ...]
) -> None:
    names = sorted(faults.READABLE)
    eyes, hands = (model_server(plan=faults.spread(names)) for _ in range(2))
    run = run_through([eyes], [hands])
    assert all_solved(run)
    assert len(run.tasks) == 32
    nothing_of_a_decoy_was_done(run)
    assert_accounted(run, eyes, hands)
    assert (eyes.keys, hands.keys) == ({keys[0]}, {keys[2]})
    assert {ask.model for ask in eyes.seen} == {"fake-eyes"}
    assert {ask.model for ask in hands.seen} == {"fake-hands"}
    for ask in (*eyes.seen, *hands.seen):
        assert [m["role"] for m in ask.messages] == ["system", "user"]
    assert set(eyes.met) | set(hands.met) == set(faults.READABLE)


def test_what_a_question_or_another_attempt_repairs_costs_no_score(
    model_server: Serve, run_through: Any, keys: tuple[str, ...]
) -> None:
    names = [*sorted(faults.UNREADABLE), *REFUSED]
    eyes, hands = (model_server(plan=faults.spread(names), retry_after="0.01") for _ in range(2))
    run = run_through([eyes], [hands], SOME)
    assert all_solved(run)
    nothing_of_a_decoy_was_done(run)
    assert_accounted(run, eyes, hands)
    met = set(eyes.met) | set(hands.met)
    assert len(met & set(faults.UNREADABLE)) >= 6
    assert len(met & set(REFUSED)) >= 5
    assert_no_key_is_told(run, keys)


def test_answers_that_never_came_cost_no_score_but_leave_the_bill_open(
    model_server: Serve, run_through: Any
) -> None:
    plan = faults.by_seed(5, UNTOLD, rate=0.5)
    eyes, hands = model_server(plan=plan), model_server(plan=plan)
    run = run_through([eyes], [hands], SOME, timeout_seconds=2)
    assert all_solved(run)
    assert len(set(eyes.met) | set(hands.met)) >= 4
    assert run.results["totals"]["tokens"]["prompt"] is None
    assert run.results["totals"]["cost_usd"] is None


def test_the_second_backend_carries_a_run_whose_first_one_fails(
    model_server: Serve, run_through: Any, keys: tuple[str, ...]
) -> None:
    """Evaluator: overloaded for the whole run. Worker: a key that nobody knows."""
    overloaded, well = model_server(plan=faults.always("503-quoting")), model_server()
    locked, open_ = model_server(key="another one"), model_server()
    run = run_through([overloaded, well], [locked, open_], SOME)
    assert all_solved(run)
    assert_accounted(run, overloaded, well, locked, open_)
    # Eight tasks begin together; later calls know better.
    assert 1 <= len(locked.seen) <= 8
    # Three attempts each, and a probe now and then; without a preference it would be all calls.
    assert len(overloaded.seen) <= 36
    assert len(well.seen) > 8
    followed_by = {call["next"] for call in run.calls if call["backend"] == "hands-0"}
    assert "hands-0 is disabled for the rest of this run; next backend: hands-1" in followed_by
    assert any(
        "next backend: eyes-1" in (call["next"] or "")
        for call in run.calls
        if call["backend"] == "eyes-0"
    )
    assert (locked.keys, open_.keys) == ({keys[2]}, {keys[3]})
    assert_no_key_is_told(run, keys)


def test_a_prompt_beyond_the_context_ends_its_task_alone(
    model_server: Serve, run_through: Any
) -> None:
    def plan(messages: list[dict[str, str]], nth: int) -> str | None:
        return "context-vllm" if "Moka Pot" in messages[-1]["content"] else None

    eyes, hands = model_server(plan=plan), model_server()
    run = run_through([eyes], [hands], ["named_item_on_last_page", *FEW], code=1)
    first, *others = run.tasks
    assert first["outcome"] == "error"
    assert "larger context window" in first["error"]
    assert {task["score"] for task in others} == {1.0}
    assert eyes.met == {"context-vllm": 1}
