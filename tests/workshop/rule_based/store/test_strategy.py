"""From an order and reported facts to the next step, one playbook after the other."""

from __future__ import annotations

import pytest

from store_tools.combo_products import FOUND_AT_MOST
from workshop.rule_based.prompt import Instruction, read_instruction
from workshop.rule_based.store.facts import Facts, Product, QueryResult, Row, read_facts
from workshop.rule_based.store.grammar.order import Line, Order
from workshop.rule_based.store.grammar.read import read_order
from workshop.rule_based.store.kinds.kind_score import RELATED
from workshop.rule_based.store.strategy import Decline, plan


def product(sku: str, price: int, available: int = 9, **more: object) -> Product:
    return Product(sku=sku, name=more.pop("name", sku), price=price, available=available, **more)  # type: ignore[arg-type]


def surveyed(**found: list[Product]) -> Facts:
    return Facts(
        step="survey",
        by_query={q.replace("_", " "): QueryResult(matches=tuple(p)) for q, p in found.items()},
    )


def bought(step: Instruction | Decline) -> dict[str, int]:
    assert isinstance(step, Instruction), step
    assert step.step == "purchase"
    items = step.parameters["items"]
    return {i["sku"]: i["quantity"] for i in items}  # type: ignore[attr-defined]


def refused(step: Instruction | Decline) -> str:
    assert isinstance(step, Decline), step
    return step.why


def test_the_first_step_looks_everything_up() -> None:
    step = plan(read_order("Buy 2 mugs and a pot"), Facts())
    assert isinstance(step, Instruction)
    assert (step.step, step.parameters["queries"]) == ("survey", ["mug|beaker", "pot"])


def test_an_instruction_can_be_read_back() -> None:
    step = plan(read_order("Buy 2 mugs"), Facts())
    assert isinstance(step, Instruction)
    found = read_instruction(f"INSTRUCTION:\n{step.render()}\nRESULT: none")
    assert found
    assert (found.playbook, found.step, found.parameters) == (
        step.playbook,
        step.step,
        step.parameters,
    )


def test_a_plain_purchase_expects_its_total() -> None:
    step = plan(read_order("Buy 2x mug"), surveyed(mug=[product("mug", 7)]))
    assert bought(step) == {"mug": 2}
    assert isinstance(step, Instruction)
    assert step.parameters["expected_total"] == 14


def test_too_little_stock_is_refused_and_fewer_taken_only_where_allowed() -> None:
    facts = surveyed(mugs=[product("mug", 7, 3)])
    assert "only 3 of 5" in refused(plan(read_order("Buy 5 mugs"), facts))
    assert bought(plan(read_order("Buy up to 5 mugs"), facts)) == {"mug": 3}


def test_two_products_for_one_name_are_refused_without_a_preference() -> None:
    facts = surveyed(
        mug=[product("mug-a", 7, name="Mug Alpha"), product("mug-b", 8, name="Mug Beta")]
    )
    assert "does not say which" in refused(plan(read_order("Buy 1x mug"), facts))
    assert bought(plan(read_order("Buy the cheapest mug"), facts)) == {"mug-a": 1}
    assert bought(plan(read_order("Buy the most expensive mug"), facts)) == {"mug-b": 1}


def test_a_whole_category_takes_the_stock_and_skips_what_is_sold_out() -> None:
    facts = surveyed(mugs=[product("a", 7, 3), product("b", 8, 0), product("c", 9, 1)])
    assert bought(plan(read_order("Buy ALL mugs"), facts)) == {"a": 3, "c": 1}


def test_packs_are_counted_in_units() -> None:
    packs = [
        product("six", 12, name="Cola 6-pack", units=6),
        product("dozen", 20, name="Cola 12-pack", units=12),
    ]
    facts = surveyed(colas=packs)
    assert bought(plan(read_order("Buy 18 colas as cheaply as possible"), facts)) == {
        "six": 1,
        "dozen": 1,
    }
    assert "exactly 20" in refused(plan(read_order("Buy 20 colas as cheaply as possible"), facts))


