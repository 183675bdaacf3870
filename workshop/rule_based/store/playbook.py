"""What a rule-based worker runs for a playbook, and the instruction that asks for it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import regex

HEADER = regex.compile(r"^Playbook:\s*(?P<playbook>[\w-]+)\s*/\s*(?P<step>[\w-]+)", regex.MULTILINE)
PARAMETERS = regex.compile(r"^Parameters:\s*(?P<json>\{.*\})\s*$", regex.MULTILINE)


@dataclass(frozen=True)
class Playbook:
    """The programs of one strategy."""

    name: str
    programs: dict[str, str] = field(default_factory=dict)
    """Worker code by step; each reads its facts from ``p``, the step's parameters."""


@dataclass(frozen=True)
class Step:
    """One instruction to the worker: which playbook, which of its programs, which facts."""

    playbook: str
    step: str
    why: str
    """What was understood and decided, for the THOUGHT."""
    said: str
    """The instruction in words; complete without any other context."""
    parameters: dict[str, object] = field(default_factory=dict)

    def instruction(self) -> str:
        """The text that the worker gets."""
        facts = json.dumps(self.parameters, ensure_ascii=False, separators=(",", ":"))
        return f"Playbook: {self.playbook} / {self.step}\n{self.said}\nParameters: {facts}"


@dataclass(frozen=True)
class Decline:
    """The decision not to buy, with its reason."""

    why: str


def read_instruction(text: str) -> tuple[str, str, dict[str, object]] | None:
    """Playbook, step and parameters of an instruction that :meth:`Step.instruction` wrote."""
    header = HEADER.search(text)
    found = PARAMETERS.search(text)
    if header is None or found is None:
        return None
    try:
        parameters = json.loads(found["json"])
    except ValueError:
        return None
    return header["playbook"], header["step"], parameters
