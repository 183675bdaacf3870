"""A task that is played on from a recorded state."""

from __future__ import annotations

from collections.abc import Sequence

from coordinator.benchmark import AS_SHIPPED, Benchmark, Environment
from core.erc3_client.retrying_platform import RetryingPlatform
from core.ledger import Budget, Ledger, ToolCall, ToolFault, WireCall
from core.tools.faults import OutOfReach


class LiveTask:
    """One task on a platform, brought to a recorded state."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._ledger = Ledger()

    def repeat(self, requests: Sequence[WireCall], instruction: str | None = None) -> list[str]:
        """Send recorded writes again; in words, what was answered otherwise now.

        ``instruction``: what is carried out from here on.

        Raises ToolFault: the benchmark does not answer.
        """
        differences = self._environment.repeat(requests, Ledger(Budget(final=len(requests) + 1)))
        self._ledger = Ledger()
        self._ledger.instruction = instruction
        return differences

    def call(self, name: str, args: list[object], kwargs: dict[str, object]) -> ToolCall:
        """Run a tool; return the call from the ledger, failed or not.

        Raises ToolFault: the call never reached a tool.
        """
        before = len(self._ledger.calls)
        with self._environment.bind(self._ledger) as tools:
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
            return self._environment.state(Ledger())
        except ToolFault as fault:
            return f"unknown: {fault.text}"


def open_live(benchmark: Benchmark, base_url: str, spec_id: str) -> LiveTask:
    """A new task of that spec on the platform at ``base_url``.

    Raises ToolFault: the platform has no such task or does not answer.
    """
    # Late: which client is chosen, and whether that can be, is no matter of recorded turns.
    from core.erc3_client import ERC3, ApiException, transport_errors

    try:
        platform = RetryingPlatform(ERC3(key="key-embedded", base_url=base_url))
        task_id = platform.start_new_task(benchmark.name, spec_id).task_id
        environment = benchmark.with_options(AS_SHIPPED).open(platform, task_id)
        environment.briefing(Ledger())
        return LiveTask(environment)
    except ApiException as error:
        raise ToolFault(f"the platform refused: {error}") from None
    except transport_errors() as error:
        raise OutOfReach(f"the platform does not answer: {type(error).__name__}") from None
