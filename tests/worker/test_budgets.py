"""Budgets of an instruction, met by generated code that does not stop by itself."""

from __future__ import annotations

from typing import Any

import pytest

from core.erc3_client import store
from core.ledger import Budget, Ledger, ToolFault, tool
from core.models.model_client import ModelClient
from core.runs.work import WorkReport
from store_tools.environment import StoreEnvironment
from tests.kit import canned
from tests.kit.binding import entered
from worker.sandbox.contract import SandboxLimits
from worker.worker import Worker

PRODUCTS = 5_000


def work(name: str, code: str, ledger: Ledger) -> WorkReport:
    """Carry out one instruction with a real agent in a real sandbox."""
    model = canned.play(f"budget-{name}", [f"Thought: go.\n<code>\n{code}\n</code>"])
    return Worker(ModelClient(model, "worker"), max_steps=1).carry_out("Do it.", ledger)


def builder(sent: list[str], **budget: int) -> Ledger:
    ledger = Ledger(Budget(**budget))

    def Look() -> str:
        """Looks."""
        with ledger.sending("/look", {}, "read"):
            sent.append("look")
        return "seen"

    def Put() -> str:
        """Puts."""
        with ledger.sending("/put", {}, "write"):
            sent.append("put")
        return "put"

    def Buy(answered: bool = True) -> str:
        """Buys; without an answer nobody knows whether it did."""

        def do() -> str:
            sent.append("buy")
            if not answered:
                raise ToolFault("no answer", kind="RuntimeError", fatal=True)
            return "bought"

        with ledger.sending("/buy", {}, "write", final=True):
            return do()

    ledger.offer([tool("read", Look), tool("write", Put), tool("write", Buy)])
    return ledger


CASES = [
    ("calls", "Look", "budget reached: 3 tool calls per instruction"),
    ("requests", "Look", "budget reached: 3 requests to the API per instruction"),
    ("writes", "Put", "budget reached: 3 writes per instruction"),
]


@pytest.mark.parametrize(("budget", "name", "words"), CASES, ids=[c[0] for c in CASES])
def test_a_loop_that_catches_reads_the_budget(budget: str, name: str, words: str) -> None:
    sent: list[str] = []
    code = (
        f"n = 0\nwhile True:\n    try:\n        {name}()\n        n += 1\n"
        "    except RuntimeError as error:\n        final_answer([n, str(error)])"
    )
    report = work(f"caught-{budget}", code, builder(sent, **{budget: 3}))
    assert report.result == [3, words]
    assert len(sent) == 3


@pytest.mark.promise("no second checkout")
@pytest.mark.parametrize("answered", [True, False])
def test_one_purchase_an_instruction(answered: bool) -> None:
    """One that may have taken effect counts as well."""
    sent: list[str] = []
    code = (
        "texts = []\nfor _ in range(3):\n    try:\n"
        f"        texts.append(Buy(answered={answered}))\n"
        "    except RuntimeError as error:\n        texts.append(str(error))\n"
        "texts.append(Look())\nfinal_answer(texts)"
    )
    report = work(f"buy-{answered}", code, builder(sent))
    assert isinstance(report.result, list)
    refused = "budget reached: 1 irreversible requests per instruction"
    assert report.result[1:] == [refused, refused, "seen"]
    assert sent == ["buy", "look"]


def test_the_ledger_refuses_before_the_sandbox_does() -> None:
    assert Budget().calls < SandboxLimits().calls


class LongShop:
    """A shop of 5,000 products that shows one a page, without a wire."""

    def __init__(self) -> None:
        self.sent = 0
        self.content: dict[str, int] = {}

    def dispatch(self, request: Any) -> Any:
        """Answer one request."""
        self.sent += 1
        if request.tool == "/products/list":
            following = request.offset + 1 if request.offset + 1 < PRODUCTS else -1
            one = {"sku": f"p{request.offset}", "name": "Thing", "available": 9, "price": 1}
            return store.Resp_ProductListPage.model_validate(
                {"products": [one], "next_offset": following}
            )
        if request.tool == "/basket/add":
            self.content[request.sku] = request.quantity
            return store.Resp_AddProductToBasket(line_count=1, item_count=1)
        if request.tool == "/basket/remove":
            del self.content[request.sku]
            return store.Resp_RemoveItemFromBasket(line_count=1, item_count=1)
        items = [{"sku": s, "quantity": q, "price": 1} for s, q in self.content.items()]
        total = sum(self.content.values())
        return store.Resp_ViewBasket.model_validate(
            {"items": items, "subtotal": total, "coupon": "", "discount": 0, "total": total}
        )


@pytest.mark.slow
def test_the_default_budget_is_enough_for_a_long_catalog_one_product_a_page() -> None:
    """Read it, fill the basket with half of it, empty it, read it again."""
    shop, ledger = LongShop(), Ledger()
    ledger.offer(entered(StoreEnvironment(shop).bind(ledger)))
    code = """
products = Combo_List_All_Products()["results"][0]["data"]
items = [{"sku": p["sku"], "quantity": 1} for p in products[:2500]]
total = Combo_Set_Basket_For_Items(items=items)["results"][0]["data"]["total"]
Combo_Empty_Basket()
again = Combo_List_All_Products(refresh=True)["results"][0]["data"]
final_answer([len(products), total, len(again)])
"""
    report = work("long", code, ledger)
    assert (report.error, report.result) == (None, [PRODUCTS, 2500, PRODUCTS])
    assert report.requests == shop.sent > 3 * PRODUCTS
