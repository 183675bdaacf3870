"""The worker: one instruction in, a new agent in a new sandbox, a report out."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from typing import Any, TypeAlias

from smolagents import CodeAgent, LogLevel
from smolagents.models import ChatMessage, MessageRole, Model
from smolagents.utils import AgentGenerationError, AgentMaxStepsError

from core.ledger import Ledger, Tool
from core.models.model_call import Message, ModelCall
from core.models.model_client import ModelClient, ModelFailed
from core.models.prompts import prompt
from core.models.python_code import ignore_imports
from core.models.reply_code import find_code
from core.models.reply_text import Misread
from core.models.reprompt import answer_of, reprompt
from core.models.sections import NONE, Texts
from core.runs.work import WorkReport
from worker.sandbox.contract import ClockAndSeed, SandboxLimits
from worker.sandbox.executor import SandboxExecutor
from worker.sandbox.isolation import open_sandbox, python_rules

_AGAIN = (
    "Reply with one line 'Thought: ...' and then one Python block between <code> and </code> that "
    "calls the tools and ends with final_answer(report). Nothing of the last reply was run."
)
_FORM_LINES = frozenset({"...", "…", "pass", "final_answer(report)", "report = {}", "report = ..."})
"""Lines of the prompt's form, which do nothing by themselves."""
_CLOSE = "</code><!-- end -->"
"""Ends the one block that smolagents takes out of a message; a program may contain `</code>`."""
_ONLY_FORM = "it only repeats the form of the prompt; write the code for this instruction"


class WorkerModel(Model):  # type: ignore[misc]
    """Calls the client and passes on exactly one code block, never one that was cut off.

    A reply without usable code is prompted for again once.
    """

    def __init__(self, client: ModelClient, tools: Collection[str] = ()) -> None:
        """``tools``: the names that a program may call."""
        super().__init__(model_id=client.model)
        self._client = client
        self._tools = frozenset(tools)

    def generate(self, messages: list[Any], *args: Any, **kwargs: Any) -> ChatMessage:
        """Generate with at most two calls; no stop strings, since some reasoning contains them.

        Raises:
            Misread: neither the reply nor the second one has code that may run.
            ModelFailed: the model gave no answer at all.
        """
        # What a step called is its code, which is in the reply before already.
        prompt = [_plain(m) for m in messages if m.role != MessageRole.TOOL_CALL]
        code = reprompt(self._client, prompt, self._code, _AGAIN)
        return ChatMessage(role=MessageRole.ASSISTANT, content=f"<code>\n{code}\n{_CLOSE}")

    def _code(self, call: ModelCall) -> str:
        """Extract the code of a reply. Raises Misread if there is none that may run."""
        code = find_code(answer_of(call), self._tools)
        lines = {line.strip() for line in code.splitlines() if line.strip()}
        if lines <= _FORM_LINES:
            raise Misread(_ONLY_FORM)
        return ignore_imports(code, self._tools | {"final_answer"})


def _plain(message: Any) -> Message:
    role = getattr(message.role, "value", message.role)
    content = message.content
    if isinstance(content, list):
        content = "\n".join(str(part.get("text", "")) for part in content)
    names = {"tool-call": "assistant", "tool-response": "user"}
    shown = str(content).replace(_CLOSE, "</code>")
    return {"role": names.get(str(role), str(role)), "content": shown}


MAX_STEPS = 3
_EMPTY = {"initial_plan": "", "update_plan_pre_messages": "", "update_plan_post_messages": ""}
_NO_TEMPLATES: dict[str, Any] = {
    "planning": _EMPTY,
    "managed_agent": {"task": "", "report": ""},
    "final_answer": {"pre_messages": "", "post_messages": ""},
}
"""Parts of smolagents' prompts that are not used."""
ExecutorFactory: TypeAlias = Callable[[str, Ledger, SandboxLimits], SandboxExecutor]
"""Opens the sandbox of an instruction whose calls a ledger records."""


def system_prompt(tools: Iterable[Tool], texts: Texts = NONE) -> str:
    """The worker's system prompt; the same tools give the same bytes.

    ``texts``: sections over the shipped ones.
    """
    told = [tool for tool in tools if tool.told and not tool.closes]
    usages = [(tool.usage(), tool.doc) for tool in told]
    return prompt("worker", "system", texts, tools=usages, python_rules=python_rules())


