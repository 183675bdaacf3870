"""Budgets of an instruction, met by generated code that does not stop by itself."""

from __future__ import annotations

import pytest

from core.ledger import Budget, Ledger, ToolFault, tool
from core.models.model_client import ModelClient
from core.runs.work import WorkReport
from tests.kit import canned
from worker.sandbox.contract import SandboxLimits
from worker.worker import Worker

ENTRIES = 5_000
"""Products of a catalog that is listed one a page: it is read three times at most in an
instruction, and half of it goes into the basket and out again."""


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


def test_the_default_budget_is_enough_for_a_long_catalog_and_ends_before_the_sandboxs() -> None:
    assert Budget().calls < SandboxLimits().calls
    assert Budget().requests > 3 * ENTRIES
    assert Budget().writes > 2 * ENTRIES
