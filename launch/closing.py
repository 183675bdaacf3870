"""What a run shows when it is over, and the code with which it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from launch.console import answers, notes
from launch.hints import command, module
from launch.streams import loss
from models.redact import hide
from runs.errors import CannotRun, Exit

if TYPE_CHECKING:
    from rich.console import Console

    from coordinator.session import Session
    from launch.setting import Setting
    from runs.results import RunResults


def exit_code(setting: Setting, session: Session, results: RunResults) -> Exit:
    """What a run has come to; what stopped it counts for more than what it left undone."""
    player = setting.brains.player
    if setting.stopped:
        return Exit.INTERRUPTED
    if session.broken or any(t.infrastructure_failure for t in results.tasks):
        return Exit.OUTSIDE
    if player and player.misses:
        return Exit.OUTSIDE
    if session.limit or any(t.failure == "limit" for t in results.tasks):
        return Exit.LIMIT
    return Exit.PLAYED


class Closing:
    """Shows the end of one run: report, table, what failed, what to type next."""

    def __init__(self, setting: Setting, session: Session) -> None:
        self._setting = setting
        self._session = session
        self._report = _report(setting)

    def show(self, results: RunResults, *, asks: bool) -> None:
        """Show it, where the options want it or a question follows (``asks``).

        A quiet run is only told about that went wrong.
        """
        options = self._setting.options
        if asks or not (options.quiet or options.as_json):
            # Standard output is the results' alone with --json.
            show = notes() if options.as_json else answers()
            self._table(show, results)
            self._failures(show, results)
            self._where(show)
        elif exit_code(self._setting, self._session, results):
            self._failures(notes(), results)

    def print_json(self, results: RunResults) -> None:
        """The results, or how a fork differs, on standard output.

        Raises:
            CannotRun: nobody gets the document that was asked for.
        """
        print(hide(self._shown(results).model_dump_json(indent=1)))
        if lost := loss():
            where = self._setting.folder / "results.json"
            raise CannotRun(
                f"standard output cannot be written: {lost}; the results are in {where}"
            )

    def _shown(self, results: RunResults) -> Any:
        past = self._setting.past
        if not past:
            return results
        from runs.recording import read_recording
        from views.fork_report import compare

        fork = read_recording(self._setting.folder, past.recording.spec_id)
        return compare(past.recording, fork, past.turn)

    def _table(self, show: Console, results: RunResults) -> None:
        from views.fork_report import fork_table, sums_table
        from views.terminal import closing_lines, closing_table

        if self._setting.past:
            found = self._shown(results)
            show.print(fork_table(found))
            show.print(sums_table(found))
            return
        show.print(closing_table(results, show.width))
        for line in closing_lines(results, self._setting.guest.idle_group):
            show.print(line, highlight=False, markup=False)

    def _failures(self, show: Console, results: RunResults) -> None:
        from views import show as shown
        from views.figures import so_many_tasks
        from views.terminal import ending

        session, folder = self._session, self._setting.folder
        lines = ending(results, session.unplayed)
        for line in lines:
            show.print(line, soft_wrap=True)
        stopped = [text for text in (session.broken, session.limit) if text]
        if stopped and session.unplayed:
            text = f"stopped: {'; '.join(stopped)}; not started: {so_many_tasks(session.unplayed)}"
            show.print(text, style="bold red", highlight=False, markup=False, soft_wrap=True)
        if again := self._again(results):
            _say(show, f"{again}: {command('--resume', folder)}")
        if lines:
            _say(show, f"look closer: {module(shown, folder, '--failed')}")

    def _again(self, results: RunResults) -> str:
        """What a resumption would do; "" for nothing."""
        if self._setting.past:
            return ""
        if self._session.limit:
            return "go on, with a higher limit"
        if self._session.unplayed:
            return "go on"
        return "try them again" if any(t.infrastructure_failure for t in results.tasks) else ""

    def _where(self, show: Console) -> None:
        for line in [
            *self._setting.brains.notes(),
            f"journal and results: {self._setting.folder}",
            self._report,
        ]:
            _say(show, line)


def _say(show: Console, text: str) -> None:
    show.print(text, highlight=False, markup=False, soft_wrap=True)


def _report(setting: Setting) -> str:
    """Write the run's report; a run does not fail because nobody can look at it."""
    from views.report import write_report

    try:
        return f"report: {write_report(setting.folder)}"
    except Exception as error:
        return f"no report: {type(error).__name__}: {error}"
