"""What is refused before it runs, and what must not be."""

from __future__ import annotations

import pytest

from worker.sandbox.check import refuse
from worker.sandbox.contract import SandboxError, SandboxLimits
from worker.sandbox.isolation import open_sandbox

from .shop import Shop

REFUSED = {
    "a tool that does not exist": (
        "print(1)\nserch_products('a')",
        "line 2: serch_products('a')\nNameError: name 'serch_products' is not defined. "
        "Did you mean search_products(query: str = '', limit: int = 10)",
    ),
    "nothing like it": ("fly_to_moon()", "Tools: add_to_basket, apply_coupon"),
    "an argument that does not exist": (
        "search_products(text='a')",
        "TypeError: search_products(): got an unexpected keyword argument 'text'. "
        "Expected: search_products(query: str = '', limit: int = 10)",
    ),
    "an argument that is missing": ("get_product()", "missing a required argument: 'sku'"),
    "one too many": ("get_product('a', 'b')", "too many positional arguments"),
    "syntax": ("x = (1", "SyntaxError: '(' was never closed"),
    "nested too deeply": ("x = " + "-" * 40_000 + "1", "nested too deeply"),
    "half a character": ("x = '\ud800'", "SyntaxError"),
}
ALLOWED = {
    "own function": "def buy(sku):\n    return get_product(sku)\nbuy('p1')",
    "later function": "def a():\n    return b()\ndef b():\n    return 1\na()",
    "parameter": "def apply(fn):\n    return fn(1)\napply(len)",
    "own name for a tool": "def get_product(a, b):\n    return a + b\nget_product(1, 2)",
    "another spelling": "get_product(SKU='a')\nsearch_products(Query='a', limit=1)",
    "starred": "args = ['p1']\nget_product(*args)\nsearch_products(**{'query': 'a'})",
    "import": "from math import ceil as up\nup(1.5)",
    "names made while running": "exec('made = len')\nmade([])",
    "class": "class A:\n    pass\nA()",
    "caught": "try:\n    not_there()\nexcept NameError:\n    pass",
    "comprehension": "[f(1) for f in (len, str)]",
    "match": "match [len]:\n    case [f]:\n        f([])",
    "local print": "def f(print):\n    return print\nf(1)",
}


def said(code: str, known: frozenset[str] = frozenset()) -> str | None:
    return refuse(code, SandboxLimits(), Shop(), known)


@pytest.mark.parametrize(("code", "text"), REFUSED.values(), ids=REFUSED)
def test_refused(code: str, text: str) -> None:
    assert text in str(said(code))


@pytest.mark.parametrize("code", ALLOWED.values(), ids=ALLOWED)
def test_allowed(code: str) -> None:
    assert said(code) is None


def test_names_of_earlier_steps_are_known() -> None:
    assert said("buy('p1')", frozenset({"buy"})) is None


def test_without_signatures_only_names_are_looked_at() -> None:
    host = Shop()
    host.signatures.clear()
    assert refuse("get_product(1, 2, x=3)", SandboxLimits(), host, frozenset()) is None


def test_a_refused_step_costs_nothing(shop: Shop) -> None:
    with open_sandbox(shop, None, "monty") as box:
        with pytest.raises(SandboxError) as caught:
            box("add_to_basket('p1')\ncheckuot()")
        assert caught.value.kind == "refused"
        assert shop.calls == []
