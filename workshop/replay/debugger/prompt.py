"""The prompt: commands as in pdb, what they show, and what they do to the work."""

from __future__ import annotations

import ast
import cmd
import copy
import json
import tomllib
from contextlib import suppress
from pathlib import Path
from pprint import pformat
from typing import Any, NoReturn

import regex
from rich.console import Console

from core.ledger import ToolCall, ToolFault
from core.ledger.calls import shorten
from core.runs.task import Turn
from core.text import clean
from worker.sandbox.executor import SandboxExecutor
from workshop.replay.debugger.debug_state import (
    NOT_FORKED,
    Answered,
    BadCommand,
    DebugState,
    Ended,
    Pause,
)
from workshop.replay.debugger.variables import look, names_in, syntax_error, variables
from workshop.replay.recorded_tools import answer_of

HELP: str = tomllib.loads(Path(__file__).with_name("help.toml").read_text(encoding="utf-8"))[
    "commands"
]
AROUND = 5
"""Lines shown before and after the current one, as in pdb."""
SHORT, LONG = 200, 2000
"""Characters of a value."""
PRETTY_WIDTH = 100
WITH_ARGUMENT = {
    "b", "break", "cl", "clear", "p", "pp", "edit", "back", "save",
}  # fmt: skip
_PATH = regex.compile(r"^(?P<path>[A-Za-z_0-9][\w.\-]*)\s*=\s*(?P<value>.+)$", regex.DOTALL)


class Back(KeyboardInterrupt):
    """The work is to be done again, with the answers that are left."""


class Quit(KeyboardInterrupt):
    """The user leaves the debugger."""