class _Agent(CodeAgent):  # type: ignore[misc]
    """A CodeAgent that spends no further model call when its steps are used up."""

    def initialize_system_prompt(self) -> str:
        """The prompt as it is: it is no template, and the agent asks for it more than once."""
        return str(self.prompt_templates["system_prompt"])

    def provide_final_answer(self, task: str) -> ChatMessage:
        """Say that there is no answer instead of asking the model for one."""
        return ChatMessage(role=MessageRole.ASSISTANT, content="no final answer")


class Worker:
    """Carries out instructions, each with an agent and a sandbox of its own.

    Nothing of one instruction is kept for the next: agent, executor and ledger are new.
    """

    def __init__(
        self,
        client: ModelClient,
        limits: SandboxLimits | None = None,
        max_steps: int = MAX_STEPS,
        executor_factory: ExecutorFactory | None = None,
        texts: Texts = NONE,
    ) -> None:
        """``executor_factory``: opens the sandbox in place of ``open_sandbox``, as a debugger does.

        ``texts``: sections over the shipped ones.
        """
        self._texts = texts
        self._client = client
        self._open: ExecutorFactory = executor_factory or (
            lambda instruction, ledger, limits: open_sandbox(
                ledger, limits, clock_and_seed=ClockAndSeed.of(instruction)
            )
        )
        self._limits = limits or SandboxLimits()
        self._max_steps = max_steps

    def carry_out(self, instruction: str, ledger: Ledger) -> WorkReport:
        """Carry out one instruction with the tools that the ledger offers.

        The ledger is closed at the end, so nothing can be called afterwards. A failure of the
        model or of the generated code is in the report; so is what had taken effect.

        Raises:
            SandboxUnavailable: there is no sandbox to run code in.
            Exception: an error of our own tools, recorded on the host's side; or what the
                client raises that is not the model's fault, such as a limit.
        """
        began = time.perf_counter()
        executor = self._open(instruction, ledger, self._limits)
        ledger.position = lambda: executor.position
        ledger.instruction = instruction
        try:
            report = self._run(instruction, ledger, executor)
        except AgentGenerationError as error:
            cause = error.__cause__
            if isinstance(cause, ModelFailed):
                report = WorkReport(error=f"the worker's model failed: {cause}", failure="model")
            elif isinstance(cause, Misread):
                text = f"the worker's model gave no usable code twice: {cause.advice}"
                report = WorkReport(error=f"{text} ({self._client.model})")
            else:  # a limit, a full disk, a bug
                raise (cause or error) from None
        finally:
            ledger.close()
            executor.cleanup()
        return report.model_copy(
            update={
                "steps": tuple(executor.traces),
                "sandbox": executor.kind,
                "pins": (executor.clock_and_seed.clock, executor.clock_and_seed.seed),
                "calls": ledger.calls,
                "requests": ledger.requests,
                "seconds": round(time.perf_counter() - began, 6),
            }
        )

    def _run(self, instruction: str, ledger: Ledger, executor: SandboxExecutor) -> WorkReport:
        def raise_our_fault(_step: object) -> None:
            # smolagents would report an error of this program to the model.
            if executor.host_faults:
                raise executor.host_faults[0]

        agent = _Agent(
            tools=[],
            model=WorkerModel(self._client, [tool.name for tool in ledger.tools]),
            executor=executor,
            prompt_templates={
                "system_prompt": system_prompt(ledger.tools, self._texts),
                **_NO_TEMPLATES,
            },
            max_steps=self._max_steps,
            verbosity_level=LogLevel.OFF,
            code_block_tags=("<code>", _CLOSE),
            step_callbacks=[raise_our_fault],
        )
        # Angle brackets are defused: the instruction may quote texts from outside.
        task = f"<instruction>\n{instruction.replace('<', chr(92) + 'u003c')}\n</instruction>"
        output = agent.run(task)
        errors = [e for e in (getattr(step, "error", None) for step in agent.memory.steps) if e]
        if not (errors and isinstance(errors[-1], AgentMaxStepsError)):
            return WorkReport(result=output, answered=True)
        last = executor.traces[-1].error if executor.traces else None
        return WorkReport(error=last or f"no final_answer within {self._max_steps} steps")
