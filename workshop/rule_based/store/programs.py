"""The worker's reference code; each program reads its facts from ``p``, the step's parameters.

A playbook names the programs that carry out its steps; several share one. They keep to the Python
that Monty has, so that they run where there is nothing else.
"""

from __future__ import annotations

SURVEY = """\
report = {"found": {}}
products = []
answers = []
try:
    for query in p["queries"]:
        report["found"][query] = Combo_Find_Products_For_Query(query=query)
        answers.append(report["found"][query])
    if p["whole_catalog"]:
        answers.append(Combo_List_All_Products())
        products = answers[-1]["products"]
except Exception as error:
    report["error"] = str(error)
for answer in answers:
    if "error" in answer:
        report["error"] = answer["error"]["text"]
if p["whole_catalog"] and "error" not in report:
    report["catalog"] = sorted(products, key=lambda x: x["price"])[:p["whole_catalog"]]
final_answer(report)
"""
"""Looks up every wanted phrase and reports all matches."""

SIMULATE = """\
import itertools
combinations = [[]]
possible = 1
for group in p["groups"]:
    if "contents" in group:
        choices = group["contents"]
    else:
        made = {"combinations": []}
        if group["products"]:
            made = Combo_Generate_Product_Combinations_For_Target_Units(
                products=group["products"], target_units=group["target"])
        choices = [c["items"] for c in made["combinations"]]
    possible *= len(choices)
    combinations = [a + b for a in combinations for b in choices][:p["most"]]
base = combinations[:3]
fillers = p["fillers"]
added = [[{"sku": x["sku"], "quantity": 1}] for x in fillers]
sums = {0: []}
for dollars in range(1, 1 + (p["dollars"] if fillers else 0)):
    for i, filler in enumerate(fillers):
        if filler["price"] > dollars:
            break
        rest = sums.get(dollars - filler["price"])
        if rest is not None and rest.count(i) < filler["available"]:
            if dollars not in sums or len(rest) + 1 < len(sums[dollars]):
                sums[dollars] = rest + [i]
for parts in sums.values():
    if len(parts) > 1:
        added.append([{"sku": fillers[i]["sku"], "quantity": parts.count(i)}
                      for i in range(len(fillers)) if i in parts])
for filler in fillers:
    for number in range(2, 1 + min(3, filler["available"])):
        added.append([{"sku": filler["sku"], "quantity": number}])
cheap = fillers[:8]
mixed = []
for counts in ((1, 1), (1, 2), (2, 1), (1, 1, 1)):
    for group in itertools.combinations(cheap, len(counts)):
        pairs = [(x, n) for x, n in zip(group, counts) if n <= x["available"]]
        if len(pairs) == len(counts):
            cost = sum([x["price"] * n for x, n in pairs])
            mixed.append((cost, [{"sku": x["sku"], "quantity": n} for x, n in pairs]))
mixed = sorted(mixed, key=lambda pair: pair[0])
added = added + [content for cost, content in mixed]
for content in added:
    for start in base:
        if len(combinations) < p["tried"]:
            combinations.append(start + content)
tested = combinations
rows = []
errors = []
for at in range(0, len(tested), 1000):
    tried = Combo_Test_Coupons_For_Product_Combinations(
        combinations=tested[at:at + 1000], coupons=p["coupons"], every=p["every"])
    if "error" in tried:
        raise ValueError(tried["error"]["text"])
    rows += tried["results"]
    errors += [e for e in tried["errors"] if e not in errors]
rows = sorted(rows, key=lambda r: (r["total"], r["coupon"] != "", len(r["items"])))
useful = [r["coupon"] for r in rows if r["coupon"]]
errors = [e for e in errors if e.get("coupon") not in useful]
with_code = [r for r in rows if r["coupon"]]
best = rows[:8] + sorted(with_code, key=lambda r: -r["discount"])[:4] + with_code[:8]
final_answer({"results": best, "errors": errors[:12], "tested": len(tested),
              "cut": possible > p["most"]})
"""
"""Tries every code on every allowed set of items and reports the best results."""

PURCHASE = """\
report = {"bought": False}
try:
    basket = Combo_Set_Basket_For_Items(items=p["items"], coupon=p["coupon"])
    if "error" in basket:
        report["error"] = basket["error"]["text"]
    else:
        report["receipt"] = Req_CheckoutBasket(
            expected_total=p["expected_total"], expected_coupon=p["coupon"])
        report["bought"] = True
except Exception as error:
    report["error"] = str(error)
if not report["bought"]:
    answers = [Combo_Empty_Basket(), Combo_List_All_Products(refresh=True)]
    products = answers[1]["products"]
    if p["whole_catalog"]:
        report["catalog"] = sorted(products, key=lambda x: x["price"])[:p["whole_catalog"]]
    report["found"] = {q: Combo_Find_Products_For_Query(query=q) for q in p["queries"]}
    for query in p["queries"]:
        answers.append(report["found"][query])
    for answer in answers:
        if "error" in answer:
            raise ValueError(answer["error"]["text"])
final_answer(report)
"""
"""Buys a known set of items, or reports why not and what is listed now."""
