"""The store for whoever repeats a recorded run or takes it apart: its tools, its state, a shop."""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from ledger import Budget, Ledger, Tool, ToolCall, ToolFault, WireCall
from store_tools.basket import Mirror
from store_tools.benchmark import StoreBenchmark
from store_tools.scenario import scenario_of
from tooling.api_session import ApiClient
from tooling.faults import OutOfReach

__all__ = ["LiveShop", "open_live", "scenario_of", "state_at", "tools"]


class _NoShop:
    """A client that reaches nothing."""

    def dispatch(self, request: Any) -> Any:
        """Refuse: there is nothing to send to."""
        raise ToolFault("there is no shop behind these tools", kind="RuntimeError", fatal=True)


def tools() -> list[Tool]:
    """Every tool that the worker's code may call, without a shop; calling one is refused."""
    with StoreBenchmark(_NoShop()).bind(Ledger()) as found:
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


class LiveShop:
    """One task on a platform, brought to where a recorded one stood."""

    def __init__(self, client: ApiClient) -> None:
        self._benchmark = StoreBenchmark(client)
        self._ledger = Ledger()

    def repeat(self, requests: Sequence[WireCall]) -> list[str]:
        """Send recorded writes again; in words, what was answered otherwise now.

        Raises:
            ToolFault: the shop does not answer.
        """
        differences = self._benchmark.repeat(requests, Ledger(Budget(final=len(requests) + 1)))
        self._ledger = Ledger()
        return differences

    def call(self, name: str, args: list[object], kwargs: dict[str, object]) -> ToolCall:
        """Run a tool; the call as it stands in the ledger, failed or not.

        Raises:
            ToolFault: the call never reached a tool.
        """
        before = len(self._ledger.calls)
        with self._benchmark.bind(self._ledger) as tools:
            self._ledger.offer(tools)
            try:
                self._ledger.call(name, args, kwargs)
            except ToolFault:
                if len(self._ledger.calls) == before:
                    raise
        return self._ledger.calls[-1]

    def state(self) -> str:
        """What the coordinator would show: read afresh."""
        ledger = Ledger()
        try:
            return self._benchmark.state(ledger)
        except ToolFault as fault:
            return f"unknown: {fault.text}"


def open_live(base_url: str, spec_id: str) -> LiveShop:
    """A new task of that spec on the platform at ``base_url``.

    Raises:
        ToolFault: the platform has no such task or does not answer.
    """
    # Late: which client is chosen, and whether that can be, is no matter of the tools themselves.
    from erc3_compat import ERC3, ApiException, transport_errors

    try:
        platform = ERC3(key="key-embedded", base_url=base_url)
        task_id = platform.start_new_task("store", spec_id).task_id
        return LiveShop(platform.get_store_client(SimpleNamespace(task_id=task_id)))
    except ApiException as error:
        raise ToolFault(f"the platform refused: {error}") from None
    except transport_errors() as error:
        raise OutOfReach(f"the platform does not answer: {type(error).__name__}") from None
