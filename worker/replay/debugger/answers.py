"""Where the answer to a call comes from: the record while it fits, then a live shop or the user."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from ledger import Tool, ToolCall, ToolFault, WireCall
from worker.replay.debugger.moments import Fault, Given, Happened, Stop, clash


class Live(Protocol):
    """A running benchmark that stands where the record stood."""

    def repeat(self, requests: Sequence[WireCall]) -> list[str]:
        """Bring it there by recorded requests; what went otherwise. Raises ToolFault."""

    def call(self, name: str, args: list[object], kwargs: dict[str, object]) -> ToolCall:
        """Run a tool. Raises ToolFault where the call reaches none."""

    def state(self) -> str:
        """The state, read afresh."""


class Answers:
    """Answers calls from the record of a turn; from the first other call on, from elsewhere."""

    def __init__(
        self,
        record: Sequence[ToolCall],
        tools: Sequence[Tool],
        past: Sequence[WireCall] = (),
        open_live: Callable[[], Live] | None = None,
    ) -> None:
        self.record = list(record)
        self._tools = {t.name: t for t in tools}
        self._past = list(past)
        """Requests of the turns before this one."""
        self._open_live = open_live
        self._live: Live | None = None
        self.left: int | None = None
        """The call at which the work left the record."""

    def recorded(self, number: int) -> ToolCall | None:
        """The recorded call of that number."""
        return self.record[number - 1] if number <= len(self.record) else None

    def bound(self, stop: Stop) -> dict[str, object]:
        """Arguments by name; {} where they do not fit, as the record has it."""
        try:
            return self._tools[stop.name].bind(list(stop.args), dict(stop.kwargs))
        except ToolFault:
            return {}

    def fits(self, stop: Stop, arguments: dict[str, object]) -> ToolCall | None:
        """The recorded call, while the work is on the record and this call is the same."""
        recorded = self.recorded(stop.number)
        if self.left is not None or recorded is None or clash(recorded, stop.name, arguments):
            return None
        return recorded

    def back_to(self, number: int) -> None:
        """Forget what came at that call or later; a live shop has to be rebuilt for that."""
        self._live = None
        if self.left is not None and self.left >= number:
            self.left = None

    def settle(
        self,
        stop: Stop,
        edited: dict[str, object] | None,
        wish: Given | Fault | None,
        history: Sequence[Happened],
    ) -> Happened | None:
        """The answered call, or None where only the user can answer.

        Raises:
            ToolFault: the live shop could not be brought here.
        """
        arguments = self.bound(stop) if edited is None else edited
        if self.left == stop.number:
            self.left = None  # the user may have put the arguments back
        recorded = self.fits(stop, arguments)
        if recorded is None and self.left is None:
            self.left = stop.number
        if wish is not None:
            return Happened(self.by_hand(stop, arguments, wish), "edited")
        if recorded is not None:
            placed = recorded.model_copy(update={"step": stop.step, "line": stop.line})
            return Happened(placed, "record")
        live = self.live(history)
        return Happened(self._ask(live, stop, edited), "live") if live else None

    def live(self, history: Sequence[Happened]) -> Live | None:
        """The live shop at this moment, made when it is first needed; None where none was given."""
        if self._live is None and self._open_live is not None:
            live = self._open_live()
            live.repeat([*self._past, *(w for h in history for w in h.call.requests)])
            self._live = live
        return self._live

    def afresh(self, history: Sequence[Happened]) -> str | None:
        """The state as a live shop shows it now; None while the work is on the record."""
        live = self.live(history) if self.left is not None else None
        return live.state() if live else None

    def by_hand(self, stop: Stop, arguments: dict[str, object], wish: Given | Fault) -> ToolCall:
        """A call that the user has answered; nothing was sent for it."""
        kind = self._tools[stop.name].kind
        base = ToolCall(
            number=stop.number,
            name=stop.name,
            kind=kind,
            arguments=arguments,
            outcome="done",
            step=stop.step,
            line=stop.line,
        )
        if isinstance(wish, Given):
            return base.model_copy(update={"result": wish.value})
        failed = {"outcome": "failed", "error": wish.text, "fault": wish.kind}
        return base.model_copy(update=failed)

    def _ask(self, live: Live, stop: Stop, edited: dict[str, object] | None) -> ToolCall:
        try:
            if edited is None:
                call = live.call(stop.name, list(stop.args), dict(stop.kwargs))
            else:
                call = live.call(stop.name, [], edited)
        except ToolFault as fault:
            return self.by_hand(stop, edited or {}, Fault(fault.kind, fault.text))
        place = {"number": stop.number, "step": stop.step, "line": stop.line}
        return call.model_copy(update=place)
