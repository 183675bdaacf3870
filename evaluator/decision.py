"""A decision, and how it is read out of what models really send."""

from __future__ import annotations

import json
from typing import Literal

import regex
from pydantic import BaseModel, ConfigDict

from models.text import strip_reasoning

FLAGS = regex.IGNORECASE | regex.MULTILINE


class Decision(BaseModel):
    """What the evaluator decided in one turn."""

    model_config = ConfigDict(frozen=True)

    thought: str
    decision: Literal["PROCEED", "FINISH"]
    instruction: str

    def journal(self) -> dict[str, object]:
        """The decision as one JSON object for the journal."""
        return self.model_dump(mode="json")

    def prompt(self, thought_chars: int = 400) -> str:
        """The decision as text for a later prompt."""
        return f"THOUGHT: {self.thought[:thought_chars]}\nINSTRUCTION: {self.instruction}"


class Missing(ValueError):
    """A reply lacks parts; the text names them for the model."""


_LABEL = regex.compile(
    r"^[ \t>*_#`~-]*(?:\d+[.)]\s*)?[*_`\"]*(?P<label>THOUGHTS?|REASONING|DECISION|INSTRUCTIONS?)[*_`\"]*\s*(?::|=|-(?=\s))[*_`\"]*[ \t]*",
    FLAGS,
)
_BARE_LABEL = regex.compile(r"^[ \t]*#{1,6}[ \t]*[*_]*(?P<label>THOUGHTS?|DECISION|INSTRUCTIONS?)[*_]*[ \t]*:?[ \t]*$", FLAGS)
_WORD = regex.compile(r"\b(PROCEED|FINISH(?:ED)?|CONTINUE|DONE|STOP)\b", FLAGS)
_NAMES = {"thoughts": "thought", "reasoning": "thought", "instructions": "instruction"}


def read_decision(reply: str) -> Decision:
    """Read a reply; markdown, other case, JSON and text around the parts are taken.

    Raises:
        Missing: what is not there, in words for the model.
    """
    text = strip_reasoning(reply)
    parts = _from_json(text) or _from_labels(text)
    word = _WORD.search(parts.get("decision", ""))
    if word is None:
        missing = [name for name in ("thought", "decision", "instruction") if not parts.get(name)]
        raise Missing(
            "no DECISION that says PROCEED or FINISH"
            + (f"; missing: {', '.join(m.upper() for m in missing)}" if missing else "")
        )
    finish = word[1].upper() not in ("PROCEED", "CONTINUE")
    instruction = _unfenced(parts.get("instruction", "").strip())
    if not finish and not instruction:
        raise Missing("DECISION is PROCEED but there is no INSTRUCTION for the worker")
    return Decision(
        thought=parts.get("thought", "").strip(),
        decision="FINISH" if finish else "PROCEED",
        instruction=instruction,
    )


def _from_labels(text: str) -> dict[str, str]:
    marks = sorted(
        [*_LABEL.finditer(text), *_BARE_LABEL.finditer(text)], key=lambda m: (m.start(), -m.end())
    )
    parts: dict[str, str] = {}
    for index, mark in enumerate(marks):
        name = mark["label"].casefold()
        name = _NAMES.get(name, name)
        end = marks[index + 1].start() if index + 1 < len(marks) else len(text)
        # An instruction may quote labels of its own: the last part swallows them.
        if name == "instruction":
            end = len(text)
        body = text[mark.end() : end].strip().removesuffix("**").strip()
        if name == "decision" and parts.get("decision") and not _WORD.search(body):
            continue
        parts[name] = body
        if name == "instruction":
            break
    if "decision" not in parts and (late := _late_decision(text)):
        parts["decision"] = late
    return parts


def _late_decision(text: str) -> str:
    """A decision that stands behind the instruction or without a colon."""
    found = regex.findall(r"^[\s*_#>-]*DECISION\W+(?:is\W+)?(\w+)", text, flags=FLAGS)
    return str(found[-1]) if found else ""


def _from_json(text: str) -> dict[str, str] | None:
    decoder = json.JSONDecoder(strict=False)
    for found in regex.finditer(r"\{", text):
        try:
            value, _ = decoder.raw_decode(text, found.start())
        except ValueError:
            continue
        parts = _folded(value)
        if "decision" in parts:
            return parts
    return None


def _folded(value: object) -> dict[str, str]:
    """An object's fields by folded name; one that only wraps another object is opened."""
    if not isinstance(value, dict):
        return {}
    folded = {regex.sub(r"[^a-z]", "", str(k).casefold()): v for k, v in value.items()}
    named = {_NAMES.get(k, k): v for k, v in folded.items()}
    if "decision" not in named and len(named) == 1:
        return _folded(next(iter(named.values())))
    return {
        k: v if isinstance(v, str) else json.dumps(v, ensure_ascii=False)
        for k, v in named.items()
        if v is not None
    }


def _unfenced(text: str) -> str:
    found = regex.fullmatch(r"```\w*\n(.*?)\n?```", text, flags=regex.DOTALL)
    return found[1].strip() if found else text
