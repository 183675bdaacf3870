"""What a run needs of the machine: looked at before anything is spent."""

from __future__ import annotations

import resource
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cli.options import Options
from core.runs.errors import CannotRun, Usage
from core.terminal.console import say

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class Need:
    """What a run takes of something that the system rations: of its own, and for each job."""

    limit: int
    alone: int
    a_job: int
    unit: int
    """What one of them is for the system."""
    what: str
    raised_by: str
    """The option of ``ulimit``, which counts memory in units of 1024 bytes."""

    lifted: bool = False
    """The soft limit is a mere default and is lifted; else somebody has chosen it."""

    def of(self, jobs: int) -> int:
        """For so many tasks at a time."""
        return self.alone + self.a_job * jobs


NEEDS = (
    # At most 28 with one job and 137 with 16.
    Need(resource.RLIMIT_NOFILE, 32, 12, 1, "files may be open", "-n", lifted=True),
    # Threads reserve far more than they use: 8 jobs died at 600 MB and lived at 900.
    Need(resource.RLIMIT_AS, 300, 70, 1 << 20, "MB of memory may be reserved", "-v"),
)
"""Measured with the bundled pack; below this a run dies in its middle, and not in good order."""


def room_for(jobs: int) -> None:
    """See that there is enough for so many tasks at a time. Raises CannotRun."""
    for need in NEEDS:
        soft, hard = resource.getrlimit(need.limit)
        wanted = need.of(jobs) * need.unit
        most = hard if need.lifted else soft
        if resource.RLIM_INFINITY != most < wanted:
            raise CannotRun(_too_little(need, jobs, most // need.unit))
        if soft == resource.RLIM_INFINITY or soft >= wanted:
            continue
        resource.setrlimit(need.limit, (wanted, hard))


def _too_little(need: Need, jobs: int, there: int) -> str:
    fewer = (there - need.alone) // need.a_job
    way = f" or --jobs {fewer}" if fewer > 0 else ""
    tasks = f"{jobs} tasks" if jobs > 1 else "1 task"
    wanted = need.of(jobs) * max(1, need.unit >> 10)
    return (
        f"only {there} {need.what} here, and {tasks} at a time may need {need.of(jobs)}: "
        f"ulimit {need.raised_by} {wanted}{way}"
    )


def check_sandbox(options: Options, note: Console) -> None:
    """Find what is wrong with the sandbox now and not in every task; say which one it is.

    Raises:
        Usage: the setting asks for a sandbox that there is not.
        CannotRun: the sandbox does not start, or lacks the isolation that is required.
    """
    from worker.sandbox.contract import SandboxUnavailable
    from worker.sandbox.factory import try_out
    from worker.sandbox.isolation import chosen_kind, sandbox_line

    try:
        choice = chosen_kind()
        kind, text = sandbox_line(choice)
        if options.require_wall and kind == "monty":
            raise CannotRun(f"--require-wall: {text}")
        if choice != "auto":
            try_out(kind)
    except ValueError as error:
        raise Usage(str(error)) from None
    except SandboxUnavailable as error:
        fix = "; set it to auto" if choice != "monty" else ""
        raise CannotRun(f"WORKER_SANDBOX={choice}: {error}{fix}") from None
    if kind == "monty":
        say(note, f"warning: {text}")
    elif not options.as_json:
        note.print(text, highlight=False, markup=False)
