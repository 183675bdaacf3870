"""What the debugger shows: code with its current line, calls, arguments, answers, effects."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ledger.calls import shorten
from worker.replay.debugger.moments import Ended, Given, Happened
from worker.replay.debugger.playback import looked_over
from worker.replay.debugger.scene import Scene
from worker.sandbox.values import clean

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

AROUND = 5
"""Lines shown before and after the current one, as in pdb."""
SHORT = 200


class Screen:
    """Writes to one console; everything from outside is cleaned of terminal control."""

    def __init__(self, scene: Scene, console: Console) -> None:
        self._scene = scene
        self._console = console

    def say(self, text: str) -> None:
        """Plain lines."""
        self._console.print(clean(text), markup=False, highlight=False, soft_wrap=True)

    def opening(self) -> None:
        """What is debugged, before the first stop."""
        subject = self._scene.subject
        self.say(f"{subject.spec_id}, turn {subject.turn}. Task: {subject.text}")
        self.say(f"Instruction: {subject.instruction}")

    def stop(self) -> None:
        """The code around the waiting call, and the call."""
        scene = self._scene
        stop = scene.stop
        if stop is None:
            return
        self.say(f"\n> step {stop.step}, line {stop.line}, call {stop.number}")
        self.code(stop.step, stop.line - AROUND, stop.line + AROUND)
        arguments = scene.answers.bound(stop) if scene.arguments is None else scene.arguments
        shown = ", ".join(f"{k}={shorten(v, SHORT)}" for k, v in arguments.items())
        self.say(f"call {stop.number}: {stop.name}({shown})")

    def code(self, step: int, first: int = 1, last: int = 1_000_000) -> None:
        """Lines of a snippet; ``->`` is the current one, ``B`` has a breakpoint."""
        stop = self._scene.stop
        here = stop.line if stop and stop.step == step else 0
        lines = self._styled(step)
        width = len(str(len(lines)))
        for number in range(max(1, first), min(last, len(lines)) + 1):
            mark = "B" if (step, number) in self._scene.breaks else " "
            arrow = "->" if number == here else "  "
            prefix = f"{number:>{width}} {mark}{arrow} "
            self._console.print(prefix, lines[number - 1], sep="", soft_wrap=True, highlight=False)

    def _styled(self, step: int) -> list[Text]:
        from rich.syntax import Syntax
        from rich.text import Text

        lines = [clean(line) for line in self._scene.code(step)]
        if not self._console.is_terminal:
            return [Text(line) for line in lines]
        code = "\n".join(lines)
        # The terminal's own colours: they can be read on a dark and on a light one.
        text = Syntax(code, "python", theme="ansi_dark", background_color="default").highlight(code)
        styled = list(text.split("\n", allow_blank=True))
        return styled if len(styled) >= len(lines) else [Text(line) for line in lines]

    def arguments(self) -> None:
        """The waiting call's arguments, one to a line and whole."""
        scene = self._scene
        if scene.stop is None:
            self.say("*** no call waits")
            return
        shown = scene.answers.bound(scene.stop) if scene.arguments is None else scene.arguments
        for key, value in shown.items():
            self.say(f"{key} = {json.dumps(value, ensure_ascii=False)}")
        if not shown:
            self.say("none" if not (scene.stop.args or scene.stop.kwargs) else "none that fit")

    def recorded(self) -> None:
        """What was answered when this was recorded."""
        scene = self._scene
        call = scene.answers.recorded(scene.stop.number) if scene.stop else None
        if scene.stop is None or call is None:
            self.say("*** nothing is recorded for this call")
            return
        if call.name != scene.stop.name or call.arguments != scene.answers.bound(scene.stop):
            self.say(f"the record has another call here: {call.prompt()}")
        if call.outcome == "done":
            self.say(json.dumps(call.result, ensure_ascii=False, indent=1))
        else:
            self.say(f"{call.outcome}: {call.fault or 'RuntimeError'}: {call.error}")

    def where(self) -> None:
        """Step, line and call number."""
        scene, stop = self._scene, self._scene.stop
        steps = len(scene.playback.codes)
        if stop is None:
            self.say(f"at the end: step {scene.step} of {steps}, {len(scene.history)} calls")
            return
        lines = scene.code(stop.step)
        source = lines[stop.line - 1].strip() if 0 < stop.line <= len(lines) else "?"
        self.say(f"turn {scene.subject.turn}, step {stop.step} of {steps}, line {stop.line}")
        self.say(f"call {stop.number}: {stop.name}\n-> {source}")

    def state(self) -> None:
        """The benchmark's state at this moment."""
        scene = self._scene
        self.say(scene.bench.state_at(scene.subject.state, scene.calls))
        by_hand = [h.call.number for h in scene.history if h.source == "edited"]
        if by_hand:
            self.say(f"calls answered by hand sent nothing: {_numbers(by_hand)}")
        live = scene.answers.afresh(scene.history)
        if live is not None:
            self.say(f"live, read afresh: {live}")

    def calls(self) -> None:
        """Every call so far, the waiting one, and what the record still holds."""
        scene = self._scene
        for happened in scene.history:
            self._call(happened)
        following = len(scene.history) + 1
        if scene.stop is not None:
            self.say(f"-> {scene.stop.number:>3} line {scene.stop.line}: {scene.stop.name} waits")
            following += 1
        while scene.answers.left is None and (call := scene.answers.recorded(following)):
            self.say(f"   {following:>3} line {call.line or '?'}: {call.prompt(80)} [to come]")
            following += 1

    def _call(self, happened: Happened) -> None:
        call = happened.call
        mark = "" if happened.source == "record" else f" [{happened.source}]"
        self.say(f"   {call.number:>3} line {call.line or '?'}: {call.prompt(80)}{mark}")

    def effects(self) -> None:
        """Writes so far that took effect, or may have."""
        writes = [h for h in self._scene.history if h.call.kind == "write"]
        for happened in writes:
            call = happened.call
            sent = [w for w in call.requests if w.kind == "write"]
            say = f"{call.outcome}: call {call.number}, {call.prompt(80)}"
            if happened.source == "edited":
                say += "\n    answered by hand, nothing was sent"
            self.say(say)
            for wire in sent:
                self.say(f"    {wire.outcome}: {wire.path} {shorten(wire.body, SHORT)}")
        if not writes:
            self.say("nothing has taken effect in this turn")

    def edits(self) -> None:
        """What is edited for the waiting call."""
        scene = self._scene
        if scene.arguments is not None:
            self.say(f"arguments: {json.dumps(scene.arguments, ensure_ascii=False)}")
        if isinstance(scene.wish, Given):
            self.say(f"answer: {shorten(scene.wish.value, 2000)}")
        elif scene.wish is not None:
            self.say(f"error: {scene.wish.kind}: {scene.wish.text}")
        if scene.arguments is None and scene.wish is None:
            self.say("nothing is edited")

    def ended(self, ended: Ended) -> None:
        """What came of the work, and whether that is what was recorded."""
        for line in looked_over(ended.traces):
            self.say(line)
        if ended.answered:
            self.say(f"\nThe end. Result: {shorten(ended.result, 2000)}")
        else:
            self.say("\nThe end: the code gave no final answer.")
        outcome = self._scene.subject.outcome
        if outcome is None:
            return
        if outcome == (ended.answered, ended.result):
            self.say("This is what was recorded.")
        else:
            was = shorten(outcome[1], 2000) if outcome[0] else "no final answer"
            self.say(f"This is not what was recorded: {was}")


def _numbers(numbers: list[int]) -> str:
    return ", ".join(str(n) for n in numbers)
