"""Buying a known basket: set it, check it, check it out."""

from __future__ import annotations

from playbooks.playbook import Playbook

PURCHASE = """\
report = {"bought": False}
try:
    basket = Combo_Set_Basket_For_Items(items=p["items"], coupon=p["coupon"])
    report["receipt"] = Req_CheckoutBasket(
        expected_total=p["expected_total"], expected_coupon=p["coupon"])
    report["bought"] = True
except Exception as error:
    report["error"] = str(error)
if not report["bought"]:
    Combo_Empty_Basket()
    products = Combo_List_All_Products(refresh=True)["products"]
    if p["whole_catalog"]:
        report["catalog"] = sorted(products, key=lambda x: x["price"])[:p["whole_catalog"]]
    report["found"] = {q: Combo_Find_Products_For_Query(query=q) for q in p["queries"]}
final_answer(report)
"""

PLAYBOOK = Playbook(
    name="plain-purchase",
    trigger="the basket to buy is known",
    prose=(
        "One instruction: set exactly these items and coupon, then Req_CheckoutBasket with the expected total and "
        "coupon; if it is refused, empty the basket and report the error and the stock listed now."
    ),
    programs={"purchase": PURCHASE},
)
