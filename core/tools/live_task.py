"""What is made of a recorded task: one that continues from its state, and packs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from types import SimpleNamespace
from typing import Any, NoReturn, Protocol

from core.ledger import Budget, Ledger, Tool, ToolCall, ToolFault, WireCall
from core.tools.faults import OutOfReach
from core.tools.paging import limit_told

Facts = dict[str, Any]
"""A record, a scenario or a pack as JSON holds it."""


class Nowhere:
    """A client that reaches nothing, for tools that are only shown."""

    def __init__(self, what: str) -> None:
        """``what``: what its requests would have gone to."""
        self._what = what

    def dispatch(self, request: Any) -> NoReturn:
        """Refuse: there is nothing to send to."""
        text = f"there is no {self._what} behind these tools"
        raise ToolFault(text, kind="RuntimeError", fatal=True)


class Playable(Protocol):
    """The benchmark of a task, as far as it is played on."""

    def bind(self, ledger: Ledger) -> AbstractContextManager[list[Tool]]:
        """The tools for one instruction."""

    def state(self, ledger: Ledger) -> str:
        """The world now as text. Raises ToolFault."""

    def repeat(self, requests: Sequence[WireCall], ledger: Ledger) -> list[str]:
        """Send recorded writes again. Raises ToolFault."""


class LiveTask:
    """One task on a platform, brought to a recorded state."""

    def __init__(self, benchmark: Playable) -> None:
        self._benchmark = benchmark
        self._ledger = Ledger()

    def repeat(self, requests: Sequence[WireCall], instruction: str | None = None) -> list[str]:
        """Send recorded writes again; in words, what was answered otherwise now.

        ``instruction``: what is carried out from here on.

        Raises ToolFault: the benchmark does not answer.
        """
        differences = self._benchmark.repeat(requests, Ledger(Budget(final=len(requests) + 1)))
        self._ledger = Ledger()
        self._ledger.instruction = instruction
        return differences

    def call(self, name: str, args: list[object], kwargs: dict[str, object]) -> ToolCall:
        """Run a tool; return the call from the ledger, failed or not.

        Raises ToolFault: the call never reached a tool.
        """
        before = len(self._ledger.calls)
        with self._benchmark.bind(self._ledger) as tools:
            self._ledger.offer(tools)
            try:
                self._ledger.call(name, args, kwargs)
            except ToolFault:
                if len(self._ledger.calls) == before:
                    raise
        return self._ledger.calls[-1]

    def state(self) -> str:
        """Read the state that the coordinator would show."""
        try:
            return self._benchmark.state(Ledger())
        except ToolFault as fault:
            return f"unknown: {fault.text}"


def open_task(
    base_url: str, benchmark: str, spec_id: str, opened: Callable[[Any, Any], Playable]
) -> LiveTask:
    """A new task of that spec on the platform at ``base_url``.

    ``opened`` makes its benchmark of the platform's client and the task. Raises ToolFault: the
    platform has no such task or does not answer.
    """
    # Late: which client is chosen, and whether that can be, is no matter of the tools themselves.
    from core.erc3_client import ERC3, ApiException, transport_errors

    try:
        platform = ERC3(key="key-embedded", base_url=base_url)
        task_id = platform.start_new_task(benchmark, spec_id).task_id
        return LiveTask(opened(platform, SimpleNamespace(task_id=task_id)))
    except ApiException as error:
        raise ToolFault(f"the platform refused: {error}") from None
    except transport_errors() as error:
        raise OutOfReach(f"the platform does not answer: {type(error).__name__}") from None


def dicts_in(value: object) -> Iterator[Facts]:
    """Every dict within a value, outer ones first."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from dicts_in(part)


def page_limit(requests: Iterable[WireCall]) -> int | None:
    """The page limit that an error told, -1 where it forbids listing; None: no error told one."""
    limits = (limit_told(request.error) for request in requests)
    told = next((limit for limit in limits if limit is not None), None)
    return told if told is None or told > 0 else -1


def pack_of(
    format: str, scenario: Facts, note: str, *, edited: bool, companies: Facts | None = None
) -> Facts:
    """A pack of one scenario that is named by its spec and says where it comes from."""
    said = f"from a recorded run{', answers edited' if edited else ''}; {note}"
    beside = {} if companies is None else {"companies": companies}
    name = f"recorded-{scenario['spec_id']}"
    return {"format": format, "name": name, **beside, "scenarios": [{**scenario, "notes": said}]}
