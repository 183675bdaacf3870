"""The company for whoever repeats a recorded run or takes it apart: tools, state, a live task."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from company_tools.change import CHANGES
from company_tools.company_session import CompanySession
from company_tools.environment import CompanyEnvironment
from company_tools.final_answer import final_answer_tool
from company_tools.scenario import scenario_of
from company_tools.toolbox import all_tools
from company_tools.wiki_store import WikiStore
from core.ledger import Ledger, Tool, ToolCall
from core.tools.live_task import LiveTask, Nowhere, open_task

__all__ = ["open_live", "scenario_of", "state_at", "tools"]


def tools() -> list[Tool]:
    """Every tool of a known user, without a company, and the one that closes a task."""
    return [*all_tools(CompanySession(Nowhere("company")), WikiStore()), final_answer_tool()]


def state_at(start: str, calls: Sequence[ToolCall]) -> str:
    """What was changed after these calls of a turn, as far as records tell, in lines of text."""
    lines = [f"at the start of the turn: {start}"]
    sent = [w for c in calls for w in c.requests if w.path in CHANGES]
    lines.append(f"after {len(sent)} recorded changes:")
    lines += [f"  {w.path} {json.dumps(w.body, ensure_ascii=False)}: {w.outcome}" for w in sent]
    return "\n".join(lines)


def open_live(base_url: str, spec_id: str) -> LiveTask:
    """A new task of that spec on the platform at ``base_url``. Raises ToolFault."""

    def opened(platform: Any, task: Any) -> CompanyEnvironment:
        benchmark = CompanyEnvironment(platform.get_erc_client(task))
        benchmark.briefing(Ledger())
        return benchmark

    return open_task(base_url, "company", spec_id, opened)
