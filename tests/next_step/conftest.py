"""A small set of tools of no benchmark, and a ledger that offers them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from core.ledger import Ledger, Tool, ToolFault, tool


class Part(BaseModel):
    """One part of a thing."""

    model_config = ConfigDict(extra="ignore")

    name: str
    weight: int


def workshop_tools(built: list[dict[str, Any]]) -> list[Tool]:
    def Req_Look(shelf: str, depth: int = 1) -> dict[str, Any]:
        """What lies on a shelf."""
        return {"shelf": shelf, "depth": depth}

    def Combo_Assemble(parts: list[Part], label: str = "") -> dict[str, Any]:
        """Puts parts together."""
        return {"weight": sum(p.weight for p in parts), "label": label}

    def Req_Break() -> dict[str, Any]:
        """Fails."""
        raise ToolFault("the saw is broken")

    def Req_Deliver(expected_weight: int, expected_parts: list[Part] | None = None) -> Any:
        """DELIVERS it."""
        if expected_weight > 100:
            raise ToolFault("not delivered: too heavy")
        built.append({"weight": expected_weight, "parts": expected_parts})
        return {"delivered": True}

    return [
        tool("read", Req_Look),
        tool("write", Combo_Assemble),
        tool("read", Req_Break),
        tool("write", Req_Deliver, final=True),
    ]


@pytest.fixture
def built() -> list[dict[str, Any]]:
    """What was delivered."""
    return []


@pytest.fixture
def tools(built: list[dict[str, Any]]) -> list[Tool]:
    return workshop_tools(built)


@pytest.fixture
def bench(tools: list[Tool]) -> Callable[[], Ledger]:
    """A new ledger with the tools, as every step has one."""

    def make() -> Ledger:
        ledger = Ledger()
        ledger.offer(tools)
        return ledger

    return make


@pytest.fixture
def step() -> Callable[..., dict[str, Any]]:
    """A good reply as a dict."""

    def make(tool: str = "Req_Look", **arguments: Any) -> dict[str, Any]:
        return {
            "current_state": "nothing is known",
            "plan_remaining_steps_brief": ["look", "assemble"],
            "function": {"tool": tool, **arguments},
        }

    return make
