"""What the terminal shows of a lab run: tables with intervals, the trivial baselines beside."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Group as Stack
from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from lab.records import Group, LabRun, Rate, Summary, Trial
from views.terminal import DASH

FAILED_SHOWN = 20
WHY_CHARS = 160
NAMES = {"agent": "the brain", "nothing": "do nothing", "first-match": "buy the first match"}


def report(run: LabRun) -> RenderableType:
    """The whole report of a finished run."""
    parts: list[RenderableType] = [overview(run)]
    for summary in run.summaries:
        if summary.player == "agent":
            parts += _groups("by mechanic", summary.by_mechanic)
            parts += _groups("by playbook", summary.by_playbook)
            parts += [escape(line) for line in closing_lines(summary)]
    return Stack(*parts)


def failed_lines(trials: Iterable[Trial]) -> list[str]:
    """The first trials that did not pass, wrong checkouts before all others, with their reasons."""
    wrong: list[str] = []
    others: list[str] = []
    count = 0
    for trial in trials:
        if trial.passed:
            continue
        count += 1
        words = " ".join((trial.error or trial.why).split())[:WHY_CHARS]
        what: str = trial.failure or trial.outcome
        if trial.wrong_checkout:
            what = f"WRONG CHECKOUT of {dollars(trial.paid)}, best {dollars(trial.best)}"
        lines = wrong if trial.wrong_checkout else others
        if len(lines) < FAILED_SHOWN:
            lines.append(f"{trial.spec_id}: {what}: {words}")
    left = count - len(wrong) - len(others)
    return [*wrong, *others, *([f"… {left} more in trials.jsonl"] if left else [])]


def overview(run: LabRun) -> Table:
    """One column for each player, one line for each measure."""
    settings = run.settings
    brain = f"{settings.evaluator} / {settings.worker}"
    packs = ", ".join(f"{pack.name} ({pack.tasks})" for pack in run.packs)
    table = Table(title=escape(f"{run.run_id}  {brain}\n{packs}, epochs: {settings.epochs}"))
    table.add_column("measure, 95 % interval")
    for summary in run.summaries:
        table.add_column(NAMES[summary.player], justify="right")
    columns = [_lines(summary) for summary in run.summaries]
    for name in columns[0] if columns else ():
        table.add_row(name, *(column[name] for column in columns))
    return table


def _lines(summary: Summary) -> dict[str, str]:
    gap, means = summary.gap, summary.means
    lines = {
        "trials": f"{summary.trials:,}",
        "score": number(summary.score, 3),
        "passed": share(summary.passed),
        "  where a purchase is wanted": share(summary.buy),
        "  where none is wanted": share(summary.refuse),
        "wrong checkouts": count(summary.wrong_checkouts),
        "infrastructure failures": str(summary.infrastructure),
        "gap to the best answer, mean": f"{dollars(gap.mean, 2)} of {gap.purchases} purchases",
        "gap, most": dollars(gap.most),
    }
    if means:
        lines |= {
            "turns a trial": number(means.turns, 2),
            "store requests a trial": number(means.store_requests, 1),
            "tokens a trial, in + out": f"{number(means.prompt_tokens)} + "
            f"{number(means.completion_tokens)}",
            "cost, all trials": dollars(summary.cost_usd, 4),
            "seconds a trial": number(means.seconds, 2),
        }
    return lines


def closing_lines(summary: Summary) -> list[str]:
    """pass^k, and every reason for which trials ended early."""
    lines = []
    if len(summary.pass_hat) > 1:
        hats = ", ".join(f"k={k}: {value:.3f}" for k, value in summary.pass_hat.items())
        lines.append(f"all of k trials pass (pass^k): {hats}")
    if summary.failures:
        named = ", ".join(f"{name}: {n}" for name, n in summary.failures.items())
        lines.append(
            f"ended early: {named}; none of them counts as passed, and --resume plays "
            f"{summary.infrastructure} of them again"
        )
    if summary.gap.below:
        lines.append(
            f"{summary.gap.below} purchases cost less than the best answer: they lack "
            "something that was asked for"
        )
    return lines


def _groups(title: str, groups: tuple[Group, ...]) -> list[RenderableType]:
    if not groups:
        return []
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for heading in ("trials", "passed", "wrong checkouts"):
        table.add_column(heading, justify="right")
    for group in groups:
        wrong = str(group.wrong_checkouts)
        style = "red" if group.wrong_checkouts else ""
        table.add_row(
            escape(group.name), str(group.passed.of), share(group.passed), wrong, style=style
        )
    return [table]


def share(rate: Rate) -> str:
    """A share and its interval."""
    if rate.share is None:
        return DASH
    return f"{rate.share:.3f} [{rate.low:.3f}, {rate.high:.3f}]".replace("[", r"\[")


def count(rate: Rate) -> str:
    """A number of trials, with the interval of its share."""
    if rate.share is None:
        return DASH
    return rf"{rate.passed} \[{rate.low:.4f}, {rate.high:.4f}]"


def dollars(value: float | None, digits: int = 0) -> str:
    """An amount, or a dash where it is unknown."""
    return DASH if value is None else f"${value:,.{digits}f}"


def number(value: float | None, digits: int = 0) -> str:
    """A number, or a dash where it is unknown."""
    return DASH if value is None else f"{value:,.{digits}f}"
