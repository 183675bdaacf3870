"""Terminal output of a lab run: tables with intervals, beside the trivial baselines."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Group as Stack
from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from core.models.providers import note_on
from core.runs.journal import text_hash
from core.terminal.figures import DASH, number
from workshop.lab.lab_run import AGENT, LabRun, Slice, Summary, Trial

FAILED_SHOWN = 20
WHY_CHARS = 160


def report(run: LabRun) -> RenderableType:
    """The whole report of a finished run."""
    parts: list[RenderableType] = [overview(run)]
    for summary in run.summaries:
        if summary.player == AGENT:
            parts += _slices("by mechanic", summary.by_mechanic, run.harm_name)
            parts += _slices("by playbook", summary.by_playbook, run.harm_name)
            parts += [escape(line) for line in summary_lines(summary)]
    return Stack(*parts)


def failed_lines(trials: Iterable[Trial], harm_name: str) -> list[str]:
    """The first trials that did not pass, harm before all others, with their reasons."""
    harm: list[str] = []
    others: list[str] = []
    count = 0
    for trial in trials:
        if trial.passed:
            continue
        count += 1
        words = " ".join((trial.error or trial.cause or trial.why).split())[:WHY_CHARS]
        what: str = trial.failure or trial.ended
        if trial.harm:
            what = harm_name.upper()
            if trial.paid is not None:
                what += f" of {dollars(trial.paid)}, best {dollars(trial.best)}"
        lines = harm if trial.harm else others
        if len(lines) < FAILED_SHOWN:
            lines.append(f"{trial.spec_id}: {what}: {words}")
    left = count - len(harm) - len(others)
    return [*harm, *others, *([f"… {left} more in trials.jsonl"] if left else [])]


def overview(run: LabRun) -> Table:
    """One column for each player, one line for each measure."""
    settings = run.settings
    models = " / ".join(dict.fromkeys((settings.evaluator, settings.worker)))
    packs = ", ".join(f"{pack.name} ({pack.tasks})" for pack in run.packs)
    title = f"{run.run_id}  {models}\n{packs}, epochs: {settings.epochs}"
    if note := note_on((settings.evaluator, settings.worker)):
        title += f"\n{note}"
    if overrides := ", ".join(f"{n} {text_hash(t)[:10]}" for n, t in settings.prompts.items()):
        title += f"\nchanged prompt sections: {overrides}"
    if run.sandboxes:
        title += f"\nsandbox: {', then '.join(run.sandboxes)}"
    table = Table(title=escape(title))
    table.add_column("measure, 95 % interval")
    for summary in run.summaries:
        table.add_column(run.players[summary.player], justify="right")
    columns = [_lines(summary, run.harm_name) for summary in run.summaries]
    for name in dict.fromkeys(name for column in columns for name in column):
        table.add_row(name, *(column.get(name, DASH) for column in columns))
    return table


def _lines(summary: Summary, harm_name: str) -> dict[str, str]:
    means, gap = summary.means, summary.gap
    lines = {
        "trials": f"{summary.trials:,}",
        "score": number(summary.score, 3),
        "passed": escape(summary.passed.text),
        **{f"  {name}": escape(passed.text) for name, passed in summary.groups.items()},
        f"{harm_name}s": f"{summary.harm.passed:,}",
        "  share of the trials": escape(summary.harm.text),
        "not played, for external reasons": f"{summary.infrastructure:,}",
        "turns per trial": number(means["turns"], 2),
        "requests per trial": number(means["requests"], 1),
        "tokens per trial, in + out": f"{number(means['prompt_tokens'], 0)} + "
        f"{number(means['completion_tokens'], 0)}{_of_known(summary, 'completion_tokens')}",
        "cost, all trials": dollars(summary.cost_usd, 4) + _of_known(summary, "cost_usd"),
        "seconds per trial": number(means["seconds"], 2),
    }
    if gap:
        lines["dollars above the best answer, mean"] = (
            f"{dollars(gap.mean, 2)} of {gap.answers} answers"
        )
        lines["dollars above the best answer, most"] = dollars(gap.most)
    return lines


def _of_known(summary: Summary, measure: str) -> str:
    """The number of trials behind a figure, if it is unknown for some."""
    known = summary.known.get(measure, summary.trials)
    return f" (of {known} trials)" if 0 < known < summary.trials else ""


def summary_lines(summary: Summary) -> list[str]:
    """pass^k, and every reason for which trials ended early."""
    lines = []
    if len(summary.pass_hat) > 1:
        hats = ", ".join(f"k={k}: {value:.3f}" for k, value in summary.pass_hat.items())
        lines.append(f"all of k trials pass (pass^k): {hats}")
    if summary.failures:
        named = ", ".join(f"{name}: {n}" for name, n in summary.failures.items())
        lines.append(
            f"ended early: {named}; they count as failed, and --resume plays "
            f"{summary.infrastructure} of them again"
        )
    if summary.gap and summary.gap.below:
        lines.append(
            f"{summary.gap.below} answers cost less than the best one: they lack "
            "something that was asked for"
        )
    return lines


def _slices(title: str, slices: tuple[Slice, ...], harm_name: str) -> list[RenderableType]:
    if not slices:
        return []
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for heading in ("trials", "passed", f"{harm_name}s"):
        table.add_column(heading, justify="right")
    for one in slices:
        cells = str(one.passed.of), escape(one.passed.text), str(one.harm)
        table.add_row(escape(one.name), *cells, style="red" if one.harm else "")
    return [table]


def dollars(value: float | None, digits: int = 0) -> str:
    """An amount, or a dash if unknown."""
    return DASH if value is None else f"${value:,.{digits}f}"
