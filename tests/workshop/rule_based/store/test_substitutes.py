"""A substitute is for what cannot be had, and not for what is in doubt."""

from __future__ import annotations

from workshop.rule_based.prompt import Instruction
from workshop.rule_based.store.facts import Facts, Product, QueryResult
from workshop.rule_based.store.grammar.order import Line, Order
from workshop.rule_based.store.kinds.kind_score import RELATED
from workshop.rule_based.store.strategy import Decline, plan

LINE = Line(phrase="tent", amount="exact", quantity=1, pick="cheapest", fallback="tarp")
TENT = Product(sku="tent", name="Tent", price=50, available=3)
TARP = Product(sku="tarp", name="Tarp", price=20, available=3)
ODD = Product(sku="odd", name="Tent Shelter Kit", price=30, available=3, score=RELATED)


def told(*near: Product, tents: tuple[Product, ...] = (TENT,)) -> Facts:
    found = {"tent": QueryResult(matches=tents, near=near), "tarp": QueryResult(matches=(TARP,))}
    return Facts(step="survey", by_query=found)


def bought(step: Instruction | Decline) -> object:
    assert isinstance(step, Instruction)
    return step.parameters["items"]


def test_the_first_choice_is_taken_where_it_can_be_had() -> None:
    assert bought(plan(Order(lines=[LINE]), told())) == [{"sku": "tent", "quantity": 1}]


def test_the_substitute_is_taken_where_the_first_choice_is_not_sold() -> None:
    step = plan(Order(lines=[LINE]), told(tents=()))
    assert bought(step) == [{"sku": "tarp", "quantity": 1}]


def test_a_doubt_about_the_first_choice_buys_no_substitute() -> None:
    step = plan(Order(lines=[LINE]), told(ODD))
    assert isinstance(step, Decline)
    assert "unclear whether 'Tent Shelter Kit'" in step.why
