"""What determines a run whose tasks are played in parts, on platforms of their own."""

from __future__ import annotations

import os
from typing import Literal

from pydantic import Field

from coordinator.config import PlayConfig
from core.models.providers import is_scripted
from core.runs.manifest import ExternalAgent

AGENT_SECONDS = 600.0
"""For which an external agent may neither begin a task nor complete one."""
AGENTS_SIDE_BY_SIDE = 64
"""Each has a platform of its own in our process."""
KEYS_HELP = (
    "Hand this variable of the environment to an external agent, which otherwise gets no key, "
    "token, secret or password of it. Repeatable."
)
"""Of the option that every command with an external agent has."""
CHUNK_OF_MODELS = 5
"""Models cost money: fewer tasks are lost where a run dies."""


def cores() -> int:
    """Cores that this process may use; a container may give fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Settings(PlayConfig):
    """The settings that determine a run's results; the number of processes does not."""

    evaluator: str = ""
    """"" for an agent that is not ours, as the worker."""
    worker: str = ""
    packs: tuple[str, ...] = ()
    """As they were asked for."""
    epochs: int = 1
    stages: str = "default"
    prompts: dict[str, str] = Field(default_factory=dict, exclude=True)
    """Sections over the shipped ones, by name; the run keeps them with its prompts."""
    chunk: int = 10
    """Tasks that share an embedded platform; the unit of work that a crash can cost."""
    with_trivial: bool = True
    """Whether the trivial players play each task once, too."""
    faults: str | None = None
    """What goes wrong with responses of the simulator."""
    journals: Literal["none", "failed", "all"] = "none"
    """Which journals are kept; "failed": of tasks that did not pass."""
    models: str | None = None
    """A file of settings over the shipped ones."""
    tapes: bool = False
    """Whether exchanges with models are recorded, so that none is paid twice."""
    agent: ExternalAgent | None = Field(default=None, exclude=True)
    """Who plays in place of our models; None: they do. The run keeps it by itself."""

    def for_jobs(self, jobs: int) -> Settings:
        """Return the same settings with a chunk size for so many concurrent tasks."""
        if all(is_scripted(model) for model in (self.evaluator, self.worker)):
            return self
        # Less than two rounds of a chunk would leave threads without work.
        return self.model_copy(update={"chunk": max(CHUNK_OF_MODELS, 2 * -(-jobs // cores()))})
