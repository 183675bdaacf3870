"""What was recorded of the public tasks, replayed on the reference pack."""

import math
from collections.abc import Callable
from typing import Any

import pytest

from workshop.simulator.store.pack import Pack
from workshop.simulator.world import Refusal

Buyers = Callable[[str], Any]
COUNT_MATCHES = "GOOD: Expected number of checkout events matches: "


def test_gpu_race(reference_buyer: Buyers) -> None:
    buyer = reference_buyer("gpu_race")
    with pytest.raises(Refusal, match="page limit exceeded: 10 > 3"):
        buyer.ask("/products/list", offset=0, limit=10)
    buyer.fill(gpu_h100=3, gpu_a100=4)
    with pytest.raises(Refusal) as caught:
        buyer.ask("/basket/checkout")
    assert str(caught.value) == (
        "insufficient inventory for product gpu-h100 during checkout: available 1, in basket 3"
    )
    listed = buyer.ask("/products/list", offset=3, limit=1)["products"]
    assert listed == [{"sku": "gpu-h100", "name": "NVidia H100", "available": 1, "price": 20000}]
    removed = buyer.ask("/basket/remove", sku="gpu-h100", quantity=2)
    assert removed == {"line_count": 2, "item_count": 5}
    view = buyer.ask("/basket/view")
    assert [line["sku"] for line in view["items"]] == ["gpu-a100", "gpu-h100"]
    bought = buyer.ask("/basket/checkout")
    assert list(bought) == ["items", "subtotal", "coupon", "discount", "total"]
    assert [line["sku"] for line in bought["items"]] == ["gpu-h100", "gpu-a100"]
    assert (bought["subtotal"], bought["coupon"], bought["discount"]) == (67800, "", 0)
    expected = (1.0, [COUNT_MATCHES + "1", "GOOD: Checkout event matches expectation"])
    assert buyer.complete() == expected


def test_impossible_bundle_coupon(reference_buyer: Buyers) -> None:
    buyer = reference_buyer("impossible_bundle_coupon")
    buyer.fill(protein_bar=1, electrolyte_drink=1, shaker_bottle=1)
    buyer.ask("/coupon/apply", coupon="FIT20")
    before = buyer.ask("/basket/view")
    assert (before["discount"], before["total"]) == (20, 35)
    text = "product electrolyte-drink during checkout: available 0, in basket 1"
    with pytest.raises(Refusal, match=text):
        buyer.ask("/basket/checkout")
    assert buyer.ask("/basket/view") == before
    stock = {
        product["sku"]: product["available"]
        for product in buyer.ask("/products/list", offset=0, limit=4)["products"]
    }
    assert stock == {"protein-bar": 10, "electrolyte-drink": 0, "shaker-bottle": 10}
    assert buyer.complete() == (1.0, [COUNT_MATCHES + "0"])


def test_printer_mismatch_text(reference_buyer: Buyers) -> None:
    buyer = reference_buyer("printer_bundle_add_paper_for_coupon")
    buyer.fill(cable_usb=1, paper_500=1, printer_laser=1)
    buyer.ask("/coupon/apply", coupon="BUNDLE30")
    assert buyer.ask("/basket/checkout")["total"] == 215
    score, lines = buyer.complete()
    assert score == 0.0
    assert lines[1:] == [
        "FAIL: Checkout event does not match expectation.",
        "Expected: *Evt_BasketCheckedOut{Items:[{printer-laser 1 220} {paper-500 1 15}], "
        "Subtotal:235, Coupon:BUNDLE30, Discount:30, Total:205}",
        "Actual:   &{Items:[{SKU:printer-laser Quantity:1 Price:220} "
        "{SKU:paper-500 Quantity:1 Price:15} {SKU:cable-usb Quantity:1 Price:10}] "
        "Subtotal:245 Coupon:BUNDLE30 Discount:30 Total:215}",
    ]


def test_unfitting_coupon_is_shown_without_discount(reference_buyer: Buyers) -> None:
    buyer = reference_buyer("coupon_requires_missing_product")
    buyer.fill(soda_6pk=1, soda_12pk=1)
    assert buyer.ask("/coupon/apply", coupon="BULK50") == {}
    view = buyer.ask("/basket/view")
    assert list(view) == ["items", "subtotal", "coupon", "total"]
    assert (view["subtotal"], view["coupon"], view["total"]) == (32, "BULK50", 32)


@pytest.mark.parametrize(
    ("spec_id", "code"),
    [
        ("coupon_doesnt_exist", "SAVE50"),
        ("pet_store_best_coupon", "DOGSALE"),
        ("hidden_cheap_gpu", "GPU10"),
        ("soda_pack_optimizer", "FREESHIP"),
        ("phone_case_variant_selection", "MAGSAFE5"),
    ],
)
def test_rejected_codes(reference_buyer: Buyers, spec_id: str, code: str) -> None:
    buyer = reference_buyer(spec_id)
    with pytest.raises(Refusal, match=f"^invalid coupon code: {code}$"):
        buyer.ask("/coupon/apply", coupon=code)
    assert "coupon" not in buyer.ask("/basket/view")
    assert buyer.ask("/coupon/remove") == {}


def test_pages_of_every_task(reference_buyer: Buyers, reference_pack: Pack) -> None:
    for scenario in reference_pack.scenarios:
        buyer = reference_buyer(scenario.spec_id)
        found: list[str] = []
        offset, pages = 0, 0
        while offset != -1:
            page = buyer.ask("/products/list", offset=offset, limit=0)
            found += [product["sku"] for product in page["products"]]
            offset, pages = page["next_offset"], pages + 1
        assert found == [product.sku for product in scenario.products]
        assert pages == math.ceil(len(found) / scenario.page_limit)


@pytest.mark.parametrize(
    ("coupon", "lines", "discount"),
    [
        ("SALEX", {"soda_6pk": 2, "soda_12pk": 1}, 14),
        ("COMBO", {"soda_6pk": 2, "soda_12pk": 1}, 12),
        ("BULK24", {"soda_24pk": 1}, 0),
        ("SALEX", {"soda_6pk": 1, "soda_12pk": 1}, 0),
    ],
)
def test_soda_coupons(
    reference_buyer: Buyers, coupon: str, lines: dict[str, int], discount: int
) -> None:
    buyer = reference_buyer("soda_pack_optimizer")
    buyer.fill(**lines)
    buyer.ask("/coupon/apply", coupon=coupon)
    assert buyer.ask("/basket/view").get("discount", 0) == discount


def test_every_task_can_be_won(reference_buyer: Buyers, reference_pack: Pack) -> None:
    for scenario in reference_pack.scenarios:
        buyer = reference_buyer(scenario.spec_id)
        for event in scenario.expect.any_of[:1]:
            for item in event.items:
                buyer.ask("/basket/add", sku=item.sku, quantity=item.quantity)
            buyer.ask("/coupon/apply", coupon=event.coupon or "")
            buyer.ask("/basket/checkout")
        assert buyer.complete()[0] == 1.0, scenario.spec_id
