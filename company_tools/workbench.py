"""The company for whoever repeats a recorded run or takes it apart: tools, state, a live task."""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from company_tools.benchmark import CompanyBenchmark
from company_tools.closing import closing_tool
from company_tools.company_session import CHANGES, CompanySession
from company_tools.scenario import scenario_of
from company_tools.toolbox import all_tools
from company_tools.wiki_store import WikiStore
from ledger import Budget, Ledger, Tool, ToolCall, ToolFault, WireCall
from tooling.api_session import ApiClient
from tooling.faults import OutOfReach

__all__ = ["LiveCompany", "open_live", "scenario_of", "state_at", "tools"]


class _Nowhere:
    """A client that reaches nothing."""

    def dispatch(self, request: Any) -> Any:
        """Refuse: there is nothing to send to."""
        raise ToolFault("there is no company behind these tools", kind="RuntimeError", fatal=True)


def tools() -> list[Tool]:
    """Every tool of a known user, without a company, and the one that closes a task."""
    return [*all_tools(CompanySession(_Nowhere()), WikiStore()), closing_tool()]


def state_at(start: str, calls: Sequence[ToolCall]) -> str:
    """What was changed after these calls of a turn, as far as records tell, in lines of text."""
    lines = [f"at the start of the turn: {start}"]
    sent = [w for c in calls for w in c.requests if w.path in CHANGES]
    lines.append(f"after {len(sent)} recorded changes:")
    lines += [f"  {w.path} {json.dumps(w.body, ensure_ascii=False)}: {w.outcome}" for w in sent]
    return "\n".join(lines)


class LiveCompany:
    """One task on a platform, brought to where a recorded one stood."""

    def __init__(self, client: ApiClient) -> None:
        self._benchmark = CompanyBenchmark(client)
        self._ledger = Ledger()
        self._benchmark.briefing(self._ledger)

    def repeat(self, requests: Sequence[WireCall]) -> list[str]:
        """Send recorded changes again; in words, what was answered otherwise now.

        Raises ToolFault: the system does not answer.
        """
        differences = self._benchmark.repeat(requests, Ledger(Budget(final=len(requests) + 1)))
        self._ledger = Ledger()
        return differences

    def call(self, name: str, args: list[object], kwargs: dict[str, object]) -> ToolCall:
        """Run a tool; the call as it stands in the ledger, failed or not.

        Raises ToolFault: the call never reached a tool.
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
        try:
            return self._benchmark.state(Ledger())
        except ToolFault as fault:
            return f"unknown: {fault.text}"


def open_live(base_url: str, spec_id: str) -> LiveCompany:
    """A new task of that spec on the platform at ``base_url``.

    Raises ToolFault: the platform has no such task or does not answer.
    """
    # Late: which client is chosen, and whether that can be, is no matter of the tools themselves.
    from erc3_compat import ERC3, ApiException, transport_errors

    try:
        platform = ERC3(key="key-embedded", base_url=base_url)
        task_id = platform.start_new_task("company", spec_id).task_id
        return LiveCompany(platform.get_erc_client(SimpleNamespace(task_id=task_id)))
    except ApiException as error:
        raise ToolFault(f"the platform refused: {error}") from None
    except transport_errors() as error:
        raise OutOfReach(f"the platform does not answer: {type(error).__name__}") from None
