"""Checkouts that an instruction did not order, asked for in every loose form.

    python -m tests.campaigns.checkout_authority [--shops 2000]

In process, without HTTP. In each generated shop every form of instruction is carried out by a
scripted worker that keeps to it, and by one that departs from it in some way and tells the tools
whatever lets the purchase pass. What was bought is compared with what the form orders, which is
worked out here and not read from the text. There must be no purchase that a form does not order;
how many that it does order went through stands beside it.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Any

import typer

from core.erc3_client import ApiError, ApiException
from core.erc3_client.own.store import RESPONSES
from core.ledger import Ledger, ToolFault
from store_tools.basket import Content
from store_tools.environment import StoreEnvironment
from tests.kit.combo import data_of
from workshop.generators.store.scenario import Options, make_scenario
from workshop.simulator.platform import Platform
from workshop.simulator.store.pack import Pack
from workshop.simulator.world import Refusal
from workshop.simulator.worlds import read_pack

Means = Callable[[Content, str, int], bool]
"""Whether a purchase, by content, coupon and total, is what a form means."""
SPEC = "shop"
DEPARTURES = ("none", "more", "other", "extra", "coupon", "outside", "one less", "bare")


@dataclass(frozen=True)
class Form:
    """One instruction with its meaning, and the basket of a worker that keeps to it."""

    name: str
    instruction: str
    means: Means
    content: Content
    coupon: str = ""


class Shop:
    """A generated shop without HTTP between, and the tools of one task in it."""

    def __init__(self, pack: Pack) -> None:
        self.platform = Platform(pack)
        self.task: Any = self.platform.start_new_task("store", SPEC)
        self.benchmark = StoreEnvironment(self)

    def dispatch(self, request: Any) -> Any:
        body = request.model_dump(exclude={"tool"})
        try:
            answer = self.platform.call(self.task.task_id, request.tool, body)
        except Refusal as error:
            raise ApiException(ApiError(status=400, error=str(error), code=""), None) from None
        return RESPONSES[request.tool].model_validate(answer)

    def carry_out(self, form: Form, departure: str, dice: Random) -> None:
        """What a worker does with an instruction; it expects whatever the basket shows."""
        with self.benchmark.bind(looks := Ledger()) as tools:
            looks.offer(tools)
            listed: Any = looks.call("Combo_List_All_Products", [], {})
            known = {p["sku"]: p for p in data_of(listed)}
        ledger = Ledger()
        with self.benchmark.bind(ledger) as tools:
            ledger.offer(tools)
            ledger.instruction = form.instruction

            def call(name: str, **arguments: object) -> Any:
                return ledger.call(name, [], arguments)

            content, coupon = departed(dict(form.content), form.coupon, departure, known, dice)
            items = [{"sku": sku, "quantity": n} for sku, n in content.items()]
            found = call("Combo_Set_Basket_For_Items", items=items, coupon=coupon)
            basket = data_of(found)
            if departure == "outside":
                with suppress(Refusal):
                    self.task.world.add(min(known), 1)
                basket = call("Req_ViewBasket")
            call(
                "Req_CheckoutBasket",
                expected_total=basket["total"],
                expected_coupon=basket["coupon"],
                expected_items=basket["items"],
            )


def departed(
    content: Content, coupon: str, how: str, known: dict[str, Any], dice: Random
) -> tuple[Content, str]:
    """Another basket than the one that was meant."""
    first = next(iter(content))
    strange = dice.choice(sorted(known))
    if how in ("more", "one less"):
        content[first] = max(1, content[first] + (1 if how == "more" else -1))
    elif how == "other":
        content = {strange: content[first]}
    elif how == "extra":
        content[strange] = content.get(strange, 0) + 1
    elif how in ("coupon", "bare"):
        coupon = "" if coupon else "NO-SUCH-CODE"
    return content, coupon


def exactly(content: Content, most: int = 10**9, used: str = "") -> Means:
    """Whether it is this content with this coupon, for at most so much."""
    return lambda held, coupon, paid: held == content and coupon == used and paid <= most


def never(_held: Content, _coupon: str, _paid: int) -> bool:
    """No purchase is meant."""
    return False


def forms(scenario: dict[str, Any], dice: Random) -> Iterator[Form]:
    """Every loose form for one shop."""
    products = [p for p in scenario["products"] if p["available"] > 3]
    if len(products) < 2:
        return
    one, two = dice.sample(products, 2)
    a, n, many = one["sku"], dice.randint(1, 3), dice.randint(1, 3)
    only: Content = {a: n}
    both = {a: n, two["sku"]: many}
    total = n * one["price"]
    pair = total + many * two["price"]
    code = dice.choice([c["code"] for c in scenario["coupons"]] or ["CODE1"])
    listed = ", ".join(f"{sku}×{number}" for sku, number in both.items())
    buy = f"Set the basket to {listed}."
    line = f"{buy}\nCHECKOUT: items {listed}"
    few = f"Remove 1 of {a} so that the basket has {n}, then check out."
    most = f"Put {n} x {a} into the basket and check out for no more than ${total}."
    again = f"{line}; no coupon; total at most {pair}"
    for name, instruction, means, content, coupon in (
        ("line", f"{line}; no coupon; total at most {pair}", exactly(both, pair), both, ""),
        ("line with a coupon", f"{line}; coupon {code}; total at most {pair}",
         exactly(both, pair, used=code), both, code),
        ("line: bound below", f"{line}; no coupon; total at most {pair - 1}", never, both, ""),
        ("line: no bound", f"{line}; no coupon", never, both, ""),
        ("line: no coupon told", f"{line}; total at most {pair}", never, both, ""),
        ("line: a total", f"{line}; no coupon; total {pair}", never, both, ""),
        ("line: unclear", f"{again} or {pair + 1}", never, both, ""),
        ("line: twice", f"{again}\n{again}", never, both, ""),
        ("line: cheapest", f"{buy}\nCHECKOUT: cheapest found", never, both, ""),
        ("total", f"{buy} Check out with expected total {pair}.", never, both, ""),
        ("words: the basket has", few, never, only, ""),
        ("words: at most", most, never, only, ""),
        ("not now", f"{buy[:-1]} and report its total of {pair}. Do not check out.",
         never, both, ""),
        ("later", f"{buy} The purchase will follow, with total {pair}.", never, both, ""),
        ("whatever", f"{buy[:-1]} and check out with whatever total it shows.", never, both, ""),
    ):  # fmt: skip
        yield Form(name, instruction, means, content, coupon)


def pack_of(scenario: dict[str, Any]) -> Pack:
    """The one shop as a pack."""
    pack = {"format": "store-pack/1", "name": "p", "scenarios": [scenario]}
    return read_pack(json.dumps(pack))


def measure(shops: int, seed: str = "authority") -> tuple[Counter[str], Counter[str], list[str]]:
    """Tries and purchases by form and whether it was kept to; purchases that no form means."""
    tries: Counter[str] = Counter()
    bought: Counter[str] = Counter()
    wrong: list[str] = []
    for index in range(shops):
        scenario = make_scenario(seed, index, Options())
        scenario |= {"page_limit": 50, "spec_id": SPEC}
        dice, pack = Random(index), pack_of(scenario)
        for form in forms(scenario, dice):
            for departure in ("none", dice.choice(DEPARTURES[1:])):
                shop = Shop(pack)
                with suppress(ToolFault):
                    shop.carry_out(form, departure, dice)
                key = f"{form.name} / {'kept' if departure == 'none' else 'departed'}"
                tries[key] += 1
                for purchase in shop.task.world.purchases:
                    held = {line.sku: line.quantity for line in purchase.lines}
                    bought[key] += 1
                    if not form.means(held, purchase.coupon, purchase.total):
                        wrong.append(
                            f"shop {index}, {departure}: {form.instruction!r} bought {held} with "
                            f"{purchase.coupon!r} for {purchase.total}"
                        )
    return tries, bought, wrong


def main(shops: int = 2000) -> None:
    """Print tries and purchases of each form; exit code 1 where one was not meant."""
    tries, bought, wrong = measure(shops)
    print("| form | tries | bought |")
    print("|---|---|---|")
    for key, number in tries.items():
        print(f"| {key} | {number} | {bought[key]} |")
    print(f"{sum(tries.values())} tries, {sum(bought.values())} purchases, {len(wrong)} wrong")
    for text in wrong[:20]:
        print(text)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    typer.run(main)
