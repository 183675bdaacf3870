"""What the tools find by wording, judged by kind: as good as judging the whole catalog."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store_tools.combo_products import find_products
from workshop.rule_based.store.facts import Facts, Product, QueryResult
from workshop.rule_based.store.kinds.judging import judged, rank, wording
from workshop.rule_based.store.kinds.kind_score import FULL, RELATED

SHOP = [
    "Norda Fells Milk Churn 10 L Steel",
    "Oxley B12 Milk Churn 10 L Copper",
    "Milk Churn Cleaner",
    "Laptop Bag 15 inch",
    "Ultrabook Laptop 14 inch",
    "Sleeve for Laptop",
    "GeForce RTX 4090 Graphics Card",
    "Nvidia H100 GPU",
    "Settee Norda Fells 180 cm Grey",
    "Sofa Oxley B12 200 cm Gray",
    "Projector HD",
    "Projector Screen 100 inch",
    "Running Shoes, pair",
    "Tee Shirt Blue M",
]
PHRASES = [
    "milk churns", "laptop", "GPUs", "graphics card", "grey sofa", "couch", "projectors",
    "running shoes", "T-shirt in blue, size M",
]  # fmt: skip


def shop(names: list[str]) -> list[dict[str, Any]]:
    return [{"sku": f"p{n}", "name": n, "price": 10 + len(n), "available": 3} for n in names]


def found_by_tools(phrase: str, catalog: list[dict[str, Any]]) -> QueryResult:
    session: Any = SimpleNamespace(catalog=catalog, last_query="", shown_as={}, sure={})
    raw = {wording(phrase): QueryResult.model_validate(find_products(session, wording(phrase)))}
    return judged([phrase], Facts(step="survey", by_query=raw)).by_query[phrase]


@pytest.mark.parametrize("phrase", PHRASES)
@given(st.permutations(SHOP))
def test_nothing_is_lost_by_looking_things_up(phrase: str, names: list[str]) -> None:
    catalog = shop(names)
    products = [Product.model_validate(row) for row in catalog]
    scores = dict(zip(names, rank(phrase, products), strict=True))
    found = found_by_tools(phrase, catalog)
    assert {p.name for p in found.matches} == {n for n, s in scores.items() if s >= FULL}
    assert scores != dict.fromkeys(names, 0.0)


def test_a_mark_in_a_name_is_no_other_thing_and_a_pair_of_shoes_is_one() -> None:
    assert [p.name for p in found_by_tools("projectors", shop(SHOP)).matches] == ["Projector HD"]
    assert [p.units for p in found_by_tools("running shoes", shop(SHOP)).matches] == [1]


def test_a_word_within_a_longer_one_is_a_doubt() -> None:
    near = found_by_tools("saw", shop(["Hacksaw", "Chainsaw Oil"])).near
    assert [(p.name, p.score) for p in near if p.score == RELATED] == [("Hacksaw", RELATED)]


def test_more_products_than_are_told_are_known_to_be_cut() -> None:
    many = shop([f"Norda {n} Mug {n} ml" for n in range(50)])
    assert found_by_tools("mugs", many).cut
    assert not found_by_tools("mugs", many[:20]).cut
