"""Trying coupons in the shop: a code counts only when the basket shows a discount."""

from __future__ import annotations

from playbooks.budget_check import affordable
from playbooks.facts import Row
from playbooks.grammar import Order
from playbooks.playbook import Decline, Playbook

SIMULATE = """\
import itertools
combinations = [[]]
for group in p["groups"]:
    if "contents" in group:
        choices = group["contents"]
    else:
        made = Combo_Generate_Product_Combinations_For_Target_Units(
            products=group["products"], target_units=group["target"])
        choices = [c["items"] for c in made["combinations"]]
    combinations = [a + b for a in combinations for b in choices][:p["most"]]
base = combinations[:3]
added = []
for filler in p["fillers"]:
    for number in range(1, min(3, filler["available"]) + 1):
        added.append([{"sku": filler["sku"], "quantity": number}])
mixed = []
cheap = p["fillers"][:8]
for i, first in enumerate(cheap):
    for second in cheap[i + 1:]:
        for a, b in ((1, 1), (1, 2), (2, 1)):
            if a <= first["available"] and b <= second["available"]:
                cost = a * first["price"] + b * second["price"]
                pair = [{"sku": first["sku"], "quantity": a}, {"sku": second["sku"], "quantity": b}]
                mixed.append((cost, pair))
for first, second, third in itertools.combinations(cheap, 3):
    cost = first["price"] + second["price"] + third["price"]
    mixed.append((cost, [{"sku": x["sku"], "quantity": 1} for x in (first, second, third)]))
mixed.sort(key=lambda pair: pair[0])
added = added + [content for cost, content in mixed]
for content in added:
    for start in base:
        combinations.append(start + content)
tested = combinations[:p["most"]]
tried = Combo_Test_Coupons_For_Product_Combinations(combinations=tested, coupons=p["coupons"])
rows = tried["results"]
with_code = [r for r in rows if r["coupon"]]
best = rows[:8] + sorted(with_code, key=lambda r: -r["discount"])[:4] + with_code[:8]
final_answer({"results": best, "errors": tried["errors"][:12], "tested": len(tested),
              "cut": len(combinations) > len(tested)})
"""

PLAYBOOK = Playbook(
    name="best-coupon",
    trigger="coupon codes in the task",
    prose=(
        "Have every code tried on every allowed basket; judge by the discount shown, not by acceptance. One "
        "coupon at a time: two at once is impossible. A demanded code without discount: decline. Offered codes "
        "that do not help: buy without."
    ),
    programs={"simulate": SIMULATE},
)


def choose(order: Order, rows: tuple[Row, ...]) -> Row | Decline:
    """The row to buy, by the order's demands and goal."""
    codes = set(order.codes.codes)
    if order.codes.mode == "any":
        rows = tuple(r for r in rows if r.coupon in codes and r.discount > 0)
        if not rows:
            return Decline(f"no demanded code gives a discount ({'/'.join(order.codes.codes)})")
        rows = tuple(r for r in rows if _as_promised(order, r))
        if not rows:
            return Decline("the code gives less than the task says")
    fitting = affordable(order, rows)
    if not fitting:
        return Decline("every basket that answers the task is over the money limit")
    if order.goal == "discount":
        best = max(fitting, key=lambda r: (r.discount, -r.total))
        if best.discount == 0 and order.codes.codes:
            return Decline("no code gives any discount")
        return best
    return min(fitting, key=lambda r: (r.total, r.coupon != "", len(r.items)))


def _as_promised(order: Order, row: Row) -> bool:
    if order.codes.off_dollars is not None:
        return row.discount >= order.codes.off_dollars
    if order.codes.off_percent is not None:
        return row.discount >= row.subtotal * order.codes.off_percent // 100
    return True
