"""The ledger of one instruction: allow-list, budgets, and the record of every call."""

from __future__ import annotations

import copy
import inspect
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from core.ledger.calls import (
    EntryObserver,
    Intent,
    Judgement,
    Kind,
    Notice,
    Outcome,
    Resolved,
    ToolCall,
    ToolFault,
    WireCall,
    WireOutcome,
)
from core.ledger.combo import partial_result
from core.ledger.tool import Tool


@dataclass(frozen=True)
class Budget:
    """The budget of one instruction; when it is used up, the code gets an error."""

    calls: int = 400
    """Tool calls; below what a sandbox allows a step, so that it is this text that is read."""
    requests: int = 20_000
    """One tool call may send many: three readings of 5,000 entries that come one a page."""
    writes: int = 12_000
    """Enough to put in every one of 5,000 entries and to take it out again."""
    final: int = 1
    """Requests that cannot be undone."""


@dataclass
class Sending:
    """One request under way, and what the ledger has kept of it."""

    path: str
    body: dict[str, object]
    kind: Kind
    final: bool
    intent: Intent | None = None
    call: WireCall | None = None
    """Its record, once it is over."""
    began: float = field(default_factory=time.perf_counter)
    started: float = field(default_factory=lambda: round(time.time(), 6))


class Ledger:
    """Runs the tools of one instruction and keeps the record of every call.

    Single use: after :meth:`close` every call is refused, so code that outlives its
    instruction reaches nothing. Calls from several threads are taken one at a time.
    """

    def __init__(self, budget: Budget | None = None, on_entry: EntryObserver | None = None) -> None:
        """``on_entry`` is called with each intent before it is sent and each write after it.

        An exception from it ends the request: an intent that cannot be recorded is not sent.
        """
        self.budget = budget or Budget()
        self._on_entry: EntryObserver = on_entry or (lambda _noted: None)
        self._tools: dict[str, Tool] = {}
        self._calls: list[ToolCall] = []
        self._wire: list[WireCall] = []
        self._kept: list[WireCall] = []
        self._judged: list[Judgement] = []
        self._spent = {"calls": 0, "requests": 0, "writes": 0, "final": 0}
        self._open: dict[str, bool] = {}
        """By path, of an irreversible request that is not certain to have taken effect or not:
        whether it counts so far. One without an answer does, a refused one does not."""
        self._closed = False
        self._lock = threading.RLock()
        self.instruction: str | None = None
        """The instruction that the code carries out, for a tool that must check it."""
        self.on_call: Callable[[ToolCall], None] = lambda _call: None
        self.waited = 0.0
        """Seconds that tools have waited for a model; they are no time of the code's step."""
        self.position: Callable[[], tuple[int, int] | None] = lambda: None
        """Asked at each call for the step and source line that made it."""

    def offer(self, tools: Iterable[Tool]) -> None:
        """Add tools to what generated code may call."""
        self._tools.update({t.name: t for t in tools})

    @property
    def names(self) -> frozenset[str]:
        """Names that generated code may call."""
        return frozenset(self._tools)

    @property
    def signatures(self) -> dict[str, inspect.Signature]:
        """Expected arguments by tool name."""
        return {name: t.signature for name, t in self._tools.items()}

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools on offer, in the order they were offered."""
        return tuple(self._tools.values())

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """Every call so far, in order."""
        return tuple(self._calls)

    @property
    def requests(self) -> int:
        """Requests sent to the benchmark's API so far."""
        return self._spent["requests"]

    def close(self) -> None:
        """Refuse every later call and request."""
        with self._lock:
            self._closed = True

    def call(self, name: str, args: list[object], kwargs: dict[str, object]) -> object:
        """Run a tool for generated code; the answer is a copy, not what the tool itself keeps.

        A Combo tool answers also where a request failed, as long as every write of the
        call is known to have taken effect or not.

        Raises ToolFault: unknown tool, wrong arguments, budget reached, or the tool's own refusal.
        """
        with self._lock:
            self._check_open()
            tool = self._tools.get(name)
            if tool is None:
                raise ToolFault(f"there is no tool {name!r}", kind="RuntimeError")
            self._check("calls", self.budget.calls, "tool calls")
            self._spent["calls"] += 1
            self._wire, self._kept, self._judged = [], [], []
            return self._run(tool, args, kwargs)

    def _keep(self, call: ToolCall) -> None:
        self._calls.append(call)
        self.on_call(call)

    def _run(self, tool: Tool, args: list[object], kwargs: dict[str, object]) -> object:
        began, started = time.perf_counter(), round(time.time(), 6)
        step, line = self.position() or (None, None)
        arguments: dict[str, object] = {}

        def keep(outcome: Outcome, **fields: Any) -> None:
            call = ToolCall(
                number=len(self._calls) + 1,
                name=tool.name,
                kind=tool.kind,
                arguments=arguments,
                outcome=outcome,
                step=step,
                line=line,
                seconds=round(time.perf_counter() - began, 6),
                started=started,
                requests=tuple(self._wire),
                kept=tuple(self._kept),
                judged=tuple(self._judged),
                **fields,
            )
            self._keep(call)

        try:
            arguments = tool.bind(args, kwargs)
            result = tool.run(**copy.deepcopy(arguments))
        except ToolFault as fault:
            writes = {one.outcome for one in self._wire if one.kind == "write"}
            # After a fatal fault a tool may not have been able to put back what it moved.
            in_doubt = "unknown" in writes or (fault.fatal and "done" in writes)
            result = None if "unknown" in writes else partial_result(fault)
            failure = {"error": fault.text, "fault": fault.kind, "fatal": fault.fatal}
            keep("unknown" if in_doubt else "failed", result=copy.deepcopy(result), **failure)
            if result is None:
                raise
        except BaseException as error:
            keep("unknown", error=f"internal error ({type(error).__name__})")
            raise
        else:
            keep("done", result=copy.deepcopy(result))
        return copy.deepcopy(result)

    @contextmanager
    def sending(
        self,
        path: str,
        body: dict[str, object],
        kind: Kind,
        *,
        final: bool = False,
        about: object = None,
    ) -> Iterator[Sending]:
        """Book the request that the body of this context sends: budgets, intent, its outcome.

        ``final``: it cannot be undone; its intent is kept before it is sent, with ``about``. So is
        that of any other request which says what it is about. A ToolFault of the body tells the
        outcome by its marks ``lost`` and ``fatal``; after any other exception it is unknown.

        Raises ToolFault: a budget is reached or the ledger is closed; the body does not run.
        """
        with self._lock:
            self._check_open()
            if final:
                self._check("final", self.budget.final, "irreversible requests")
            if kind == "write":
                self._check("writes", self.budget.writes, "writes")
            self._check("requests", self.budget.requests, "requests to the API")
            self._spent["requests"] += 1
            self._spent["writes"] += kind == "write"
            sending = Sending(path, body, kind, final)
            if final or about is not None:
                sending.intent = Intent(path=path, body=body, about=about)
                self._on_entry(sending.intent)
            try:
                yield sending
            except ToolFault as fault:
                outcome: WireOutcome = "unknown" if fault.fatal else "failed"
                self._book(sending, "lost" if fault.lost else outcome, fault.text)
                raise
            except BaseException as error:
                self._book(sending, "unknown", type(error).__name__)
                raise
            self._book(sending, "done")

    def _book(self, sending: Sending, outcome: WireOutcome, error: str | None = None) -> None:
        sending.call = call = WireCall(
            path=sending.path,
            body=sending.body,
            kind=sending.kind,
            outcome=outcome,
            error=error,
            seconds=round(time.perf_counter() - sending.began, 6),
            started=sending.started,
        )
        self._wire.append(call)
        if sending.final:
            self._spent["final"] += outcome in ("done", "unknown")
            self._open.pop(sending.path, None)
            if outcome in ("unknown", "failed"):
                self._open[sending.path] = outcome == "unknown"
        if sending.kind == "write":
            self._on_entry(call)

    @contextmanager
    def waiting_for_model(self) -> Iterator[None]:
        """While it lasts the clock of the step that has called the tool stands still."""
        began = time.monotonic()
        try:
            yield
        finally:
            self.waited += time.monotonic() - began

    def judge(self, judgement: Judgement) -> None:
        """Keep what a model said of requests that are to be sent next, or must not be."""
        with self._lock:
            self._on_entry(judgement)
            self._judged.append(judgement)

    def notice(self, text: str) -> None:
        """Note what a reader of the journal should know; nothing follows from it."""
        self._on_entry(Notice(text=text))

    def note_kept_read(self, path: str, body: dict[str, object]) -> None:
        """Book a read whose answer came from what was kept: a memory is rebuilt from it later.

        Nothing was sent for it now, so it costs no request.
        """
        with self._lock:
            self._kept.append(WireCall(path=path, body=body, kind="read", outcome="done"))

    def settle(self, settled: Resolved) -> None:
        """Keep what became of the last request to a path, which had no certain answer.

        Its record is put right where the call that sent it still runs. An irreversible request
        of this ledger that did not take effect is taken off the budget again; one that took
        effect counts, although it was answered with a refusal.
        """
        with self._lock:
            self._on_entry(settled)
            path, took_effect = settled.path, settled.took_effect
            if path in self._open:
                self._spent["final"] += took_effect - self._open.pop(path)
            for at in reversed(range(len(self._wire))):
                call = self._wire[at]
                if call.path == path and call.outcome in ("unknown", "failed"):
                    done = {"outcome": "done", "error": None}
                    lost = {"outcome": "lost"} if call.outcome == "unknown" else {}
                    self._wire[at] = call.model_copy(update=done if took_effect else lost)
                    return

    def _check_open(self) -> None:
        if self._closed:
            raise ToolFault(
                "this instruction is over; no further calls", kind="RuntimeError", fatal=True
            )

    def _check(self, what: str, limit: int, words: str) -> None:
        if self._spent[what] >= limit:
            text = f"budget reached: {limit} {words} per instruction"
            raise ToolFault(text, kind="RuntimeError", fatal=what != "final")
