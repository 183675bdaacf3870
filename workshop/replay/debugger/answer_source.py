"""Sources of a call's result: the record while it fits, then a simulator or the user."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from core.ledger import Tool, ToolCall, ToolFault, WireCall
from core.runs.work import StepRecord


@dataclass(frozen=True)
class Pause:
    """A tool call that waits for its answer."""

    number: int
    """1 for the first call of the instruction."""
    name: str
    args: tuple[object, ...]
    kwargs: dict[str, object]
    step: int
    line: int
    """Source line within the step's snippet; 0 if unknown."""


@dataclass(frozen=True)
class Ended:
    """The work is over."""

    steps: tuple[StepRecord, ...]
    result: object = None
    answered: bool = False


@dataclass(frozen=True)
class Answered:
    """A call that was answered: by the record, by the user, or by a running benchmark."""

    call: ToolCall
    by: Literal["record", "edited", "live"]


@dataclass(frozen=True)
class EditedAnswer:
    """An answer that the user wants a call to have."""

    value: object


class Tools(Protocol):
    """Carries out calls."""

    def call(self, name: str, args: list[object], kwargs: dict[str, object]) -> ToolCall:
        """Run a tool. Raises ToolFault where the call reaches none."""


class LiveWorld(Tools, Protocol):
    """A running environment in the state of the record."""

    def repeat(self, requests: Sequence[WireCall]) -> list[str]:
        """Bring it there by recorded requests; what went otherwise. Raises ToolFault."""

    def state(self) -> str:
        """The state, read afresh."""


class AnswerSource:
    """Answers calls from the record of a turn; from the first other call on, from elsewhere."""

    def __init__(
        self,
        record: Sequence[ToolCall],
        tools: Sequence[Tool],
        past: Sequence[WireCall] = (),
        open_live: Callable[[], LiveWorld] | None = None,
    ) -> None:
        self.record = list(record)
        self.tools = {t.name: t for t in tools}
        self._past = list(past)
        """Requests of the turns before this one."""
        self._open_live = open_live
        self._live: LiveWorld | None = None
        self.left: int | None = None
        """The call at which the work left the record."""

    def recorded(self, number: int) -> ToolCall | None:
        """The recorded call of that number."""
        return self.record[number - 1] if number <= len(self.record) else None

    def bound(self, pause: Pause) -> dict[str, object]:
        """Arguments by name; {} where they do not fit, as the record has it."""
        try:
            return self.tools[pause.name].bind(list(pause.args), dict(pause.kwargs))
        except ToolFault:
            return {}

    def fits(self, pause: Pause, arguments: dict[str, object]) -> ToolCall | None:
        """The recorded call, while the work is on the record and this call is the same."""
        recorded = self.recorded(pause.number)
        same = recorded and (recorded.name, recorded.arguments) == (pause.name, arguments)
        return recorded if same and self.left is None else None

    def back_to(self, number: int) -> None:
        """Forget what came at that call or later; a live world has to be rebuilt for that."""
        self._live = None
        if self.left is not None and self.left >= number:
            self.left = None

    def settle(
        self,
        pause: Pause,
        edited: dict[str, object] | None,
        edited_answer: EditedAnswer | ToolFault | None,
        history: Sequence[Answered],
    ) -> Answered | None:
        """The answered call, or None where only the user can answer.

        Raises:
            ToolFault: the live world could not be brought here.
        """
        arguments = self.bound(pause) if edited is None else edited
        if self.left == pause.number:
            self.left = None  # the user may have put the arguments back
        recorded = self.fits(pause, arguments)
        if recorded is None and self.left is None:
            self.left = pause.number
        if edited_answer is not None:
            return Answered(self.by_hand(pause, arguments, edited_answer), "edited")
        if recorded is not None:
            placed = recorded.model_copy(update={"step": pause.step, "line": pause.line})
            return Answered(placed, "record")
        live = self.live(history)
        return Answered(self.ask(live, pause, edited), "live") if live else None

    def live(self, history: Sequence[Answered]) -> LiveWorld | None:
        """The live environment at this moment, made when first needed; None if there is none."""
        if self._live is None and self._open_live is not None:
            live = self._open_live()
            live.repeat([*self._past, *(w for h in history for w in h.call.requests)])
            self._live = live
        return self._live

    def current_state(self, history: Sequence[Answered]) -> str | None:
        """The state as a live world shows it now; None while the work is on the record."""
        live = self.live(history) if self.left is not None else None
        return live.state() if live else None

    def by_hand(
        self, pause: Pause, arguments: dict[str, object], edited_answer: EditedAnswer | ToolFault
    ) -> ToolCall:
        """A call that the user has answered; nothing was sent for it."""
        base = ToolCall(
            number=pause.number,
            name=pause.name,
            kind=self.tools[pause.name].kind,
            arguments=arguments,
            outcome="done",
            step=pause.step,
            line=pause.line,
        )
        if isinstance(edited_answer, EditedAnswer):
            return base.model_copy(update={"result": edited_answer.value})
        failed = {"outcome": "failed", "error": edited_answer.text, "fault": edited_answer.kind}
        return base.model_copy(update=failed)

    def ask(self, live: Tools, pause: Pause, edited: dict[str, object] | None) -> ToolCall:
        """The call as it was answered live; by hand where no tool was reached."""
        try:
            args = list(pause.args) if edited is None else []
            call = live.call(pause.name, args, dict(pause.kwargs) if edited is None else edited)
        except ToolFault as fault:
            return self.by_hand(pause, edited or {}, fault)
        place = {"number": pause.number, "step": pause.step, "line": pause.line}
        return call.model_copy(update=place)
