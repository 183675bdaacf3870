"""The prompt: commands as in pdb, and what they do to the work."""

from __future__ import annotations

import importlib
import json
import sys
import tomllib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from core.ledger import ToolFault
from worker.sandbox.executor import SandboxExecutor
from worker.sandbox.snippet_tree import bound_names, parse
from workshop.replay.debugger.answer_source import Answered, Ended, Pause
from workshop.replay.debugger.debug_state import BadCommand, DebugState
from workshop.replay.debugger.edits import break_at, edit, fault, number, place_of
from workshop.replay.debugger.screen import AROUND, Screen
from workshop.replay.debugger.variables import look
from workshop.replay.recorded_tools import answer_of

PROMPT = "(debug) "
HELP: str = tomllib.loads(Path(__file__).with_name("help.toml").read_text(encoding="utf-8"))[
    "commands"
]
NO_ANSWER = (
    "*** no recorded answer fits this call: edit answer JSON (or raise KIND TEXT) gives one, "
    "edit answer takes the recorded one all the same"
)


class Back(KeyboardInterrupt):
    """The work is to be done again, with the answers that are left."""


class Quit(KeyboardInterrupt):
    """The user leaves the debugger."""


Command = Callable[[str], Answered | None]


class Prompt:
    """Asks the user at each stop what to do, as long as no earlier command says so."""

    def __init__(self, debug: DebugState, screen: Screen, *, rewinds: bool = True) -> None:
        self._debug = debug
        self._screen = screen
        self._rewinds = rewinds
        """Whether work can go back; what has really been sent cannot."""
        self._goal = 0
        """Pause at this call at the latest."""
        self._last = ""
        self._commands = self._all_commands()
        with suppress(ImportError):
            importlib.import_module("readline")  # gives input() its history, where there is one

    def at(self, moment: Pause | Ended) -> Answered:
        """The call that waits at this moment, answered. Raises Back or Quit; at the end always."""
        self._debug.arrive(moment)
        if isinstance(moment, Ended):
            self._screen.ended(moment)
            return self._ask()
        at_break = (moment.step, moment.line) in self._debug.breaks
        if moment.number < self._goal and not at_break:
            done = self._settle()
            if done is not None:
                return done
        self._screen.pause()
        return self._ask()

    def _settle(self) -> Answered | None:
        """Answer the waiting call; None where the user has to say more."""
        debug = self._debug
        if debug.pause is None:
            self._screen.say("*** the work is over; back [N] goes to an earlier call")
            return None
        left = debug.answers.left
        try:
            done = debug.answers.settle(
                debug.pause, debug.arguments, debug.edited_answer, debug.history
            )
        except ToolFault as error:
            self._screen.say(f"*** {error}")
            return None
        if debug.answers.left is not None and left is None:
            self._screen.say(f"left the record at call {debug.answers.left}")
        if done is None:
            self._screen.say(NO_ANSWER)
            return None
        debug.history.append(done)
        return done

    def _ask(self) -> Answered:
        while True:
            try:
                line = input(PROMPT).strip() or self._last
            except EOFError:
                self._screen.say("")
                raise Quit from None
            except KeyboardInterrupt:
                self._screen.say("\n(q leaves)")
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
        command = self._commands.get(word)
        if command is None:
            self._screen.say(f"*** unknown command {word!r}\n{HELP}")
            return None
        return command(rest.strip())

    def _all_commands(self) -> dict[str, Command]:
        screen = self._screen
        named: dict[str, Command] = {
            "l list": self._list,
            "ll longlist": lambda _: screen.code(self._debug.step),
            "n next s step": lambda _: self._go(0),
            "c cont continue": lambda _: self._go(sys.maxsize),
            "j jump": self._jump,
            "b break": self._break,
            "cl clear": self._clear,
            "a args": lambda _: screen.arguments(),
            "r recorded": lambda _: screen.recorded(),
            "p pp": self._print,
            "vars": self._variables,
            "state": lambda _: screen.state(),
            "calls": lambda _: screen.calls(),
            "edit": self._edit,
            "raise": self._raise,
            "back": self._back,
            "save": self._save,
            "h help ?": lambda _: screen.say(HELP),
            "q quit exit": _quit,
        }
        return {name: command for names, command in named.items() for name in names.split()}

    def _go(self, goal: int) -> Answered | None:
        done = self._settle()
        self._goal = goal if done else 0
        return done

    def _jump(self, text: str) -> Answered | None:
        goal = number(text)
        ahead = self._debug.pause is not None and goal > len(self._debug.history) + 1
        return self._go(goal) if ahead else self._back(text)

    def _back(self, text: str) -> NoReturn:
        done = len(self._debug.history)
        goal = number(text) if text else done
        if not self._rewinds:
            raise BadCommand("what a live run has sent cannot be taken back")
        if not 1 <= goal <= done:
            there = f"calls 1 to {done} can be gone back to" if done else "no call is behind"
            raise BadCommand(there)
        del self._debug.history[goal - 1 :]
        self._debug.answers.back_to(goal)
        self._goal = 0
        raise Back

    def _list(self, text: str) -> None:
        if text:
            first, comma, last = text.partition(",")
            begin = number(first)
            end = number(last) if comma else begin + 2 * AROUND
        else:
            line = self._debug.pause.line if self._debug.pause else 1
            begin, end = line - AROUND, line + AROUND
        self._screen.code(self._debug.step, begin, end)

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

    def _print(self, text: str) -> None:
        self._debug.waiting()
        if not text:
            raise BadCommand("use: p EXPR")
        self._screen.say(look(self._debug, text))

    def _variables(self, _: str) -> None:
        self._debug.waiting()
        codes = self._debug.codes[: self._debug.step]
        for name in sorted({n for code in codes for n in bound_names(parse(code)) if n != "*"}):
            value = look(self._debug, name)
            if not value.startswith("***"):
                self._screen.say(f"{name} = {value if len(value) < 300 else value[:300] + '…'}")

    def _edit(self, text: str) -> None:
        if text:
            edit(self._debug, text)
        self._screen.edits()

    def _raise(self, text: str) -> None:
        self._debug.waiting()
        self._debug.edited_answer = fault(text)
        self._screen.edits()

    def _save(self, text: str) -> None:
        if not text:
            raise BadCommand("use: save FILE")
        debug, subject = self._debug, self._debug.subject
        # What was recorded tells of the world, too, where the user has answered otherwise.
        calls = [*subject.before, *debug.calls, *debug.answers.record, *subject.after]
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
    """Who runs them: tells where a call stands."""

    def __init__(self, debug: DebugState, prompt: Prompt) -> None:
        self.names = frozenset(debug.answers.tools)
        self.signatures = {name: tool.signature for name, tool in debug.answers.tools.items()}
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


def _quit(_: str) -> NoReturn:
    raise Quit
