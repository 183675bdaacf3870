"""A task as the coordinator sees it, with its line."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import closing
from typing import Any

from company_tools.environment import CompanyEnvironment
from company_tools.wiki_store import WikiStore
from core.erc3_client.retry_policy import RetryPolicy
from core.ledger import Ledger, LedgerEntry, Notice, ToolCall
from tests.company_tools.kites import Direct, Wire, kites

RESPOND = "/respond"


class PlayedTask:
    """One task: briefed, worked on by tools, finished by words."""

    def __init__(
        self,
        company: Wire | None = None,
        off: Collection[str] = (),
        line: Direct | None = None,
        wiki: WikiStore | None = None,
        brief: bool = True,
        **scenario: Any,
    ) -> None:
        self.line = line or Direct(company or kites(), **scenario)
        log = self.line.platform.task(self.line.task).log
        self.benchmark = CompanyEnvironment(
            self.line, RetryPolicy(0), wiki or WikiStore(), off, lambda: log
        )
        self.entries: list[LedgerEntry] = []
        self.calls: list[ToolCall] = []
        self.briefing = self._recorded_to(self.benchmark.briefing) if brief else ""

    def noted(self, noted: LedgerEntry | Notice) -> None:
        """Keep what a resumption is given; notices are for those who read a journal."""
        if not isinstance(noted, Notice):
            self.entries.append(noted)

    def _recorded_to(self, do: Any, *arguments: Any) -> Any:
        with closing(Ledger(on_entry=self.noted)) as ledger:
            return do(*arguments, ledger)

    def call(self, name: str, **arguments: Any) -> Any:
        """Call a tool as the worker's code does, in an instruction of its own."""
        ledger = Ledger(on_entry=self.noted)
        with self.benchmark.bind(ledger) as tools:
            ledger.offer(tools)
            try:
                return ledger.call(name, [], arguments)
            finally:
                self.calls += ledger.calls

    @property
    def tools(self) -> set[str]:
        with self.benchmark.bind(Ledger()) as tools:
            return {tool.name for tool in tools}

    def asked_back(self, *words: str) -> str | None:
        """What a FINISH with these words is asked back."""
        with closing(Ledger(on_entry=self.noted)) as ledger:
            return self.benchmark.check_finish(said(*words), ledger, self.calls)

    def finish(self, *words: str) -> str | None:
        """Finish; why it was not sent."""
        found: str | None = self._recorded_to(self.benchmark.finish, said(*words))
        return found

    def give_up(self) -> None:
        self._recorded_to(self.benchmark.finish, None)

    def state(self) -> str:
        found: str = self._recorded_to(self.benchmark.state)
        return found

    @property
    def responses(self) -> list[Wire]:
        """What the company's own books say was answered."""
        return [body for path, body in self.line.sent if path == RESPOND]

    @property
    def answered(self) -> list[str]:
        """Outcomes that have arrived."""
        acts: Any = self.line.platform.acts(self.line.task)
        return [act.outcome for act in acts if hasattr(act, "outcome")]


def said(outcome: str, message: str = "Done.", links: str = "auto") -> str:
    """The words of a FINISH."""
    return f"OUTCOME: {outcome}\nMESSAGE: {message}\nLINKS: {links}"
