"""What a benchmark brings: the protocol of each task (environment), and what all tasks share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias

from core.erc3_client.retrying_platform import RetryingPlatform
from core.ledger import Ledger, LedgerEntry, Tool, ToolCall, WireCall
from core.models.sections import Texts
from core.runs.work import WorkReport

if TYPE_CHECKING:
    from coordinator.stages import StageSpec

Platform: TypeAlias = RetryingPlatform
"""The platform's client; every method raises what the client raises, such as ApiException."""


class Environment(Protocol):
    """One task of a benchmark on the platform.

    A class that inherits it has the defaults below: nothing to brief, to check, or to send at the
    end.
    """

    @property
    def side_effects(self) -> int:
        """Irreversible acts and writes that took effect."""

    @property
    def answers(self) -> bool:
        """Whether a task ends by an answer that a FINISH words, and is lost without one.

        Its last turn is kept for that.
        """
        return False

    @property
    def ending(self) -> str:
        """How the task has ended, in the benchmark's own word; asked once it is finished."""

    def briefing(self, ledger: Ledger, task: str = "") -> str:
        """Return the prompt's part about this task, before its state; "" for nothing. Called once.

        ``task``: its text.

        Raises ToolFault if a request for it fails.
        """
        return ""

    def state(self, ledger: Ledger) -> str:
        """The world now as text for the prompt, read afresh. Raises ToolFault without an answer."""

    def bind(self, ledger: Ledger, decided: str = "") -> AbstractContextManager[list[Tool]]:
        """The tools for one instruction; while it lasts, every request is recorded in its ledger.

        ``decided``: the decision that it comes from, in its own words.
        """

    def finished(self) -> str | None:
        """Why nothing more can be done, or None."""
        return None

    def unanswered(self) -> str | None:
        """The fault of the last request if its outcome is unknown; else None.

        A task with an unanswered request has not ended.
        """

    def check_finish(
        self, final_answer: str, ledger: Ledger, calls: Sequence[ToolCall] = ()
    ) -> str | None:
        """Return an objection if a FINISH with this text contradicts the facts.

        ``calls``: every tool call of the task, oldest first.

        Raises ToolFault if a request for the facts fails.
        """
        return None

    def check_effects(self, final_answer: str, report: WorkReport, ledger: Ledger) -> str | None:
        """Why an answer that was prepared with an instruction does not fit what came of it.

        None: every effect of the work is as intended, and there was one. Raises ToolFault.
        """
        return "this benchmark takes no prepared answers"

    def finish(self, final_answer: str, ledger: Ledger) -> str | None:
        """Finish the task with this text; this may send a request.

        Return the objection if it was refused, for the next turn; None: the task has ended.

        Raises ToolFault: the benchmark does not respond.
        """
        return None

    def reworded(self, final_answer: str, words: str, ledger: Ledger) -> str:
        """The words that finish a task with another message; all else in them stays as it is."""
        return final_answer

    def give_up(self, ledger: Ledger) -> None:
        """The last act of a task that a limit ends. Raises ToolFault."""
        return None

    def repeat(self, requests: Sequence[WireCall], ledger: Ledger) -> list[str]:
        """Send the writes among recorded requests again, in order; what went otherwise now.

        Failed ones too: a refusal may have moved something. Of the reads only what they taught
        is kept. Raises ToolFault where the benchmark does not answer.
        """

    def restore(self, entries: Sequence[LedgerEntry]) -> None:
        """Take over what earlier work on this task has learnt and done; nothing is sent.

        An irreversible request that was intended and of which nothing more is known is settled
        by the next reading of the state.
        """


@dataclass(frozen=True)
class BenchmarkPrompts:
    """The texts that a benchmark contributes to prompts."""

    rules: str
    guide: Callable[[], str]
    """Playbooks for the prompt of the evaluator."""
    guide_of_steps: Callable[[], str]
    """The same for a strategy whose every step is one call."""
    final_answer: str
    """How the instruction of a FINISH is worded."""
    shipped: Callable[[], Texts] = dict
    """Every section of its prompts by name, without overrides."""
    overrides: Texts = field(default_factory=dict)
    """Sections that replace shipped ones."""


@dataclass(frozen=True)
class EnvironmentSpec:
    """How the environment of a task is opened, and what works in it."""

    open: Callable[[Platform, str], Environment]
    """The environment of a task on the platform, by the task's id."""
    tools: Callable[[], list[Tool]]
    """The tools without an environment: for prompts, and for work that is repeated."""
    stages: tuple[StageSpec, ...] = ()
    """The stages around the strategy, in the order in which they run."""
    page_tool: str = ""
    """The tool that an instruction "READ: name, name" calls, without a worker; its one argument is
    a list of names. "": there are no pages."""


@dataclass(frozen=True)
class ResultWords:
    """The words of a benchmark for its results, in tables and the lab."""

    harm_name: str
    """The mistake that cannot be undone."""
    groups: tuple[str, ...]
    """Classes of tasks, by what the platform's evaluator wants."""
    idle_group: str | None
    """The group of tasks that pass if nothing is done; None if there is no such group."""
    brief: Callable[[str], str]
    """Summarise a state in a few words for a line on the screen; "" if that is impossible."""
    expected: Callable[[str, str | None], str | None]
    """The group of a task by the evaluator's log and, of one that passed, its verdict, where those
    tell."""
    harmed: Callable[[int, bool | None], bool | None]
    """Whether so many acts did harm in a task that passed, did not, or is not scored (None)."""


@dataclass(frozen=True)
class Benchmark:
    """A benchmark as a whole: what is the same for all of its tasks."""

    id: str
    prompts: BenchmarkPrompts
    environments: EnvironmentSpec
    results: ResultWords
