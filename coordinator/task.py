"""One task: turns of deciding and acting until it is finished, refused or out of turns."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace

from coordinator.benchmark import Environment
from coordinator.stages import StageRunner, StageSpec, recorded_to
from coordinator.strategy import Strategy
from core.ledger import EntryObserver, Ledger, ToolCall, ToolFault
from core.models.model_client import ModelClient, ModelFailed
from core.models.sections import Texts
from core.models.tokens import cut_text
from core.runs.journal import Journal
from core.runs.task import PREPARED, Decision, StageInput, TaskRun, Turn, TurnContext
from core.runs.work import WorkReport
from evaluator.reply import has_blank

NOTHING_MORE = (
    "CHALLENGE: this is the last turn, and nothing is carried out in it. FINISH now, with the "
    "outcome that the facts allow."
)
UNCHANGED = (
    "CHALLENGE: the last turn carried out exactly this instruction, and it failed: {fault}\n"
    "The same instruction leads to the same error. Change it, or FINISH with what the facts say."
)
FAULT_TOKENS = 120
WITHHELD_TOKENS = 120
"""Maximum tokens of the reason why a prepared answer is not sent."""
NOT_CARRIED_OUT = "not carried out: the last turn is for the FINISH alone"


@dataclass
class TaskLoop:
    """Runs one task; the journal is written before the next step is taken."""

    environment: Environment
    strategy: Strategy
    journal: Journal
    run: TaskRun
    max_turns: int
    on_entry: EntryObserver
    on_turn: Callable[[Turn], None]
    on_decision: Callable[[int, Decision], None] = lambda _number, _decision: None
    """Called with each decision and its turn, before it is carried out or sent back."""
    on_call: Callable[[ToolCall], None] = lambda _call: None
    """Called after each tool call of an instruction."""
    stages: tuple[StageSpec, ...] = ()
    """Around the strategy."""
    client: Callable[[str], ModelClient | None] = lambda _: None
    """The way to the model of a stage; None: it does without."""
    texts: Texts = field(default_factory=dict)
    """Sections of the stages' prompts that replace shipped ones."""
    needs_answer: bool = False
    """Whether the last turn is kept for a FINISH."""

    def __post_init__(self) -> None:
        self._stages = StageRunner(
            self.stages,
            self.environment,
            self.client,
            self.journal,
            self.run,
            self._recorded_to,
            self.texts,
        )
        self._objections: set[str] = set()
        self._briefing: str | None = None
        self._asked = ""

    def go(self, task_text: str) -> None:
        """Loop over at most ``max_turns`` turns; the result is in the run that was given.

        Turns that the run already holds, as that of a fork or a resumed one does, are not done
        again.

        Raises:
            ToolFault: the benchmark does not answer, or owes an answer when the task would end.
            ModelFailed: a model gave no answer, the one that decides or the worker's.
            Unreadable: the replies of the one that decides cannot be used.
        """
        run, self._asked = self.run, task_text
        if self.conclude():
            return
        for number in range(len(run.turns) + 1, self.max_turns + 1):
            self._turn(number)
            if run.outcome == "finished":
                return
        # The last turn may have ended without an answer to what it did.
        self._read_state()
        if self.environment.progress.finished:
            run.outcome = "finished"
        else:
            self._check_answered()

    def conclude(self) -> bool:
        """Whether the turns so far were the whole task; its outcome is noted then."""
        turns = self.run.turns
        if self.environment.progress.finished or (turns and turns[-1].ends):
            self.run.outcome = "finished"
        return self.run.outcome != "unfinished"

    def _turn(self, number: int) -> None:
        """One turn, unless reading the state shows that nothing is left to do."""
        began, started = time.perf_counter(), time.time()
        before, requests = len(self.run.calls), self.run.requests
        state = self._read_state()
        if self.environment.progress.finished:
            self.run.outcome = "finished"
            return
        withheld, challenge = self._withheld(), None
        decision, closed_by = self._early_end(withheld)
        if decision is None:
            decision, challenge = self._decide(state, number, withheld)
        self.on_decision(number, decision)
        report, refused = self._carried_out(decision, number, closed_by)
        turn = Turn(
            number=number,
            state=state,
            decision=decision,
            challenge=challenge,
            report=report,
            refused=refused,
            closed_by=closed_by,
            withheld=withheld,
            model_calls=len(self.run.calls) - before,
            requests=self.run.requests - requests,
            seconds=round(time.perf_counter() - began, 6),
            started=round(started, 6),
        )
        self.run.turns.append(turn)
        self.journal.write("turn", turn.model_dump(mode="json"))
        self.on_turn(turn)
        if report and report.failure == "model":
            raise ModelFailed(report.error or "")
        if turn.ends or self.environment.progress.finished:
            self.run.outcome = "finished"

    def _carried_out(
        self, decision: Decision, number: int, closed_by: str
    ) -> tuple[WorkReport | None, str | None]:
        """The report of the work that was decided, and why a decision was refused."""
        if decision.decision == "FINISH":
            self._check_answered()
            worded = closed_by in ("", PREPARED)
            return None, self._finish(decision, worded=worded)
        if self._is_last_turn(number):
            return None, NOT_CARRIED_OUT
        with self._recorded_to() as ledger, self.environment.bind(ledger) as tools:
            ledger.offer([*tools, *self._stages.tools(ledger)])
            ledger.on_call = self.on_call
            return self.strategy.act(decision, ledger), None

    def _recorded_to(self) -> AbstractContextManager[Ledger]:
        return recorded_to(self.run, self.on_entry)

    def _read_state(self) -> str:
        with self._recorded_to() as ledger:
            return self.environment.state(ledger)

    def _brief(self) -> str:
        if self._briefing is None:
            with self._recorded_to() as ledger:
                self._briefing = self.environment.briefing(ledger, self._asked)
            self._stages.task = StageInput(self._asked, briefing=self._briefing)
        return self._briefing

    def _decide(self, state: str, number: int, withheld: str | None) -> tuple[Decision, str | None]:
        """Return the decision of a turn; a FINISH that contradicts the facts is sent back once.

        ``withheld``: why the answer prepared for this turn was not sent.
        """
        turns, limit = self.run.turns, self.max_turns
        alone = self._is_last_turn(number)
        briefing = self._brief()
        self._stages.ask_before()
        findings = self._stages.findings_text()
        context = TurnContext(
            self._asked, turns, state, number, limit, briefing, findings, alone, withheld=withheld
        )
        decision = self.strategy.decide(context)
        if decision.decision == "PROCEED":
            challenge = NOTHING_MORE if alone else self._unchanged(decision)
        else:
            objection = self._objection(decision)
            is_new = objection is not None and self._is_new(objection, decision)
            challenge = objection if is_new else self._asked_back(decision)
        if challenge is None:
            return decision, None
        self.on_decision(number, decision)
        return self.strategy.decide(replace(context, challenge=challenge)), challenge

    def _unchanged(self, decision: Decision) -> str | None:
        """Object once to the instruction of the turn before, where that one has failed."""
        last = self.run.turns[-1] if self.run.turns else None
        fault = last.report.fault if last and last.report else None
        if last is None or fault is None or decision.instruction != last.decision.instruction:
            return None
        objection = UNCHANGED.format(fault=cut_text(fault, FAULT_TOKENS))
        return objection if self._is_new(objection, decision) else None

    def _is_last_turn(self, number: int) -> bool:
        return self.needs_answer and number == self.max_turns

    def _objection(self, decision: Decision) -> str | None:
        reports = (turn.report for turn in self.run.turns)
        calls = [call for report in reports if report for call in report.calls]
        with self._recorded_to() as ledger:
            return self.environment.check_finish(_finish_text(decision), ledger, calls)

    def _is_new(self, objection: str, decision: Decision) -> bool:
        """Note an objection; whether none of its kind was made in this task before.

        It is of the same kind where only the words of the answer are others.
        """
        reasons = objection.replace(_finish_text(decision), "")
        is_new = reasons not in self._objections
        self._objections.add(reasons)
        return is_new

    def _check_answered(self) -> None:
        """Refuse to end while a request is unanswered. Raises ToolFault."""
        if unanswered := self.environment.progress.unanswered:
            raise ToolFault(f"the task ends without an answer: {unanswered}", fatal=True)

    def _early_end(self, withheld: str | None) -> tuple[Decision | None, str]:
        """The end of a task for which the strategy is not asked, and what it comes from.

        It is the answer that the turn before has prepared, or in the first turn the verdict of a
        stage. What the benchmark objects to is not taken: then the strategy decides. So it does
        where no model was asked yet: a task without a reported call loses score on the platform.
        """
        if self.run.turns:
            prepared = self._prepared()
            return (None, "") if prepared is None or withheld else (prepared, PREPARED)
        self._brief()
        self._stages.ask_before()
        finding = self._stages.closing
        if finding is None or finding.verdict is None or not self.run.calls:
            return None, ""
        verdict = finding.verdict
        thought = f"{finding.step}, by {verdict.by}: {verdict.reason}"
        decision = Decision(thought=thought, decision="FINISH", instruction=verdict.closing)
        return (None, "") if self._objection(decision) else (decision, finding.step)

    def _prepared(self) -> Decision | None:
        """The end that the last turn has prepared, whatever came of its instruction."""
        last = self.run.turns[-1] if self.run.turns else None
        if last is None or last.report is None or not last.decision.prepared:
            return None
        thought = f"prepared in turn {last.number}: every effect is as ordered"
        return Decision(thought=thought, decision="FINISH", instruction=last.decision.prepared)

    def _withheld(self) -> str | None:
        """Why the answer that the last turn has prepared must not be sent; None: it may, if any."""
        decision, turns = self._prepared(), self.run.turns
        report = turns[-1].report if turns else None
        if decision is None or report is None:
            return None
        self._brief()  # a process that goes on has not looked yet who asks
        why = "a place in it is not filled in" if has_blank(decision.instruction) else None
        why = why or report.fault or self.environment.progress.unanswered
        if why is None:
            with self._recorded_to() as ledger:
                why = self.environment.check_effects(decision.instruction, report, ledger)
        if why is None and (objection := self._objection(decision)):
            self._is_new(objection, decision)  # so that the FINISH that follows is not sent back
            why = objection
        why = why or self._asked_back(decision)
        return cut_text(why, WITHHELD_TOKENS) if why else None

    def _asked_back(self, decision: Decision) -> str | None:
        log = "\n".join(turn.prompt(latest=True) for turn in self.run.turns)
        objection = self._stages.object_to(_finish_text(decision), log)
        return objection and f"CHALLENGE: {objection}\nYour FINISH said: {_finish_text(decision)}"

    def _finish(self, decision: Decision, *, worded: bool) -> str | None:
        """Finish the environment; return the objection if it was refused.

        ``worded``: the stages' wording, unless it is refused.
        """
        own = _finish_text(decision)
        if worded:
            words = self._stages.reword(own)
            if words != own and self._send(words) is None:
                return None
        return self._send(own)

    def _send(self, finish: str) -> str | None:
        with self._recorded_to() as ledger:
            return self.environment.finish(finish, ledger)


def _finish_text(decision: Decision) -> str:
    return decision.instruction or decision.thought
