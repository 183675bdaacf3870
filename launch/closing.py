"""What a run shows when it is over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from launch.console import answers
from launch.errors import CannotRun
from launch.streams import loss
from models.redact import hide

if TYPE_CHECKING:
    from coordinator.records import RunResults
    from launch.setting import Setting


def show_end(setting: Setting, results: RunResults) -> None:
    """The results of a run, or how a fork differs from what it was forked from.

    Raises:
        CannotRun: nobody gets the document that was asked for.
    """
    options = setting.options
    report = _report(setting)
    shown: Any = results
    if setting.past:
        from coordinator.fork_report import compare
        from coordinator.recording import read_recording

        past = setting.past
        fork = read_recording(setting.folder, past.recording.spec_id)
        shown = compare(past.recording, fork, past.turn)
    if options.as_json:
        print(hide(shown.model_dump_json(indent=1)))
        if lost := loss():
            where = setting.folder / "results.json"
            raise CannotRun(
                f"standard output cannot be written: {lost}; the results are in {where}"
            )
    elif not options.quiet:
        _show(setting, shown, report)


def _show(setting: Setting, shown: Any, report: str) -> None:
    from coordinator.display import closing_lines, closing_table
    from coordinator.fork_report import fork_table, sums_table

    show = answers()
    if setting.past:
        show.print(fork_table(shown))
        show.print(sums_table(shown))
    else:
        show.print(closing_table(shown, show.width))
        for line in closing_lines(shown):
            show.print(line, highlight=False, markup=False)
    for line in [*setting.brains.notes(), f"journal and results: {setting.folder}", report]:
        show.print(line, highlight=False, markup=False, soft_wrap=True)


def _report(setting: Setting) -> str:
    """Write the run's report; a run does not fail because nobody can look at it."""
    from coordinator.report import write_report

    try:
        return f"report: {write_report(setting.folder)}"
    except Exception as error:
        return f"no report: {type(error).__name__}: {error}"
