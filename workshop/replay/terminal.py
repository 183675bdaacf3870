"""The person's terminal: lines for pdb go into the sandbox, commands about the record stay here."""

from __future__ import annotations

import copy
import json
import tomllib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NoReturn, cast, get_args

import regex
from rich.console import Console

from core.ledger import ToolCall, ToolFault
from core.ledger.calls import FaultKind, shorten
from core.runs.task import Turn
from core.runs.work import WorkReport
from core.text import clean
from core.tools.faults import Refused
from worker.sandbox.executor import SandboxExecutor
from workshop.replay.debug import BadCommand, DebuggedTurn, EditedAnswer, Found, Origin, WaitingCall
from workshop.replay.saved_pack import SeenTask, pack_of, shown_products

HELP: str = tomllib.loads(Path(__file__).with_name("help.toml").read_text(encoding="utf-8"))[
    "commands"
]
AROUND = 5
"""Lines shown before and after the current one, as in pdb."""
SHORT, LONG, SCREEN = 200, 2000, 20_000
"""Characters of an argument or answer in a line, of a result, and of prints between two stops."""
MOST_LINES = 100_000
"""Lines that are told the sandbox; hostile code could say for ever that it has stopped."""
NEXT = frozenset({"", "n", "next", "s", "step"})
CONTINUE = frozenset({"c", "cont", "continue"})
BREAKS = frozenset({"b", "break", "tbreak", "cl", "clear"})
"""Commands of pdb that hold also where the person goes back."""
NO_ARGUMENT = frozenset({"calls", "fork", "h", "help", "q", "quit", "exit"})
_PATH = regex.compile(r"^(?P<path>[A-Za-z_0-9][\w.\-]*)\s*=\s*(?P<value>.+)$", regex.DOTALL)
_RAISED = regex.compile(rf"^(?P<kind>{'|'.join(get_args(FaultKind))}):\s*")
_NO_ANSWER = (
    "no recorded answer fits this call: give one with answer JSON or answer raise TEXT; answer "
    "PATH=JSON changes a part of the recorded one"
)


@dataclass
class Stop:
    """A place where the code waited for the person."""

    calls: int
    """How many calls were answered by then."""
    at_call: int | None = None
    """The call that waited for its answer."""
    lines: list[str] = field(default_factory=list)
    """What the sandbox was told here. The last one went on."""


