"""Edited arguments, answers and breakpoints: what the user typed, read."""

from __future__ import annotations

import copy
import json
from typing import Any, get_args

import regex

from core.ledger import ToolFault
from core.ledger.calls import FaultKind
from workshop.replay.debugger.debug_state import BadCommand, DebugState, Pause, answer_of_fault

_PATH = regex.compile(r"^(?P<path>[A-Za-z_0-9][\w.\-]*)\s*=\s*(?P<value>.+)$", regex.DOTALL)
USAGE = "edit args KEY=JSON | edit answer JSON | edit answer PATH=JSON | edit answer | edit none"


def edit(debug: DebugState, text: str) -> None:
    """Carry out ``edit ...`` for the waiting call. Raises BadCommand."""
    what, _, rest = text.partition(" ")
    rest = rest.strip()
    pause = debug.waiting()
    if what == "none":
        debug.arguments, debug.edited_answer = None, None
    elif what == "args":
        key, equals, value = rest.partition("=")
        key, tool = key.strip(), debug.tools[pause.name]
        if not equals:
            raise BadCommand("use: edit args KEY=JSON")
        if key not in tool.signature.parameters:
            raise BadCommand(f"{pause.name} has no argument {key!r}; expected {tool.usage()}")
        debug.arguments = {**debug.arguments_of(pause), key: _json(value)}
    elif what == "answer":
        debug.edited_answer = {"result": _answer(debug, pause, rest)}
    else:
        raise BadCommand(f"use: {USAGE}")


def _answer(debug: DebugState, pause: Pause, text: str) -> object:
    """A whole answer, one with a part changed (PATH=JSON), or without a text the recorded one."""
    if not text:
        return _base(debug, pause)
    match = _PATH.match(text)
    if match is None:
        return _json(text)
    changed: Any = copy.deepcopy(_base(debug, pause))
    *way, last = match["path"].split(".")
    try:
        part = changed
        for name in way:
            part = part[int(name) if isinstance(part, list) else name]
        part[int(last) if isinstance(part, list) else last] = _json(match["value"])
    except (KeyError, IndexError, TypeError, ValueError):
        raise BadCommand(f"the result has no {match['path']!r}; separate parts with dots") from None
    return changed


def _base(debug: DebugState, pause: Pause) -> object:
    """The answer that is edited: the one that is wanted so far, else the recorded one."""
    if debug.edited_answer and "result" in debug.edited_answer:
        return debug.edited_answer["result"]
    call = debug.recorded(pause.number)
    if call is None or call.name != pause.name:
        raise BadCommand("no result is recorded for this call; give the whole result as JSON")
    if call.outcome != "done":
        raise BadCommand(f"the recorded call {call.outcome}; give the whole result as JSON")
    return call.result


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError as error:
        raise BadCommand(f"not JSON: {error}; put text in double quotes") from None


def failure(text: str) -> dict[str, object]:
    """The answer of ``raise KIND TEXT``. Raises BadCommand."""
    name, _, words = text.partition(" ")
    for kind in get_args(FaultKind):
        if name == kind:
            return answer_of_fault(ToolFault(words.strip() or "failed", kind=kind))
    raise BadCommand(f"use: raise KIND TEXT, with KIND one of {', '.join(get_args(FaultKind))}")


def break_at(debug: DebugState, text: str) -> str:
    """Set a breakpoint by ``b [STEP:]LINE``; say where it was set. Raises BadCommand."""
    step, line = place_of(debug, text)
    if not 1 <= line <= len(debug.code(step)):
        raise BadCommand(f"step {step} has {len(debug.code(step))} lines")
    place = next((n for n in debug.calling_lines(step) if n >= line), None)
    if place is None:
        raise BadCommand(f"step {step} calls no tool in line {line} or later")
    debug.breaks.add((step, place))
    moved = "" if place == line else f" (line {line} calls no tool)"
    return f"breakpoint at step {step}, line {place}{moved}"


def place_of(debug: DebugState, text: str) -> tuple[int, int]:
    """``[STEP:]LINE``, by itself in the step that is shown. Raises BadCommand."""
    head, colon, tail = text.partition(":")
    return (number(head), number(tail)) if colon else (debug.place.step, number(head))


def number(text: str) -> int:
    """A number that the user typed. Raises BadCommand."""
    try:
        return int(text.strip())
    except ValueError:
        raise BadCommand(f"expected a number, not {text.strip()[:40]!r}") from None
