"""Progress of a lab run: a live line on a terminal, a plain line now and then in a pipe."""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from lab.trial import Trial

PLAIN_SECONDS = 10.0


class LabProgress:
    """Counts trials that are done, passed, did harm, or were ended by something outside."""

    def __init__(self, console: Console, total: int, harm_name: str) -> None:
        """``total``: trials of the run that are still to be played."""
        self._harm_name = harm_name
        self._console = console
        self._total = total
        self._done = self._passed = self._harm = self._failed = 0
        self._began = self._said = time.perf_counter()
        self._bar = Progress(
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.description}"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task("", total=total)

    def __enter__(self) -> LabProgress:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def __call__(self, trials: Sequence[Trial]) -> None:
        """Count what a job brought."""
        self._done += len(trials)
        self._passed += sum(t.passed for t in trials)
        self._harm += sum(t.harm is True for t in trials)
        self._failed += sum(t.infrastructure_failure for t in trials)
        now = time.perf_counter()
        self._bar.update(self._task, completed=self._done, description=self._text(now))
        if not self._console.is_terminal and trials and now - self._said >= PLAIN_SECONDS:
            self._said = now
            self._console.print(f"{self._done}/{self._total} {self._text(now)}", highlight=False)

    def _text(self, now: float) -> str:
        pace = self._done / max(now - self._began, 1e-9)
        failed = f", {self._failed} failures outside of the brain" if self._failed else ""
        counts = f"{self._passed} passed, {self._harm} {self._harm_name}s{failed}"
        return f"{counts}, {pace:.1f} a second"
