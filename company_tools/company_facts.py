"""What is known of one task's company: a fold over the entries of its journal.

Changes and the answer are known from the journal alone. Answers to reads are not in it: what
earlier work had read is read again before an answer names it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from company_tools.change import CHANGES, RESPOND, TOUCHED, WIKI_UPDATE, Change
from company_tools.evidence import Memory
from core.erc3_client.own import company_models as wire
from core.ledger import WireCall
from core.tools.endpoints import Endpoints
from core.tools.paging import Listing, limit_told
from core.tools.task_facts import TaskFacts, Write

FORBIDDEN = "this company's system refuses every list and search, not single records by id"
USUAL_LIMIT = 5
"""Entries of a page in ordinary tasks (facts of the platform); a lower one is told by an error."""


class CompanyFacts(TaskFacts):
    """Changes, the answer to the user, records that were shown, and what is to be read again."""

    write_type = Change

    def __init__(self, endpoints: Endpoints, memory: Memory) -> None:
        super().__init__(endpoints)
        self.memory = memory
        self.listing = Listing("id", FORBIDDEN, first=USUAL_LIMIT)
        self.lost_reads: dict[str, WireCall] = {}
        """Reads of earlier work, whose answers nobody has any more."""
        self.wiki_moved = False
        """Whether the wiki was written since whoami was asked."""

    @property
    def changes(self) -> list[Change]:
        """Every change that was sent, or was about to be, oldest first."""
        return [one for one in self.writes if isinstance(one, Change) and one.path in CHANGES]

    @property
    def changed(self) -> list[Change]:
        """The changes that took effect."""
        return [change for change in self.changes if change.outcome == "done"]

    @property
    def responses(self) -> list[Mapping[str, Any]]:
        """The answers that the user was given; more than one cannot be undone."""
        return [one.body for one in self.writes if (one.path, one.outcome) == (RESPOND, "done")]

    @property
    def pending(self) -> Write | None:
        """An answer that was sent, or was about to be, and is not known to have arrived."""
        last = self.last(RESPOND)
        return last if last and last.outcome in ("sent", "unknown", "lost") else None

    def take_read(self, call: WireCall, answer: Any) -> None:
        """Take what an answer shows, or note that it is to be read again."""
        limit = limit_told(call.error)
        if limit is not None and limit >= 0:
            self.listing.limit = limit
        if answer is not None:
            self.memory.note(answer, call.path, call.body)
        elif call.outcome == "done":
            self.lost_reads[f"{call.path} {call.body}"] = call

    def take_reply(self, write: Write) -> None:
        """Take what a change makes old."""
        if write.answer is not None:
            self.memory.note(write.answer, write.path, write.body)
        if write.path in CHANGES:
            self.memory.forget(TOUCHED[write.path])
        self.wiki_moved = self.wiki_moved or write.path == WIKI_UPDATE
        self._note_page(write)

    def take_settled(self, write: Write) -> None:
        """Take that a change took effect after all."""
        if write.path in CHANGES:
            self.memory.forget(TOUCHED[write.path])
        self._note_page(write)

    def _note_page(self, write: Write) -> None:
        """Let an answer name a page that was written, also one that was emptied."""
        if write.path == WIKI_UPDATE and write.outcome == "done":
            self.memory.note(wire.Resp_ListWiki(paths=[str(write.body["file"])], sha1=""))