class Terminal:
    """Asks the person at each stop; see ``DebugTerminal``.

    Each ``do_`` method is a command, as ``h`` explains it; one that returns a text sends this to
    the sandbox. A sandbox cannot be rewound: going back is a new run, which gets the lines and the
    answers that were given up to there.
    """

    def __init__(self, debug: DebuggedTurn, console: Console) -> None:
        self.next: Literal["back", "leave"] | None = None
        """What the KeyboardInterrupt means that was raised here last."""
        self.forked: Turn | None = None
        """The edited turn behind which the person has the run played on."""
        self.executor: SandboxExecutor | None = None
        self._debug = debug
        self._console = console
        self._waiting: WaitingCall | None = None
        self._has_ended = False
        self._forks = False
        self._made = 0
        """Calls that were answered since the code began, this time."""
        self._stops: list[Stop] = []
        self._stops_at: set[int] = set()
        """Calls to stop at before they are answered."""
        self._runs_on = False
        """In Monty: whether calls that are answered do not stop."""
        self._redo: list[list[str]] = []
        """On the way back: what is told the sandbox at each stop up to that where the person goes,
        who is asked again once all is told."""
        self._script: list[str] = []
        """Lines that are still to be told at this stop."""
        self._shown = self._told = 0
        with suppress(ImportError):  # where there is one, it gives input() its history
            import readline  # noqa: F401
        self._say(f"{debug.spec_id}, turn {debug.number}. Task: {debug.text}")
        self._say(f"Instruction: {debug.instruction}")
        if debug.sandbox == "monty":
            self._say("Monty cannot stop at lines or show variables: n goes to the next call")

    @property
    def codes(self) -> Sequence[str]:
        """The snippets that are known."""
        return self._debug.codes

    def _say(self, text: str, end: str = "\n") -> None:
        self._console.print(clean(text), markup=False, highlight=False, soft_wrap=True, end=end)

    def show(self, text: str) -> None:
        """Show what the code prints, not again while it comes back to where it was."""
        self._shown += len(text)
        if not self._redo and self._shown <= SCREEN:
            self._say(text, end="")

    def ask(self, said: str, is_new: bool) -> str:
        """Return the next line for pdb. Raises KeyboardInterrupt to go back or leave."""
        if is_new:
            self._arrive()
        if not self._redo:
            self._say(said[:SCREEN], end="")
        return self._take_line()

    def _arrive(self) -> None:
        """Note a stop; on the way back, with what is told there."""
        number = self._waiting.number if self._waiting else None
        self._shown = 0
        if number and self._stops and self._stops[-1].at_call == number:
            return  # the call still has no answer
        self._stops.append(Stop(self._made, number))
        self._script = self._redo.pop(0) if self._redo else []

    def _take_line(self) -> str:
        if self._script:
            line = self._script.pop(0)
        elif self._forks:
            line = "c"
        else:
            line = self._ask_person()
        self._stops[-1].lines.append(line)
        self._told += 1
        if self._told > MOST_LINES:
            self._say("*** the code has stopped too often")
            self._leave()
        return line

    def _ask_person(self) -> str:
        """Ask until a line is for the sandbox; carry out the others."""
        while True:
            try:
                line = input("(debug) ").strip()
            except EOFError:
                self._say("")
                self._leave()
            except KeyboardInterrupt:
                self._say("\n(q quits)")
                continue
            word, _, rest = line.partition(" ")
            command: Callable[[str], str | None] | None = getattr(self, f"do_{word}", None)
            if command is None or (rest and word in NO_ARGUMENT):
                return line
            try:
                if going := command(rest.strip()):
                    return going
            except (BadCommand, ToolFault) as error:
                self._say(f"*** {error}")

    def wait_at(self, waiting: WaitingCall) -> Found:
        """Find the answer of a call, with a stop before it where one is wanted, or nobody has one.

        Raises KeyboardInterrupt as ``ask``.
        """
        self._waiting = waiting
        try:
            by_call = self._debug.sandbox == "monty" and not (self._runs_on or self._forks)
            if by_call or waiting.number in self._stops_at:
                self._stop_at(waiting)
            while (found := self._find_answer(waiting)) is None:
                self._forks = False
                self._say(f"*** {_NO_ANSWER}")
                self._stop_at(waiting)
            return found
        finally:
            self._waiting = None

    def _find_answer(self, waiting: WaitingCall) -> Found | None:
        left = self._debug.left
        try:
            return self._debug.find_answer(waiting)
        except ToolFault as fault:
            self._say(f"*** {fault}")
            return None
        finally:
            if left is None and self._debug.left is not None:
                self._say(f"left the record at call {self._debug.left}")

    def note(self, call: ToolCall, origin: Origin) -> None:
        """Keep a call that has been answered, once."""
        self._made = call.number
        if call.number > len(self._debug.answers):
            self._debug.answers.append((call, origin))
        if not self._redo:
            self._say(f"call {call.number}: {call.prompt(SHORT)} [{origin}]")

    def _stop_at(self, waiting: WaitingCall) -> None:
        """Stop at a call: inside the sandbox where that is possible, else here."""
        if len(self._redo) < 2:
            arguments = waiting.arguments.items()
            shown = ", ".join(f"{key}={shorten(value, SHORT)}" for key, value in arguments)
            self._say(f"call {waiting.number} waits: {waiting.tool.name}({shown})")
        if self.executor is None or not self.executor.pause():
            self._stop_outside(waiting)

    def _stop_outside(self, waiting: WaitingCall) -> None:
        self._arrive()
        if not self._redo:
            self._show_code(waiting)
        while (line := self._take_line()) not in NEXT | CONTINUE:
            if line in ("l", "list", "ll"):
                self._show_code(waiting)
            else:
                self._say("*** this call cannot be looked into: n, c, l, or a command of h")
        self._runs_on = line in CONTINUE

    def _show_code(self, waiting: WaitingCall) -> None:
        step, here = max(1, waiting.step), waiting.line
        code = self._debug.codes[step - 1] if step <= len(self._debug.codes) else ""
        for number, line in enumerate(code.splitlines(), start=1):
            if abs(number - here) <= AROUND:
                self._say(f"{number:>4} {'->' if number == here else '  '} {line}")

    def at_end(self, report: WorkReport | None) -> NoReturn:
        """Show the outcome and take commands. None: the person interrupted the code.

        Raises KeyboardInterrupt to go back or leave.
        """
        self._has_ended, self._redo = True, []
        if report is None:
            self._say("\nInterrupted.")
        else:
            self._show_end(report)
        while True:
            try:
                if self._forks and report is not None:
                    self.forked = self._debug.edited_turn(report)
                    self._leave()
                self._forks = False
                if self._ask_person() != "c" or not self._forks:
                    self._say("*** the code has ended; back goes to the last stop")
            except BadCommand as error:
                self._forks = False
                self._say(f"*** {error}")

    def _show_end(self, report: WorkReport) -> None:
        for number, step in enumerate(report.steps, start=1):
            if step.error:
                self._say(f"step {number} ended: {step.error}")
        self._say(f"\nThe end. Result: {_ending(report)}")
        if self._debug.ends_as_recorded(report):
            self._say("This is what was recorded.")
        elif self._debug.turn and (was := self._debug.turn.report):
            self._say(f"This is not what was recorded: {_ending(was)}")

    def _leave(self) -> NoReturn:
        self.next = "leave"
        raise KeyboardInterrupt

    def do_q(self, _: str) -> NoReturn:
        """Leave the debugger."""
        self._leave()

    def do_h(self, text: str) -> str | None:
        """Show all commands; pdb knows more of each of its own."""
        if text:
            return f"help {text}"
        self._say(HELP)
        return None

    def do_call(self, text: str) -> str:
        """Go on to a call and stop there before it is answered."""
        following = self._following() + (self._waiting is not None)
        number = _number(text) if text else following
        if number < following:
            raise BadCommand(f"the next call is {following}; back {number} goes to an earlier one")
        self._stops_at.add(number)
        return "c"

    def _following(self) -> int:
        """Number of the call that waits or is the next one."""
        return self._waiting.number if self._waiting else len(self._debug.answers) + 1

    def do_fork(self, _: str) -> str:
        """Carry the code out to its end, and leave with the turn as it went."""
        if self._debug.is_live:
            raise BadCommand("a live run is not forked; c continues it")
        self._forks = True
        return "c"

    def do_back(self, text: str) -> NoReturn:
        """Go back to the stop before, or to a call."""
        debug, stops = self._debug, self._stops
        if debug.is_live:
            raise BadCommand("a live run cannot go back: its requests were sent")
        if text:
            number, last = _number(text), len(debug.answers)
            if not 1 <= number <= last:
                revisited = f"calls 1 to {last} can be revisited" if last else "no call was made"
                raise BadCommand(revisited)
            kept = [s for s in stops if s.calls < number and s.at_call != number]
            goal = Stop(number - 1, number)
        else:
            kept = stops if self._has_ended else stops[:-1]
            if not kept:
                raise BadCommand("this is the first stop")
            *kept, goal = kept
        for gone in debug.forget_from(goal.calls + 1):
            self._say(f"the edited answer of call {gone} is dropped")
        undone = [line for stop in stops[len(kept) :] for line in stop.lines]
        breaks = [line for line in undone if line.partition(" ")[0] in BREAKS]
        self._redo, self._script = [*(stop.lines for stop in kept), breaks], []
        self._stops_at = {stop.at_call for stop in (*kept, goal) if stop.at_call}
        self._stops, self._made = [], 0
        self._forks = self._runs_on = self._has_ended = False
        self.next = "back"
        raise KeyboardInterrupt

    def do_calls(self, _: str) -> None:
        """List the calls so far, the waiting one, and those of the record to come."""
        debug, following = self._debug, len(self._debug.answers) + 1
        for call, origin in debug.answers:
            self._say(f"   {_listed(call)} [{origin}]")
        if waiting := self._waiting:
            self._say(f"-> {waiting.number:>3} line {waiting.line}: {waiting.tool.name} is waiting")
            following = waiting.number + 1
        while to_come := debug.recorded_call(following):
            edited = ", edited" if following in debug.edits else ""
            self._say(f"   {_listed(to_come)} [to come{edited}]")
            following += 1

    def do_answer(self, text: str) -> None:
        """Show or edit the answer of the next call."""
        debug, number = self._debug, self._following()
        recorded, edit = debug.recorded_call(number), debug.edits.get(number)
        if self._has_ended:
            raise BadCommand("the code has ended; back goes to the last stop")
        if text == "recorded":
            edit = debug.edits.pop(number, None) and None
        elif text == "raise" or text.startswith("raise "):
            edit = _raised(text.removeprefix("raise").strip())
        elif match := _PATH.match(text):
            answer = copy.deepcopy(edit.result if edit else recorded and recorded.result)
            _set_part(answer, match["path"], _json(match["value"]))
            edit = EditedAnswer(answer)
        elif text:
            edit = EditedAnswer(_json(text))
        if edit:
            debug.edits[number] = edit
        if recorded is None and edit is None:
            raise BadCommand(f"nothing is recorded for call {number}")
        if recorded:
            self._say(f"call {number}: {recorded.prompt(0)}")
        if edit:
            fault = edit.fault
            self._say(f"edited: {f'{fault.kind}: {fault}' if fault else _text(edit.result)}")
        elif recorded and recorded.outcome == "done":
            self._say(_text(recorded.result))

    def do_save(self, text: str) -> None:
        """Write what happened as a scenario of a new pack."""
        if not text:
            raise BadCommand("use: save FILE")
        debug = self._debug
        # What was recorded tells of the benchmark, too, where the person has answered otherwise.
        later = [one for one in debug.log.work if one.number > debug.number] if debug.log else []
        after = [call for one in later for call in one.tools]
        result = debug.log.result if debug.log else None
        seen = SeenTask(
            spec_id=debug.spec_id,
            text=debug.text,
            calls=[
                *debug.before,
                *debug.calls,
                *(debug.recorded.tools if debug.recorded else ()),
                *after,
            ],
            result=result.model_dump() if result else None,
            edited=[call for call, origin in debug.answers if origin == "edited"],
            shown=shown_products(debug.log),
        )
        try:
            pack = pack_of(debug.benchmark.name, seen)
        except ValueError as error:
            raise BadCommand(str(error)) from None
        try:
            with Path(text).expanduser().open("x", encoding="utf-8") as file:
                file.write(json.dumps(pack, ensure_ascii=False, indent=1) + "\n")
        except OSError as error:
            raise BadCommand(f"{text} cannot be written: {error.strerror}") from None
        self._say(f"written: {text} ({pack['scenarios'][0]['notes']})")

    do_help, do_quit, do_exit = do_h, do_q, do_q


def _listed(call: ToolCall) -> str:
    return f"{call.number:>3} line {call.line or '?'}: {call.prompt(80)}"


def _ending(report: WorkReport) -> str:
    return shorten(report.result, LONG) if report.answered else "no final answer"


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


def _raised(text: str) -> EditedAnswer:
    """A refusal by the platform in these words, or an exception of the kind that comes first."""
    match = _RAISED.match(text)
    words = text[match.end() :] if match else text
    if not words:
        raise BadCommand("use: answer raise TEXT, such as the platform's words for a refusal")
    if match is None:
        return EditedAnswer(fault=Refused(words))
    return EditedAnswer(fault=ToolFault(words, kind=cast(FaultKind, match["kind"])))


def _set_part(answer: Any, path: str, value: object) -> None:
    """Change a part of an answer. Raises BadCommand: there is no such part."""
    *way, last = path.split(".")
    try:
        for name in way:
            answer = answer[int(name) if isinstance(answer, list) else name]
        answer[int(last) if isinstance(answer, list) else last] = value
    except (KeyError, IndexError, TypeError, ValueError):
        raise BadCommand(f"the answer has no {path!r}; separate parts with dots") from None


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
