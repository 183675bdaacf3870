"""The output of a run while it plays: a live view, or one line for everything that happens.

What benchmarks and models wrote is never markup here, and steers no terminal.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from core.ledger import ToolCall
from core.models.model_call import ModelCall, Usage, known_sum
from core.runs.manifest import HARM
from core.runs.results import TaskResult
from core.runs.task import Decision, TaskInfo, Turn, Watcher
from core.terminal.console import CAUTION, plain_line
from core.terminal.figures import DASH, counted, cut, dollars, number, peek, tokens
from core.terminal.figures import seconds as shown_seconds
from core.text import clean

PER_SECOND = 4
"""How often the moving lines are drawn; numbers that flicker cannot be read."""
SUMMARY_LINES = 4
"""Lines that are kept for the summary and for the count of what is not shown."""
MOST_CHARS = 1_000
"""Maximum characters of a thought, an instruction or a report."""
CALL_CHARS = 400
RESULT_CHARS = 160


@dataclass(frozen=True)
class Spent:
    """Tokens and dollars of model calls; None is unknown."""

    usage: Usage = field(default_factory=Usage.nothing)
    dollars: float | None = 0.0

    def plus(self, call: ModelCall) -> Spent:
        """Add one call."""
        return Spent(self.usage + call.usage, known_sum((self.dollars, call.cost_usd)))

    def __str__(self) -> str:
        return f"{number(tokens(self.usage))} tokens, {dollars(self.dollars)} spent"


@dataclass
class Running:
    """One task under way."""

    task: TaskInfo
    began: float
    turns_done: int = 0
    is_asked: bool = False
    """Whether a model was called since its last turn, so that the next one has started."""
    thought: str = ""
    state: str = ""
    """The last state seen, in a few words; "" is unknown."""
    spent: Spent = field(default_factory=Spent)


class Progress(Watcher):
    """Shows a run: moving lines on a terminal, one plain line a task anywhere else. Thread-safe.

    Tokens and dollars count only calls seen here; what a resumed task spent before is
    only in its result.
    """

    def __init__(
        self,
        console: Console,
        in_words: Callable[[str], str] = lambda _state: "",
        harm_name: str = HARM,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``in_words``: describes a benchmark's state in a few words, or ""."""
        self._console = console
        self._in_words = in_words
        self._harm_name = harm_name
        self._clock = clock
        self._began = clock()
        self._lock = threading.RLock()
        self._running: dict[str, Running] = {}
        self._counts: Counter[str] = Counter()
        self._spent = Spent()
        self._live: Live | None = None
        if console.is_terminal and not console.is_dumb_terminal and not console.quiet:
            self._live = Live(
                console=console,
                get_renderable=self.screen,
                refresh_per_second=PER_SECOND,
                transient=True,
            )

    def __enter__(self) -> Progress:
        if self._live:
            self._live.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        if self._live:
            self._live.stop()

    def expect(self, total: int, done: Sequence[TaskResult] = ()) -> None:
        """Begin the time of so many tasks, behind those that were played before."""
        with self._lock:
            self._began = self._clock()
            self._counts["total"] += total + len(done)
            for result in done:
                self._count(result)

    def task_started(self, task: TaskInfo) -> None:
        """Add a line for the task."""
        with self._lock:
            self._running[task.task_id] = Running(task, self._clock())

    def call_done(self, task: TaskInfo, call: ModelCall) -> None:
        """Count a model call, which means that the next turn has started."""
        with self._lock:
            self._spent = self._spent.plus(call)
            if row := self._running.get(task.task_id):
                row.spent, row.is_asked = row.spent.plus(call), True

    def turn_done(self, task: TaskInfo, turn: Turn) -> None:
        """Show the state and the thought of a turn that is over."""
        state = self._in_words(turn.state)
        with self._lock:
            if row := self._running.get(task.task_id):
                row.turns_done, row.is_asked = turn.number, False
                row.thought, row.state = turn.decision.thought, state or row.state

    def task_done(self, result: TaskResult) -> None:
        """Print the task's line, with its error, and drop it from the running ones."""
        with self._lock:
            self._running.pop(result.task_id, None)
            self._count(result)
            place = f"[{self._counts['done']}/{self._counts['total']}]"
            lines = [finished_line(result, place, self._harm_name)]
            if result.error:
                lines.append(Text(f"    {clean(result.error)}", style="dim"))
            for line in lines:
                if self._console.is_terminal:
                    self._console.print(line, no_wrap=True, overflow="ellipsis", highlight=False)
                else:  # a pipe has no width: what is cut there is lost
                    self._console.print(line, soft_wrap=True, highlight=False)
        if self._live:
            self._live.refresh()  # what was printed stands above the lines of before it

    def _count(self, result: TaskResult) -> None:
        self._counts["done"] += 1
        self._counts["passed"] += result.passed
        self._counts["failed"] += result.failed
        self._counts["harm"] += result.failed and result.harm is True

    def screen(self) -> RenderableType:
        """The moving lines as they are now, no more than the console has."""
        with self._lock:
            rows, now, counts = list(self._running.values()), self._clock(), self._counts
            waiting = max(counts["total"] - counts["done"] - len(rows), 0)
            parts = {
                f"{counts['done']}/{counts['total'] or DASH} done": 1,
                f"{counts['passed']} passed": 1,
                f"{counts['failed']} failed": 1,
                counted(counts["harm"], self._harm_name): counts["harm"],
                f"{len(rows)} running": 1,
                f"{waiting} waiting": waiting,
            }
            summary = [
                ", ".join(text for text, is_shown in parts.items() if is_shown),
                f"{self._spent}, {shown_seconds(now - self._began)}",
            ]
        room = max(1, self._console.height - 1 - SUMMARY_LINES)
        hidden = len(rows) - room
        more = [_line(f"… and {hidden} more running")] if hidden > 0 else []
        return Group(*map(_line, summary), _table(rows[:room], now), *more)


