"""One task's API: :meth:`TaskApi.read` and :meth:`TaskApi.write`, the same for every benchmark.

A benchmark has a table with a row for each path (``Endpoint``) and a reducer of what its requests
tell (``TaskFacts``). A read is repeated until it is answered. A write goes through these points,
live and in a process that resumes:

1. A verdict may refuse it.
2. What it changes is read before, and its intent is on disk with that, where its row says so.
3. It is sent. A clear answer ends it.
4. After any other reply the state shows whether it took effect. While the state cannot be read
   (``Unsettled``) only the look is repeated.
5. It is sent again where it is proven absent and was not refused; never otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

import regex
from pydantic import BaseModel

from core.erc3_client.bounds import TooMuch, cut_texts, holds_cut
from core.erc3_client.retry_policy import OutageTracker, Patience, RetryPolicy
from core.ledger import Ledger, Resolved, ToolFault
from core.ledger.calls import Kind
from core.tools.endpoints import Endpoints
from core.tools.faults import (
    GivenUp,
    Inconsistent,
    Missed,
    OutOfReach,
    Refused,
    Unsettled,
    as_fault,
    failed_request,
)
from core.tools.task_facts import TaskFacts

GONE_AT_MOST = 32_000_000
"""Characters that are cut of the answers of one task; an API that sends more is not believed."""
_EMPTY = regex.compile(
    r"^Invalid response payload: 1 validation error.*\n\w+\n"
    r"\s*Input should be a valid list.*?input_value=None",
)
"""How the official SDK reports an empty list: the wire sends null for it."""


class ApiClient(Protocol):
    """The one method of the platform's client that the tools use."""

    def dispatch(self, request: Any) -> Any:
        """Send one request model to the API and return the response model."""


class Observer(Protocol):
    """Is told of every request and its answer; an exception from it ends the work."""

    def before_request(self, request: Any) -> None:
        """Called before a request is sent."""

    def after_request(self, request: Any, answer: Any) -> None:
        """Called after a request was answered."""


F = TypeVar("F", bound=TaskFacts)
Verdict: TypeAlias = Callable[[Sequence[Any]], str | None]
"""Why a set of requests must not be sent; None: nothing speaks against it."""


