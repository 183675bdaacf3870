"""One task's company as the tools see it: reads, changes, and what became of each change.

What became of a write whose answer is lost is seen by reading the record again; it is sent again
only where that shows that it had no effect. An update that arrives twice, or late, changes nothing
more than once did: the platform notes only real changes (facts of the platform). Logged time is
another matter: there, the entries of that day are read before it is sent, and what is new
afterwards is what arrived.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TypeVar

from pydantic import BaseModel

from company_tools.answering import LATE_SECONDS
from company_tools.change import (
    BEFORE,
    LOG_TIME,
    RECORD,
    TOUCHED,
    WIKI_UPDATE,
    Change,
    ChangeRequest,
    Request,
    answer_shown,
    is_change,
    is_visible,
    matching_entries,
)
from company_tools.reading_session import ReadingSession
from company_tools.rule_book import Book
from core.erc3_client import company
from core.erc3_client.own import company_models as wire
from core.erc3_client.retry_policy import RetryPolicy
from core.ledger import ToolCall, ToolFault
from core.tools.api_session import ApiClient
from core.tools.collector import keeping
from core.tools.faults import Missed, OutOfReach, Refused

R = TypeVar("R", bound=BaseModel)
OBJECTION_CHARS = 60
AGAIN = "not sent: the same objection as before, which nothing that was said since has settled"


class CompanySession(ReadingSession):
    """The company of one task."""

    def __init__(self, client: ApiClient, retry_policy: RetryPolicy | None = None) -> None:
        super().__init__(client, retry_policy)
        self.changes: list[Change] = []
        self.calls: Sequence[ToolCall] = ()
        """Every tool call of the task, as those know who look at its answer."""
        self.may_write: Callable[[], str | None] = lambda: None
        """Asked before every change: what speaks against it."""
        self.speaks_against: Callable[[Change], str | None] = lambda change: None
        self._objections: set[str] = set()
        self.task = ""
        """The task's text; "" before it is known."""
        self.read_wiki: Callable[[], Mapping[str, str]] = dict
        self.book_of: Callable[[Mapping[str, str]], Book | None] = lambda pages: None
        """What a model has read of the rules on these pages."""
        self._entries_before: dict[str, set[str]] = {}
        """Of time that is to be logged: the entries like it that there were before."""
        self.on_record: set[str] = set()

    def write(self, request: Request, final: bool, about: object) -> BaseModel:
        """One attempt at a write; what it makes old is forgotten, the change is noted.

        Raises ToolFault: nobody known asks for it, or the same was sent before.
        """
        if not is_change(request):
            return super().write(request, final, about)
        if why := self.may_write():
            raise ToolFault(f"nothing was changed: {why}")
        change = Change(request)
        _refuse_twice(change)
        # Work that was cut off is done again: its own change is answered, once, as if made now.
        if (earlier := self.made_earlier(request)) and (made := self._shown(earlier)) is not None:
            earlier.taken_over = False
            return made
        self._check(change)
        arrived = self._logged_since(change)
        self.changes.append(change)
        if arrived is not None:
            change.outcome = "done"
            return arrived
        if change.path == LOG_TIME:
            about = {**change.body, BEFORE: sorted(self._entries_before[_key(change)])}
        try:
            # What it is about has its intent noted: a crash must not lead to a second one.
            answer: BaseModel = super().write(request, final, about or change.body)
        except ToolFault as fault:
            lost = isinstance(fault, Missed)
            unknown = isinstance(fault, OutOfReach)
            change.outcome = "lost" if lost else "unknown" if unknown else "refused"
            change.error = fault.text
            raise
        finally:
            self._wiki_moved = self._wiki_moved or change.path == WIKI_UPDATE
            self.memory.forget(TOUCHED[change.path])
        change.outcome = "done"
        self._note_page(change)
        return answer

    def _check(self, change: Change) -> None:
        """Refuse a change that something speaks against, or that was sent before."""
        if why := self.speaks_against(change):
            if why in self._objections:
                raise ToolFault(f"{AGAIN} ({why[:OBJECTION_CHARS]}…)")
            self._objections.add(why)
            raise ToolFault(f"not sent: {why}")
        same = [other for other in self.changes if other.repeats(change)]
        for other in same:
            if other.outcome not in ("refused", "lost"):
                raise ToolFault(
                    f"not sent: the same change was sent before: {other.summary}. Each is made once"
                )
        # What was refused, or had no effect, is tried once more.
        self.changes = [other for other in self.changes if other not in same]

    def _note_page(self, change: Change) -> None:
        """Let an answer name a page that was written, also one that was emptied."""
        if isinstance(change.request, company.Req_UpdateWiki):
            self.memory.note(wire.Resp_ListWiki(paths=[change.request.file], sha1=""))

    def _logged_since(self, change: Change) -> wire.Resp_LogTimeEntry | None:
        """The entry of time whose logging had no answer and has arrived since, or None."""
        request = change.request
        if not isinstance(request, company.Req_LogTimeEntry):
            return None
        filters = {"employee": request.employee, "date_from": request.date, "date_to": request.date}
        entries = self.pages(company.Req_SearchTimeEntries, wire.TimeEntryWithID, **filters)
        same = {entry.id: entry for entry in matching_entries(entries, request)}
        before = self._entries_before.setdefault(_key(change), set(same))
        fresh = (entry for id, entry in same.items() if id not in before)
        return next((wire.Resp_LogTimeEntry(**dict(entry)) for entry in fresh), None)

    def answer_despite(self, request: Request, error: Exception) -> BaseModel | None:
        """The answer of a change that was refused and that the company shows all the same.

        Raises OutOfReach: it cannot be looked up.
        """
        if not is_change(request):
            return super().answer_despite(request, error)
        is_refused = isinstance(self.fault_of(request, error), Refused)
        if not is_refused or not is_visible(request, self.evidence.pages):
            return None
        try:
            return self._shown(Change(request))
        except OutOfReach as fault:
            text = f"{fault.text}: whether a change that was refused took effect cannot be told"
            raise OutOfReach(text) from None
        except ToolFault:  # what cannot be looked at was not changed
            return None

    def without_answer(self, request: Request, about: object, fault: OutOfReach) -> BaseModel:
        """Look what became of a change.

        Raises:
            Missed: it had no effect; it is sent again.
            OutOfReach: it cannot be told.
        """
        path = request.tool
        if not is_change(request):
            return super().without_answer(request, about, fault)
        try:
            answer = self._shown(Change(request))
        except ToolFault:
            return super().without_answer(request, about, fault)
        self.resolved(path, took_effect=answer is not None)
        if answer is None:
            # An update that arrives late changes nothing more; hours would be logged twice.
            pause = max(fault.retry_after or 0.0, LATE_SECONDS) if path == LOG_TIME else None
            missed = Missed(f"{fault.text}; it did not take effect", pause or fault.retry_after)
            raise missed.after(fault)
        self.unanswered.pop(path, None)
        return answer

    def _shown(self, change: Change) -> BaseModel | None:
        """The answer of a change that the company shows now; None where it shows none."""
        if change.path == LOG_TIME:
            return self._logged_since(change)
        return answer_shown(self, change.request)

    @property
    def changed(self) -> list[Change]:
        """The changes that took effect, oldest first."""
        return [c for c in self.changes if c.outcome == "done"]

    # -- what earlier work on the task has done

    def take_over(self, change: Change, about: object) -> None:
        """Know of a change that earlier work was about to make; :meth:`settle` tells of it."""
        change.taken_over = True
        self.changes.append(change)
        known = about if isinstance(about, dict) else {}
        if isinstance(before := known.get(BEFORE), list):
            self._entries_before[_key(change)] = set(map(str, before))
        if isinstance(record := known.get(RECORD), dict):
            change.before = record
        self._note_page(change)

    def settle(self) -> None:
        """See what became of the changes of which that is not known. Raises OutOfReach."""
        for change in [c for c in self.changes if c.outcome in ("sent", "unknown")]:
            try:
                shown = self._shown(change)
            except OutOfReach:
                raise
            except ToolFault as fault:
                change.outcome, change.error = "unknown", fault.text
                continue
            change.outcome, change.error = "lost" if shown is None else "done", ""
            self.resolved(change.path, took_effect=shown is not None)
            if shown is not None:
                self.unanswered.pop(change.path, None)

    def made_earlier(self, request: ChangeRequest) -> Change | None:
        """This very change, made by earlier work and by nobody again since."""
        change = Change(request)
        done = (c for c in self.changes if c.taken_over and c.outcome == "done")
        return next((c for c in done if c.repeats(change)), None)

    def make_change(
        self,
        id: str,
        read: Callable[[], R],
        after: Callable[[R], R],
        request: Callable[[R], ChangeRequest],
        shown: Callable[[R, R, R], object],
        check: Callable[[], None] = lambda: None,
    ) -> dict[str, object]:
        """Change a record: {id, before, sent, after}, None for all where nothing would differ.

        ``after``: the record with the changes in it. ``shown``: what the result has of a record,
        given that before and that wanted. ``check``: called where no earlier work has made the
        change. Raises ToolFault.
        """

        def request_of(record: R) -> ChangeRequest | None:
            wanted = after(record)
            return None if wanted == record else request(wanted)

        now = read()
        before = self._begun_from(id, now, request_of)
        if before is now:
            check()
        made, wanted = request_of(before), after(before)
        if made is None:
            return {"id": id, "before": None, "sent": None, "after": None}
        old = {"id": id, "before": shown(before, before, wanted)}
        with keeping(**old):
            record = before.model_dump(mode="json", exclude_none=True)
            self.send(made, about={RECORD: record})
        old["sent"] = shown(wanted, before, wanted)
        with keeping(**old):
            return {**old, "after": shown(read(), before, wanted)}

    def _begun_from(self, id: str, now: R, request_of: Callable[[R], ChangeRequest | None]) -> R:
        """The record that a change begins from.

        Where earlier work has made this very change, it is the record as it was before; else
        ``now``. ``request_of``: the request that makes the change from a record, or None.
        """
        for change in self.changes:
            open_ = change.taken_over and change.outcome == "done" and change.target == id
            if not open_ or change.before is None:
                continue
            with suppress(ToolFault):
                before = type(now).model_validate({**now.model_dump(), **change.before})
                request = request_of(before)
                same = request is not None and change.repeats(Change(request))
                if same and self._shown(change) is not None:
                    return before
        return now


def _refuse_twice(change: Change) -> None:
    """Refuse a list that says two things of one name. Raises ToolFault."""
    for field, name in (("team", "employee"), ("skills", "name"), ("wills", "name")):
        if again := twice(str(one[name]) for one in change.body.get(field) or ()):
            raise ToolFault(f"nothing was changed: {again} stands twice in {field}")


def twice(names: Iterable[str]) -> str | None:
    """The first name that stands twice; None for none."""
    return next((name for name, count in Counter(names).items() if count > 1), None)


def _key(change: Change) -> str:
    return json.dumps(change.body, sort_keys=True)
