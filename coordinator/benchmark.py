"""What the coordinator needs of a benchmark, and nothing more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from ledger import Deed, Ledger, Tool, WireCall

Wanted = Literal["buy", "refuse"]


class Benchmark(Protocol):
    """One task of a benchmark: tools for it, state and rules for the prompt, what is finished."""

    @property
    def name(self) -> str:
        """The benchmark's id on the platform."""

    @property
    def rules(self) -> str:
        """Rules for the evaluator's prompt; the same for every task."""

    @property
    def guide(self) -> str:
        """Strategies for the evaluator's prompt; the same for every task."""

    @property
    def guide_of_steps(self) -> str:
        """The same for an agent whose every step is one call."""

    @property
    def checkouts(self) -> int:
        """Irreversible acts that took effect."""

    def tools(self, ledger: Ledger) -> list[Tool]:
        """The tools for one instruction, booked in its ledger."""

    def state(self, ledger: Ledger) -> str:
        """The state as text for the prompt, read afresh. Raises ToolFault without an answer."""

    def repeat(self, requests: Sequence[WireCall], ledger: Ledger) -> list[str]:
        """Send the writes among recorded requests again, in order; what went otherwise now.

        Failed ones too: a refusal may have moved something. Of the reads only what they taught
        is kept. Raises ToolFault where the benchmark does not answer.
        """

    def recall(self, deeds: Sequence[Deed]) -> None:
        """Take over what earlier work on this task has learnt and done; nothing is sent.

        An irreversible request that was intended and of which nothing more is known is settled
        by the next reading of the state.
        """

    def finished(self) -> str | None:
        """Why nothing more can be done, or None."""

    def unanswered(self) -> str | None:
        """What the benchmark owes an answer to, as the fault of its last request; else None.

        A task in which something is unanswered has not come to its end.
        """

    def challenge(self, words: str) -> str | None:
        """What to ask back when a FINISH with these words does not agree with the facts."""

    def expected(self, eval_log: str) -> Wanted | None:
        """What the platform's evaluator says it wanted, where its text tells."""
