"""What the rule-based models read in a prompt, and the instructions that they write."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import regex

from core.models.model_call import Message
from core.models.prompt_json import unpacked

_TURN = regex.compile(r"<turn [^>]*>\n(.*?)\n</turn>", regex.DOTALL)
_RESULT = regex.compile(r"^RESULT: (.*)$", regex.MULTILINE)
_HEADER = regex.compile(r"^Playbook: ([\w-]+) / ([\w-]+)$", regex.MULTILINE)
_PARAMETERS = regex.compile(r"^Parameters: (\{.*\})\s*$", regex.MULTILINE)
_NOT_RUN = regex.compile(
    r"^ERROR: Code execution failed:\n(?:  line .*\n)*(.*)(?s:.*)^RESULT: none$", regex.MULTILINE
)
_UNKNOWN_INSTRUCTION = (
    "Thought: This instruction follows no playbook that I know.\n"
    "<code>\nfinal_answer({'error': 'no playbook for this instruction'})\n</code>"
)
_PROGRAM = """\
p = {p!r}
{helper}try:
{body}
except (ValueError, RuntimeError) as error:
    report = {{"{failed}": str(error)}}
final_answer(report)
"""
"""What a tool refuses is reported; only what this sandbox cannot run breaks the program off."""
_HELPER = """\
def ok(result):
    if "error" in result:
        raise ValueError(result["error"]["text"])
    return result
"""
"""For the Combo tools that a program calls: what was read before a request failed is not all."""


@dataclass(frozen=True)
class Instruction:
    """One instruction to the worker: a program by its playbook and step, and its parameters."""

    playbook: str
    step: str
    text: str = ""
    """The instruction in words; complete without any other context."""
    parameters: dict[str, Any] = field(default_factory=dict)
    why: str = ""
    """What was understood and decided, for the THOUGHT."""

    def render(self) -> str:
        """Write the text that the worker gets."""
        parameters = json.dumps(self.parameters, ensure_ascii=False, separators=(",", ":"))
        return f"Playbook: {self.playbook} / {self.step}\n{self.text}\nParameters: {parameters}"


def read_instruction(text: str) -> Instruction | None:
    """Read an instruction as it was rendered; None where the text holds none."""
    header, data = _HEADER.search(text), _PARAMETERS.search(text)
    try:
        parameters = json.loads(data[1]) if data else None
    except ValueError:
        return None
    if header is None or parameters is None:
        return None
    return Instruction(header[1], header[2], parameters=parameters)


def user_text(messages: Iterable[Message]) -> str:
    """Join what the user's side of a prompt says."""
    return "\n".join(m["content"] for m in messages if m["role"] == "user")


def section(name: str, prompt: str) -> str | None:
    """Return the text between a section's tags, or None where the prompt has no such section."""
    match = regex.search(rf"<{name}>\n(.*?)\n</{name}>", prompt, regex.DOTALL)
    return plain(match[1]) if match else None


def plain(text: str) -> str:
    """Return a text as it was before it was escaped as data of a prompt."""
    return text.replace("\\u003c", "<")


def last_turn(prompt: str) -> tuple[Instruction, dict[str, Any] | None] | None:
    """Return the last instruction with its report, None for one that cannot be read.

    None before the first turn. Raises LookupError: the program of the turn did not run to its end.
    """
    turns = _TURN.findall(prompt)
    if not turns:
        return None
    worked = [turn for turn in turns if _RESULT.search(turn)] or turns
    if broken := _NOT_RUN.search(worked[-1]):
        raise LookupError(f"its program does not run in this sandbox: {broken[1]}")
    instruction, results = read_instruction(worked[-1]), _RESULT.findall(worked[-1])
    try:
        report = unpacked(json.loads(results[-1]))
    except (ValueError, IndexError):  # Cut is a ValueError: half a report is none
        report = None
    if instruction is None:
        return Instruction("", ""), None
    return instruction, report if isinstance(report, dict) else None


def carry_out(instruction: str, code: Callable[[str, dict[str, Any]], str]) -> str:
    """Answer an instruction as the worker does, with the program of its step.

    ``code`` makes it of the step's name and parameters, and raises KeyError for other names.
    """
    read = read_instruction(instruction)
    if read is None:
        return _UNKNOWN_INSTRUCTION
    try:
        program = code(read.step, read.parameters)
    except KeyError:
        return _UNKNOWN_INSTRUCTION
    return f"Thought: I follow {read.playbook}, step {read.step}.\n<code>\n{program}</code>"


def program_of(body: str, parameters: dict[str, Any], failed: str) -> str:
    """A whole program: its body reads ``p`` and sets ``report``, ``failed`` is the key of errors."""
    helper = _HELPER if "ok(" in body else ""
    indented = textwrap.indent(body, "    ").rstrip()
    return _PROGRAM.format(p=parameters, helper=helper, body=indented, failed=failed)
