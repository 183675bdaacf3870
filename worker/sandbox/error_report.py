"""The text about a failed step, as the model reads it: where, what, and a way that works."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from core.text import clean
from worker.sandbox.contract import MONTY_MODULES, SandboxKind, SandboxLimits
from worker.sandbox.values import shorten

HEAD = "Code execution failed:"
_MOST_FRAMES = 12
_SOURCE_CHARS = 160
ROLLED_BACK = "State rolled back to the end of the previous step."

_HINTS: dict[str, list[list[str]]] = tomllib.loads(
    Path(__file__).with_name("hints.toml").read_text(encoding="utf-8")
)
"""For Monty and for CPython: pairs of what a failure says and a way that works."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One line of a traceback, as reported from inside."""

    step: int
    line: int
    function: str | None


class CodeFailure(Exception):
    """The code raised; what is known about it. Texts come from inside and are not clean."""

    def __init__(self, name: str, message: str, frames: tuple[Frame, ...] = ()) -> None:
        super().__init__(name, message)
        self.name = name
        self.message = message
        self.frames = frames


def describe(
    failure: CodeFailure, codes: list[str], limits: SandboxLimits, kind: SandboxKind
) -> str:
    """The report of an exception: one line per frame, class and message, perhaps a way out.

    ``codes``: the snippets so far, the failed one last.
    """
    # A message of several lines is indented, so that none of it can pass for a new section.
    message = shorten(clean(failure.message[: 50 * limits.error_chars]), limits.error_chars // 2)
    message = message.strip().replace("\n", "\n    ")
    name = " ".join(clean(failure.name[:80]).split())
    lines = [HEAD, *_shown(failure.frames, codes), f"{name}: {message}" if message else name]
    # A hint tells the way that works where a gap of the sandbox made the code fail.
    raised = f"{failure.name}: {failure.message[:1000]}"
    hints = _HINTS["monty" if kind == "monty" else "process"]
    hint = next((hint for pattern, hint in hints if re.search(pattern, raised)), None)
    if hint is not None:
        lines.append(f"Hint: {hint.replace('{modules}', MONTY_MODULES)}")
    return shorten("\n".join(lines), limits.error_chars)


def _shown(frames: tuple[Frame, ...], codes: list[str]) -> list[str]:
    """A line per frame; repeated ones appear once, and the middle of a long list is omitted."""
    lines: list[str] = []
    for line, group in groupby(_line(f, codes) for f in frames if 0 < f.step <= len(codes)):
        times = len(list(group))
        lines.append(line if times == 1 else f"{line}  ({times} times)")
    if len(lines) <= _MOST_FRAMES:
        return lines
    head = _MOST_FRAMES // 3
    tail = _MOST_FRAMES - head
    return [*lines[:head], f"  ... {len(lines) - _MOST_FRAMES} more calls ...", *lines[-tail:]]


def _line(frame: Frame, codes: list[str]) -> str:
    inside = "" if frame.function in (None, "", "<module>") else f" in {frame.function[:60]}"
    where = "" if frame.step == len(codes) else f"  (defined in step {frame.step})"
    source = source_line(codes[frame.step - 1], frame.line)
    return clean(f"  line {frame.line}{inside}: {source}{where}").replace("\n", " ")


def source_line(code: str, line: int) -> str:
    """One line of a snippet, bare and bounded; empty when there is no such line."""
    lines = code.splitlines()
    text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    return text if len(text) <= _SOURCE_CHARS else text[: _SOURCE_CHARS - 3] + "..."
