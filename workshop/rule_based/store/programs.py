"""The worker's programs by step: each reads ``p``, the parameters of its instruction.

They keep to the Python that Monty has, so that they run where there is no other sandbox.
"""

from __future__ import annotations

from typing import Any

from workshop.rule_based.prompt import program_of

_PROGRAMS = {
    "survey": """\
# Report all matches of every wanted phrase.
report = {"found": {}}
for query in p["queries"]:
    report["found"][query] = ok(Combo_Find_Products_For_Query(query=query))
if p["whole_catalog"]:
    products = ok(Combo_List_All_Products())["products"]
    report["catalog"] = sorted(products, key=lambda x: x["price"])[:p["whole_catalog"]]
""",
    "simulate": """\
# Price every allowed basket, and some with additions, with every code; report the best.
baskets, possible = [[]], 1
for group in p["groups"]:
    choices = group["contents"]
    if group["products"]:
        made = ok(Combo_Generate_Product_Combinations_For_Target_Units(
            products=group["products"], target_units=group["target"]))
        choices = [c["items"] for c in made["combinations"]]
    possible *= len(choices)
    baskets = [a + b for a in baskets for b in choices][:p["most"]]
bare = baskets[:3]
for added in p["additions"]:
    content = [{"sku": p["fillers"][i], "quantity": added.count(i)} for i in sorted(set(added))]
    baskets += [basket + content for basket in bare][:max(0, p["tried"] - len(baskets))]
tried = ok(Combo_Test_Coupons_For_Product_Combinations(
    combinations=baskets, coupons=p["coupons"], every=p["every"]))
rows = sorted(tried["results"], key=lambda r: (r["total"], r["coupon"] != "", len(r["items"])))
with_code = [r for r in rows if r["coupon"]]
useful = [r["coupon"] for r in with_code]
errors = [e for e in tried["errors"] if e.get("coupon") not in useful]
best = rows[:8]
best += [r for r in with_code[:8] if r not in best]
most = sorted(with_code, key=lambda r: -r["discount"])[:4]
best += [r for r in most if r not in best]
report = {"results": best, "errors": errors[:12], "tested": len(baskets),
          "cut": possible > p["most"]}
""",
    "purchase": """\
# Buy a known set of items, or report why not and what is listed now.
report = {"bought": False}
try:
    ok(Combo_Set_Basket_For_Items(items=p["items"], coupon=p["coupon"]))
    report["receipt"] = Req_CheckoutBasket(
        expected_total=p["expected_total"], expected_coupon=p["coupon"])
    report["bought"] = True
except Exception as error:
    report["error"] = str(error)
if not report["bought"]:
    ok(Combo_Empty_Basket())
    products = ok(Combo_List_All_Products(refresh=True))["products"]
    if p["whole_catalog"]:
        report["catalog"] = sorted(products, key=lambda x: x["price"])[:p["whole_catalog"]]
    report["found"] = {q: ok(Combo_Find_Products_For_Query(query=q)) for q in p["queries"]}
""",
}


def code(step: str, parameters: dict[str, Any]) -> str:
    """Return the program of a step with its parameters. Raises KeyError: there is no such step."""
    return program_of(_PROGRAMS[step], parameters, "halted")


STEPS = frozenset(_PROGRAMS)
