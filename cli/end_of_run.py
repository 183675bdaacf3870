"""The summary at the end of a run, and its exit code."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli import has_workshop
from cli.standard_streams import loss
from core.models.redact import hide
from core.runs.errors import CannotRun, Exit
from core.runs.hints import command
from core.terminal.console import answers, notes, say

if TYPE_CHECKING:
    from rich.console import Console

    from cli.assembly import Assembly
    from coordinator.session import Session
    from core.runs.results import RunResults


def exit_code(assembly: Assembly, session: Session, results: RunResults) -> Exit:
    """Return the exit code of a run; a failure takes precedence over unfinished tasks."""
    player = assembly.models.player
    if assembly.stopped:
        return Exit.INTERRUPTED
    stopped = session.broken and session.unplayed
    if stopped or any(t.infrastructure_failure for t in results.tasks):
        return Exit.OUTSIDE
    if player and player.misses:
        return Exit.OUTSIDE
    if session.limit or any(t.failure == "limit" for t in results.tasks):
        return Exit.LIMIT
    return Exit.PLAYED


class EndOfRun:
    """Shows the end of one run: report, table, what failed, what to type next."""

    def __init__(self, assembly: Assembly, session: Session, *, anything_new: bool) -> None:
        """``anything_new``: whether a task was played; no table is shown twice."""
        self._anything_new = anything_new
        self._assembly = assembly
        self._session = session
        self._report = _report(assembly)

    def show(self, results: RunResults, *, asks: bool) -> None:
        """Print the summary, if the options ask for it or a question follows (``asks``).

        A quiet run prints only what went wrong.
        """
        options = self._assembly.options
        if asks or not (options.quiet or options.as_json):
            from core.terminal.tables import summary_bar

            # Standard output is the results' alone with --json.
            show = notes() if options.as_json else answers()
            if asks or self._anything_new:
                self._table(show, results)
            self._failures(show, results)
            where = f"journal and results: {self._assembly.folder}"
            say(show, *self._assembly.models.notes(), where, self._report)
            show.print(summary_bar(results, self._session.unplayed))
        elif exit_code(self._assembly, self._session, results):
            self._failures(notes(), results)

    def print_json(self, results: RunResults) -> None:
        """The results, or how a fork differs, on standard output.

        Raises CannotRun: nobody gets the document that was asked for.
        """
        print(hide(self._shown(results).model_dump_json(indent=1)))
        if lost := loss():
            where = self._assembly.folder / "results.json"
            raise CannotRun(
                f"standard output cannot be written: {lost}; the results are in {where}"
            )

    def _shown(self, results: RunResults) -> Any:
        past = self._assembly.past
        if not past:
            return results
        from core.runs.reader import read_tasks
        from workshop.views.fork_report import compare

        fork = read_tasks(self._assembly.folder, past.log.spec_id)[0]
        return compare(past.log, fork, past.turn)

    def _table(self, show: Console, results: RunResults) -> None:
        from core.terminal.tables import summary_lines, summary_table
        from workshop.views.fork_report import fork_table, sums_table

        if self._assembly.past:
            fork = self._shown(results)
            show.print(fork_table(fork))
            show.print(sums_table(fork))
            return
        show.print(summary_table(results, show.width))
        for line in summary_lines(results, self._assembly.benchmark.results.idle_group):
            show.print(line, highlight=False, markup=False)

    def _failures(self, show: Console, results: RunResults) -> None:
        from core.terminal.figures import so_many_tasks
        from core.terminal.tables import ending

        session, folder = self._session, self._assembly.folder
        lines = ending(results, session.unplayed)
        for line in lines:
            show.print(line, soft_wrap=True)
        stopped = [text for text in (session.broken, session.limit) if text]
        if stopped and session.unplayed:
            text = f"stopped: {'; '.join(stopped)}; not started: {so_many_tasks(session.unplayed)}"
            show.print(text, style="bold red", highlight=False, markup=False, soft_wrap=True)
        if again := self._again(results):
            say(show, f"{again}: {command('--resume', folder)}")
        if lines and has_workshop():
            say(show, f"look closer: {command('show', folder, '--failed')}")

    def _again(self, results: RunResults) -> str:
        """Say what ``--resume`` would do; "" for nothing."""
        if self._assembly.past:
            return ""
        if self._session.limit:
            return "go on, with a higher limit"
        if self._session.unplayed:
            return "go on"
        return "try them again" if any(t.infrastructure_failure for t in results.tasks) else ""


def _report(assembly: Assembly) -> str:
    """Write the run's report; a run does not fail because nobody can look at it."""
    if not has_workshop():
        return "no report: the folder workshop is missing from this copy"
    from workshop.views.report.run_page import write_report

    try:
        return f"report: {write_report(assembly.folder)}"
    except Exception as error:
        return f"no report: {type(error).__name__}: {error}"


def goes_on(folder: Path) -> str:
    """The command that resumes a run, as the end of a sentence; "" if nothing has started."""
    begun = (folder / "run.json").is_file()
    return f"; resume: {command('--resume', folder)}" if begun else ""
