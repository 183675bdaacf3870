"""One task's API: :meth:`TaskApi.read` and :meth:`TaskApi.write`, the same for every benchmark.

A benchmark has a table with a row for each path (``Endpoint``) and a reducer of what its requests
tell (``TaskFacts``). A read is repeated until it is answered. A write goes through these points,
live and in a process that resumes:

1. What a process before this one has made is not made again. A verdict may refuse the rest.
2. What it changes is read before, and its intent is on disk with that, where its row says so.
3. It is sent. A clear answer ends it.
4. After any other reply the state shows whether it took effect. While the state cannot be read
   (``Unsettled``) only the look is repeated.
5. It is sent again where it is proven absent and was not refused; never otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Generic, Protocol, TypeAlias, TypeVar, overload

import regex
from pydantic import BaseModel

from core.erc3_client.bounds import TooMuch, cut_texts, holds_cut
from core.erc3_client.retry_policy import OutageTracker, Patience, RetryPolicy
from core.ledger import Judgement, Ledger, LedgerEntry, Resolved, ToolFault, WireCall
from core.ledger.calls import Kind, shorten
from core.tools.ahead import Ahead, Chain
from core.tools.endpoints import Endpoints
from core.tools.faults import (
    PARAMETER_CHARS,
    GivenUp,
    Inconsistent,
    Misfit,
    Missed,
    NeverLeft,
    OutOfReach,
    Refused,
    Unsettled,
    as_fault,
    failed_request,
)
from core.tools.task_facts import TaskFacts, Write

GONE_AT_MOST = 32_000_000
"""Characters that are cut of the answers of one task; an API that sends more is not believed."""
_UNKNOWN = "whether it took effect is not known: it is not sent again"
_EMPTY = regex.compile(
    r"^Invalid response payload: 1 validation error.*\n\s*\w+\n"
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
Answer = TypeVar("Answer", bound=BaseModel)
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
        self._ahead = Ahead(lambda request: self._client.dispatch(request))
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
            self._ahead.forget()

    def read_ahead(self, chains: Iterable[Chain]) -> None:
        """Send upcoming reads side by side; each is recorded when the work asks for it."""
        self._ahead.send(chains)

    def resume(self, entries: Sequence[LedgerEntry]) -> None:
        """Know what an earlier process has learnt and done for the task; nothing is sent."""
        for entry in entries:
            self.facts.take(entry)
        # A fork is given verdicts alone: all else it has made again itself.
        if not entries or not all(isinstance(entry, Judgement) for entry in entries):
            self.facts.hand_over()

    @property
    def instruction(self) -> str | None:
        """The instruction that is being carried out; None if there is none."""
        return self._ledger.instruction

    @overload
    def read(self, request: Any, answer: type[Answer]) -> Answer: ...
    @overload
    def read(self, request: Any) -> Any: ...
    def read(self, request: Any, answer: type[Answer] | None = None) -> Any:
        """Send a read until it is answered; the answer as its row makes it, which ``answer`` names.

        Raises:
            Refused: (``ValueError``) the API refused; its text is the API's own words.
            OutOfReach: no usable answer.
            Inconsistent: it cannot be believed.
            Exception: what ends a pause, such as a limit of the task.
        """
        patience = Patience(self._retry_policy, self._outages, request.tool)
        misfits = 0
        while True:
            try:
                found = self._send(request)
            except Misfit as misfit:
                # A stale answer may have been passed on; a second one is not believed.
                misfits += 1
                if misfits > 1:
                    _wait(patience, misfit, ())
            except Exception as error:
                _wait(patience, error, (Missed, OutOfReach))
            else:
                patience.answered()
                if answer is not None and not isinstance(found, answer):
                    raise TypeError(f"{request.tool} was answered by a {type(found).__name__}")
                return found

    def write(self, request: Any, before: Any = None) -> Any:
        """Send a write until it is certain to have taken effect; the answer as its row makes it.

        ``before``: what the caller has read of what it changes, as plain data.

        Raises:
            Refused: (``ValueError``) the API refused, in its own words, and it had no effect.
            GivenUp: the retry time is over, and it had no effect.
            OutOfReach: whether it took effect cannot be told.
            ToolFault: it was not sent: the verdict, a budget, a text that was cut, or another one
                that had no reply took effect after all.
            Exception: what ends a pause, such as a limit of the task.
        """
        if holds_cut(body_of(request)):
            text = "not sent: it holds a text that was cut when it was read, so it is not whole"
            self.unanswered[request.tool] = text
            raise Inconsistent(text)
        if (made := self._made_earlier(request)) is not None:
            return made
        self._look_at_others(request)
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

    def settle_open(self) -> None:
        """See what became of every durable write of which that is not certain.

        Raises OutOfReach: the state cannot be read.
        """
        blind: set[str] = set()
        """Paths with a write that the state does not tell of: earlier ones wait for it."""
        for write in [one for one in reversed(self.facts.writes) if one.is_open]:
            if self._endpoints[write.path].look is None or write.path in blind:
                continue
            try:
                self._look_up(self.request_of(write), write.about)
            except Refused as fault:
                # What does not exist was not changed; of a lost reply even that is no proof.
                if write.was_refused:
                    self._settle_as_refused(write.path)
                else:
                    write.error = fault.text
                    blind.add(write.path)

    def repeat(self, call: WireCall, before: Any = None) -> str | None:
        """Send a recorded write again; in words, what was answered otherwise now.

        A read is not sent, what it taught is taken over; nor is a write that had no effect. One of
        which nothing is known is sent and not compared: the state will show it.

        Raises OutOfReach: the API does not answer.
        """
        if call.kind == "read":
            self.facts.take(call)
        if call.kind == "read" or call.outcome == "lost":
            return None
        error = None
        try:
            row = self._endpoints[call.path]
            self.write(row.request(call.path, call.body), before)
        except KeyError:
            error = f"a recorded request to {call.path} cannot be repeated"
        except OutOfReach:
            raise
        except ToolFault as fault:
            error = fault.text
        now = "failed" if error else "done"
        if call.outcome in ("unknown", now):
            return None
        was = f"{call.outcome} ({call.error})" if call.error else call.outcome
        is_now = f"{now} ({error})" if error else now
        return f"{call.path} {call.body}: recorded {was}, now {is_now}"

    def request_of(self, write: Write) -> Any:
        """The request of a write that is known from the journal."""
        return self._endpoints[write.path].request(write.path, write.body)

    def settle(self, path: str, *, took_effect: bool, refused: bool = False) -> None:
        """Keep what became of a write that had no certain reply, as the state shows it."""
        settled = Resolved(path=path, took_effect=took_effect, refused=refused)
        self._ledger.settle(settled)
        self.facts.take(settled)

    def keep_judgement(self, judgement: Judgement) -> None:
        """Keep what a model has said of requests, in the journal first."""
        self._ledger.judge(judgement)
        self.facts.take(judgement)

    def waiting_for_model(self) -> AbstractContextManager[None]:
        """While it lasts the clock of the step that has called a tool stands still."""
        return self._ledger.waiting_for_model()

    def book_kept_read(self, path: str, body: Mapping[str, Any]) -> None:
        """Book a read whose answer was kept: nothing is sent for it."""
        self._ledger.note_kept_read(path, dict(body))

    def _attempt(self, request: Any, before: Any) -> Any:
        """One attempt at a write. Raises Missed where it may be sent again, and as ``write``."""
        row, earlier = self._endpoints[request.tool], self._earlier(request)
        if earlier is not None:
            if (arrived := self._look_at_earlier(request, earlier, before)) is not None:
                return arrived
            before = before or earlier.about
        before = row.before(self, request, before)
        try:
            return self._send(request, (before or {}) if row.durable else None)
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
            raise OutOfReach(f"{fault.text}; {_UNKNOWN}").after(fault)
        try:
            shown = self._look_up(request, before)
        except Refused as told:
            refused = isinstance(fault, Refused)
            if not refused and not row.doubts_refusals:
                raise OutOfReach(f"{fault.text}; {_UNKNOWN}").after(fault) from None
            self._settle_as_refused(path)
            raise (fault if refused else told) from None
        if shown is not None:
            return shown
        if isinstance(fault, Refused):
            raise fault
        pause = max(fault.retry_after or 0.0, row.late_seconds) or None
        raise Missed(f"{fault.text}; it did not take effect", pause).after(fault)

    def _earlier(self, request: Any) -> Write | None:
        """An earlier attempt that has to be looked up before this one is sent; or None.

        One of which nothing certain is known, or one that had no effect and may have arrived since.
        """
        path, row = request.tool, self._endpoints[request.tool]
        pending = self.facts.open_at(path) if row.once else None
        late = self.facts.lost(path, body_of(request)) if row.late_seconds else None
        return pending or late

    def _look_at_earlier(self, request: Any, earlier: Write, before: Any) -> Any:
        """The answer of an earlier attempt that took effect after all; None: it did not.

        Raises Refused: it was refused, and this one is the same; and as ``_attempt``.
        """
        if self._endpoints[request.tool].look is None:
            raise OutOfReach(f"the same was sent before; {_UNKNOWN}")
        try:
            return self._look_up(request, before or earlier.about)
        except Refused:
            if earlier.is_open:
                self._settle_as_refused(earlier.path)
                if earlier.is_same(earlier.path, body_of(request)):
                    raise
            return None

    def _look_at_others(self, request: Any) -> None:
        """See what became of another write at this path that had no reply, where two do harm.

        Raises:
            ToolFault: it took effect, which whoever asks for this one could not know.
            OutOfReach: that cannot be told.
        """
        row, last = self._endpoints[request.tool], self.facts.last(request.tool)
        if not row.late_seconds or row.once or last is None or last.body == body_of(request):
            return
        if last.outcome == "lost":
            self._retry_policy.pause(row.late_seconds)
        elif not last.is_open:
            return
        if self._look_up(self.request_of(last), last.about) is not None:
            sent = shorten(last.body, PARAMETER_CHARS)
            raise ToolFault(
                f"not sent: another request to {last.path} took effect after all: {sent}. Send "
                "this one again if it is wanted beside that"
            )

    def _look_up(self, request: Any, before: Any) -> Any:
        """The answer of a write that the state shows; None: it had no effect. It is settled so.

        Raises as ``look`` of its row.
        """
        path, look = request.tool, self._endpoints[request.tool].look
        assert look is not None, "who calls has seen that there is one"
        shown = look(self, request, before)
        write = self.facts.open_at(path) or self.facts.last(path)
        if write and (write.is_open or (shown is not None and write.outcome != "done")):
            self.settle(path, took_effect=shown is not None)
        if shown is not None:
            self.unanswered.pop(path, None)
        return shown

    def _settle_as_refused(self, path: str) -> None:
        self.settle(path, took_effect=False, refused=True)
        self.unanswered.pop(path, None)

    def _made_earlier(self, request: Any) -> Any:
        """The answer of this very write where a process before this one has made it, or None.

        It is given once: who asks for the same again wants it made again.
        """
        row = self._endpoints[request.tool]
        made = self.facts.made_earlier(request.tool, body_of(request))
        if made is None or row.look is None or row.once:
            return None
        shown = row.look(self, request, made.about)
        made.made_earlier = shown is None
        return shown

    def _send(self, request: Any, about: Any = None) -> Any:
        """Send a request a single time. Raises the fault of its class."""
        row, answer, sending = self._endpoints[request.tool], None, None
        for observer in self.observers:
            observer.before_request(request)
        kind: Kind = "write" if row.writes else "read"
        if row.writes:
            self._ahead.forget()
        booked = self._ledger.sending(
            request.tool, body_of(request), kind, final=row.once, about=about
        )
        try:
            with booked as sending:
                if sending.intent:
                    self.facts.take(sending.intent)
                try:
                    response = self._ahead.take(request) or self._client.dispatch(request)
                    answer = row.answer(self._bounded(request, response))
                    if why := row.misfit(request, answer):
                        answer = None
                        raise Misfit(why)
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
        if self._endpoints[request.tool].doubts_refusals and not isinstance(fault, NeverLeft):
            fault = OutOfReach(fault.text, getattr(fault, "retry_after", None))
        if not isinstance(fault, Misfit):
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
