"""Pictures of lab runs, SVG or PNG by the file's name."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

from core.models.extras import ExtraMissing
from core.runs.errors import CannotRun
from workshop.lab.lab_run import AGENT, LabRun, Slice
from workshop.views.stats.interval import Share

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (".svg", ".png")
DOTS_PER_INCH = 150
BAR_INCHES = 0.32
STYLES = ("--", ":", "-.")


def check_plot(path: Path) -> None:
    """Find out before the run that a picture can be made.

    Raises CannotRun: its name ends otherwise, its folder is not there, or matplotlib is missing.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise CannotRun(f"--plot {path}: the name must end in {' or '.join(SUFFIXES)}")
    if not path.parent.is_dir():
        raise CannotRun(f"--plot {path}: there is no folder {path.parent}")
    if find_spec("matplotlib") is None:
        raise CannotRun(str(ExtraMissing("--plot needs matplotlib", "lab")))


def plot_mechanics(run: LabRun, path: Path) -> None:
    """The share of passed trials with its interval: all, each group, each mechanic.

    Where a pack names no mechanics the playbooks stand in their place. The trivial baselines
    are dashed lines.
    """
    agent = run.of(AGENT)
    if agent is None:
        raise CannotRun("--plot: the brain did not play in this run")
    kinds = {"all": agent.passed, **agent.groups}
    rows = [Slice(name=name, passed=share, harm=0) for name, share in kinds.items()]
    rows += agent.by_mechanic or agent.by_playbook
    figure = _blank_figure(8.0, 1.6 + BAR_INCHES * len(rows))
    axes = figure.subplots()
    shares = [group.passed.share or 0.0 for group in rows]
    below = [s - (g.passed.low or 0.0) for s, g in zip(shares, rows, strict=True)]
    above = [(g.passed.high or 0.0) - s for s, g in zip(shares, rows, strict=True)]
    places = list(range(len(rows)))
    axes.errorbar(shares, places, xerr=[below, above], fmt="o", capsize=3, color="#1f4e79")
    axes.set_yticks(places, [f"{g.name} ({g.passed.of})" for g in rows])
    axes.invert_yaxis()
    floors = [summary for summary in run.summaries if summary.player != AGENT]
    for summary, style in zip(floors, cycle(STYLES)):
        name, share = run.players[summary.player], summary.passed.share or 0.0
        axes.axvline(share, linestyle=style, color="#888888", label=name)
    axes.set_xlim(-0.02, 1.02)
    axes.set_xlabel("passed, 95 % Wilson interval")
    axes.set_title(f"{run.settings.evaluator} / {run.settings.worker}")
    axes.grid(axis="x", alpha=0.3)
    if len(run.summaries) > 1:
        axes.legend(loc="lower left", fontsize="small")
    _save(figure, path)


def plot_costs(points: Sequence[tuple[str, float | None, Share]], path: Path) -> None:
    """Score against cost of several runs: (name, dollars a task, passed).

    Raises CannotRun: the cost of a run is not known.
    """
    unknown = [name for name, dollars, _ in points if dollars is None]
    if unknown:
        raise CannotRun(f"--plot: the cost is not known of {', '.join(unknown)}")
    figure = _blank_figure(7.0, 4.5)
    axes = figure.subplots()
    for name, dollars, passed in points:
        share, low, high = passed.share or 0.0, passed.low or 0.0, passed.high or 0.0
        spread = [[share - low], [high - share]]
        axes.errorbar([dollars or 0.0], [share], yerr=spread, fmt="o", capsize=3, label=name)
    axes.set_xlabel("dollars a task")
    axes.set_ylabel("passed, 95 % interval")
    axes.set_ylim(-0.02, 1.02)
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    _save(figure, path)


def _blank_figure(width: float, height: float) -> Figure:
    """A figure of so many inches, without pyplot: no window system is looked for."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _save(figure: Figure, path: Path) -> None:
    """Write a picture; the same figure gives the same file. Raises OSError."""
    from matplotlib import rc_context

    metadata = {"Date": None} if path.suffix.lower() == ".svg" else {}
    with rc_context({"svg.hashsalt": "runs"}):
        figure.savefig(path, dpi=DOTS_PER_INCH, metadata=metadata)
