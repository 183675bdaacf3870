"""Reads that are sent side by side before the work asks for them one by one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeAlias

Chain: TypeAlias = Generator[Any, Any, None]
"""Yields requests one after the other and is sent the answer to each."""
SIDE_BY_SIDE = 6
"""Requests under way at once: a platform may turn away those who send many."""


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
        """The answer to a request that has come before; None: none has. Raises as the client."""
        if not self._came:
            return None
        answer, error = self._came.pop(_name(request), (None, None))
        if error is not None:
            raise error
        return answer

    def forget(self) -> None:
        """Drop what nobody has asked for."""
        self._came.clear()


def one(request: Any) -> Chain:
    """A chain of a single request."""
    yield request


def _name(request: Any) -> str:
    return f"{request.tool} {request.model_dump_json()}"
