"""One task's API for the tools: requests through the ledger, faults in stable words.

This module decides what may be sent again, for every benchmark. Reads, and writes known to
have had no effect, are repeated for the run's retry time. A write whose response is lost may
have taken effect: it is not sent again and counts as unknown, unless a benchmark can see from its
state what became of it and says so in :meth:`ApiSession.without_answer`.

So an irreversible action passes four points: its intent is on disk (``Ledger.send``), it is
sent (``once``), the state shows what became of it (``without_answer``), and it
is sent again only if that proves that it had no effect (``Missed``). While the evidence
is unavailable (``Unsettled``), only the evidence is requested again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Protocol, TypeAlias, TypeVar, overload

from pydantic import BaseModel

from core.erc3_client.bounds import TooMuch, cut_texts, holds_cut
from core.erc3_client.retry_policy import OutageTracker, RetryPolicy
from core.ledger import Ledger, Resolved, ToolFault
from core.ledger.calls import Kind
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

Answer = TypeVar("Answer", bound=BaseModel)
GONE_AT_MOST = 32_000_000
"""Characters that are cut of the answers of one task; an API that sends more is not believed."""
Chain: TypeAlias = Generator[Any, Any, None]
"""Yields requests one after the other and is sent the answer to each."""
SIDE_BY_SIDE = 6
"""Requests under way at once: a platform may turn away those who send many."""


class ApiClient(Protocol):
    """The one method of the platform's client that the tools use."""

    def dispatch(self, request: Any) -> Any:
        """Send one request model to the API and return the response model."""


class ApiSession:
    """Sends the requests of one task, books them, and waits out what passes."""

    def __init__(
        self, client: ApiClient, reads: Collection[str], retry_policy: RetryPolicy | None = None
    ) -> None:
        """``reads``: paths whose requests change nothing."""
        self._client = client
        self._reads = reads
        self._retry_policy = retry_policy or RetryPolicy()
        self._outages = OutageTracker()
        self._ledger = Ledger()
        self._ahead = Ahead(self._dispatch)
        self._cut: dict[str, bool] = {}
        """What was cut from responses, by path and field, and whether the journal says so."""
        self._gone = 0
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
            self._ahead.forget()

    def read_ahead(self, chains: Iterable[Chain]) -> None:
        """Send upcoming reads concurrently; each is recorded when the code makes it."""
        self._ahead.send(chains)

    @property
    def instruction(self) -> str | None:
        """The instruction that is being carried out; None if there is none."""
        return self._ledger.instruction

    @overload
    def send(
        self, request: Any, answer: type[Answer], *, final: bool = ..., about: object = ...
    ) -> Answer: ...
    @overload
    def send(self, request: Any, *, final: bool = ..., about: object = ...) -> Any: ...
    def send(
        self,
        request: Any,
        answer: type[Answer] | None = None,
        *,
        final: bool = False,
        about: object = None,
    ) -> Any:
        """Send one request model and return the answer, as :meth:`answer_of` has it.

        ``answer``: the model that it is. ``about`` is kept with the intent of a ``final`` request,
        before it is sent.

        Raises:
            ToolFault: (``ValueError``) the API refused; its text is the API's own words.
            OutOfReach: no usable answer.
            Inconsistent: it cannot be believed, or the request holds a text that was cut.
            Exception: what ends a pause, such as a limit of the task.
        """
        read = request.tool in self._reads
        if not read and holds_cut(body_of(request)):
            text = "not sent: it holds a text that was cut when it was read, so it is not whole"
            self.unanswered[request.tool] = text
            raise Inconsistent(text)
        passing = (Missed, OutOfReach) if read else (Missed, Unsettled)

        def once() -> Any:
            return self.once(request) if read else self.write(request, final, about)

        try:
            result = self._retry_policy.meet(
                once, lambda error: isinstance(error, passing), self._outages, request.tool
            )
        except Missed as missed:
            raise GivenUp(missed.text).after(missed) from None
        if answer is not None and not isinstance(result, answer):
            raise TypeError(f"{request.tool} was answered by a {type(result).__name__}")
        return result

    def write(self, request: Any, final: bool, about: object) -> Any:
        """Attempt a write once. Raises as :meth:`send`, and Missed if it may be repeated."""
        try:
            return self.once(request, final=final, about=about)
        except OutOfReach as fault:
            return self.without_answer(request, about, fault)

    def without_answer(self, request: Any, about: object, fault: OutOfReach) -> Any:
        """Find out whether a write took effect whose response is lost; return its result.

        By default nothing is known, so it is not sent again; a benchmark may override this.

        Raises:
            Missed: it is known to have had no effect; it is sent again.
            Unsettled: unknown so far; another attempt looks before it sends.
            OutOfReach: it cannot be found out; it stays unknown.
        """
        raise OutOfReach(f"{fault.text}; whether it took effect is not known: it is not sent again")

    def fault_of(self, request: Any, error: Exception) -> ToolFault | None:
        """Return the fault of a failed request; None for an error of this program.

        A write whose answer cannot be believed may have taken effect as well.
        """
        if isinstance(error, Inconsistent) and request.tool not in self._reads:
            return OutOfReach(error.text)
        return as_fault(error)

    def answer_of(self, request: Any, response: BaseModel) -> Any:
        """A response of the client as this session gives it to its callers."""
        return response

    def empty_answer(self, request: Any, error: Exception) -> Any:
        """The answer where an error on a read only means that there is nothing; None elsewhere."""
        return None

    def once(self, request: Any, final: bool = False, about: object = None) -> Any:
        """Send a request a single time. Raises the fault of its class."""
        path: str = request.tool
        kind: Kind = "read" if path in self._reads else "write"
        if kind == "write":
            self._ahead.forget()

        with self._ledger.sending(path, body_of(request), kind, final=final, about=about):
            try:
                answer = self.answer_of(request, self._ahead.take(request))
            except Exception as error:
                if kind == "read" and (empty := self.empty_answer(request, error)) is not None:
                    return empty
                fault = self.fault_of(request, error)
                if isinstance(error, Inconsistent):
                    self.unanswered[path] = error.text
                    error.request = failed_request(request, error.text, status=200)
                if fault is None:
                    raise
                fault.request = failed_request(request, fault.text, error)
                if not isinstance(fault, Refused):
                    self.unanswered[path] = fault.text
                else:
                    self.unanswered.pop(path, None)
                raise fault from None
            self.unanswered.pop(path, None)
            for text in [text for text, noted in self._cut.items() if not noted]:
                self._cut[text] = True
                self._ledger.notice(text)
            return answer

    def _dispatch(self, request: Any) -> Any:
        """The client's answer, its texts cut to what is taken in.

        Raises as the client, and Inconsistent where there is more of it than is believed.
        """
        answer = self._client.dispatch(request)
        try:
            cut = cut_texts(answer)
        except TooMuch as fault:
            raise Inconsistent(f"{request.tool}: {fault}") from None
        # Read ahead, this runs in another thread than the work, whose ledger is not for it.
        for field in cut:
            self._cut.setdefault(f"{request.tool}: cut {field}", False)
        self._gone += sum(cut.values())
        if self._gone > GONE_AT_MOST:
            raise Inconsistent(f"{request.tool}: texts that are too long go on and on")
        return answer

    def seen(self, path: str, body: Mapping[str, Any]) -> None:
        """Book a read whose answer was kept: nothing is sent for it."""
        self._ledger.note_kept_read(path, dict(body))

    def resolved(self, path: str, *, took_effect: bool) -> None:
        """Book what became of a request that had no answer."""
        self._ledger.settle(Resolved(path=path, took_effect=took_effect))


