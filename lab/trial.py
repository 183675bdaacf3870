"""One task played once."""

from __future__ import annotations

from runs.results import TaskResult

AGENT = "agent"
"""The player under test; all others are trivial ones."""


class Trial(TaskResult):
    """What came of a task, with what the lab knows beside; None is unknown, never 0."""

    task_id: str = ""
    task_text: str = ""
    pack: str
    epoch: int = 0
    player: str = AGENT
    paid: int | None = None
    """Dollars of the first act, where acts have a price."""
    best: int | None = None
    """Dollars of the best answer, where it has a price."""
    mechanics: tuple[str, ...] = ()
    playbook: str | None = None
    """The playbook of the last instruction that names one, else how the task ended."""
    why: str = ""
    """The last words of the evaluator, cut."""

    @property
    def task(self) -> tuple[str, str]:
        """What two runs are paired by: pack and spec."""
        return self.pack, self.spec_id

    @property
    def strict(self) -> float:
        """The score with tasks that were not played to their end and unknown scores as 0."""
        return 0.0 if self.failure or self.score is None else self.score

    @property
    def gap(self) -> int | None:
        """Dollars paid beyond the best answer; None where one of them is not known."""
        return None if self.paid is None or self.best is None else self.paid - self.best

    @property
    def took(self) -> dict[str, float | None]:
        """What the trial took; None is unknown."""
        return {
            "turns": self.turns,
            "requests": self.requests,
            "prompt_tokens": self.tokens.prompt,
            "completion_tokens": self.tokens.completion,
            "cost_usd": self.cost_usd,
            "seconds": self.seconds,
        }
