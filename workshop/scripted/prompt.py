"""What scripted models read in a prompt, and how they word what they decide.

The same decision is written in two forms: as the turn of an evaluator, whose instruction has a line
of JSON for each thing to do, and as the steps of next-step, one call each. What next-step needs
later stands as a note in ``current_state``, because older answers are shortened.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import regex

from core.models.model_call import Message
from core.models.prompt_json import Cut, compact, unpacked

Memory = dict[str, Any]
"""What is known of the last thing that was done: its ``verb`` and its report."""
_NOW = regex.compile(r"^</state>\n(Turn|Step) \d+ of \d+\.", regex.MULTILINE)
_FORM = regex.compile(r'^Reply with one JSON object(?:, compact)?: \{"(\w+)"', regex.MULTILINE)
_TURN = regex.compile(r"<turn [^>]*>\n(.*?)\n</turn>", regex.DOTALL)
_RESULT = regex.compile(r"^RESULT: (.*)$", regex.MULTILINE)
_STEP = regex.compile(r'<step number="\d+">\n(?P<said>.*)\n(?P<answer>.*)\n</step>')
_LINE = regex.compile(r"^([A-Z][\w ]+): (\{.*\})$", regex.MULTILINE)
_NOTE = "\nNote: "
_REPORT = "\nTOOL CALLS: "
WEIGH = "Report weights"
"""What no tool does: code for it raises an error."""
_LONG = ("groups", "added", "pages", "notes", "skus")


@dataclass(frozen=True)
class Line:
    """One thing to do: a verb, and all that it needs."""

    verb: str
    data: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.verb}: {compact(self.data)}"


@dataclass(frozen=True)
class Order:
    """What is to be done next."""

    why: str
    text: str
    """What is wanted, in words; complete together with the lines."""
    lines: tuple[Line, ...]
    ending: str = ""
    """The line that authorises a purchase."""
    prepared: str = ""
    """The answer that holds if all takes effect."""


@dataclass(frozen=True)
class Finish:
    """The end of a task: its words in a FINISH, and the ``TaskCompletion`` of next-step."""

    why: str
    words: str
    completion: dict[str, Any]


@dataclass(frozen=True)
class Prompt:
    """A prompt, by its parts."""

    system: str
    user: str

    @classmethod
    def of(cls, messages: Sequence[Message]) -> Prompt:
        """The prompt of these messages."""
        system, user = (
            "\n".join(m["content"] for m in messages if m["role"] == role)
            for role in ("system", "user")
        )
        return cls(system, user)

    def section(self, name: str) -> str | None:
        """The text between a section's tags, without its escapes; None: there is none."""
        match = regex.search(rf"<{name}>\n(.*?)\n</{name}>", self.user, regex.DOTALL)
        return plain(match[1]) if match else None

    @property
    def form(self) -> str:
        """The first field of the form that a stage asks for; "" for another prompt."""
        match = _FORM.search(self.system)
        return match[1] if match else ""

    @property
    def strategy(self) -> str:
        """``Turn`` of an evaluator, ``Step`` of next-step, "" of neither."""
        match = _NOW.search(self.user)
        return match[1] if match else ""

    def last_turn(self) -> Memory:
        """What an evaluator's worker did last: the first line of its instruction, and its report.

        Empty before the first turn; ``error``: what came of it cannot be read.
        """
        worked = [turn for turn in _TURN.findall(self.user) if _RESULT.search(turn)]
        if not worked:
            return {}
        lines = lines_in(plain(worked[-1].partition(_REPORT)[0]))
        if not lines:
            return {"verb": "", "error": "the last instruction cannot be read"}
        try:
            report = unpacked(json.loads(plain(_RESULT.findall(worked[-1])[-1])))
        except ValueError:  # Cut is one: half a report is none
            report = None
        if not isinstance(report, dict):
            report = {"error": "the worker's program came to no report"}
        return remembered(lines[-1], report)

    def last_step(self) -> tuple[Memory, Memory]:
        """The note of the last step of next-step, and its ``answer`` or ``error``.

        Both are empty before the first step. Raises LookupError: they cannot be read.
        """
        steps = _STEP.findall(self.user)
        if not steps:
            return {}, {}
        said, answer = steps[-1]
        try:
            state = json.loads(plain(said))["current_state"]
            note: Memory = json.loads(state.rpartition(_NOTE)[2])
            came: Memory = json.loads(plain(answer))
        except (ValueError, KeyError, TypeError):
            raise LookupError("what was noted of the last step cannot be read") from None
        if "error" in came:
            return note, {"error": str(came["error"])}
        try:
            value = unpacked(came["answer"])
        except Cut as cut:
            return note, {"error": f"the answer was cut: {cut}"}
        if isinstance(value, dict) and value.get("fatal_error"):
            return note, {"error": str(value["fatal_error"]["text"])}
        return note, {"answer": value}


def remembered(line: Line, report: Memory) -> Memory:
    """What is known after a line was carried out with this report; long texts are left out."""
    return {k: v for k, v in line.data.items() if k not in _LONG} | {"verb": line.verb} | report


def plain(text: str) -> str:
    """A text as it was before it was escaped as data of a prompt."""
    return text.replace("\\u003c", "<")


def lines_in(instruction: str) -> list[Line]:
    """The lines of an instruction that say what to do."""
    found = list[Line]()
    for verb, data in _LINE.findall(instruction):
        try:
            found.append(Line(verb, json.loads(data)))
        except ValueError:
            return []
    return found


def render_turn(end: Order | Finish) -> str:
    """Write a decision in the form of an evaluator."""
    if isinstance(end, Finish):
        return f"THOUGHT: {end.why}\nDECISION: FINISH\nINSTRUCTION: {end.words}"
    lines = [end.text, *([end.ending] if end.ending else []), *map(str, end.lines)]
    if end.prepared:
        lines.append(f"IF DONE: {end.prepared}")
    instruction = "\n".join(lines)
    return f"THOUGHT: {end.why}\nDECISION: PROCEED\nINSTRUCTION: {instruction}"


def render_step(why: str, function: dict[str, Any], note: Memory) -> str:
    """Write a decision in the form of next-step, with what has to be known in the step after it."""
    state, remaining = f"{why}{_NOTE}{compact(note)}", ["go on as planned", "complete"]
    form = {"current_state": state, "plan_remaining_steps_brief": remaining, "function": function}
    return compact(form)
