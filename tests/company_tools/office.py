"""A task as the coordinator sees it, with its line."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import closing
from typing import Any

from company_tools.benchmark import CompanyBenchmark
from company_tools.wiki_store import WikiStore
from core.erc3_client.patience import Patience
from core.ledger import Deed, Ledger, Notice
from tests.company_tools.kites import Direct, Wire, kites

RESPOND = "/respond"


class Office:
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
        self.benchmark = CompanyBenchmark(
            self.line, Patience(0), wiki or WikiStore(), off, lambda: log
        )
        self.deeds: list[Deed] = []
        self.briefing = self._booked(self.benchmark.briefing) if brief else ""

    def noted(self, noted: Deed | Notice) -> None:
        """Keep what a resumption is given; notices are for those who read a journal."""
        if not isinstance(noted, Notice):
            self.deeds.append(noted)

    def _booked(self, do: Any, *arguments: Any) -> Any:
        with closing(Ledger(witness=self.noted)) as ledger:
            return do(*arguments, ledger)

    def call(self, name: str, **arguments: Any) -> Any:
        """Call a tool as the worker's code does, in an instruction of its own."""
        ledger = Ledger(witness=self.noted)
        with self.benchmark.bind(ledger) as tools:
            ledger.offer(tools)
            return ledger.call(name, [], arguments)

    @property
    def tools(self) -> set[str]:
        with self.benchmark.bind(Ledger()) as tools:
            return {tool.name for tool in tools}

    def asked_back(self, *words: str) -> str | None:
        """What a FINISH with these words is asked back."""
        found: str | None = self._booked(self.benchmark.objection, said(*words))
        return found

    def finish(self, *words: str) -> str | None:
        """Finish; why it was not sent."""
        found: str | None = self._booked(self.benchmark.finish, said(*words))
        return found

    def give_up(self) -> None:
        self._booked(self.benchmark.give_up)

    def state(self) -> str:
        found: str = self._booked(self.benchmark.state)
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
