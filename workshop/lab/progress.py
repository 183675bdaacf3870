"""Progress of a lab run: a live line on a terminal, a plain line now and then in a pipe."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from workshop.lab.lab_run import Trial

PLAIN_SECONDS = 10.0


class LabProgress(Progress):
    """Counts trials that are done, passed, did harm, or were ended by something outside."""

    def __init__(self, console: Console, total: int, harm_name: str) -> None:
        """``total``: trials of the run that are still to be played."""
        super().__init__(
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.description}"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._total, self._harm_name = total, harm_name
        self._counts: Counter[str] = Counter()
        self._began = self._said = time.perf_counter()
        self._line = self.add_task("", total=total)

    def __call__(self, trials: Sequence[Trial]) -> None:
        """Count what a job brought."""
        counts = self._counts
        counts["done"] += len(trials)
        counts["passed"] += sum(t.passed for t in trials)
        counts["harm"] += sum(t.harm is True for t in trials)
        counts["failed"] += sum(t.infrastructure_failure for t in trials)
        now = time.perf_counter()
        text = self._text(now)
        self.update(self._line, completed=counts["done"], description=text)
        if not self.console.is_terminal and trials and now - self._said >= PLAIN_SECONDS:
            self._said = now
            self.console.print(f"{counts['done']}/{self._total} {text}", highlight=False)

    def _text(self, now: float) -> str:
        counts, pace = self._counts, self._counts["done"] / max(now - self._began, 1e-9)
        failed = f", {counts['failed']} external failures" if counts["failed"] else ""
        harm = f"{counts['harm']} {self._harm_name}s"
        return f"{counts['passed']} passed, {harm}{failed}, {pace:.1f} a second"
