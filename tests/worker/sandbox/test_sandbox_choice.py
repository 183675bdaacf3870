"""Which sandbox code gets: full Python wherever it can be isolated, Monty only where it cannot."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from worker.sandbox.contract import SandboxError, SandboxUnavailable
from worker.sandbox.executor import SandboxExecutor
from worker.sandbox.isolation import (
    VARIABLE,
    chosen_kind,
    find_isolation,
    open_sandbox,
    python_rules,
    sandbox_line,
    used_kind,
)

from .kinds import KINDS, STANDING
from .shop import Shop


class TestChoice:
    @pytest.mark.parametrize("value", ["auto", "process", "bubblewrap", "landlock", "monty"])
    def test_from_the_environment(self, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
        monkeypatch.setenv(VARIABLE, value)
        assert chosen_kind() == value

    def test_default_and_nonsense(self, monkeypatch: pytest.MonkeyPatch, shop: Shop) -> None:
        monkeypatch.delenv(VARIABLE, raising=False)
        assert chosen_kind() == "auto"
        monkeypatch.setenv(VARIABLE, "local")
        with pytest.raises(ValueError, match="landlock or monty, not 'local'"):
            open_sandbox(shop)

    def test_the_first_that_stands_runs_every_snippet(self, shop: Shop) -> None:
        with open_sandbox(shop, None, "auto") as box:
            box("1")
            box("sum(x for x in [1])")
            assert {trace.sandbox for trace in box.traces} == {box.kind} == {KINDS[0]}

    def test_what_is_asked_for_is_what_is_opened(self, shop: Shop) -> None:
        for kind in KINDS:
            with open_sandbox(shop, None, kind) as box:
                assert box.kind == kind

    def test_the_order(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("worker.sandbox.isolation.why_not", lambda _: "")
        assert used_kind("auto") == used_kind("process") == "bubblewrap"
        answers = {"bubblewrap": "not found", "landlock": ""}
        monkeypatch.setattr("worker.sandbox.isolation.why_not", answers.get)
        assert used_kind("auto") == used_kind("process") == "landlock"
        assert find_isolation().refused == {"bubblewrap": "not found"}
        assert sandbox_line("auto")[1] == "sandbox: full Python in Landlock"


class TestMontyAlone:
    @pytest.fixture
    def box(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Iterator[SandboxExecutor]:
        monkeypatch.setattr("worker.sandbox.isolation.why_not", lambda name: f"no {name}")
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
        with pytest.raises(SandboxUnavailable, match="not available: bubblewrap: no bubblewrap"):
            open_sandbox(shop, None, "process")
        with pytest.raises(SandboxUnavailable, match="landlock cannot be used here: no landlock"):
            open_sandbox(shop, None, "landlock")

    def test_it_is_said(self, box: SandboxExecutor) -> None:
        assert box.kind == "monty"
        assert sandbox_line("auto")[1] == (
            "sandbox: monty, a subset of Python, without isolation by the operating system "
            "(bubblewrap: no bubblewrap; landlock: no landlock)"
        )


class TestRules:
    def test_they_say_what_there_is(self) -> None:
        assert "No yield" in python_rules("monty")
        for kind in STANDING:
            assert "with its standard library" in python_rules(kind)
        assert python_rules("auto") == python_rules(KINDS[0])

    def test_every_module_that_is_named_is_there(self, shop: Shop) -> None:
        named = python_rules("monty").partition("Import what you use: ")[2].partition(".")[0]
        with open_sandbox(shop, None, "monty") as box:
            box("\n".join(f"import {name}" for name in named.split()))