class Prompt(cmd.Cmd):
    """Asks the user at each stop what to do, as long as no earlier command says so.

    Each ``do_`` method is a command, as ``h`` explains it. Untrusted text is shown without
    terminal control.
    """

    prompt = "(debug) "

    def __init__(self, debug: DebugState, console: Console) -> None:
        super().__init__()
        self._debug = debug
        self._console = console
        self._runs_on = False
        """Whether it stops only at a breakpoint, and at the end."""
        self._forks = False
        self._answered: Answered | None = None
        self.forked: Turn | None = None
        """The edited turn behind which the user has the run played on."""
        with suppress(ImportError):  # where there is one, it gives input() its history
            import readline

            readline.set_completer(self.complete)  # type: ignore[arg-type]  # it is typed wrongly
            readline.parse_and_bind("tab: complete")
        subject = debug.subject
        self._say(f"{subject.spec_id}, turn {subject.turn}. Task: {subject.text}")
        self._say(f"Instruction: {subject.instruction}")
        if debug.note:
            self._say(f"note: {debug.note}")

    def _say(self, text: str) -> None:
        self._console.print(clean(text), markup=False, highlight=False, soft_wrap=True)

    def completenames(self, text: str, *_ignored: Any) -> list[str]:
        """The commands, tools and variables that begin so."""
        codes = self._debug.codes[: self._debug.place[0]]
        names = set(self._debug.tools).union(*map(names_in, codes))
        commands = super().completenames(text)
        return sorted({*commands, *(name for name in names if name.startswith(text))})

    def completedefault(self, *ignored: Any) -> list[str]:
        """The same within a line."""
        return self.completenames(*ignored)

    def at(self, moment: Pause | Ended) -> Answered:
        """The call that waits at this moment, answered. Raises Back or Quit; at the end always."""
        debug = self._debug
        debug.arrive(moment)
        if isinstance(moment, Ended):
            self._show_end(moment)
            if self._forks:
                self._leave(moment)
            return self._ask()
        at_break = (moment.step, moment.line) in debug.breaks and not self._forks
        if self._runs_on and not at_break:
            try:
                return self._settle()
            except (BadCommand, ToolFault) as error:
                self._say(f"*** {error}")
        self._forks = False
        self._say(f"\n> step {moment.step}, line {moment.line}, call {moment.number}")
        self.do_l()
        arguments = debug.arguments_of(moment).items()
        shown = ", ".join(f"{key}={shorten(value, SHORT)}" for key, value in arguments)
        self._say(f"call {moment.number}: {moment.name}({shown})")
        return self._ask()

    def _settle(self) -> Answered:
        """Answer the waiting call. Raises BadCommand or ToolFault: the user has to say more."""
        debug, left = self._debug, self._debug.left
        answered = debug.settle()
        if debug.left is not None and left is None:
            self._say(f"left the record at call {debug.left}")
        if answered is None:
            raise BadCommand(
                "no recorded result fits this call: give one with edit answer JSON; edit answer "
                "takes the recorded one anyway"
            )
        debug.history.append(answered)
        return answered

    def _ask(self) -> Answered:
        self._answered = None
        while self._answered is None:
            try:
                line = input(self.prompt).strip()
            except EOFError:
                self._say("")
                raise Quit from None
            except KeyboardInterrupt:
                self._say("\n(q quits)")
                continue
            try:
                self.onecmd(line)
            except (BadCommand, ToolFault) as error:
                self._say(f"*** {error}")
        return self._answered

    def parseline(self, line: str) -> tuple[str, str, str]:
        """The command and its argument; "" for the command where a line can only be an expression.

        Raises BadCommand: the command takes no argument.
        """
        word, _, rest = line.partition(" ")
        if rest and hasattr(self, f"do_{word}") and word not in WITH_ARGUMENT:
            if syntax_error(line):
                raise BadCommand(f"{word} takes no argument")
            word = ""  # as n + 1 is, where n is a variable
        return word, rest.strip(), line

    def default(self, line: str) -> None:
        """Show the value of an expression. Raises BadCommand: it is none."""
        if syntax_error(line):
            raise BadCommand(f"{line.split()[0]!r} is neither a command nor an expression; see h")
        value = self._value(line)
        self._say(f"{value}; see h" if value.startswith("*** NameError") else value)

    def _value(self, text: str) -> str:
        self._debug.waiting()
        if not text:
            raise BadCommand("use: p EXPR")
        return look(self._debug, text)

    def do_l(self, _: str = "") -> None:
        step, line = self._debug.place
        self._show_code(step, line - AROUND, line + AROUND)

    def do_ll(self, _: str) -> None:
        step, _line = self._debug.place
        self._show_code(step, 1, len(self._debug.code(step)))

    def _show_code(self, step: int, first: int, last: int) -> None:
        """Lines of a snippet; ``->`` is the current one, ``B`` has a breakpoint."""
        debug = self._debug
        lines = debug.code(step)
        width = len(str(len(lines)))
        for number in range(max(1, first), min(last, len(lines)) + 1):
            mark = "B" if (step, number) in debug.breaks else " "
            here = isinstance(debug.moment, Pause) and (step, number) == debug.place
            arrow = "->" if here else "  "
            self._say(f"{number:>{width}} {mark}{arrow} {lines[number - 1]}")

    def do_n(self, _: str = "") -> None:
        self._runs_on = False
        self._answered = self._settle()

    def do_c(self, _: str = "") -> None:
        self.do_n()
        self._runs_on = True

    def do_fork(self, _: str) -> None:
        """Carry the code out to its end, and leave with the turn as it went."""
        debug = self._debug
        if debug.subject.recorded is None:
            raise BadCommand(NOT_FORKED)
        waiting = debug.arguments is not None or debug.edited_answer is not None
        if not waiting and debug.left is None and all(one.by == "record" for one in debug.history):
            raise BadCommand("nothing was edited; edit an answer or arguments first")
        if isinstance(debug.moment, Ended):
            self._leave(debug.moment)
        self.do_c()
        self._forks = True

    def _leave(self, ended: Ended) -> NoReturn:
        self._forks = False
        self.forked = self._debug.edited_turn(ended)
        raise Quit

    def do_back(self, text: str) -> None:
        done = len(self._debug.history)
        goal = _number(text) if text else done
        if self._debug.subject.recorded is None:
            raise BadCommand("a live run cannot go back: its requests were sent")
        if not 1 <= goal <= done:
            there = f"calls 1 to {done} can be revisited" if done else "there is no earlier call"
            raise BadCommand(there)
        self._debug.go_back(goal)
        self._runs_on = False
        raise Back

    def do_b(self, text: str) -> None:
        debug = self._debug
        if not text:
            for step, line in sorted(debug.breaks):
                self._say(f"step {step}, line {line}")
            return
        step, line = self._place_of(text)
        if not 1 <= line <= len(debug.code(step)):
            raise BadCommand(f"step {step} has {len(debug.code(step))} lines")
        # Lines from which tools are called, by the snippet's text or by the record.
        nodes: list[ast.AST] = []
        with suppress(SyntaxError, ValueError):
            nodes = list(ast.walk(ast.parse("\n".join(debug.code(step)))))
        calling = {n.lineno for n in nodes if isinstance(n, ast.Name) and n.id in debug.tools}
        calling |= {call.line for call in debug.calls if call.step == step and call.line}
        place = min((n for n in calling if n >= line), default=None)
        if place is None:
            raise BadCommand(f"step {step} calls no tool in line {line} or later")
        debug.breaks.add((step, place))
        moved = "" if place == line else f" (line {line} calls no tool)"
        self._say(f"breakpoint at step {step}, line {place}{moved}")

    def do_cl(self, text: str) -> None:
        if text in ("", "all"):
            self._debug.breaks.clear()
            return
        place = self._place_of(text)
        if place not in self._debug.breaks:
            raise BadCommand(f"there is no breakpoint at step {place[0]}, line {place[1]}")
        self._debug.breaks.remove(place)

    def _place_of(self, text: str) -> tuple[int, int]:
        """``[STEP:]LINE``, by itself in the step that is shown. Raises BadCommand."""
        step, colon, line = text.rpartition(":")
        return _number(step) if colon else self._debug.place[0], _number(line)

    def do_a(self, _: str) -> None:
        pause = self._debug.waiting()
        arguments = self._debug.arguments_of(pause)
        for key, value in arguments.items():
            self._say(f"{key} = {json.dumps(value, ensure_ascii=False)}")
        if not arguments:
            self._say("none that fit" if pause.args or pause.kwargs else "none")

    def do_r(self, _: str) -> None:
        pause = self._debug.waiting()
        call = self._debug.recorded(pause.number)
        if call is None:
            raise BadCommand("nothing is recorded for this call")
        if call.name != pause.name or call.arguments != self._debug.bound(pause):
            self._say(f"the record has a different call here: {call.prompt()}")
        if call.outcome == "done":
            self._say(json.dumps(call.result, ensure_ascii=False, indent=1))
        else:
            self._say(f"{call.outcome}: {call.fault or 'RuntimeError'}: {call.error}")

    def do_p(self, text: str) -> None:
        self._say(self._value(text))

    def do_pp(self, text: str) -> None:
        value = self._value(text)
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):  # not plain data
            value = pformat(ast.literal_eval(value), width=PRETTY_WIDTH, sort_dicts=False)
        self._say(value)

    def do_vars(self, _: str) -> None:
        self._debug.waiting()
        for name, value in variables(self._debug).items():
            self._say(f"{name} = {value}")

    def do_state(self, _: str) -> None:
        debug = self._debug
        self._say(debug.workbench.state_at(debug.subject.state, debug.calls))
        by_hand = [str(one.call.number) for one in debug.history if one.by == "edited"]
        if by_hand:
            self._say(f"calls with an edited result sent nothing: {', '.join(by_hand)}")
        live = debug.live_task() if debug.left is not None else None
        if live:
            self._say(f"live state: {live.state()}")

    def do_calls(self, _: str) -> None:
        debug = self._debug

        def show(number: int, call: ToolCall, mark: str) -> None:
            self._say(f"   {number:>3} line {call.line or '?'}: {call.prompt(80)}{mark}")

        for answered in debug.history:
            mark = "" if answered.by == "record" else f" [{answered.by}]"
            show(answered.call.number, answered.call, mark)
        following = len(debug.history) + 1
        if isinstance(debug.moment, Pause):
            pause = debug.moment
            self._say(f"-> {pause.number:>3} line {pause.line}: {pause.name} is waiting")
            following += 1
        while debug.left is None and (call := debug.recorded(following)):
            show(following, call, " [to come]")
            following += 1

    def do_edit(self, text: str) -> None:
        debug = self._debug
        if not text:
            self._show_edits()
            return
        what, _, rest = text.partition(" ")
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
            debug.edited_answer = {"result": self._edited_answer(pause, rest.strip())}
        else:
            raise BadCommand(
                "use: edit args KEY=JSON | edit answer JSON | edit answer PATH=JSON | edit answer "
                "| edit none"
            )
        self._show_edits()

    def _edited_answer(self, pause: Pause, text: str) -> object:
        """A whole answer, one with a part changed (PATH=JSON), or without a text the recorded."""
        match = _PATH.match(text)
        if text and match is None:
            return _json(text)
        answer: Any = copy.deepcopy(self._unedited_answer(pause))
        if match is None:
            return answer
        *way, last = match["path"].split(".")
        try:
            part = answer
            for name in way:
                part = part[int(name) if isinstance(part, list) else name]
            part[int(last) if isinstance(part, list) else last] = _json(match["value"])
        except (KeyError, IndexError, TypeError, ValueError):
            path = match["path"]
            raise BadCommand(f"the result has no {path!r}; separate parts with dots") from None
        return answer

    def _unedited_answer(self, pause: Pause) -> object:
        """The answer that is edited: the one that is wanted so far, else the recorded one."""
        if self._debug.edited_answer is not None:
            return self._debug.edited_answer["result"]
        call = self._debug.recorded(pause.number)
        if call is None or call.name != pause.name:
            raise BadCommand("no result is recorded for this call; give the whole result as JSON")
        if call.outcome != "done":
            raise BadCommand(f"the recorded call {call.outcome}; give the whole result as JSON")
        return call.result

    def _show_edits(self) -> None:
        debug = self._debug
        if debug.arguments is not None:
            self._say(f"arguments: {json.dumps(debug.arguments, ensure_ascii=False)}")
        if debug.edited_answer is not None:
            self._say(f"answer: {shorten(debug.edited_answer['result'], LONG)}")
        if debug.arguments is None and debug.edited_answer is None:
            self._say("no edits")

    def do_save(self, text: str) -> None:
        if not text:
            raise BadCommand("use: save FILE")
        debug, subject = self._debug, self._debug.subject
        # What was recorded tells of the world, too, where the user has answered otherwise.
        calls = [*subject.before, *debug.calls, *debug.record, *subject.after]
        edited = [h.call for h in debug.history if h.by == "edited"]
        pack = debug.workbench.scenario_of(
            subject.spec_id, subject.text, calls, subject.result, edited
        )
        try:
            with Path(text).expanduser().open("x", encoding="utf-8") as file:
                file.write(json.dumps(pack, ensure_ascii=False, indent=1) + "\n")
        except OSError as error:
            raise BadCommand(f"{text} cannot be written: {error.strerror}") from None
        self._say(f"written: {text} ({pack['scenarios'][0]['notes']})")

    def do_help(self, _: str) -> None:
        """Show all commands."""
        self._say(HELP)

    def do_q(self, _: str) -> NoReturn:
        raise Quit

    do_list, do_longlist, do_clear, do_break = do_l, do_ll, do_cl, do_b
    do_next = do_s = do_step = do_n
    do_cont = do_continue = do_c
    do_args, do_recorded, do_h = do_a, do_r, do_help
    do_quit = do_exit = do_q

    def _show_end(self, ended: Ended) -> None:
        """The outcome of the work, and whether it equals the recorded one."""
        for number, step in enumerate(ended.steps, start=1):
            if step.prints:
                self._say(f"step {number} printed:\n{step.prints.rstrip()}")
            if step.error:
                self._say(f"step {number} ended: {step.error}")
        if ended.answered:
            self._say(f"\nThe end. Result: {shorten(ended.result, LONG)}")
        else:
            self._say("\nThe end: the code gave no final answer.")
        recorded = self._debug.subject.recorded
        report = recorded.report if recorded else None
        if report is None:
            return
        if (report.answered, report.result) == (ended.answered, ended.result):
            self._say("This is what was recorded.")
        else:
            was = shorten(report.result, LONG) if report.answered else "no final answer"
            self._say(f"This is not what was recorded: {was}")


class AskingHost:
    """The tools of a debugged instruction, which ask at each call; see ``ToolHost``."""

    executor: SandboxExecutor | None = None
    """The executor of the code, which knows where a call is."""
    waited = 0.0

    def __init__(self, debug: DebugState, prompt: Prompt) -> None:
        self.names = frozenset(debug.tools)
        self.signatures = {name: tool.signature for name, tool in debug.tools.items()}
        self._debug = debug
        self._prompt = prompt
        self._number = 0

    def call(self, name: str, args: list[object], kwargs: dict[str, object]) -> object:
        """The answer that was given before, else the user's. Raises KeyboardInterrupt to stop."""
        self._number += 1
        if self._number <= len(self._debug.history):
            return answer_of(self._debug.calls[self._number - 1])
        step, line = (self.executor and self.executor.position) or (0, 0)
        pause = Pause(self._number, name, tuple(args), dict(kwargs), step, line)
        return answer_of(self._prompt.at(pause).call)


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError as error:
        raise BadCommand(f"not JSON: {error}; put text in double quotes") from None


def _number(text: str) -> int:
    try:
        return int(text.strip())
    except ValueError:
        raise BadCommand(f"expected a number, not {text.strip()[:40]!r}") from None