def body_of(request: Any) -> dict[str, Any]:
    """The fields of a request model, as they go over the wire."""
    body: dict[str, Any] = request.model_dump(mode="json", exclude={"tool"})
    return body


class Ahead:
    """Reads that are sent concurrently before the code asks for them one by one.

    The answers are then used in the order in which the code asks, so records are the same as if
    each had been sent in turn; a failure is met when its turn comes.
    """

    def __init__(self, dispatch: Callable[[Any], Any]) -> None:
        self._dispatch = dispatch
        self._came: dict[str, tuple[Any, Exception | None]] = {}

    def send(self, chains: Iterable[Chain]) -> None:
        """Send what the chains ask for, some of them at once, and wait for all of it.

        Where a request fails nothing more is sent: a platform that does not answer is waited for
        once. What is left, and a chain that is alone, is sent in its turn.
        """
        waiting = list(chains)
        if len(waiting) < 2:
            return
        stop = threading.Event()
        pool = ThreadPoolExecutor(SIDE_BY_SIDE, thread_name_prefix="ahead")
        try:
            for done in [pool.submit(self._follow, chain, stop) for chain in waiting]:
                done.result()
        finally:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)

    def _follow(self, chain: Chain, stop: threading.Event) -> None:
        request = next(chain, None)
        while request is not None and not stop.is_set():
            try:
                answer = self._dispatch(request)
            except Exception as error:
                self._came[_name(request)] = (None, error)
                stop.set()
                return
            self._came[_name(request)] = (answer, None)
            try:
                request = chain.send(answer)
            except StopIteration:
                return

    def take(self, request: Any) -> Any:
        """The answer to a request, sent now unless it has come before. Raises as the client."""
        if not self._came:
            return self._dispatch(request)
        answer, error = self._came.pop(_name(request), (None, None))
        if error is not None:
            raise error
        return self._dispatch(request) if answer is None else answer

    def forget(self) -> None:
        """Drop what nobody has asked for."""
        self._came.clear()


def one(request: Any) -> Chain:
    """A chain of a single request."""
    yield request


def _name(request: Any) -> str:
    return f"{request.tool} {request.model_dump_json()}"
