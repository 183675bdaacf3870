"""What a run needs of the machine: looked at before anything is spent."""

from __future__ import annotations

import resource
from typing import TYPE_CHECKING

from launch.errors import CannotRun, Usage
from launch.options import Options

if TYPE_CHECKING:
    from rich.console import Console

FILES, FILES_A_JOB = 32, 12
"""Open files that a run needs: of its own, and for each task at the same time. Measured: 28 with
one job, 117 with 16."""


def check_machine(options: Options, note: Console) -> None:
    """Find what is wrong here now and not in every task; say which walls stand.

    Raises:
        Usage: the setting asks for a sandbox that there is not.
        CannotRun: a limit of the system is too low, or the sandbox does not start.
    """
    room_for_files(options.jobs)
    check_sandbox(options, note)


def room_for_files(jobs: int) -> None:
    """Make room for the open files of so many tasks at once. Raises CannotRun."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = FILES + FILES_A_JOB * jobs
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return
    if hard != resource.RLIM_INFINITY and hard < needed:
        fewer = (hard - FILES) // FILES_A_JOB
        way = f" or --jobs {fewer}" if fewer > 0 else ""
        raise CannotRun(
            f"only {hard} files may be open at a time here, and {jobs} "
            f"{'tasks' if jobs > 1 else 'task'} at a time may need {needed}: "
            f"ulimit -n {needed}{way}"
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def check_sandbox(options: Options, note: Console) -> None:
    """Say which walls stand. Raises as ``check_machine`` does."""
    from worker.sandbox import SandboxUnavailable, chosen_kind, try_out, walls

    try:
        kind = chosen_kind()
    except ValueError as error:
        raise Usage(str(error)) from None
    found = walls()
    if options.require_wall and not found.complete:
        raise CannotRun(f"--require-wall: the sandbox has no wall here: {found.missing}")
    if kind != "auto":
        try:
            try_out(kind)
        except SandboxUnavailable as error:
            raise CannotRun(f"WORKER_SANDBOX={kind}: {error}{_remedy(found.monty)}") from None
    if not found.complete:
        note.print(f"warning: {found.text}", highlight=False, markup=False, soft_wrap=True)
    elif not options.as_json:
        note.print(found.text, highlight=False, markup=False)


def _remedy(walled: bool) -> str:
    how = "set it to auto or monty"
    return f"; {how}" if walled else f"; install bubblewrap (apt-get install bubblewrap) or {how}"
