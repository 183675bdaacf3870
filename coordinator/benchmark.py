"""What a benchmark is: the protocol of one task, and the record of what all tasks share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

from core.erc3_client.retry_policy import RetryPolicy
from core.erc3_client.retrying_platform import RetryingPlatform
from core.ledger import Ledger, LedgerEntry, Tool, ToolCall, ToolFault, WireCall
from core.ledger.tool import retold
from core.models.prompts import template_sections
from core.models.sections import NONE, Texts
from core.runs.task import TaskProgress
from core.runs.work import WorkReport
from playbooks import library

if TYPE_CHECKING:
    from coordinator.stages import StageSpec

Platform: TypeAlias = RetryingPlatform
"""The platform's client; every method raises what the client raises, such as ApiException."""
TEMPLATES = {
    "evaluator": ("system",),
    "worker": ("system",),
    "next_step": ("system",),
    "coordinator": ("verify",),
}
"""Templates, by package, that are sections of every benchmark's prompts."""


class Environment(Protocol):
    """One task of a benchmark on the platform.

    A class that inherits it has the defaults below: nothing to brief, to check, or to send at the
    end.
    """

    @property
    def progress(self) -> TaskProgress:
        """How far the task is."""

    def briefing(self, ledger: Ledger, task: str = "") -> str:
        """Return the prompt's part about this task, before its state; "" for nothing. Called once.

        ``task``: its text.

        Raises ToolFault if a request for it fails.
        """
        return ""

    def state(self, ledger: Ledger) -> str:
        """The world now as text for the prompt, read afresh. Raises ToolFault without an answer."""

    def bind(self, ledger: Ledger) -> AbstractContextManager[list[Tool]]:
        """The tools for one instruction; while it lasts, requests are recorded in its ledger."""

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

    def finish(self, final_answer: str | None, ledger: Ledger) -> str | None:
        """Finish the task with this text; this may send a request.

        ``final_answer``: None is the last act of a task that a limit ends.

        Return the objection if it was refused, for the next turn; None: the task has ended.

        Raises ToolFault: the benchmark does not respond.
        """
        return None

    def repeat(self, requests: Sequence[WireCall], ledger: Ledger) -> list[str]:
        """Send the writes among recorded requests again, in order; what went otherwise now.

        Failed ones too: a refusal may have moved something. Of the reads only what they taught
        is kept. Raises ToolFault where the benchmark does not answer.
        """

    def restore(self, entries: Sequence[LedgerEntry]) -> None:
        """Take over what earlier work on this task has learnt and done; nothing is sent.

        It is called wherever an earlier process has played the task, also if that recorded nothing.
        An irreversible request that was intended and of which nothing more is known is settled
        by the next reading of the state.
        """


@dataclass(frozen=True)
class TaskOptions:
    """What a run asks of a benchmark for all of its tasks."""

    retry_policy: RetryPolicy | None = None
    """How long the platform is waited for."""
    guards: str = "all"
    """Those that are on."""
    stages: str = "default"
    """Those that are on."""
    texts: Texts = field(default_factory=dict)
    """Sections of prompts that replace shipped ones, by name."""
    rulebooks: tuple[str, ...] = ()
    """Pages that a briefing has whole."""
    cache: Path | None = None
    """A folder for what its tasks share with other runs."""
    books: Path | None = None
    """A folder for what models have read; None where every call has to be made."""
    embedding: str | None = None
    """The model that a wiki is searched with by meaning; None: it is not."""


AS_SHIPPED = TaskOptions()
"""Nothing is asked for."""
DirectCall: TypeAlias = tuple[str, dict[str, object]]
"""A tool's name, and the arguments of one call of it."""
OpenTask: TypeAlias = Callable[[Platform, str], Environment]
"""Opens the environment of a task on the platform, by the task's id."""


def needs_options(_platform: Platform, task_id: str) -> Environment:
    """Raise RuntimeError: nothing opens tasks before a run has said what it asks of them."""
    raise RuntimeError(f"{task_id}: with_options comes before a task is opened")


