"""What is known of one task's writes: a fold over the entries of its journal.

The same reducer takes every entry as it is made and, after a crash, those of the journal. Answers
are not in the journal: what follows from an answer alone is read again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from core.ledger import Intent, LedgerEntry, Resolved, WireCall
from core.tools.endpoints import Endpoint, Endpoints

Effect = Literal["sent", "done", "refused", "lost", "unknown"]
"""``sent``, ``unknown``: whether it took effect has to be looked up. ``lost``: it did not, and
was not refused either."""


@dataclass(eq=False)
class Write:
    """A write that was sent, or was about to be, and what became of it."""

    path: str
    body: dict[str, Any]
    about: Any = None
    """What its intent keeps: the state before it, as plain data."""
    effect: Effect = "sent"
    was_refused: bool = False
    """Whether its reply was a refusal."""
    error: str = ""
    answer: Any = None
    """The reply; None after a crash, and where what the state shows took its place."""

    @property
    def is_open(self) -> bool:
        """Whether it is not certain that it took effect or that it did not."""
        return self.effect in ("sent", "unknown")


class TaskFacts:
    """The writes of one task; a benchmark adds what else its entries and answers tell."""

    def __init__(self, endpoints: Endpoints) -> None:
        self._endpoints = endpoints
        self._open: list[Write] = []
        self._last: dict[str, Write] = {}

    def take(self, entry: LedgerEntry, answer: Any = None) -> None:
        """Take the next entry; ``answer``: the reply to a request that was answered just now."""
        match entry:
            case Intent():
                self._add(Write(entry.path, entry.body, entry.about))
            case WireCall(kind="write"):
                write = self._last.get(entry.path)
                if write is None or write.effect != "sent":
                    self._add(write := Write(entry.path, entry.body))
                self._end(write, entry, answer)
            case WireCall():
                self.take_read(entry, answer)
            case Resolved():
                self._settle(entry)

    def take_read(self, call: WireCall, answer: Any) -> None:
        """Take a read; ``answer`` is None where it had none, or came before a crash."""

    def take_reply(self, write: Write) -> None:
        """Take what became of a write by its reply, or by that it had none."""

    def take_settled(self, write: Write) -> None:
        """Take what the state has shown of a write."""

    def last(self, path: str) -> Write | None:
        """The last write at a path, or None."""
        return self._last.get(path)

    def open_at(self, path: str) -> Write | None:
        """The last write at a path of which nothing certain is known, or None."""
        return next((one for one in reversed(self._open) if one.path == path), None)

    def _add(self, write: Write) -> None:
        self._last[write.path] = write
        self._open.append(write)

    def _end(self, write: Write, call: WireCall, answer: Any) -> None:
        write.error, write.answer = call.error or "", answer
        write.was_refused = call.outcome == "failed"
        write.effect = call.outcome if call.outcome != "failed" else "unknown"
        row = self._endpoints.get(call.path, Endpoint())
        if write.was_refused and (row.look is None or row.is_certain(write.error)):
            write.effect = "refused"
        self._close(write)
        self.take_reply(write)

    def _settle(self, settled: Resolved) -> None:
        write = self.open_at(settled.path) or self._last.get(settled.path)
        if write is None or write.effect == "done":
            return
        missing: Effect = "refused" if write.was_refused else "lost"
        write.effect = "done" if settled.took_effect else missing
        self._close(write)
        self.take_settled(write)

    def _close(self, write: Write) -> None:
        if not write.is_open and write in self._open:
            self._open.remove(write)
