"""The command ``compare``: is the second run worse than the first?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from core.runs.errors import CannotRun
from core.runs.find import LOGS, NAMED, Logs, Run
from core.terminal.console import answers, say
from workshop.lab.command import find_any_run, find_lab_run, no_verdict
from workshop.views.verdict import MARGIN

if TYPE_CHECKING:
    from workshop.lab.baseline import Check
    from workshop.lab.benchmark_adapter import LabContext
    from workshop.views.verdict import Comparison, Flips

SHOWN = 20
"""Names of flipped tasks that the table lists; --json has all."""


def compare(
    context: typer.Context,
    first: Run,
    second: Annotated[str | None, typer.Argument(help=NAMED)] = None,
    margin: Annotated[
        float, typer.Option(min=0.0001, max=0.5, help="A loss of score that does not matter.")
    ] = MARGIN,
    baseline: Annotated[
        bool,
        typer.Option("--baseline", help="Compare one lab run with the stored baseline instead."),
    ] = False,
    html: Annotated[
        Path | None, typer.Option(help="Write the page of both runs into this file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, nothing else.")] = False,
    logs: Logs = LOGS,
) -> None:
    """Compare two runs task by task: is the second one worse?

    Exit codes: 0 not worse; 1 worse; 3 not enough data; 2 it cannot be told.
    """
    if baseline and html:
        raise typer.BadParameter("--html is the page of two runs: leave out --baseline")
    if baseline == (second is not None):
        raise typer.BadParameter("two runs are needed, or one lab run and --baseline")
    with no_verdict():
        if second is None:
            run = find_lab_run(first, logs)
            raise typer.Exit(compare_with_baseline(context.obj(), run, as_json=as_json))
        folders = find_any_run(first, logs), find_any_run(second, logs)
        raise typer.Exit(compare_runs(*folders, margin, as_json=as_json, html=html))


def compare_runs(
    first: Path, second: Path, margin: float, *, as_json: bool, html: Path | None = None
) -> int:
    """Show how the second run differs from the first; the exit code. Raises CannotRun, OSError."""
    from workshop.lab import comparison

    result = comparison.compare(comparison.read_side(first), comparison.read_side(second), margin)
    if html:
        from workshop.lab.two_runs import write_page

        write_page(first, second, result, html)
    if as_json:
        print(result.model_dump_json(indent=1))
    else:
        _show(result)
        if html:
            say(answers(), f"page: {html}")
    return result.code


def _show(found: Comparison) -> None:
    from core.terminal.figures import counted, number, so_many_tasks
    from workshop.lab.report import share

    show = answers()
    brain_a, brain_b = " / ".join(found.brain_a), " / ".join(found.brain_b)
    table = Table(title=escape(f"A {found.a}  {brain_a}\nB {found.b}  {brain_b}"))
    played = f"{so_many_tasks(found.tasks)}, {counted(found.trials, 'trial')}"
    for heading in (played, "A", "B", "B - A, 95 %"):
        table.add_column(heading, justify="right" if table.columns else "left")
    passed = _interval(found.difference, found.low, found.high)
    table.add_row("passed", share(found.passed_a), share(found.passed_b), passed)
    outside = str(found.infrastructure_a), str(found.infrastructure_b)
    table.add_row("not passed for reasons outside", *outside, "")
    for measure in found.measures:
        digits = 4 if measure.name == "cost_usd" else 2
        means = number(measure.a, digits), number(measure.b, digits)
        interval = _interval(measure.difference, measure.low, measure.high)
        table.add_row(f"{measure.name} a task", *means, interval)
    show.print(table)
    say(show, *_lines(found))


def _lines(found: Comparison) -> list[str]:
    from core.terminal.figures import so_many_tasks

    harm = found.harm_name
    lines = [
        *_flips("got worse", "got better", found.flips),
        *_flips(f"with a new {harm}", f"without their {harm}", found.harm),
    ]
    if found.only_a or found.only_b:
        alone = so_many_tasks(found.only_a)
        lines.append(f"left out: {alone} that only A has, {found.only_b} only B")
    was, now = found.sandboxes_a, found.sandboxes_b
    if was and now and was != now:
        lines.append(f"another sandbox: A {', then '.join(was)}; B {', then '.join(now)}")
    test = next((check.name for check in found.checks if check.decides), "no test holds")
    lines.append(f"decided by: {test}")
    verdict = f"{found.verdict.upper()}: {found.reason}"
    if found.tasks_needed is None:
        return [*lines, f"B is {verdict}"]
    needed = f"about {found.tasks_needed:,} tasks would tell, with 80 % power"
    return [*lines, verdict, f"{needed}, if the truth is what was seen"]


def _flips(lost: str, gained: str, flips: Flips) -> list[str]:
    from core.terminal.figures import so_many_tasks

    first = f"{so_many_tasks(len(flips.lost))} {lost}, {len(flips.gained)} {gained}"
    return [first, *_named(lost, flips.lost), *_named(gained, flips.gained)]


def _named(name: str, tasks: tuple[str, ...]) -> list[str]:
    more = [f"  … {len(tasks) - SHOWN} more"] if len(tasks) > SHOWN else []
    return [*(f"  {name}: {task}" for task in tasks[:SHOWN]), *more]


def _interval(value: float | None, low: float | None, high: float | None) -> str:
    from core.terminal.figures import DASH

    if value is None:
        return DASH
    return f"{value:+.4f}" + ("" if low is None else rf" \[{low:+.4f}, {high:+.4f}]")


def compare_with_baseline(context: LabContext, path: Path, *, as_json: bool) -> int:
    """Show how a lab run differs from the stored baseline; the exit code. Raises CannotRun."""
    from workshop.lab import baseline
    from workshop.lab.lab_folder import LabFolder

    folder = LabFolder(path)
    run = folder.read()
    if not folder.merged:
        raise CannotRun(f"{path} is not finished")
    stored = baseline.load(context.adapter(run.settings.benchmark).stored_baseline().path)
    if (run.settings.evaluator, run.settings.worker) != (stored.model, stored.model):
        raise CannotRun(f"the baseline is of {stored.model}, the run of {run.settings.evaluator}")
    found = baseline.check(stored, run.packs, folder.trials())
    if as_json:
        print(found.model_dump_json(indent=1))
    else:
        _show_check(found, run.harm_name)
    return 1 if found.worse else 0


def _show_check(found: Check, harm_name: str) -> None:
    say(
        answers(),
        *_named("lost", found.lost),
        *_named(f"new {harm_name}", found.harm),
        *_named("gained", found.gained),
        f"{found.tasks} trials against the baseline: {len(found.lost)} lost, "
        f"{len(found.gained)} gained, {len(found.harm)} new {harm_name}s",
    )
