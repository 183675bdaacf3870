"""The summary at the end of a run, and its exit code."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from cli import has_workshop
from cli.standard_streams import at_terminal, loss
from core.erc3_client.bounds import known_score
from core.models.redact import hide
from core.runs.errors import CannotRun, Exit
from core.runs.hints import command
from core.terminal.console import answers, notes, say
from core.terminal.figures import so_many_tasks

if TYPE_CHECKING:
    from rich.console import Console

    from cli.assembly import Assembly
    from coordinator.session import Session
    from core.runs.results import RunResults
    from workshop.views.fork_report import ForkReport


class HandingIn:
    """Decides whether the session of a run on the real platform is submitted, and says so."""

    def __init__(self, assembly: Assembly, session: Session, results: RunResults) -> None:
        self._assembly = assembly
        self._session = session
        self._obstacles = obstacles(session, results)
        # What cannot be undone is said under --quiet too.
        self._console = notes()

    @property
    def asks(self) -> bool:
        """Whether there is somebody to ask and something to ask about."""
        options = self._assembly.options
        is_ordered = options.yes or options.submit_as_is
        return self._possible and not (is_ordered or self._obstacles) and at_terminal()

    @property
    def _possible(self) -> bool:
        return bool(self._session.session_id) and not self._assembly.stopped

    def settle(self) -> RunResults | None:
        """Submit the session unless something prevents it; return its results, else None.

        Raises ApiException, or what the transport raises.
        """
        if not self._possible or not self._wanted():
            return None
        session = self._session
        session.close_open()
        session.submit(force=bool(session.unplayed))
        results = session.write()
        say(self._console, self._told())
        return results

    def _wanted(self) -> bool:
        options, folder = self._assembly.options, self._assembly.folder
        if options.submit_as_is:
            return True
        if self._obstacles:
            text = f"not submitted: {'; '.join(self._obstacles)}"
            way = f"submit it as it is: {command('--resume', folder, '--submit-as-is')}"
            say(self._console, text, way)
            return False
        if options.yes:
            return True
        if not at_terminal():
            text = (
                "not submitted: cannot ask for confirmation, because standard input "
                "is not a terminal"
            )
            say(self._console, text, f"submit it: {command('--resume', folder, '--yes')}")
            return False
        if self._agreed():
            return True
        say(self._console, f"not submitted; later: {command('--resume', folder)}")
        return False

    def _agreed(self) -> bool:
        self._console.print(
            "Submit this session to the platform? It cannot be changed afterwards. [y/N] ",
            end="",
            markup=False,
            highlight=False,
        )
        with suppress(EOFError):
            return input().strip().casefold() in ("y", "yes")
        return False

    def _told(self) -> str:
        """That it was submitted, its id, its score where the platform tells, its page."""
        session_id = self._session.session_id or ""
        platform, score = self._assembly.platform, None
        with suppress(Exception):  # a score that cannot be had changes nothing any more
            score = known_score(platform.session_status(session_id).score)
        text = f"submitted: session {session_id}"
        text += f", score {score:.3f}" if score is not None else ", the platform has no score yet"
        return f"{text}, {self._assembly.base_url}/sessions/{session_id}"


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
        """Print the results, or of a fork the comparison with its original, as JSON.

        Raises CannotRun: nobody gets the document that was asked for.
        """
        print(hide((self._fork() or results).model_dump_json(indent=1)))
        if lost := loss():
            where = self._assembly.folder / "results.json"
            raise CannotRun(
                f"standard output cannot be written: {lost}; the results are in {where}"
            )

    def _fork(self) -> ForkReport | None:
        """A fork beside its original; None for any other run."""
        past = self._assembly.past
        if not past:
            return None
        from core.runs.reader import read_tasks
        from workshop.views.fork_report import compare

        fork = read_tasks(self._assembly.folder, past.log.spec_id)[0]
        return compare(past.log, fork, past.turn)

    def _table(self, show: Console, results: RunResults) -> None:
        from core.terminal.tables import summary_lines, summary_table

        if fork := self._fork():
            from workshop.views.fork_report import fork_table

            say(show, fork.heading)
            show.print(fork_table(fork))
            runs = self._assembly.options.fork, self._assembly.folder
            say(show, f"turn by turn: {command('report', *runs)}")
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
    except Exception as error:  # what the page's libraries raise for a text of a model or platform
        return f"no report: {type(error).__name__}: {error}"


def goes_on(folder: Path) -> str:
    """The command that resumes a run, as the end of a sentence; "" if nothing has started."""
    begun = (folder / "run.json").is_file()
    return f"; resume: {command('--resume', folder)}" if begun else ""
