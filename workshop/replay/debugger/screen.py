"""The debugger's output: code with its current line, calls, arguments, results, effects."""

from __future__ import annotations

import json

from rich.console import Console
from rich.syntax import Syntax
from rich.text import Text

from core.ledger import ToolCall
from core.ledger.calls import shorten
from core.text import clean
from workshop.replay.debugger.debug_state import DebugState, Ended

AROUND = 5
"""Lines shown before and after the current one, as in pdb."""
SHORT = 200


class Screen:
    """Writes to one console; removes terminal control from untrusted text."""

    def __init__(self, debug: DebugState, console: Console) -> None:
        self._debug = debug
        self._console = console

    def say(self, text: str) -> None:
        """Plain lines."""
        self._console.print(clean(text), markup=False, highlight=False, soft_wrap=True)

    def opening(self) -> None:
        """Show the subject before the first pause."""
        subject = self._debug.subject
        self.say(f"{subject.spec_id}, turn {subject.turn}. Task: {subject.text}")
        self.say(f"Instruction: {subject.instruction}")
        if self._debug.note:
            self.say(f"note: {self._debug.note}")

    def pause(self) -> None:
        """The code around the waiting call, and the call."""
        debug = self._debug
        pause = debug.waiting()
        self.say(f"\n> step {pause.step}, line {pause.line}, call {pause.number}")
        self.code(pause.step, pause.line - AROUND, pause.line + AROUND)
        arguments = ", ".join(
            f"{k}={shorten(v, SHORT)}" for k, v in debug.arguments_of(pause).items()
        )
        self.say(f"call {pause.number}: {pause.name}({arguments})")

    def code(self, step: int, first: int = 1, last: int = 1_000_000) -> None:
        """Lines of a snippet; ``->`` is the current one, ``B`` has a breakpoint."""
        place = self._debug.place
        here = place.line if self._debug.pause and place.step == step else 0
        lines = self._styled(step)
        width = len(str(len(lines)))
        for number in range(max(1, first), min(last, len(lines)) + 1):
            mark = "B" if (step, number) in self._debug.breaks else " "
            arrow = "->" if number == here else "  "
            prefix = f"{number:>{width}} {mark}{arrow} "
            self._console.print(prefix, lines[number - 1], sep="", soft_wrap=True, highlight=False)

    def _styled(self, step: int) -> list[Text]:
        lines = [clean(line) for line in self._debug.code(step)]
        if not self._console.is_terminal:
            return [Text(line) for line in lines]
        code = "\n".join(lines)
        # The terminal's own colours: they can be read on a dark and on a light one.
        text = Syntax(code, "python", theme="ansi_dark", background_color="default").highlight(code)
        styled = list(text.split("\n", allow_blank=True))
        return styled if len(styled) >= len(lines) else [Text(line) for line in lines]

    def arguments(self) -> None:
        """The waiting call's arguments, one to a line and whole."""
        pause = self._debug.waiting()
        arguments = self._debug.arguments_of(pause)
        for key, value in arguments.items():
            self.say(f"{key} = {json.dumps(value, ensure_ascii=False)}")
        if not arguments:
            self.say("none that fit" if pause.args or pause.kwargs else "none")

    def recorded(self) -> None:
        """Show the recorded result."""
        debug = self._debug
        pause = debug.waiting()
        call = debug.recorded(pause.number)
        if call is None:
            self.say("*** nothing is recorded for this call")
            return
        if call.name != pause.name or call.arguments != debug.bound(pause):
            self.say(f"the record has a different call here: {call.prompt()}")
        if call.outcome == "done":
            self.say(json.dumps(call.result, ensure_ascii=False, indent=1))
        else:
            self.say(f"{call.outcome}: {call.fault or 'RuntimeError'}: {call.error}")

    def state(self) -> None:
        """The benchmark's state at this moment."""
        debug = self._debug
        self.say(debug.workbench.state_at(debug.subject.state, debug.calls))
        by_hand = [str(one.call.number) for one in debug.history if one.by == "edited"]
        if by_hand:
            self.say(f"calls with an edited result sent nothing: {', '.join(by_hand)}")
        live = debug.current_state()
        if live is not None:
            self.say(f"live state: {live}")

    def calls(self) -> None:
        """Every call so far, the waiting one, and what the record still holds."""
        debug = self._debug
        for answered in debug.history:
            mark = "" if answered.by == "record" else f" [{answered.by}]"
            self._call(answered.call.number, answered.call, mark)
        following = len(debug.history) + 1
        if pause := debug.pause:
            self.say(f"-> {pause.number:>3} line {pause.line}: {pause.name} is waiting")
            following += 1
        while debug.left is None and (call := debug.recorded(following)):
            self._call(following, call, " [to come]")
            following += 1

    def _call(self, number: int, call: ToolCall, mark: str) -> None:
        self.say(f"   {number:>3} line {call.line or '?'}: {call.prompt(80)}{mark}")

    def edits(self) -> None:
        """Show the edits for the waiting call."""
        debug = self._debug
        if debug.arguments is not None:
            self.say(f"arguments: {json.dumps(debug.arguments, ensure_ascii=False)}")
        if answer := debug.edited_answer:
            failed = f"error: {answer.get('fault')}: {answer.get('error')}"
            result = f"answer: {shorten(answer.get('result'), 2000)}"
            self.say(result if "result" in answer else failed)
        if debug.arguments is None and debug.edited_answer is None:
            self.say("no edits")

    def ended(self, ended: Ended) -> None:
        """Show the outcome of the work, and whether it equals the recorded one."""
        for number, step in enumerate(ended.steps, start=1):
            if step.prints:
                self.say(f"step {number} printed:\n{step.prints.rstrip()}")
            if step.error:
                self.say(f"step {number} ended: {step.error}")
        if ended.answered:
            self.say(f"\nThe end. Result: {shorten(ended.result, 2000)}")
        else:
            self.say("\nThe end: the code gave no final answer.")
        recorded = self._debug.subject.recorded
        report = recorded.report if recorded else None
        if report is None:
            return
        if (report.answered, report.result) == (ended.answered, ended.result):
            self.say("This is what was recorded.")
        else:
            was = shorten(report.result, 2000) if report.answered else "no final answer"
            self.say(f"This is not what was recorded: {was}")
