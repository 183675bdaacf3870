"""The second strategy for rule-based models: a worker's program as typed calls, one a step.

For every prompt the program runs from its beginning: calls that were answered before get their
answers again, the first one without an answer is the next step. The program and its answers so far
are noted in the ``current_state`` of the last step, because older answers are shortened.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import regex

from core.models.prompt_json import Cut, compact, packed, unpacked
from workshop.rule_based.prompt import Instruction, plain

_STEP = regex.compile(r'<step number="\d+">\n(?P<reply>.*)\n(?P<answer>.*)\n</step>')
_TOOL = regex.compile(r"\b(?:Combo|Req)_\w+")
_NOTE = "\nNote: "
CUT: dict[str, Any] = {"cut": True}
Answer = dict[str, Any]
"""Of one call: its ``value``, its ``error`` as text, or :data:`CUT`."""


class Halted(Exception):
    """The program cannot go on; the text says why."""


class Wanted(BaseException):
    """The call that a program makes next. No program may catch it, so it is no Exception."""

    def __init__(
        self, tool: str, arguments: dict[str, Any], final: dict[str, Any] | None = None
    ) -> None:
        super().__init__(tool)
        self.tool, self.arguments, self.final = tool, arguments, final


class Rehearsal:
    """An instruction's program, run up to its first call that has no answer."""

    def __init__(self, instruction: Instruction, answers: Sequence[Answer] = ()) -> None:
        self.instruction, self._answers = instruction, answers
        self.seen: list[Answer] = []
        """What the calls were answered, as far as it is noted for the next step."""

    def run(
        self, code: str, tools: Mapping[str, Callable[..., Any]] | None = None
    ) -> Wanted | dict[str, Any]:
        """Return the next call, or the report where every call was answered.

        ``tools``: in place of those that only ask. Raises Halted: a call failed that the program
        cannot do without, or an answer that it needs was cut.
        """
        reports: list[dict[str, Any]] = []
        asking = {name: self._asking(name) for name in _TOOL.findall(code)}
        try:
            exec(
                compile(code, "program", "exec"),
                {**asking, **(tools or {}), "final_answer": reports.append},
            )
        except Wanted as wanted:
            return wanted
        except Exception as error:  # the program is ours; its tools raise what the API refused
            raise Halted(str(error)) from None
        return reports[0]

    def _asking(self, tool: str) -> Callable[..., Any]:
        return lambda **arguments: self.ask(tool, arguments)

    def ask(
        self,
        tool: str,
        arguments: dict[str, Any],
        needed: Callable[[Any], Any] | None = lambda value: value,
        final: dict[str, Any] | None = None,
    ) -> Any:
        """Return the recorded answer to the next call.

        ``needed`` takes out of it what is noted; None: nothing is needed, so that it may be cut.

        Raises:
            Wanted: there is none; ``final``: what is expected of the basket, where it buys.
            ValueError: the call failed, or its answer was cut.
        """
        if len(self.seen) == len(self._answers):
            raise Wanted(tool, arguments, final)
        answer = self._answers[len(self.seen)]
        if needed is None and "error" not in answer:
            answer = {"value": None}
        elif answer == CUT:
            answer = {"error": f"the answer of {tool} is too long to be read whole"}
        elif isinstance(answer.get("value"), dict) and "error" in answer["value"]:
            answer = {"error": str(answer["value"]["error"]["text"])}
        elif needed and "value" in answer:
            answer = {"value": needed(answer["value"])}
        self.seen.append(answer)
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer["value"]

    def render(self, wanted: Wanted, state: str, remaining: Sequence[str]) -> str:
        """Write the step that makes a call, with the note for the step after it."""
        parts = self.instruction.playbook, self.instruction.step, self.instruction.parameters
        note = compact([*parts, [packed(answer) for answer in self.seen]])
        function = {"tool": wanted.tool, **wanted.arguments}
        return render_step(f"{state}{_NOTE}{note}", remaining, function)


def last_rehearsal(prompt: str) -> Rehearsal | None:
    """Return the program of the last step with its answers; None before the first step.

    Raises Halted: what was noted cannot be read.
    """
    steps = _STEP.findall(prompt)
    if not steps:
        return None
    try:
        state = json.loads(plain(steps[-1][0]))["current_state"]
        playbook, step, parameters, seen = json.loads(state.rpartition(_NOTE)[2])
        answers: list[Any] = [unpacked(record) for record in seen]
        last = json.loads(plain(steps[-1][1]))
        try:
            if "error" in last:
                answers.append({"error": str(last["error"])})
            else:
                answers.append({"value": unpacked(last["answer"])})
        except Cut:
            answers.append(CUT)
        return Rehearsal(Instruction(playbook, step, parameters=parameters), answers)
    except (ValueError, KeyError, TypeError):
        raise Halted("what was noted of the last step cannot be read") from None


def render_step(state: str, remaining: Sequence[str], function: Mapping[str, Any]) -> str:
    """Write a step in the form of next-step."""
    form = {"current_state": state, "plan_remaining_steps_brief": remaining, "function": function}
    return compact(form)
