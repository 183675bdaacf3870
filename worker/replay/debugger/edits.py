"""Edited arguments, answers and breakpoints: what the user typed, read."""

from __future__ import annotations

import copy
import json
from typing import Any, get_args

import regex

from ledger.fault import FaultKind
from worker.replay.debugger.moments import Fault, Given
from worker.replay.debugger.scene import Scene

_PATH = regex.compile(r"^(?P<path>[A-Za-z_0-9][\w.\-]*)\s*=\s*(?P<value>.+)$", regex.DOTALL)
USAGE = "edit args KEY=JSON | edit answer JSON | edit answer PATH=JSON | edit answer | edit none"


class Unusable(Exception):
    """What was typed cannot be done; the text says why and what would be right."""


def edit(scene: Scene, text: str) -> None:
    """Carry out ``edit ...`` for the waiting call. Raises Unusable."""
    what, _, rest = text.partition(" ")
    rest = rest.strip()
    if scene.stop is None:
        raise Unusable("no call waits; back [N] goes to an earlier one")
    if what == "none":
        scene.arguments, scene.wish = None, None
    elif what == "args":
        _edit_argument(scene, rest)
    elif what == "answer":
        scene.wish = Given(_answer(scene, rest))
    else:
        raise Unusable(f"use: {USAGE}")


def _edit_argument(scene: Scene, text: str) -> None:
    stop = scene.stop
    key, equals, value = text.partition("=")
    key = key.strip()
    if stop is None or not equals:
        raise Unusable("use: edit args KEY=JSON")
    tool = next(t for t in scene.playback.tools if t.name == stop.name)
    if key not in tool.signature.parameters:
        raise Unusable(f"{stop.name} has no argument {key!r}; expected {tool.usage()}")
    now = scene.answers.bound(stop) if scene.arguments is None else scene.arguments
    scene.arguments = {**now, key: _json(value)}


def _answer(scene: Scene, text: str) -> object:
    """A whole answer, one with a part changed (PATH=JSON), or without a text the recorded one."""
    if not text:
        return _base(scene)
    found = _PATH.match(text)
    if found is None:
        return _json(text)
    changed: Any = copy.deepcopy(_base(scene))
    *way, last = found["path"].split(".")
    try:
        part = changed
        for name in way:
            part = part[_key(part, name)]
        part[_key(part, last)] = _json(found["value"])
    except (KeyError, IndexError, TypeError, ValueError):
        raise Unusable(f"the answer has no {found['path']!r}; parts are joined by dots") from None
    return changed


def _key(part: object, name: str) -> str | int:
    return int(name) if isinstance(part, list) else name


def _base(scene: Scene) -> object:
    """The answer that is edited: the one that is wanted so far, else the recorded one."""
    if isinstance(scene.wish, Given):
        return scene.wish.value
    call = scene.answers.recorded(scene.stop.number) if scene.stop else None
    if call is None or scene.stop is None or call.name != scene.stop.name:
        raise Unusable("nothing is recorded for this call; give the whole answer as JSON")
    if call.outcome != "done":
        raise Unusable(f"the recorded call {call.outcome}; give the whole answer as JSON")
    return call.result


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError as error:
        raise Unusable(f"not JSON: {error}; a text stands in double quotes") from None


def fault(text: str) -> Fault:
    """``raise KIND TEXT``. Raises Unusable."""
    name, _, words = text.partition(" ")
    for kind in get_args(FaultKind):
        if name == kind:
            return Fault(kind, words.strip() or "failed")
    raise Unusable(f"use: raise KIND TEXT, with KIND one of {', '.join(get_args(FaultKind))}")


def break_at(scene: Scene, text: str, *, once: bool) -> str:
    """``b [STEP:]LINE``; in words where it was set. Raises Unusable."""
    head, colon, tail = text.partition(":")
    step = number(head) if colon else scene.step
    line = number(tail if colon else head)
    if not 1 <= line <= len(scene.code(step)):
        raise Unusable(f"step {step} has {len(scene.code(step))} lines")
    place = next((n for n in scene.calling_lines(step) if n >= line), None)
    if place is None:
        raise Unusable(f"step {step} calls no tool in line {line} or later")
    scene.breaks[(step, place)] = once
    moved = "" if place == line else f" (line {line} calls no tool)"
    return f"{'temporary ' if once else ''}breakpoint at step {step}, line {place}{moved}"


def number(text: str) -> int:
    """A number that the user typed. Raises Unusable."""
    try:
        return int(text.strip())
    except ValueError:
        raise Unusable(f"a number is needed, not {text.strip()[:40]!r}") from None
