"""Every task of the bundled pack: its pages hold its products, and it can be won."""

import math
from collections.abc import Callable
from typing import Any

from workshop.simulator.store.pack import Pack

Buyers = Callable[[str], Any]


def test_pages_of_every_task(bundled_buyer: Buyers, bundled_pack: Pack) -> None:
    for scenario in bundled_pack.scenarios:
        buyer = bundled_buyer(scenario.spec_id)
        found: list[str] = []
        offset, pages = 0, 0
        while offset != -1:
            page = buyer.ask("/products/list", offset=offset, limit=0)
            found += [product["sku"] for product in page["products"]]
            offset, pages = page["next_offset"], pages + 1
        assert found == [product.sku for product in scenario.products]
        assert pages == math.ceil(len(found) / scenario.page_limit)


def test_every_task_can_be_won(bundled_buyer: Buyers, bundled_pack: Pack) -> None:
    for scenario in bundled_pack.scenarios:
        buyer = bundled_buyer(scenario.spec_id)
        for event in scenario.expect.any_of[:1]:
            for item in event.items:
                buyer.ask("/basket/add", sku=item.sku, quantity=item.quantity)
            buyer.ask("/coupon/apply", coupon=event.coupon or "")
            buyer.ask("/basket/checkout")
        assert buyer.complete()[0] == 1.0, scenario.spec_id
