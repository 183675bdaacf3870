"""The summary at the end of a run, and its exit code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from cli import has_workshop
from cli.standard_streams import at_terminal, loss
from core.erc3_client.bounds import known_score
from core.models.redact import hide
from core.runs.errors import CannotRun, Exit
from core.runs.hints import command
from core.terminal.console import answers, notes, say
from core.terminal.figures import so_many_tasks
from core.text import clean

if TYPE_CHECKING:
    from rich.console import Console

    from cli.assembly import Assembly
    from coordinator.fork import Past
    from coordinator.session import Session
    from core.runs.results import RunResults


def asks_to_submit(assembly: Assembly, session: Session, results: RunResults) -> bool:
    """Whether there is somebody to ask and something to ask about."""
    options = assembly.options
    is_ordered = options.yes or options.submit_as_is
    can_submit = bool(session.session_id) and not assembly.stop.requested
    return can_submit and not (is_ordered or obstacles(session, results)) and at_terminal()


def submit(assembly: Assembly, session: Session, results: RunResults) -> RunResults | None:
    """Submit the session unless something prevents it; return its results, else None.

    Raises ApiException, or what the transport raises.
    """
    if not session.session_id or assembly.stop.requested:
        return None
    # What cannot be undone is said under --quiet too.
    console = notes()
    if lines := _reasons_against(assembly, session, results, console):
        say(console, *lines)
        return None
    session.close_open()
    session.submit(force=bool(session.unplayed))
    results = session.write()
    score = None
    with suppress(Exception):  # a score that cannot be had changes nothing any more
        score = known_score(assembly.platform.session_status(session.session_id).score)
    text = f"submitted: session {session.session_id}"
    text += f", score {score:.3f}" if score is not None else ", the platform has no score yet"
    say(console, f"{text}, {assembly.address}/sessions/{session.session_id}")
    return results


def _reasons_against(
    assembly: Assembly, session: Session, results: RunResults, console: Console
) -> tuple[str, ...]:
    """Why the session is not submitted now, and the way to do so; nothing where it is."""
    options, folder = assembly.options, assembly.folder
    if options.submit_as_is:
        return ()
    if reasons := obstacles(session, results):
        way = f"submit it as it is: {command('--resume', folder, '--submit-as-is')}"
        return f"not submitted: {'; '.join(reasons)}", way
    if options.yes:
        return ()
    if not at_terminal():
        why = "cannot ask for confirmation, because standard input is not a terminal"
        return f"not submitted: {why}", f"submit it: {command('--resume', folder, '--yes')}"
    tasks = len(results.tasks) + session.unplayed
    place = assembly.place(session.session_id, tasks)
    question = f"Submit this session to {place}? It cannot be changed afterwards. [y/N] "
    console.print(question, end="", markup=False, highlight=False)
    with suppress(EOFError):
        if input().strip().casefold() in ("y", "yes"):
            return ()
    return (f"not submitted; later: {command('--resume', folder)}",)


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
    if assembly.stop.requested:
        return Exit.INTERRUPTED
    if (session.breaker.broken and session.unplayed) or (player and player.misses):
        return Exit.OUTSIDE
    if any(t.infrastructure_failure for t in results.tasks):
        return Exit.OUTSIDE
    if session.limit or any(t.failure == "limit" for t in results.tasks):
        return Exit.LIMIT
    return Exit.PLAYED


def show_end(
    assembly: Assembly, session: Session, results: RunResults, *, asks: bool, anything_new: bool
) -> None:
    """Write the report and print the summary, which a question may follow (``asks``).

    A quiet run prints only what went wrong. ``anything_new``: whether a task was played; no table
    is shown twice.
    """
    options, report = assembly.options, _report(assembly)
    if asks or not (options.quiet or options.as_json):
        from core.terminal.tables import summary_bar

        # Standard output is the results' alone with --json.
        show = notes() if options.as_json else answers()
        if asks or anything_new:
            _show_table(show, assembly, results)
        _show_failures(show, assembly, session, results)
        where = f"journal and results: {assembly.folder}"
        say(show, *assembly.models.notes(), where, report)
        show.print(summary_bar(results, session.unplayed))
    elif exit_code(assembly, session, results):
        _show_failures(notes(), assembly, session, results)


def _report(assembly: Assembly) -> str:
    if not has_workshop():
        return "no report: the folder workshop is missing from this copy"
    from workshop.views.report.run_page import write_report

    # A run does not fail because of what the page's libraries raise for a text of a model.
    try:
        return f"report: {write_report(assembly.folder)}"
    except Exception as error:
        return f"no report: {type(error).__name__}: {error}"


def _fork_lines(assembly: Assembly, past: Past) -> Iterator[str]:
    """What a fork has changed, and the page on which both runs stand side by side."""
    from core.runs.reader import read_tasks
    from core.terminal.figures import number
    from workshop.views.report.pairs import first_difference, steps_of

    (fork,) = read_tasks(assembly.folder, past.log.spec_id)
    difference = first_difference(steps_of(past.log), steps_of(fork))
    yield f"{past.log.spec_id}: {past.log.run_id}, forked at turn {past.turn}"
    for when, one in (("before", past.log), ("now", fork)):
        yield f"{when}: {one.outcome}, score {number(one.score, 1)}"
    yield f"first difference: {difference.text}"
    yield f"turn by turn: {command('report', past.log.folder, assembly.folder)}"


def _show_table(show: Console, assembly: Assembly, results: RunResults) -> None:
    from core.terminal.tables import summary_lines, summary_table

    show.print(summary_table(results))
    if assembly.past:
        say(show, *map(clean, _fork_lines(assembly, assembly.past)))
        return
    for line in summary_lines(results, assembly.benchmark.idle_group):
        show.print(line, highlight=False, markup=False)


def _show_failures(
    show: Console, assembly: Assembly, session: Session, results: RunResults
) -> None:
    from core.terminal.tables import ending

    lines = ending(results, session.unplayed)
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
    elif any(t.infrastructure_failure for t in results.tasks):
        again = "try them again"
    if again and not assembly.past:
        say(show, f"{again}: {command('--resume', assembly.folder, *session.raising.split())}")
    if lines and has_workshop():
        say(show, f"look closer: {command('show', assembly.folder, '--failed')}")


def print_json(assembly: Assembly, results: RunResults) -> None:
    """Print the results as JSON.

    Raises CannotRun: nobody gets the document that was asked for.
    """
    print(hide(results.model_dump_json(indent=1)))
    if lost := loss():
        where = assembly.folder
        raise CannotRun(f"standard output cannot be written: {lost}; the results are in {where}")
