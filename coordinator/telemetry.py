"""Reports of model calls to the platform, sent while the task is played."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager

from coordinator.benchmark import Platform
from core.models.model_call import ModelCall


class Telemetry:
    """The reports of one task: one after the other, in a thread of their own.

    A report that fails never costs the task. It is kept, as a task without any loses score.
    """

    def __init__(
        self,
        platform: Platform,
        task_id: str,
        with_retries: Callable[[], AbstractContextManager[None]],
    ) -> None:
        """``with_retries``: what lasts while a report is sent and may end its pauses."""
        self._platform = platform
        self._task_id = task_id
        self._with_retries = with_retries
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="telemetry")
        self._sent: list[tuple[ModelCall, Future[None]]] = []
        self._missed: list[ModelCall] = []

    def report(self, call: ModelCall) -> None:
        """Send the report of a call; this does not wait for it."""
        self._sent.append((call, self._pool.submit(self._send, call)))

    def settle(self) -> list[str]:
        """Wait until every report was taken or not; in words, what those failed of that were not.

        Each is named once.
        """
        failures = []
        for call, sent in self._sent:
            error = sent.exception()
            if error is not None:
                self._missed.append(call)
                failures.append(f"log_llm failed: {type(error).__name__}")
        self._sent.clear()
        return failures

    def send_missed(self) -> int:
        """Send again what was not taken, for the whole retry time; how many are lost for good.

        The platform is waited for once: behind a report that it does not take none is tried.
        """
        while self._missed:
            try:
                self._platform.log_llm_late(**self._report_of(self._missed[0]))
            except Exception:  # of the platform's client, which may be the official one
                return len(self._missed)
            self._missed.pop(0)
        return 0

    def close(self) -> None:
        """Send nothing more; a report that is on its way is not waited for."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _send(self, call: ModelCall) -> None:
        with self._with_retries():
            self._platform.log_llm(**self._report_of(call))

    def _report_of(self, call: ModelCall) -> dict[str, object]:
        return {
            "task_id": self._task_id,
            "model": call.slug or call.model,
            "duration_sec": call.seconds,
            "completion": call.text,
            "prompt_tokens": call.usage.prompt or 0,
            "completion_tokens": call.usage.completion or 0,
            "cached_prompt_tokens": call.usage.cached or 0,
        }
