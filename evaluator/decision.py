"""A decision, and how it is read out of what models really send."""

from __future__ import annotations

import json
from itertools import islice
from typing import Literal

import regex
from pydantic import BaseModel, ConfigDict

from models.text import strip_reasoning

OBJECTS_AT_MOST = 300
"""Opening braces that are tried: a reply of nothing else must not take seconds."""
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


_NAMES = {"thoughts": "thought", "reasoning": "thought", "instructions": "instruction"}
_WORDS = r"(?P<label>THOUGHTS?|REASONING|DECISION|INSTRUCTIONS?)"
_LABEL = regex.compile(
    r"^[ \t>*_#`~-]*(?:\d+[.)]\s*)?[*_`\"]*" + _WORDS + r"[*_`\"]*"
    r"\s*(?::|=|[-–—](?=\s))[*_`\"]*[ \t]*",
    FLAGS,
)
"""A label at the start of a line, with a sign behind it and markdown around it."""
_HEADING = regex.compile(
    r"^[ \t]*(?:#{1,6}[ \t]*(?:\d+[.)][ \t]*)?[*_]*|[*_]{2,})"
    + _WORDS
    + r"[*_]*[ \t]*:?[*_]*[ \t]*$",
    FLAGS,
)
_TAG = regex.compile(r"^[ \t]*<" + _WORDS + r">", FLAGS)
_INLINE = regex.compile(r"(?<![\w\"])(?P<label>THOUGHT|DECISION|INSTRUCTION)[*_]*:[*_]*[ \t]*")
"""Labels as the prompt writes them, anywhere: all three parts in one line."""
_CLOSING = regex.compile(r"</(?:thoughts?|reasoning|decision|instructions?)>", FLAGS)
_DECISION_WORD = regex.compile(r"\b(PROCEED|FINISH(?:ED)?|CONTINUE|DONE|STOP)\b", FLAGS)
_LATE = regex.compile(r"^[\s*_#>-]*DECISION\W+(?:is\W+)?(\w+)", FLAGS)
"""A decision that stands behind the instruction or has no sign behind its label."""


def read_decision(reply: str) -> Decision:
    """Read a reply; markdown, other case, JSON and text around the parts are taken.

    Raises:
        Missing: what is not there, in words for the model.
    """
    text = strip_reasoning(reply)
    parts = _from_json(text) or _from_labels(text)
    word = _DECISION_WORD.search(parts.get("decision", ""))
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
    found = [m for pattern in (_LABEL, _HEADING, _TAG) for m in pattern.finditer(text)]
    parts = _parts(text, found)
    if not _DECISION_WORD.search(parts.get("decision", "")) or "instruction" not in parts:
        inline = _parts(text, list(_INLINE.finditer(text)))
        if len(inline) > len(parts):
            parts = inline
    if "decision" not in parts and (late := _LATE.findall(text)):
        parts["decision"] = str(late[-1])
    return parts


def _parts(text: str, found: list[regex.Match[str]]) -> dict[str, str]:
    marks = sorted(found, key=lambda m: (m.start(), -m.end()))
    parts: dict[str, str] = {}
    for index, mark in enumerate(marks):
        name = mark["label"].casefold()
        name = _NAMES.get(name, name)
        end = marks[index + 1].start() if index + 1 < len(marks) else len(text)
        last = name == "instruction"
        if last:
            # An instruction may quote labels of its own: it swallows them, except a decision that
            # has not been made yet.
            end = len(text) if "decision" in parts else _next_decision(marks[index + 1 :], text)
        body = _CLOSING.sub("", text[mark.end() : end]).strip().removesuffix("**").strip()
        if name == "decision" and parts.get(name) and not _DECISION_WORD.search(body):
            continue
        parts[name] = body
        if last and "decision" in parts:
            break
    return parts


def _next_decision(marks: list[regex.Match[str]], text: str) -> int:
    starts = (m.start() for m in marks if m["label"].casefold() == "decision")
    return next(starts, len(text))


def _from_json(text: str) -> dict[str, str] | None:
    decoder = json.JSONDecoder(strict=False)
    for found in islice(regex.finditer(r"\{", text), OBJECTS_AT_MOST):
        try:
            value, _ = decoder.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            continue
        parts = _folded(value)
        if "decision" in parts:
            return parts
    return None


def _folded(value: object) -> dict[str, str]:
    """An object's fields by folded name; one that only wraps another object is opened."""
    while isinstance(value, dict):
        folded = {regex.sub(r"[^a-z]", "", str(k).casefold()): v for k, v in value.items()}
        named = {_NAMES.get(k, k): v for k, v in folded.items()}
        if "decision" in named or len(named) != 1:
            return {
                k: v if isinstance(v, str) else json.dumps(v, ensure_ascii=False)
                for k, v in named.items()
                if v is not None
            }
        value = next(iter(named.values()))
    return {}


def _unfenced(text: str) -> str:
    found = regex.fullmatch(r"```\w*\n(.*?)\n?```", text, flags=regex.DOTALL)
    return found[1].strip() if found else text
