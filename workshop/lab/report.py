"""Terminal output of a run of many samples: tables with intervals, beside the trivial players."""

from __future__ import annotations

from rich.console import Group as Stack
from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from core.runs.manifest import Manifest
from core.runs.results import AGENT, RunResults
from core.runs.summary import Summary, summarise
from core.terminal.figures import DASH, number

HASH_CHARS = 10


def summaries_of(results: RunResults) -> tuple[Summary, ...]:
    """What each player has come to, ours first."""
    return summarise([*results.tasks, *results.trivial], by=lambda one: one.player)


def report(results: RunResults, manifest: Manifest) -> RenderableType:
    """The whole report of a finished run."""
    summaries = summaries_of(results)
    parts: list[RenderableType] = [overview(summaries, manifest)]
    by_mechanic = summarise(results.tasks, by=lambda one: one.mechanics)
    failed = sorted(
        (one for one in by_mechanic if one.passed.passed < one.trials),
        key=lambda one: (one.passed.share or 0.0, one.name),
    )
    if failed:
        parts.append(_mechanics(failed, manifest.harm_name))
        if whole := len(by_mechanic) - len(failed):
            parts.append(f"all passed of {whole} more mechanics")
    parts += [escape(line) for one in summaries if one.name == AGENT for line in closing_lines(one)]
    return Stack(*parts)


def overview(summaries: tuple[Summary, ...], manifest: Manifest) -> Table:
    """One column for each player, one line for each measure."""
    models = " / ".join(dict.fromkeys((manifest.brain.evaluator, manifest.brain.worker)))
    packs = ", ".join(f"{pack.name} ({pack.tasks})" for pack in manifest.packs)
    title = f"{manifest.run_id}  {models}\n{packs}, epochs: {manifest.epochs}"
    for told in filter(None, (manifest.note, manifest.caveat)):
        title += f"\n{told}"
    sections = manifest.identity.sections.items()
    if overrides := ", ".join(f"{name} {digest[:HASH_CHARS]}" for name, digest in sections):
        title += f"\nchanged prompt sections: {overrides}"
    if manifest.sandboxes:
        title += f"\nsandbox: {', then '.join(manifest.sandboxes)}"
    table = Table(title=escape(title))
    table.add_column("measure, 95 % interval")
    titles = {AGENT: "the agent", **manifest.players}
    for summary in summaries:
        table.add_column(titles.get(summary.name, summary.name), justify="right")
    columns = [_lines(summary, manifest.harm_name) for summary in summaries]
    for name in dict.fromkeys(name for column in columns for name in column):
        table.add_row(name, *(column.get(name, DASH) for column in columns))
    return table


def _lines(summary: Summary, harm_name: str) -> dict[str, str]:
    means, gap = summary.means, summary.gap
    lines = {
        "results": f"{summary.trials:,}",
        "score": number(summary.score, 3),
        "passed": escape(summary.passed.text),
        **{f"  {name}": escape(passed.text) for name, passed in summary.groups.items()},
        f"{harm_name}s": f"{summary.harm.passed:,}",
        "  share of the results": escape(summary.harm.text),
        **{f"{name} effects": f"{n:,}" for name, n in summary.effects.items() if n},
        "not played, for external reasons": f"{summary.outside:,}",
        "turns per task": number(means["turns"], 2),
        "requests per task": number(means["requests"], 1),
        "tokens per task, in + out": f"{number(means['prompt_tokens'], 0)} + "
        f"{number(means['completion_tokens'], 0)}{_of_known(summary, 'completion_tokens')}",
        "cost, all tasks": dollars(summary.cost_usd, 4) + _of_known(summary, "cost_usd"),
        "seconds per task": number(means["seconds"], 2),
    }
    if gap:
        lines["dollars above the best answer, mean"] = (
            f"{dollars(gap.mean, 2)} of {gap.answers} answers"
        )
        lines["dollars above the best answer, most"] = dollars(gap.most)
    return lines


def _of_known(summary: Summary, measure: str) -> str:
    """The number of results behind a figure, if it is unknown for some."""
    known = summary.known.get(measure, summary.trials)
    return f" (of {known} results)" if 0 < known < summary.trials else ""


def closing_lines(summary: Summary) -> list[str]:
    """pass^k, and every reason for which tasks ended early."""
    lines = []
    if len(summary.pass_hat) > 1:
        hats = ", ".join(f"k={k}: {value:.3f}" for k, value in summary.pass_hat.items())
        lines.append(f"all of k results of a task pass (pass^k): {hats}")
    if summary.failures:
        kinds = ", ".join(f"{name}: {n}" for name, n in sorted(summary.failures.items()))
        lines.append(
            f"ended early: {kinds}; they count as not passed, and --resume plays "
            f"{summary.outside} of them again"
        )
    if summary.gap and summary.gap.below:
        lines.append(
            f"{summary.gap.below} answers cost less than the best one: they lack "
            "something that was asked for"
        )
    return lines


def _mechanics(summaries: list[Summary], harm_name: str) -> Table:
    table = Table(title="by mechanic", title_justify="left")
    table.add_column("")
    for heading in ("results", "passed", f"{harm_name}s"):
        table.add_column(heading, justify="right")
    for one in summaries:
        harm = one.harm.passed
        cells = str(one.trials), escape(one.passed.text), str(harm)
        table.add_row(escape(one.name), *cells, style="red" if harm else "")
    return table


def dollars(value: float | None, digits: int = 0) -> str:
    """An amount, or a dash if unknown."""
    return DASH if value is None else f"${value:,.{digits}f}"