@dataclass(frozen=True)
class Benchmark:
    """A benchmark as a whole: what is the same for all of its tasks."""

    name: str
    """The value of ``--benchmark``; the names of its prompt sections begin with it."""
    open_tasks: Callable[[TaskOptions], OpenTask]
    """What opens the tasks of a run, called once for the run. Raises Usage: an option of the run
    does not fit the benchmark."""
    list_tools: Callable[[], list[Tool]]
    """The tools of its instructions, without an environment."""

    # Its prompts.
    shipped_rules: str
    final_answer: str
    """How the instruction of a FINISH is worded."""

    # Its results.
    harm_name: str
    """The mistake that cannot be undone."""
    groups: tuple[str, ...]
    """Classes of tasks, by what the platform's evaluator wants."""
    group_of: Callable[[str, str | None], str | None]
    """The group of a task by the evaluator's log and, of one that passed, its verdict, where those
    tell."""
    shorten_state: Callable[[str], str]
    """Summarise a state in a few words for a line on the screen; "" if that is impossible."""

    # Who plays it without a key, and what the workshop serves.
    scripted: str
    """The model that plays where none is named."""
    world: str
    """``module:NAME`` of the world that the embedded platform serves."""

    playbooks: str | None = None
    """Its strategies as text; None: the files in ``playbooks/NAME``."""
    stages: tuple[StageSpec, ...] = ()
    """The stages around the strategy, in the order in which they run."""
    stage_sections: Callable[[], Texts] = dict
    """The sections of the prompts of its stages."""
    direct_calls: Callable[[str], Sequence[DirectCall]] = lambda _instruction: ()
    """The calls that an instruction in a fixed form stands for: no worker is asked for it. ():
    the instruction is in no such form."""
    is_final: Callable[[str], bool] = lambda _instruction: False
    """Whether an instruction orders what cannot be undone."""
    needs_answer: bool = False
    """Whether a task ends by an answer that a FINISH words, and is lost without one.

    Its last turn is kept for that."""
    idle_group: str | None = None
    """The group of tasks that pass if nothing is done; None if there is no such group."""
    options: TaskOptions = AS_SHIPPED
    """What the run asks of it."""
    open: OpenTask = needs_options
    """Opens a task of the run; tasks share what was read for one of them."""

    def with_options(self, options: TaskOptions) -> Benchmark:
        """The benchmark as a run plays it. Raises Usage: an option does not fit it."""
        return replace(self, options=options, open=self.open_tasks(options))

    @property
    def rules(self) -> str:
        """The rules for the prompts."""
        return self.options.texts.get(f"{self.name}/rules", self.shipped_rules)

    def guide(self, *, of_steps: bool = False) -> str:
        """Playbooks for the evaluator's prompt, or for a strategy whose every step is one call."""
        if self.playbooks is not None:
            return self.playbooks
        return library.prose(self.name, self.options.texts, of_steps=of_steps)

    def tools(self, stages: Iterable[StageSpec] = ()) -> list[Tool]:
        """The tools without an environment, and those of ``stages``: for prompts, and for work
        that is repeated."""
        own = retold(self.list_tools(), tool_texts(self.options.texts, self.name))
        return [*own, *_stage_tools(stages, self.options.texts)]

    def sections(self) -> dict[str, str]:
        """Every shipped section of its prompts, by name."""
        sections: dict[str, str] = {}
        for package, names in TEMPLATES.items():
            sections |= template_sections(package, *names)
        sections[f"{self.name}/rules"] = self.shipped_rules
        if self.playbooks is None:
            sections |= library.sections(self.name)
        tools = (*self.list_tools(), *_stage_tools(self.stages, NONE))
        docs = {f"{self.name}/tools/{tool.name}": tool.doc for tool in tools if tool.told}
        return sections | dict(self.stage_sections()) | docs


def tool_texts(texts: Texts, benchmark: str) -> Mapping[str, str]:
    """The sections that are texts of a benchmark's tools, by the tool's name."""
    head = f"{benchmark}/tools/"
    return {k.removeprefix(head): text for k, text in texts.items() if k.startswith(head)}


def is_harmful(side_effects: int, passed: bool | None) -> bool | None:
    """Whether something was done that was not wanted, or not as wanted; None: not scored."""
    if not side_effects:
        return False
    return None if passed is None else not passed


def _stage_tools(stages: Iterable[StageSpec], texts: Texts) -> list[Tool]:
    return [stage.tool(_nowhere, texts) for stage in stages if stage.tool]


def _nowhere(_question: str) -> str:
    raise ToolFault("there is no world to ask about", kind="RuntimeError", fatal=True)
