"""Which sandbox code gets: full Python wherever it can be isolated, Monty only where it cannot."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from worker.sandbox.contract import SandboxError, SandboxUnavailable
from worker.sandbox.executor import SandboxExecutor
from worker.sandbox.isolation import (
    VARIABLE,
    chosen_kind,
    describe_sandbox,
    open_sandbox,
    python_rules,
    used_kind,
)

from .kinds import KINDS, STANDING
from .shop import Shop


def test_the_environment_chooses_and_auto_is_the_default(
    monkeypatch: pytest.MonkeyPatch, shop: Shop
) -> None:
    for value in ("auto", "landlock", "monty"):
        monkeypatch.setenv(VARIABLE, value)
        assert chosen_kind() == value
    monkeypatch.delenv(VARIABLE)
    assert chosen_kind() == "auto"
    monkeypatch.setenv(VARIABLE, "local")
    with pytest.raises(ValueError, match="landlock or monty, not 'local'"):
        open_sandbox(shop)


def test_what_is_asked_for_is_opened_and_runs_every_snippet(shop: Shop) -> None:
    for choice, kind in (("auto", KINDS[0]), *zip(KINDS, KINDS, strict=True)):
        with open_sandbox(shop, None, choice) as box:  # type: ignore[arg-type]
            box("1")
            box("sum(x for x in [1])")
            assert {trace.sandbox for trace in box.traces} == {box.kind} == {kind}


def test_landlock_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worker.sandbox.isolation.probe_landlock", lambda: "")
    assert used_kind("auto") == "landlock"
    kind, said = describe_sandbox("auto")
    assert (kind, "Landlock" in said) == ("landlock", True)


class TestMontyAlone:
    @pytest.fixture
    def box(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Iterator[SandboxExecutor]:
        monkeypatch.setattr("worker.sandbox.isolation.probe_landlock", lambda: "no such call")
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
        with pytest.raises(SandboxUnavailable, match="no such call"):
            open_sandbox(shop, None, "landlock")

    def test_it_is_said_with_the_reason(self, box: SandboxExecutor) -> None:
        assert box.kind == "monty"
        for choice, why in (("auto", "no such call"), ("monty", "WORKER_SANDBOX=monty")):
            kind, said = describe_sandbox(choice)  # type: ignore[arg-type]
            assert kind == "monty"
            assert said.endswith(f"{why})")


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
