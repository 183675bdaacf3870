"""The prompt: commands as in pdb, and what they do to the work."""

from __future__ import annotations

import ast
import json
import sys
import tomllib
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from pathlib import Path
from pprint import pformat
from typing import NoReturn, TypeVar

from core.ledger import ToolFault
from core.runs.task import Turn
from worker.sandbox.executor import SandboxExecutor
from workshop.replay.debugger.debug_state import Answered, BadCommand, DebugState, Ended, Pause
from workshop.replay.debugger.edits import break_at, edit, failure, number, place_of
from workshop.replay.debugger.screen import AROUND, Screen
from workshop.replay.debugger.variables import is_expression, look, names_in, variables
from workshop.replay.recorded_tools import answer_of

PROMPT = "(debug) "
HELP: str = tomllib.loads(Path(__file__).with_name("help.toml").read_text(encoding="utf-8"))[
    "commands"
]
NO_ANSWER = (
    "no recorded result fits this call: give one with edit answer JSON (or raise KIND TEXT); "
    "edit answer takes the recorded one anyway"
)


class Back(KeyboardInterrupt):
    """The work is to be done again, with the answers that are left."""


class Quit(KeyboardInterrupt):
    """The user leaves the debugger."""


T = TypeVar("T")
PRETTY_WIDTH = 100