def test_an_unread_pack_size_is_a_doubt() -> None:
    odd = [product("a", 4, name="Cola Tower 4"), product("b", 7, name="Cola Tower 8")]
    step = plan(read_order("Buy 16 colas as cheaply as possible"), surveyed(colas=odd))
    assert "unclear" in refused(step)


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("Buy a mug for under $7", False),
        ("Buy a mug for at most $7", True),
        ("Buy 2 mugs for no more than $13", False),
        ("Buy ALL mugs for at most $62", False),
        ("Buy ALL mugs for at most $63", True),
    ],
)
def test_budgets(text: str, fits: bool) -> None:
    facts = surveyed(mug=[product("mug", 7)], mugs=[product("mug", 7)])
    step = plan(read_order(text), facts)
    assert isinstance(step, Instruction) is fits


def test_codes_are_tried_in_the_shop_first() -> None:
    facts = surveyed(mug=[product("mug", 7)])
    step = plan(read_order("Buy 1x mug with coupon MUG5"), facts)
    assert isinstance(step, Instruction)
    assert (step.step, step.parameters["coupons"]) == ("simulate", ["MUG5"])


def rows(*found: tuple[str, int, int]) -> Facts:
    made = [
        Row(items=(("mug", 1),), coupon=c, subtotal=t + d, discount=d, total=t) for c, d, t in found
    ]
    return Facts(step="simulate", rows=tuple(made))


def test_a_demanded_code_must_pay_and_an_offered_one_may() -> None:
    dead = rows(("", 0, 7))
    assert "no demanded code" in refused(plan(read_order("Buy 1x mug with coupon MUG5"), dead))
    offered = read_order("Buy 1x mug as cheaply as possible. Coupons: MUG5, MUG6")
    assert bought(plan(offered, dead)) == {"mug": 1}
    step = plan(offered, rows(("", 0, 7), ("MUG5", 2, 5), ("MUG6", 1, 6)))
    assert isinstance(step, Instruction)
    assert step.parameters["coupon"] == "MUG5"


def test_a_code_that_gives_less_than_promised_is_refused() -> None:
    order = read_order("Buy 1x mug with coupon MUG5 to get $5 off")
    assert "less than" in refused(plan(order, rows(("", 0, 7), ("MUG5", 2, 5))))


def test_two_codes_at_once_are_refused_at_sight() -> None:
    order = read_order("Buy 1x mug using both MUG5 and POT5 coupons")
    assert "one at a time" in refused(plan(order, Facts()))


def failed(found: dict[str, QueryResult], error: str, **items: int) -> Facts:
    parameters = {"items": [{"sku": s, "quantity": n} for s, n in items.items()]}
    report = {"bought": False, "error": error}
    return read_facts("purchase", report, parameters).model_copy(update={"by_query": found})


def test_ghost_stock_reduces_only_where_fewer_are_allowed() -> None:
    listed_now = {"mugs": QueryResult(matches=(product("mug", 7, 1),))}
    error = "insufficient inventory for product mug during checkout: available 1, in basket 3"
    all_mugs, three = read_order("Buy ALL mugs"), read_order("Buy 3 mugs")
    assert bought(plan(all_mugs, failed(listed_now, error, mug=3))) == {"mug": 1}
    assert "only 1 of 3" in refused(plan(three, failed(listed_now, error, mug=3)))


def test_a_basket_that_checkout_refused_is_not_tried_again() -> None:
    found = {"mugs": QueryResult(matches=(product("mug", 7, 3),))}
    step = plan(read_order("Buy 3 mugs"), failed(found, "the till is on fire", mug=3))
    assert "on fire" in refused(step)


def test_a_substitute_stands_in_for_what_is_sold_out() -> None:
    text = "I want the tin mug in red. If the red one is sold out take the blue one."
    facts = Facts(
        step="survey",
        by_query={
            "tin mug in red": QueryResult(matches=(product("red", 7, 0),)),
            "tin mug in blue": QueryResult(matches=(product("blue", 7, 2),)),
        },
    )
    assert bought(plan(read_order(text), facts)) == {"blue": 1}


