"""The store for whoever repeats a recorded run or takes it apart: its tools, its state, a shop."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from core.ledger import Ledger, Tool, ToolCall
from core.tools.live_task import LiveTask, Nowhere, open_task
from store_tools.basket import Mirror
from store_tools.environment import StoreEnvironment
from store_tools.scenario import scenario_of

__all__ = ["open_live", "scenario_of", "state_at", "tools"]


def tools() -> list[Tool]:
    """Every tool that the worker's code may call, without a shop; calling one is refused."""
    with StoreEnvironment(Nowhere("shop")).bind(Ledger()) as found:
        return found


def state_at(start: str, calls: Sequence[ToolCall]) -> str:
    """The basket after these calls of a turn, as far as records tell, in a few lines of text."""
    lines = [f"at the start of the turn: {start}"]
    done = [w for c in calls for w in c.requests if w.kind == "write" and w.outcome == "done"]
    try:
        held = Mirror.of(json.loads(start)["basket"])
    except (ValueError, KeyError, TypeError):
        held = Mirror({}, "")
    for wire in done:
        held = held.after(wire.path, wire.body)
    now = {"items": held.content, "coupon": held.coupon}
    lines.append(f"after {len(done)} recorded writes: {json.dumps(now, ensure_ascii=False)}")
    for call in reversed(calls):
        if isinstance(call.result, dict) and {"items", "subtotal", "total"} <= call.result.keys():
            seen = json.dumps(call.result, ensure_ascii=False)
            lines.append(f"last seen in an answer (call {call.number}, {call.name}): {seen}")
            break
    return "\n".join(lines)


def open_live(base_url: str, spec_id: str) -> LiveTask:
    """A new task of that spec on the platform at ``base_url``. Raises ToolFault."""

    def opened(platform: Any, task: Any) -> StoreEnvironment:
        return StoreEnvironment(platform.get_store_client(task))

    return open_task(base_url, "store", spec_id, opened)