class Prompt:
    """Asks the user at each stop what to do, as long as no earlier command says so."""

    def __init__(self, debug: DebugState, screen: Screen) -> None:
        self._debug = debug
        self._screen = screen
        self._goal = 0
        """Pause at this call at the latest."""
        self._forks = False
        self.forked: Turn | None = None
        """The edited turn behind which the user has the run played on."""
        self._last = ""
        self._commands, self._plain = self._with_argument(), self._without_argument()
        with suppress(ImportError):  # where there is one, it gives input() its history
            import readline

            readline.set_completer(self._complete)
            readline.parse_and_bind("tab: complete")

    def _complete(self, text: str, number: int) -> str | None:
        """A command, tool or variable that begins so; None: there are no more."""
        codes = self._debug.codes[: self._debug.place.step]
        names = {*self._commands, *self._plain, *self._debug.tools}.union(*map(names_in, codes))
        return next(islice(sorted(n for n in names if n.startswith(text)), number, None), None)

    def at(self, moment: Pause | Ended) -> Answered:
        """The call that waits at this moment, answered. Raises Back or Quit; at the end always."""
        self._debug.arrive(moment)
        if isinstance(moment, Ended):
            self._screen.ended(moment)
            if self._forks:
                self._leave(moment)
            return self._ask()
        at_break = (moment.step, moment.line) in self._debug.breaks and not self._forks
        if moment.number < self._goal and not at_break:
            try:
                return self._settle()
            except (BadCommand, ToolFault) as error:
                self._screen.say(f"*** {error}")
        self._forks = False
        self._screen.pause()
        return self._ask()

    def _settle(self) -> Answered:
        """Answer the waiting call. Raises BadCommand or ToolFault: the user has to say more."""
        debug, left = self._debug, self._debug.left
        answered = debug.settle()
        if debug.left is not None and left is None:
            self._screen.say(f"left the record at call {debug.left}")
        if answered is None:
            raise BadCommand(NO_ANSWER)
        debug.history.append(answered)
        return answered

    def _ask(self) -> Answered:
        while True:
            try:
                line = input(PROMPT).strip() or self._last
            except EOFError:
                self._screen.say("")
                raise Quit from None
            except KeyboardInterrupt:
                self._screen.say("\n(q quits)")
                continue
            self._last = line
            try:
                done = self._carry_out(line)
            except (BadCommand, ToolFault) as error:
                self._screen.say(f"*** {error}")
                continue
            if done is not None:
                return done

    def _carry_out(self, line: str) -> Answered | None:
        word, _, rest = line.partition(" ")
        if not word:
            return None
        if word in self._commands:
            return self._commands[word](rest.strip())
        if word in self._plain and not rest:
            return self._plain[word]()
        if word in self._plain and not is_expression(line):  # as n + 1 is, where n is a variable
            raise BadCommand(f"{word} takes no argument")
        if not is_expression(line):
            raise BadCommand(f"{word!r} is neither a command nor an expression; see h")
        value = self._value(line)
        self._screen.say(f"{value}; see h" if value.startswith("*** NameError") else value)
        return None

    def _without_argument(self) -> dict[str, Callable[[], Answered | None]]:
        screen = self._screen
        return _by_name(
            {
                "ll longlist": lambda: screen.code(self._debug.place.step),
                "n next s step": lambda: self._go(0),
                "c cont continue": lambda: self._go(sys.maxsize),
                "fork": self._fork,
                "a args": screen.arguments,
                "r recorded": screen.recorded,
                "vars": self._variables,
                "state": screen.state,
                "calls": screen.calls,
                "h help ?": lambda: screen.say(HELP),
                "q quit exit": _quit,
            }
        )

    def _with_argument(self) -> dict[str, Callable[[str], Answered | None]]:
        return _by_name(
            {
                "l list": self._list,
                "j jump": self._jump,
                "b break": self._break,
                "cl clear": self._clear,
                "p": lambda text: self._screen.say(self._value(text)),
                "pp": self._pretty_print,
                "edit": self._edit,
                "raise": self._raise,
                "back": self._back,
                "save": self._save,
            }
        )

    def _go(self, goal: int) -> Answered:
        self._goal = 0
        answered = self._settle()
        self._goal = goal
        return answered

    def _fork(self) -> Answered:
        """Carry the code out to its end, and leave with the turn as it went."""
        debug = self._debug
        if debug.subject.recorded is None:
            raise BadCommand("a live run is not forked; c continues it")
        waiting = debug.arguments is not None or debug.edited_answer is not None
        if not waiting and debug.left is None and all(one.by == "record" for one in debug.history):
            raise BadCommand("nothing was edited; edit an answer or arguments first")
        if isinstance(debug.moment, Ended):
            self._leave(debug.moment)
        answered = self._go(sys.maxsize)
        self._forks = True
        return answered

    def _leave(self, ended: Ended) -> NoReturn:
        self._forks = False
        self.forked = self._debug.edited_turn(ended)
        raise Quit

    def _jump(self, text: str) -> Answered | None:
        goal = number(text)
        ahead = self._debug.pause is not None and goal > len(self._debug.history) + 1
        return self._go(goal) if ahead else self._back(text)

    def _back(self, text: str) -> NoReturn:
        done = len(self._debug.history)
        goal = number(text) if text else done
        if self._debug.subject.recorded is None:
            raise BadCommand("a live run cannot go back: its requests were sent")
        if not 1 <= goal <= done:
            there = f"calls 1 to {done} can be revisited" if done else "there is no earlier call"
            raise BadCommand(there)
        self._debug.go_back(goal)
        self._goal = 0
        raise Back

    def _list(self, text: str) -> None:
        if text:
            first, comma, last = text.partition(",")
            begin = number(first)
            end = number(last) if comma else begin + 2 * AROUND
        else:
            line = self._debug.place.line
            begin, end = line - AROUND, line + AROUND
        self._screen.code(self._debug.place.step, begin, end)

    def _break(self, text: str) -> None:
        if text:
            self._screen.say(break_at(self._debug, text))
            return
        for step, line in sorted(self._debug.breaks):
            self._screen.say(f"step {step}, line {line}")

    def _clear(self, text: str) -> None:
        if text in ("", "all"):
            self._debug.breaks.clear()
            return
        place = place_of(self._debug, text)
        if place not in self._debug.breaks:
            raise BadCommand(f"there is no breakpoint at step {place[0]}, line {place[1]}")
        self._debug.breaks.remove(place)

    def _pretty_print(self, text: str) -> None:
        value = self._value(text)
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):  # not plain data
            value = pformat(ast.literal_eval(value), width=PRETTY_WIDTH, sort_dicts=False)
        self._screen.say(value)

    def _value(self, text: str) -> str:
        self._debug.waiting()
        if not text:
            raise BadCommand("use: p EXPR")
        return look(self._debug, text)

    def _variables(self) -> None:
        self._debug.waiting()
        values, hidden = variables(self._debug)
        for name, value in values.items():
            self._screen.say(f"{name} = {value}")
        if hidden:
            self._screen.say(f"{hidden} functions and constants are hidden; p shows one")

    def _edit(self, text: str) -> None:
        if text:
            edit(self._debug, text)
        self._screen.edits()

    def _raise(self, text: str) -> None:
        self._debug.waiting()
        self._debug.edited_answer = failure(text)
        self._screen.edits()

    def _save(self, text: str) -> None:
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
        self._screen.say(f"written: {text} ({pack['scenarios'][0]['notes']})")


class AskingHost:
    """The tools of a debugged instruction, which ask at each call; see ``ToolHost``."""

    executor: SandboxExecutor | None = None
    """The executor of the code, which knows where a call is."""

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


def _by_name(commands: dict[str, T]) -> dict[str, T]:
    return {name: command for names, command in commands.items() for name in names.split()}


def _quit() -> NoReturn:
    raise Quit
