"""Monty where it does what CPython does, CPython where not, and never a request twice."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from worker.sandbox import (
    SandboxError,
    SandboxExecutor,
    SandboxLimits,
    SandboxUnavailable,
    WallReport,
    open_sandbox,
    python_rules,
    walls,
)
from worker.sandbox.monty_subset import runs_in_monty
from worker.sandbox.snippet_tree import parse

from .shop import Shop

needs_process = pytest.mark.skipif(
    not walls().process, reason=f"no process sandbox here: {walls().missing}"
)

ASKING = (
    "from collections import defaultdict\ndef ask():\n    return len(echo(1))\n"
    "asked = defaultdict(ask)"
)
"""Monty cannot call a tool from inside of a dictionary."""


@pytest.fixture
def auto(shop: Shop) -> Iterator[SandboxExecutor]:
    with open_sandbox(shop, SandboxLimits(seconds=3), "auto") as box:
        yield box


@needs_process
class TestChange:
    def test_simple_code_runs_in_monty(self, auto: SandboxExecutor) -> None:
        auto(
            "items = [get_product(s) for s in ('p1', 'p2')]\nprint(sum(i['price'] for i in items))"
        )
        assert [trace.sandbox for trace in auto.traces] == ["monty"]

    def test_earlier_steps_are_repeated_without_a_request(
        self, auto: SandboxExecutor, shop: Shop
    ) -> None:
        auto("a = get_product('p1')\nadd_to_basket('p1', 2)")
        auto("b = get_product('p2')\nprices = [a['price'], b['price']]")
        before = shop.called()
        out = auto(
            "def gen():\n    yield from prices\nprint(list(gen()), view_basket()['subtotal'])"
        )
        assert out.logs == "[12, 40] 24\n"
        assert shop.called() == [*before, "view_basket"]
        assert [trace.sandbox for trace in auto.traces] == ["monty", "monty", "process"]

    def test_it_stays_there(self, auto: SandboxExecutor) -> None:
        auto("import re")
        auto("x = 1")
        assert auto.traces[-1].sandbox == "process"

    def test_errors_are_part_of_the_past(self, auto: SandboxExecutor, shop: Shop) -> None:
        with pytest.raises(SandboxError):
            auto(
                "done = []\nfor s in ('p1', 'nope', 'p2'):\n    done.append(get_product(s)['sku'])"
            )
        assert auto("class A: pass\nprint(done)").logs == "['p1']\n"
        assert shop.called() == ["get_product", "get_product"]

    def test_a_failure_of_monty_is_no_failure(self, auto: SandboxExecutor, shop: Shop) -> None:
        # Only when it runs can one see that a tool is called where Monty cannot wait for it.
        auto(ASKING)
        assert auto("add_to_basket('p1')\nasked['p2']").output == 3
        assert shop.called() == ["add_to_basket", "echo"]
        assert [trace.sandbox for trace in auto.traces] == ["monty", "process"]

    def test_what_a_second_look_did_is_not_forgotten(self, shop: Shop) -> None:
        # It calls on where Monty failed, and is ended before it is done.
        with open_sandbox(shop, SandboxLimits(seconds=0.5), "auto") as auto:
            auto(f"kept = get_product('p1')['sku']\n{ASKING}")
            with pytest.raises(SandboxError, match=r"time limit [^\n]*\nState rolled back"):
                auto("add_to_basket('p1')\nasked['p2']\nwhile True: pass")
            assert shop.called() == ["get_product", "add_to_basket", "echo"]
            assert auto.traces[1].sandbox == "process"
            assert auto("kept").output == "p1"
            assert shop.called() == ["get_product", "add_to_basket", "echo"]

    def test_a_fault_of_the_code_is_told_once(self, auto: SandboxExecutor, shop: Shop) -> None:
        with pytest.raises(SandboxError, match="KeyError: nope"):
            auto("add_to_basket('p1')\nd = {}\nd['nope']")
        assert shop.basket == {"p1": 1}
        assert auto.traces[0].sandbox == "monty"
        assert auto("1 + 1").output == 2

    def test_after_a_limit_the_state_is_that_of_the_step_before(
        self, auto: SandboxExecutor, shop: Shop
    ) -> None:
        auto("import re\nkept = get_product('p1')['price']")
        with pytest.raises(SandboxError, match="rolled back"):
            auto("kept = 0\nget_product('p2')\nx = 'a' * 10**9")
        assert auto("kept").output == 12
        assert shop.called() == ["get_product", "get_product"]

    def test_a_past_that_cannot_be_repeated_stays_where_it_is(
        self, auto: SandboxExecutor, shop: Shop
    ) -> None:
        auto("skus = ['p1']\nget_product(skus[0])")
        past = auto._past[0]
        past.calls[0].args[0] = "p2"
        assert auto("sorted({3, 1, 2})").output == [1, 2, 3]
        assert auto.traces[-1].sandbox == "monty"
        assert shop.called() == ["get_product"]


class TestWithoutProcess:
    @pytest.fixture
    def box(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Iterator[SandboxExecutor]:
        report = WallReport(monty=False, process=False, missing="bubblewrap not found")
        monkeypatch.setattr("worker.sandbox.factory.walls", lambda: report)
        with open_sandbox(shop, None, "auto") as executor:
            yield executor

    @pytest.mark.parametrize(
        ("code", "hint"),
        [
            ("def f():\n    yield 1", "return a list instead of using yield"),
            ("class A(Exception): pass", "without a base"),
            ("x = 1\ndel x", "assign a new value"),
            ("import asyncio, socket", "modules here: math"),
            ("[3, 1].sort(key=echo)", "plain loop"),
            ("sorted(['b', 'a'], key=str.lower)", "lambda"),
        ],
    )
    def test_the_hint_names_what_works(self, box: SandboxExecutor, code: str, hint: str) -> None:
        with pytest.raises(SandboxError) as caught:
            box(code)
        assert "Hint: " in caught.value.text
        assert hint in caught.value.text

    def test_asked_for_it_says_why_not(self, shop: Shop, box: SandboxExecutor) -> None:
        with pytest.raises(SandboxUnavailable, match="not available: bubblewrap not found"):
            open_sandbox(shop, None, "process")


class TestRules:
    def test_they_say_what_there_is(self) -> None:
        assert "No yield" in python_rules("monty")
        assert ("standard library" in python_rules("auto")) is walls().process

    def test_every_module_that_is_named_is_there(self, shop: Shop) -> None:
        named = python_rules("monty").partition("Modules: ")[2].partition(".")[0]
        with open_sandbox(shop, None, "monty") as box:
            box("\n".join(f"import {name}" for name in named.split()))


class TestChoice:
    @pytest.mark.parametrize(
        "code",
        [
            "x = [p for p in search_products('a')['products'] if p['price'] > 3]",
            "for i, p in enumerate(search_products('a')['products']):\n    print(i, p['name'])",
            "try:\n    checkout()\nexcept RuntimeError:\n    print('no')",
            "import json, math\nprint(json.dumps({'a': math.ceil(1.2)}, indent=2))",
            "total = sum(p['price'] for p in [{'price': 1}])\nprint(f'{total:.2f}')",
            "final_answer(min(search_products()['products'], key=lambda p: p['price']))",
            "from collections import defaultdict\nd = defaultdict(list)\nd['a'].append(1)",
            "print(list(map(get_product, ['p1'])), sorted(zip([2, 1], 'ab')))",
            "try:\n    checkout()\nexcept RuntimeError as e:\n    print(e)",
        ],
    )
    def test_monty(self, code: str, shop: Shop) -> None:
        assert runs_in_monty(parse(code), shop.names)

    @pytest.mark.parametrize(
        "code",
        [
            "print({3, 1, 2})",
            "round(2.675, 2)",
            "next(x for x in [1])",
            "any(get_product(s) for s in 'ab')",
            "sum(get_product(s)['price'] for s in 'ab')",
            "for x in map(get_product, 'ab'): break",
            "print(map(str, [1]))",
            "try:\n    1 / echo(0)\nexcept Exception as e:\n    print(e)",
            "try:\n    a, b = echo(1, 2, 3)\nexcept ValueError as e:\n    print(e)",
            "try:\n    buy('p1')\nexcept ValueError as e:\n    print(e)",
            "list = [1]",
            "sorted(d, key=d.get)",
            "import re",
            "from math import sin",
            "a.keys() & b.keys()",
            "a.keys() - b.keys()",
            "'%s' % 1",
            "async def f(): pass",
            "print('x', file=None)",
            "def f():\n    yield 1",
            "hasattr([], 'append')",
            "x = b'1'",
        ],
    )
    def test_process(self, code: str, shop: Shop) -> None:
        assert not runs_in_monty(parse(code), shop.names)
