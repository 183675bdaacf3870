"""What is known of one task's writes: a fold over the entries of its journal.

The same reducer takes every entry as it is made and, after a crash, those of the journal. Answers
are not in the journal: what follows from an answer alone is read again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from core.ledger import Intent, Judgement, LedgerEntry, Resolved, WireCall
from core.tools.endpoints import Endpoint, Endpoints

Outcome = Literal["sent", "done", "refused", "lost", "unknown"]
"""``sent``, ``unknown``: whether it took effect has to be looked up. ``lost``: it did not, and
was not refused either."""


@dataclass(eq=False)
class Write:
    """A write that was sent, or was about to be, and what became of it."""

    path: str
    body: dict[str, Any]
    about: Any = None
    """What its intent keeps: the state before it, as plain data."""
    outcome: Outcome = "sent"
    was_refused: bool = False
    """Whether its reply was a refusal."""
    made_earlier: bool = False
    """Whether earlier work has sent it, and who goes on has not been given its answer."""
    error: str = ""
    answer: Any = None
    """The reply; None after a crash, and where what the state shows took its place."""

    @property
    def is_open(self) -> bool:
        """Whether it is not certain that it took effect or that it did not."""
        return self.outcome in ("sent", "unknown")

    def is_same(self, path: str, body: Mapping[str, Any]) -> bool:
        """Whether it is that very request."""
        return (self.path, self.body) == (path, body)


class TaskFacts:
    """The writes of one task; a benchmark adds what else its entries and answers tell."""

    write_type: type[Write] = Write

    def __init__(self, endpoints: Endpoints) -> None:
        self._endpoints = endpoints
        self.writes: list[Write] = []
        """Those whose intent is kept, oldest first. One that had no effect goes when it is sent
        again."""
        self.judgements: list[Judgement] = []
        """What a model has said of sets of requests, oldest first."""
        self._open: list[Write] = []
        self._last: dict[str, Write] = {}

    def take(self, entry: LedgerEntry, answer: Any = None) -> None:
        """Take the next entry; ``answer``: the reply to a request that was answered just now."""
        match entry:
            case Intent():
                self._add(self.write_type(entry.path, entry.body, entry.about))
            case WireCall(kind="write"):
                write = self._last.get(entry.path)
                if write is None or write.outcome != "sent":
                    self._add(write := self.write_type(entry.path, entry.body))
                self._end(write, entry, answer)
            case WireCall():
                self.take_read(entry, answer)
            case Resolved():
                self._settle(entry)
            case Judgement():
                self.judgements.append(entry)

    def take_read(self, call: WireCall, answer: Any) -> None:
        """Take a read; ``answer`` is None where it had none, or came before a crash."""

    def take_reply(self, write: Write) -> None:
        """Take what became of a write by its reply, or by that it had none."""

    def take_settled(self, write: Write) -> None:
        """Take what the state has shown of a write."""

    def hand_over(self) -> None:
        """Note that whoever goes on has seen none of the answers so far."""
        for write in self.writes:
            write.made_earlier = True

    def made_earlier(self, path: str, body: Mapping[str, Any]) -> Write | None:
        """This very write, which earlier work has made and nobody was given the answer of."""
        same = (one for one in self.writes if one.made_earlier and one.is_same(path, body))
        return next((one for one in same if one.outcome == "done"), None)

    def lost(self, path: str, body: Mapping[str, Any]) -> Write | None:
        """The last attempt at this write that had no effect, but may yet arrive; or None."""
        once = self._endpoints[path].once
        same = (one for one in reversed(self.writes) if once or one.body == body)
        last = next((one for one in same if one.path == path), None)
        return last if last is not None and last.outcome == "lost" else None

    def last(self, path: str) -> Write | None:
        """The last write at a path, or None."""
        return self._last.get(path)

    def open_at(self, path: str) -> Write | None:
        """The last write at a path of which nothing certain is known, or None."""
        return next((one for one in reversed(self._open) if one.path == path), None)

    def _add(self, write: Write) -> None:
        self._last[write.path] = write
        self._open.append(write)
        if self._endpoints.get(write.path, Endpoint()).durable:
            without = ("refused", "lost")
            self.writes = [
                one
                for one in self.writes
                if one.outcome not in without or not one.is_same(write.path, write.body)
            ]
            self.writes.append(write)

    def _end(self, write: Write, call: WireCall, answer: Any) -> None:
        write.error, write.answer = call.error or "", answer
        write.was_refused = call.outcome == "failed"
        write.outcome = call.outcome if call.outcome != "failed" else "unknown"
        row = self._endpoints.get(call.path, Endpoint())
        if write.was_refused and (row.look is None or row.is_certain(write.error)):
            write.outcome = "refused"
        self._close(write)
        self.take_reply(write)

    def _settle(self, settled: Resolved) -> None:
        write = self.open_at(settled.path) or self._last.get(settled.path)
        if write is None or write.outcome == "done":
            return
        missing: Outcome = "refused" if write.was_refused or settled.refused else "lost"
        write.outcome = "done" if settled.took_effect else missing
        if settled.took_effect:
            write.error = ""
        self._close(write)
        self.take_settled(write)

    def _close(self, write: Write) -> None:
        if not write.is_open and write in self._open:
            self._open.remove(write)
