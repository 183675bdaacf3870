"""Stages of a task: run before the strategy's first turn, or before its final answer is sent.

A stage before the strategy adds findings to its briefing, and may end the task by a verdict with
a reason. A stage after it may object once, or reword the message, but never changes outcome
or links. A finding is in the journal before it is used, and is not computed
again.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, Protocol

from coordinator.benchmark import Environment
from coordinator.limits import Halt
from core.ledger import EntryObserver, Ledger, Tool, ToolFault
from core.models.model_client import ModelClient, ModelFailed
from core.models.sections import Texts
from core.runs.journal import Journal, JournalFailed
from core.runs.task import Finding, StageInput, TaskRun
from core.switches import switched_on

FAILED_CHARS = 500


class Step(Protocol):
    """One stage of one task."""

    def run(self, task: StageInput, client: ModelClient | None, ledger: Ledger) -> Finding:
        """Return its finding; a stage changes nothing.

        ``client``: for its model; None if it has none. An exception is recorded as the
        reason of a failed stage, and the task continues.
        """


def _no_step(_environment: Any, _texts: Texts) -> Step:
    raise TypeError("this stage is asked by the benchmark itself")


@dataclass(frozen=True)
class StageSpec:
    """A stage that a benchmark brings."""

    name: str
    says: str
    """A short description."""
    place: Literal["before", "objects", "words", "tool", "writes"]
    """When it runs: before the strategy, after it, as a tool of its instructions, or in the midst
    of what they write, where the environment asks its model itself."""
    make: Callable[[Any, Texts], Step] = _no_step
    """The stage for an environment, with the sections that replace those of its prompts; none of
    one that ``writes``."""
    arm: Callable[[Any, ModelClient, Texts], None] | None = None
    """For a stage that ``writes``: has an environment ask this model from now on."""
    default: bool = True
    caveat: str = ""
    """What a reader of results has to know where it is off; "" for nothing."""
    prompt: Callable[[Texts], str] | None = None
    """The beginning of all prompts of its model, with such sections; None: it calls no model."""
    version: Callable[[Any], str] = lambda _benchmark: ""
    """Key of the data that the stage reads before the strategy; it runs again if this changes."""
    remember: Callable[[Any, Finding], None] = lambda _benchmark, _found: None
    """Has a benchmark know of a finding that an earlier process has made."""
    tool: Callable[[Callable[[str], str], Texts], Tool] | None = None
    """For a stage that is a tool: makes the tool from the function that answers a question."""


class Asked(Protocol):
    """The settings of a run, or what it asks of its benchmark."""

    @property
    def stages(self) -> str:
        """The value of ``--stages``."""


def chosen(asked: Asked, specs: Sequence[StageSpec]) -> tuple[StageSpec, ...]:
    """The stages that are on, in the benchmark's order, as ``core.switches`` reads what is asked.

    Raises ValueError: a name that no stage of the benchmark has.
    """
    usual = [spec.name for spec in specs if spec.default]
    on = switched_on(asked.stages, "stage", [spec.name for spec in specs], usual)
    return tuple(spec for spec in specs if spec.name in on)


def caveat_of(on: Sequence[StageSpec], specs: Sequence[StageSpec]) -> str:
    """What a reader of results has to know of the stages that are off; "" for nothing."""
    return "; ".join(spec.caveat for spec in specs if spec.caveat and spec not in on)


@contextmanager
def recorded_to(run: TaskRun, on_entry: EntryObserver) -> Iterator[Ledger]:
    """A ledger whose requests are those of the run; it is closed afterwards."""
    ledger = Ledger(on_entry=on_entry)
    try:
        yield ledger
    finally:
        ledger.close()
        run.requests += ledger.requests


@dataclass
class StageRunner:
    """The stages of one task."""

    specs: tuple[StageSpec, ...]
    environment: Environment
    client: Callable[[str], ModelClient | None]
    """The way to the model of a stage."""
    journal: Journal
    run: TaskRun
    ledger: Callable[[], AbstractContextManager[Ledger]]
    texts: Texts = field(default_factory=dict)
    """Sections of prompts that replace shipped ones."""
    task: StageInput = field(default_factory=lambda: StageInput(""))
    """Text and briefing of the task, before a stage is asked."""

    def __post_init__(self) -> None:
        """Take over what an earlier process has found."""
        specs = {spec.name: spec for spec in self.specs}
        for finding in self.run.findings:
            if finding.step in specs:
                specs[finding.step].remember(self.environment, finding)
        for spec in self.specs:
            if spec.arm and (client := self.client(spec.name)):
                spec.arm(self.environment, client, self.texts)

    def ask_before(self) -> None:
        """Ask the stages before the strategy, as far as they were not."""
        for spec in self._of("before"):
            self._found(spec, self._case())

    def findings_text(self) -> str:
        """Their findings for the strategy, and the tools for its instructions."""
        findings = [f"{f.step}: {f.text}" for f in self._early() if f.text]
        tools = [f"{spec.name}: {spec.says}" for spec in self._of("tool") if self.client(spec.name)]
        return "\n".join(findings + tools)

    def tools(self, ledger: Ledger) -> list[Tool]:
        """The stages that an instruction can ask, those without a model left out."""
        return [
            spec.tool(partial(self._answer, spec, client, ledger), self.texts)
            for spec in self._of("tool")
            if spec.tool and (client := self.client(spec.name))
        ]

    def _answer(self, spec: StageSpec, client: ModelClient, ledger: Ledger, question: str) -> str:
        """Return a stage's answer to a question. Raises ToolFault if there is none."""
        step = spec.make(self.environment, self.texts)
        answer = step.run(self._case(text=question), client, ledger)
        if answer.failed:
            raise ToolFault(f"no answer: {answer.failed}"[:FAILED_CHARS], kind="RuntimeError")
        return answer.text

    @property
    def closing(self) -> Finding | None:
        """The first finding whose verdict ends the task before the strategy is asked."""
        return next((finding for finding in self._early() if finding.verdict), None)

    def object_to(self, finish: str, log: str) -> str | None:
        """Return a stage's objection to the strategy's FINISH; each stage objects once."""
        for spec in self._of("objects"):
            case = self._case(final_answer=finish, log=log)
            spoken = any(f.step == spec.name for f in self.run.findings)
            if spoken and self._known(spec, case) is None:
                continue
            if message := self._found(spec, case).objection:
                return message
        return None

    def reword(self, finish: str) -> str:
        """The FINISH that the strategy wants with its message in the words of the stages."""
        for spec in self._of("words"):
            finish = self._found(spec, self._case(final_answer=finish)).words or finish
        return finish

    def _case(self, **more: str) -> StageInput:
        return replace(self.task, earlier=tuple(self._early()), **more)

    def _of(self, place: str) -> Iterable[StageSpec]:
        return (spec for spec in self.specs if spec.place == place)

    def _early(self) -> Iterator[Finding]:
        names = {spec.name for spec in self._of("before")}
        last = {finding.step: finding for finding in self.run.findings if finding.step in names}
        return iter(last.values())

    def _about(self, spec: StageSpec, case: StageInput) -> str:
        if case.final_answer:
            return hashlib.sha256(case.final_answer.encode()).hexdigest()
        return spec.version(self.environment)

    def _known(self, spec: StageSpec, case: StageInput) -> Finding | None:
        about = self._about(spec, case)
        same = (f for f in self.run.findings if (f.step, f.about) == (spec.name, about))
        return next(same, None)

    def _found(self, spec: StageSpec, case: StageInput) -> Finding:
        """Return the recorded finding of a stage, or run it now."""
        if (known := self._known(spec, case)) is not None:
            return known
        began = time.perf_counter()
        with self.ledger() as ledger:
            try:
                step = spec.make(self.environment, self.texts)
                finding = step.run(case, self.client(spec.name), ledger)
            except (Halt, JournalFailed):
                raise
            except Exception as error:  # the wall of a stage: the task goes on without it
                is_known = isinstance(error, ModelFailed | ToolFault)
                why = str(error) if is_known else f"{type(error).__name__}: {error}"
                finding = Finding(failed=why[:FAILED_CHARS])
        seconds, about = round(time.perf_counter() - began, 6), self._about(spec, case)
        finding = finding.model_copy(update={"step": spec.name, "about": about, "seconds": seconds})
        self.journal.write("finding", finding.model_dump(mode="json"))
        self.run.findings.append(finding)
        return finding