def finished_line(result: TaskResult, place: str, harm_name: str) -> Text:
    """A task that is over; ``place``: which of how many."""
    wrong = f", {harm_name}" if result.harm else ""
    ended = clean(f"{number(result.score, 1)}, {result.ended}{wrong}")
    line = Text(f"{place} {_brief(result.spec_id)}: ", no_wrap=True, overflow="ellipsis")
    tail = f", {counted(result.turns, 'turn')}, {result.seconds:.1f} s"
    if result.harm or result.failure:
        style = "bold red" if result.harm else "red"
    else:
        style = "green" if result.passed else CAUTION if result.failed else ""
    return line.append(ended, style=style).append(tail, style="dim")


def _table(rows: Sequence[Running], now: float) -> Table:
    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(no_wrap=True, overflow="ellipsis", max_width=36)
    for justify in ("left", "left", "right", "right"):
        table.add_column(no_wrap=True, overflow="ellipsis", justify=justify)
    table.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
    for row in rows:
        turn = row.turns_done + row.is_asked
        texts = (
            _brief(row.task.spec_id),
            f"turn {turn or DASH}",
            _brief(row.state) or DASH,
            str(row.spent),
            shown_seconds(float(int(now - row.began))),
            _brief(row.thought) or DASH,
        )
        table.add_row(*map(Text, texts))
    return table


def _line(text: str) -> Text:
    return Text(text, no_wrap=True, overflow="ellipsis")


class Stream(Progress):
    """Shows a run with a line for each event, behind the name of its task."""

    def task_started(self, task: TaskInfo) -> None:
        """Print its text."""
        super().task_started(task)
        self._tell(task, f"TASK: {_brief(task.text)}")

    def call_done(self, task: TaskInfo, call: ModelCall) -> None:
        """Print a failure of a model; a successful call shows in what follows."""
        super().call_done(task, call)
        if call.error:
            self._tell(task, f"MODEL {call.role}: {_brief(call.error)}")

    def decided(self, task: TaskInfo, number: int, decision: Decision) -> None:
        """Print a thought and what is to be done."""
        self._tell(task, f"turn {number} THOUGHT: {_brief(decision.thought)}")
        if decision.plan:
            self._tell(task, f"turn {number} PLAN: {_brief('; '.join(decision.plan))}")
        self._tell(task, f"turn {number} {decision.decision}: {_brief(decision.instruction)}")

    def tool_called(self, task: TaskInfo, call: ToolCall) -> None:
        """Print a call with the beginning of its answer."""
        self._tell(task, f"  {_brief(call.prompt(RESULT_CHARS), CALL_CHARS)}")

    def turn_done(self, task: TaskInfo, turn: Turn) -> None:
        """Print what was reported, or why nothing was done."""
        super().turn_done(task, turn)
        for label, why in {
            "PREPARED ANSWER NOT SENT": turn.withheld,
            "SENT BACK": turn.challenge,
            "REFUSED": turn.refused,
        }.items():
            if why:
                self._tell(task, f"turn {turn.number} {label}: {_brief(why)}")
        if turn.report:
            failed = turn.report.error
            text = f"FAILED: {_brief(failed)}" if failed else peek(turn.report.result, MOST_CHARS)
            self._tell(task, f"turn {turn.number} REPORT: {text}")

    def _tell(self, task: TaskInfo, line: str) -> None:
        plain_line(self._console, f"[{_brief(task.spec_id, 60)}] {line}")


def _brief(text: str, most: int = MOST_CHARS) -> str:
    """A text of somebody else's as one harmless line."""
    return clean(cut(" ".join(text[: 4 * most].split()), most))