class TaskApi(Generic[F]):
    """Sends the requests of one task, books them, waits out what passes, and looks up the rest."""

    def __init__(
        self,
        client: ApiClient,
        endpoints: Endpoints,
        facts: F,
        retry_policy: RetryPolicy | None = None,
    ) -> None:
        self._client = client
        self._endpoints = endpoints
        self.facts = facts
        self._retry_policy = retry_policy or RetryPolicy()
        self._outages = OutageTracker()
        self._ledger = Ledger()
        self._noted: set[str] = set()
        """Notices of texts that were cut."""
        self._gone = 0
        self.observers: list[Observer] = []
        self.verdict: Verdict = lambda requests: None
        self.unanswered: dict[str, str] = {}
        """By path: why the last request had no usable response."""

    @contextmanager
    def recording_to(self, ledger: Ledger) -> Iterator[None]:
        """While it lasts, every request is recorded in ``ledger``."""
        before, self._ledger = self._ledger, ledger
        try:
            yield
        finally:
            self._ledger = before

    @property
    def instruction(self) -> str | None:
        """The instruction that is being carried out; None if there is none."""
        return self._ledger.instruction

    def read(self, request: Any) -> Any:
        """Send a read until it is answered; the answer as its row makes it.

        Raises:
            Refused: (``ValueError``) the API refused; its text is the API's own words.
            OutOfReach: no usable answer.
            Inconsistent: it cannot be believed.
            Exception: what ends a pause, such as a limit of the task.
        """
        patience = Patience(self._retry_policy, self._outages, request.tool)
        while True:
            try:
                answer = self._send(request)
            except Exception as error:
                _wait(patience, error, (Missed, OutOfReach))
            else:
                patience.answered()
                return answer

    def write(self, request: Any, before: Any = None) -> Any:
        """Send a write until it is certain to have taken effect; the answer as its row makes it.

        ``before``: what the caller has read of what it changes, as plain data.

        Raises:
            Refused: (``ValueError``) the API refused, in its own words, and it had no effect.
            GivenUp: the retry time is over, and it had no effect.
            OutOfReach: whether it took effect cannot be told.
            ToolFault: it was not sent: the verdict, a budget, or a text that was cut.
            Exception: what ends a pause, such as a limit of the task.
        """
        if holds_cut(body_of(request)):
            text = "not sent: it holds a text that was cut when it was read, so it is not whole"
            self.unanswered[request.tool] = text
            raise Inconsistent(text)
        if why := self.verdict([request]):
            raise ToolFault(why)
        patience = Patience(self._retry_policy, self._outages, request.tool)
        while True:
            try:
                answer = self._attempt(request, before)
            except Exception as error:
                _wait(patience, error, (Missed, Unsettled))
            else:
                patience.answered()
                return answer

    def settle(self, path: str, *, took_effect: bool) -> None:
        """Keep what became of a write that had no certain reply, as the state shows it."""
        settled = Resolved(path=path, took_effect=took_effect)
        self._ledger.settle(settled)
        self.facts.take(settled)

    def book_kept_read(self, path: str, body: Mapping[str, Any]) -> None:
        """Book a read whose answer was kept: nothing is sent for it."""
        self._ledger.note_kept_read(path, dict(body))

    def _attempt(self, request: Any, before: Any) -> Any:
        """One attempt at a write. Raises Missed where it may be sent again, and as ``write``."""
        row = self._endpoints[request.tool]
        if row.once and (pending := self.facts.open_at(request.tool)):
            return self._look(request, pending.about, OutOfReach("it was sent before"))
        before = row.before(self, request, before)
        try:
            return self._send(request, before if row.durable else None)
        except Inconsistent as fault:
            return self._look(request, before, OutOfReach(fault.text).after(fault))
        except Refused as fault:
            if row.look is None or row.is_certain(fault.text):
                raise
            return self._look(request, before, fault)
        except OutOfReach as fault:
            return self._look(request, before, fault)

    def _look(self, request: Any, before: Any, fault: OutOfReach | Refused) -> Any:
        """Look whether a write took effect; its answer. Raises as ``_attempt``."""
        path, row = request.tool, self._endpoints[request.tool]
        if row.look is None:
            text = f"{fault.text}; whether it took effect is not known: it is not sent again"
            raise OutOfReach(text).after(fault)
        shown = row.look(self, request, before)
        if self.facts.open_at(path):
            self.settle(path, took_effect=shown is not None)
        if shown is not None:
            self.unanswered.pop(path, None)
            return shown
        if isinstance(fault, Refused):
            raise fault
        pause = max(fault.retry_after or 0.0, row.late_seconds) or None
        raise Missed(f"{fault.text}; it did not take effect", pause).after(fault)

    def _send(self, request: Any, about: Any = None) -> Any:
        """Send a request a single time. Raises the fault of its class."""
        row, answer, sending = self._endpoints[request.tool], None, None
        for observer in self.observers:
            observer.before_request(request)
        kind: Kind = "write" if row.writes else "read"
        booked = self._ledger.sending(
            request.tool, body_of(request), kind, final=row.once, about=about
        )
        try:
            with booked as sending:
                if sending.intent:
                    self.facts.take(sending.intent)
                try:
                    answer = row.answer(self._bounded(request, self._client.dispatch(request)))
                except Exception as error:
                    answer = row.empty() if row.empty and _EMPTY.search(str(error)) else None
                    if answer is None:
                        raise self._fault_of(request, error) from None
        finally:
            if sending and sending.call:
                self.facts.take(sending.call, answer)
        self.unanswered.pop(request.tool, None)
        for observer in self.observers:
            observer.after_request(request, answer)
        return answer

    def _bounded(self, request: Any, response: BaseModel) -> BaseModel:
        """The response, its texts cut to what is taken in. Raises Inconsistent: it is too large."""
        try:
            cut = cut_texts(response)
        except TooMuch as fault:
            raise Inconsistent(f"{request.tool}: {fault}") from None
        self._gone += sum(cut.values())
        if self._gone > GONE_AT_MOST:
            raise Inconsistent(f"{request.tool}: texts that are too long go on and on")
        for notice in {f"{request.tool}: cut {field}" for field in cut} - self._noted:
            self._noted.add(notice)
            self._ledger.notice(notice)
        return response

    def _fault_of(self, request: Any, error: Exception) -> Exception:
        """What is raised for a failed request; an error of this program is raised as it is."""
        fault = error if isinstance(error, Inconsistent) else as_fault(error)
        if fault is None:
            return error
        status = 200 if fault is error else 0
        fault.request = failed_request(request, fault.text, error, status)
        if isinstance(fault, Refused):
            self.unanswered.pop(request.tool, None)
        else:
            self.unanswered[request.tool] = fault.text
        return fault


def _wait(patience: Patience, error: Exception, passing: tuple[type[Exception], ...]) -> None:
    """Pause where a failure passes. Raises it where it does not, or the retry time is over."""
    try:
        patience.failed(error, passes=isinstance(error, passing))
    except Missed as missed:
        raise GivenUp(missed.text).after(missed) from None


def body_of(request: Any) -> dict[str, Any]:
    """The fields of a request model, as they go over the wire."""
    body: dict[str, Any] = request.model_dump(mode="json", exclude={"tool"})
    return body