def test_a_cheap_thing_of_doubtful_kind_is_no_bargain() -> None:
    matches = [product("player", 250, score=0.99), product("slip", 12, score=0.69)]
    step = plan(read_order("Buy a turntable for at most $300"), surveyed(turntable=matches))
    assert bought(step) == {"player": 1}


def test_an_unreadable_report_is_a_refusal() -> None:
    assert "cannot be read" in refused(plan(read_order("Buy a mug"), Facts(step="unreadable")))


def test_a_good_that_is_itself_a_box_is_counted_in_pieces() -> None:
    packs = [
        product("five", 4, name="Hat Boxes Norda, pack of 5", units=5),
        product("twenty", 14, name="Hat Boxes Norda, pack of 20", units=20),
    ]
    step = plan(read_order("Buy 30 hat boxes as cheaply as possible"), surveyed(hat_boxes=packs))
    assert bought(step) == {"five": 2, "twenty": 1}


def doubtful(query: str, sure: list[Product], doubt: Product) -> Facts:
    near = doubt.model_copy(update={"score": RELATED})
    return Facts(step="survey", by_query={query: QueryResult(matches=tuple(sure), near=(near,))})


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Buy one of each mug you sell", "mug"),
        ("Buy ALL mugs", "mugs"),
        ("Buy the cheapest mug in stock", "mug"),
        ("Buy 3 mugs as cheaply as possible", "mugs"),
    ],
)
def test_a_product_that_may_be_of_the_kind_is_a_doubt(text: str, query: str) -> None:
    sure = [product("mug", 7, name="Norda Fells Mug 1 L")]
    odd = product("odd", 6, name="Mug Zarfle")
    assert "unclear whether 'Mug Zarfle'" in refused(
        plan(read_order(text), doubtful(query, sure, odd))
    )
    gone = odd.model_copy(update={"available": 0})
    assert bought(plan(read_order(text), doubtful(query, sure, gone)))["mug"]


def test_more_products_than_are_told_cannot_be_compared() -> None:
    many = [product(f"m{i}", 7 + i, name=f"Norda Mug {i}") for i in range(FOUND_AT_MOST)]
    found = QueryResult(matches=tuple(many), cut=True)
    facts = Facts(step="survey", by_query={"mug": found, "mugs": found})
    assert "too many" in refused(plan(read_order("Buy the cheapest mug in stock"), facts))
    assert "too many" in refused(plan(read_order("Buy ALL mugs"), facts))


def test_details_in_brackets_are_no_second_thing_to_buy() -> None:
    other = product("s", 9, name="Norda Mug Fells, 200 ml, Lacquer")
    found = {
        "mug 300 ml": [product("l", 9, name="Norda Mug Fells, 300 ml, Clay")],
        "Lacquer": [other],
    }
    facts = Facts(
        step="survey", by_query={q: QueryResult(matches=tuple(p)) for q, p in found.items()}
    )
    line = Line(phrase="mug 300 ml, Lacquer", amount="exact", pieces=("mug 300 ml", "Lacquer"))
    assert "does not sell" in refused(plan(Order(lines=[line]), facts))


def test_the_whole_name_wins_over_one_that_differs_in_a_small_word() -> None:
    one = product("one", 30, name="Norda Sconce Fells, One Light, Brass")
    two = product("two", 40, name="Norda Sconce Fells, Light, Brass")
    line = Line(phrase=one.name, amount="exact", quantity=2, counts_packs=True)
    facts = Facts(step="survey", by_query={one.name: QueryResult(matches=(two, one))})
    assert bought(plan(Order(lines=[line]), facts)) == {"one": 2}


def test_a_best_basket_is_not_known_where_some_were_not_tried() -> None:
    facts = rows(("", 0, 7), ("MUG5", 2, 5)).model_copy(update={"cut": True})
    cheapest = read_order("Buy 1x mug as cheaply as possible. Coupons: MUG5, MUG6")
    assert "more baskets" in refused(plan(cheapest, facts))
    assert bought(plan(read_order("Buy 1x mug with coupon MUG5"), facts)) == {"mug": 1}
