"""``playbook/next-step``: the same programs as typed calls, one a step."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from core.models.model_call import Message
from core.models.prompt_json import compact
from core.models.tokens import count_text
from store_tools.combinations import combinations_for
from workshop.rule_based.prompt import section, user_text
from workshop.rule_based.stepping import Halted, Rehearsal, Wanted, last_rehearsal, render_step
from workshop.rule_based.store import programs
from workshop.rule_based.store.facts import Facts, read_facts
from workshop.rule_based.store.grammar.order import Order
from workshop.rule_based.store.grammar.read import read_order
from workshop.rule_based.store.kinds.judging import judged
from workshop.rule_based.store.matching import phrases
from workshop.rule_based.store.strategy import Decline, plan

Basket = list[dict[str, Any]]
PART_TOKENS = 3_700
"""What one coupon search may answer at most, estimated: it must fit into a prompt whole."""
ROW_TOKENS = 18
"""Of one result, besides its items."""
CHEAPEST, LARGEST = 8, 4
"""Results of a search that the program looks at: the cheapest, and those with most discount."""
_REMAINING = {
    "survey": ["look up what is asked for", "plan the cheapest allowed purchase", "buy or decline"],
    "simulate": ["have the shop price the allowed baskets", "choose the best", "buy or decline"],
    "purchase": ["complete as solved", "if refused, plan again"],
}


def reply(messages: list[Message]) -> str:
    """Write the next step for a prompt, as JSON. Raises LookupError where it holds no task."""
    prompt = user_text(messages)
    task = section("task", prompt)
    if task is None:
        raise LookupError("the prompt holds no task")
    try:
        return _next(read_order(task), last_rehearsal(prompt))
    except Halted as reason:
        return _declined(str(reason))


def _next(order: Order, rehearsal: Rehearsal | None) -> str:
    """Go on with the program that runs, else with what its report leads to."""
    facts = Facts()
    if rehearsal is not None:
        report = run(rehearsal)
        if isinstance(report, Wanted):
            return _render(order, rehearsal, report, "So far so good.")
        instruction = rehearsal.instruction
        facts = read_facts(instruction.step, report, instruction.parameters)
    step = plan(order, judged(phrases(order), facts))
    if isinstance(step, Decline):
        return _declined(step.why)
    rehearsal = Rehearsal(step)
    wanted = run(rehearsal)
    assert isinstance(wanted, Wanted), "each program calls a tool"
    return _render(order, rehearsal, wanted, step.why)


def run(rehearsal: Rehearsal) -> Wanted | dict[str, Any]:
    """Run a store program up to its first call without an answer. Raises Halted as it does."""
    step, p = rehearsal.instruction.step, rehearsal.instruction.parameters
    if step not in programs.STEPS:
        raise Halted(f"there is no step {step}")

    def list_products(**arguments: Any) -> Any:
        def cheapest(answer: Any) -> Any:
            rows = sorted(answer["products"], key=lambda x: x["price"])
            return {"products": rows[: p["whole_catalog"]]}

        noted = cheapest if p["whole_catalog"] else None
        return rehearsal.ask("Combo_List_All_Products", arguments, noted) or {"products": []}

    def check_out(expected_total: int, expected_coupon: str) -> Any:
        expected = {"expected_total": expected_total, "expected_coupon": expected_coupon}
        final = {**expected, "expected_items": p["items"]}
        return rehearsal.ask("Req_CheckoutBasket", {}, final=final)

    tools: dict[str, Callable[..., Any]] = {
        "Combo_List_All_Products": list_products,
        "Combo_Test_Coupons_For_Product_Combinations": partial(_test_coupons, rehearsal),
        "Req_CheckoutBasket": check_out,
        # These send no request, or are done by the completion that buys.
        "Combo_Generate_Product_Combinations_For_Target_Units": combinations_for,
        "Combo_Set_Basket_For_Items": lambda items, coupon: {},
    }
    return rehearsal.run(programs.code(step, p), tools)


def _test_coupons(
    rehearsal: Rehearsal, combinations: list[Basket], coupons: list[str], every: bool
) -> Any:
    """Search in parts whose answers fit into a prompt; the best so far is noted once."""
    best: dict[str, Any] = {"results": [], "errors": []}
    for number, part in enumerate(_parts(combinations, len(coupons))):
        arguments = {"combinations": part, "coupons": coupons, "every": every}
        tool = "Combo_Test_Coupons_For_Product_Combinations"
        best = _merge(best, rehearsal.ask(tool, arguments))
        rehearsal.seen[-1] = {"value": best}
        if number:
            rehearsal.seen[-2] = {"value": {"results": [], "errors": []}}
    return best


def _parts(combinations: list[Basket], coupons: int) -> Iterable[list[Basket]]:
    part: list[Basket] = []
    tokens = 0
    for items in combinations:
        size = (ROW_TOKENS + count_text(compact(items))) * (coupons + 1)
        if part and tokens + size > PART_TOKENS:
            yield part
            part, tokens = [], 0
        part.append(items)
        tokens += size
    if part:
        yield part


def _merge(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Join two parts of a search, and keep what the program takes of it.

    A code that gave nothing in one part may give something in the other.
    """
    by_text = {compact(row): row for row in (*one["results"], *other["results"])}
    rows = sorted(by_text.values(), key=lambda r: (r["total"], r["coupon"] != "", len(r["items"])))
    with_code = [r for r in rows if r["coupon"]]
    largest = sorted(with_code, key=lambda r: -r["discount"])[:LARGEST]
    best = [r for r in rows if r in rows[:CHEAPEST] or r in largest or r in with_code[:CHEAPEST]]
    useful = {row["coupon"] for row in rows}
    errors = {compact(e): e for e in (*one["errors"], *other["errors"])}
    idle = [e for e in errors.values() if e.get("coupon") not in useful]
    return {"results": best, "errors": idle[:12]}


def _render(order: Order, rehearsal: Rehearsal, wanted: Wanted, why: str) -> str:
    instruction = rehearsal.instruction
    state, remaining = f"Playbook {instruction.playbook}. {why}", _REMAINING[instruction.step]
    if wanted.final is None:
        return rehearsal.render(wanted, state, remaining)
    p = instruction.parameters
    items = ", ".join(f"{i['quantity']} x {i['sku']}" for i in p["items"])
    code = f"coupon {p['coupon']} with its discount" if p["coupon"] else "no coupon"
    conditions = [order.summary(), items, code, f"total {p['expected_total']}"]
    done = {"status": "solved", "reason": f"by {instruction.playbook}", "conditions": conditions}
    completion = Wanted("TaskCompletion", {**done, "final": wanted.final})
    return rehearsal.render(completion, state, remaining)


def _declined(why: str) -> str:
    function = {"tool": "TaskCompletion", "status": "impossible", "reason": why}
    return render_step(f"I do not buy: {why}.", ["complete as impossible"], function)
