"""The end of a run: its summary, the question whether to submit, its exit code."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cli import has_workshop
from cli.asking import agrees, at_terminal
from core.erc3_client.bounds import known_score
from core.models.redact import hide
from core.runs.errors import Exit
from core.runs.hints import command
from core.terminal.console import answers, notes, say
from core.terminal.figures import so_many_tasks
from core.text import clean

if TYPE_CHECKING:
    from rich.console import Console

    from cli.run import Run
    from coordinator.session import Session
    from core.runs.results import RunResults


def obstacles(session: Session, results: RunResults) -> list[str]:
    """Why a session is not what its agent can do, in words; none where all of it was played."""
    outside = sum(task.infrastructure_failure for task in results.tasks)
    limited = sum(task.failure == "limit" for task in results.tasks)
    counts = {
        "failed for external reasons": outside,
        "cut off by a limit": limited,
        "never played": session.unplayed,
    }
    return [f"{so_many_tasks(count)} {words}" for words, count in counts.items() if count]


@dataclass
class End:
    """A run whose tasks are over."""

    run: Run
    session: Session
    results: RunResults

    def come_to(self, *, anything_new: bool) -> Exit:
        """Show what the run has come to, submit the session where that is wished; the exit code.

        ``anything_new``: whether a task was played; no table is shown twice.
        """
        run, options = self.run, self.run.options
        if not options.real:
            self.results = run.platform.with_effects(self.session.close_open(), run.folder)
        self._show(asks=self._asks(), anything_new=anything_new)
        if options.real:
            self._submit()
        if options.as_json:
            print(hide(self.results.model_dump_json(indent=1)))
        if options.trace:
            from workshop.views.tracing.collector import trace_run

            trace_run(run.folder, lambda line: say(run.note, line), options.trace)
        return self._exit_code()

    def _exit_code(self) -> Exit:
        """A failure takes precedence over unfinished tasks."""
        run, session, tasks = self.run, self.session, self.results.tasks
        if run.stop.requested:
            return Exit.INTERRUPTED
        misses = run.models.player and run.models.player.misses
        if (session.breaker.broken and session.unplayed) or misses:
            return Exit.OUTSIDE
        if any(t.infrastructure_failure for t in tasks):
            return Exit.OUTSIDE
        if session.limit or any(t.failure == "limit" for t in tasks):
            return Exit.LIMIT
        return Exit.PLAYED

    # -- the summary

    def _show(self, *, asks: bool, anything_new: bool) -> None:
        """Write the report and print the summary, which a question may follow (``asks``).

        A quiet run prints only what went wrong.
        """
        run, report = self.run, self._report()
        if asks or not (run.options.quiet or run.options.as_json):
            from core.terminal.tables import summary_bar

            # Standard output is the results' alone with --json.
            show = notes() if run.options.as_json else answers()
            if asks or anything_new:
                self._show_table(show)
            self._show_failures(show)
            say(show, *run.models.notes(), f"journal and results: {run.folder}", report)
            show.print(summary_bar(self.results, self.session.unplayed))
        elif self._exit_code():
            self._show_failures(notes())

    def _report(self) -> str:
        if not has_workshop():
            return "no report: the folder workshop is missing from this copy"
        from workshop.views.report.run_page import write_report

        # A run does not fail because of what the page's libraries raise for a text of a model.
        try:
            return f"report: {write_report(self.run.folder)}"
        except Exception as error:
            return f"no report: {type(error).__name__}: {error}"

    def _show_table(self, show: Console) -> None:
        from core.terminal.tables import summary_lines, summary_table

        show.print(summary_table(self.results))
        if self.run.past:
            log, turn = self.run.past.log, self.run.past.turn
            text = f"{log.spec_id}: {log.run_id}, forked at turn {turn}; turn by turn: "
            say(show, clean(f"{text}{command('report', log.folder, self.run.folder)}"))
            return
        for line in summary_lines(self.results, self.run.benchmark.idle_group):
            show.print(line, highlight=False, markup=False)

    def _show_failures(self, show: Console) -> None:
        from core.terminal.tables import ending

        run, session = self.run, self.session
        lines = ending(self.results, session.unplayed)
        for line in lines:
            show.print(line, soft_wrap=True)
        stopped = [text for text in (session.breaker.broken, session.limit) if text]
        if stopped and session.unplayed:
            text = f"stopped: {'; '.join(stopped)}; not started: {so_many_tasks(session.unplayed)}"
            show.print(text, style="bold red", highlight=False, markup=False, soft_wrap=True)
        again = ""
        if session.limit:
            again = "go on, with a higher limit"
        elif session.unplayed:
            again = "go on"
        elif any(t.infrastructure_failure for t in self.results.tasks):
            again = "try them again"
        if again and not run.past:
            say(show, f"{again}: {command('--resume', run.folder, *session.raising.split())}")
        if lines and has_workshop():
            say(show, f"look closer: {command('show', run.folder, '--failed')}")

    # -- the session

    def _asks(self) -> bool:
        """Whether there is somebody to ask and something to ask about."""
        options = self.run.options
        can_submit = options.real and self.session.session_id and not self.run.stop.requested
        is_ordered = options.yes or options.submit_as_is
        is_whole = not obstacles(self.session, self.results)
        return bool(can_submit) and is_whole and not is_ordered and at_terminal()

    def _submit(self) -> None:
        """Submit the session unless something prevents it.

        Raises ApiException, or what the transport raises.
        """
        run, session = self.run, self.session
        if not session.session_id or run.stop.requested:
            return
        # What cannot be undone is said under --quiet too.
        console = notes()
        if lines := self._reasons_against(console):
            say(console, *lines)
            return
        session.close_open()
        session.submit(force=bool(session.unplayed))
        self.results = session.write()
        score = None
        with suppress(Exception):  # a score that cannot be had changes nothing any more
            score = known_score(run.platform.session_status(session.session_id).score)
        text = f"submitted: session {session.session_id}"
        text += f", score {score:.3f}" if score is not None else ", the platform has no score yet"
        say(console, f"{text}, {run.address}/sessions/{session.session_id}")

    def _reasons_against(self, console: Console) -> tuple[str, ...]:
        """Why the session is not submitted now, and how to do it; nothing where it is."""
        options, folder = self.run.options, self.run.folder
        if options.submit_as_is:
            return ()
        if reasons := obstacles(self.session, self.results):
            way = f"submit it as it is: {command('--resume', folder, '--submit-as-is')}"
            return f"not submitted: {'; '.join(reasons)}", way
        if options.yes:
            return ()
        if not at_terminal():
            why = "cannot ask for confirmation, because standard input is not a terminal"
            return f"not submitted: {why}", f"submit it: {command('--resume', folder, '--yes')}"
        tasks = len(self.results.tasks) + self.session.unplayed
        place = self.run.place(self.session.session_id, tasks)
        if agrees(console, f"Submit this session to {place}? It cannot be changed afterwards."):
            return ()
        return (f"not submitted; later: {command('--resume', folder)}",)
