"""The command ``compare``: is the second run worse than the first?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from core.runs.find import LATEST, LOGS, NAMED, Logs, find_run
from core.terminal.console import answers, say
from core.terminal.figures import counted, so_many_tasks
from workshop.views import comparison
from workshop.views.comparison import MARGIN, Comparison, Plan, no_verdict
from workshop.views.measured import figures_of

SHOWN = 20
"""Names of flipped tasks that the table lists; --json has all."""


def compare(
    first: Annotated[
        str | None, typer.Argument(help=f"{NAMED} Or a results.jsonl that was kept. [latest~1]")
    ] = None,
    second: Annotated[
        str | None, typer.Argument(help="The run that may be worse [latest].")
    ] = None,
    margin: Annotated[
        float, typer.Option(min=0.0001, max=0.5, help="Accept a loss of score below this.")
    ] = MARGIN,
    plan: Annotated[
        float | None,
        typer.Option(
            min=0.1,
            max=99,
            help="Say how many tasks would tell a loss of so many points (of 100), at the noise "
            "of these two runs.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print only JSON.")] = False,
    logs: Logs = LOGS,
) -> None:
    """Compare two runs task by task: is the second one worse?

    A run is a run folder, a results.jsonl that was kept, or a file of another tool: a log of
    Inspect AI (.eval), JUnit XML, or scores as CSV (id,score) or JSON.

    Exit codes: 0 not worse; 1 worse; 3 not enough data; 2 the runs cannot be compared.
    """
    with no_verdict():
        names = first or f"{LATEST}~1", second or LATEST
        a, b = (Path(one) if Path(one).is_file() else find_run(one, logs) for one in names)
        sides = comparison.read_side(a), comparison.read_side(b)
        if plan is not None:
            found = comparison.plan(*sides, plan)
            say(answers(), *([_json(found)] if as_json else _plan_lines(found)))
            return
        result = comparison.compare(*sides, margin)
        if as_json:
            say(answers(), _json(result))
        else:
            _show(result)
        raise typer.Exit(result.code)


def _json(found: BaseModel) -> str:
    return found.model_dump_json(indent=1)


def _show(result: Comparison) -> None:
    show = answers()
    say(show, *result.found)
    if result.different_tasks:
        say(show, f"warning: {result.different_tasks}")
    models_a, models_b = (
        " / ".join(dict.fromkeys(ids)) for ids in (result.models_a, result.models_b)
    )
    table = Table(title=escape(f"A {result.a}  {models_a}\nB {result.b}  {models_b}"))
    played = so_many_tasks(result.tasks)
    if result.trials != result.tasks:
        played += f" ({counted(result.trials, 'trial')})"
    for heading in (played, "A", "B", "B − A", "95 %"):
        is_figure = bool(table.columns)
        table.add_column(heading, justify="right" if is_figure else "left", no_wrap=is_figure)
    for one in figures_of(result):
        cells = f"{one.name.lower()}, {one.unit}", one.a, one.b, one.moved, one.interval
        table.add_row(*map(Text, cells), style="red" if one.tone == "bad" else "")
    outside = str(result.infrastructure_a), str(result.infrastructure_b)
    table.add_row("failed outside, trials", *outside)
    show.print(table)
    say(show, *_lines(result))


def _plan_lines(found: Plan) -> list[str]:
    return [
        f"noise: {found.noise:.3f}, the standard deviation of a task's difference, over "
        f"{so_many_tasks(found.played)} that both played",
        f"about {found.tasks:,} tasks would tell a loss of {found.points:g} points, "
        "with 80 % power",
    ]


def _lines(result: Comparison) -> list[str]:
    harm = result.harm_name
    lines = []
    for lost, gained, flips in (
        ("got worse", "got better", result.flips),
        (f"with a new {harm}", f"without their {harm}", result.harm),
    ):
        lines.append(f"{so_many_tasks(len(flips.lost))} {lost}, {len(flips.gained)} {gained}")
        lines += [*_named(lost, flips.lost), *_named(gained, flips.gained)]
    was, now = result.sandboxes_a, result.sandboxes_b
    if was and now and was != now:
        lines.append(f"different sandbox: A {', then '.join(was)}; B {', then '.join(now)}")
    test = next((check.name for check in result.checks if check.decides), "no test")
    lines.append(f"decided by: {test}")
    verdict = f"{result.verdict.upper()}: {result.reason}"
    if result.tasks_needed is None:
        return [*lines, f"B is {verdict}"]
    needed = f"about {result.tasks_needed:,} tasks would be enough, with 80 % power"
    return [*lines, verdict, f"{needed}, if the true difference is the observed one"]


def _named(name: str, tasks: tuple[str, ...]) -> list[str]:
    more = [f"  … {len(tasks) - SHOWN} more"] if len(tasks) > SHOWN else []
    return [*(f"  {name}: {task}" for task in tasks[:SHOWN]), *more]
