"""Score and cost over time as a picture, a colour for each prompt version."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from core.models.extras import ExtraMissing
from core.text import clean
from workshop.views.stats.groups import UNKNOWN, prompt_name
from workshop.views.stats.records import CannotShow, RunLine

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy import datetime64
    from numpy.typing import NDArray

SUFFIXES = (".svg", ".png")
DOTS_PER_INCH = 150
GREY = "#999999"
PALETTE = "tab10"
MANY_COLOURS = "turbo"
"""Where there are more versions than the palette has colours."""
WRONG_MARK = "x"
LEGEND_LINES = 24
LEGEND_ROWS = 6


def check_matplotlib() -> None:
    """Raises ExtraMissing where matplotlib is missing."""
    if find_spec("matplotlib") is None:
        raise ExtraMissing("--plot needs matplotlib", "lab")


def plot(runs: Sequence[RunLine], path: Path) -> None:
    """Draw score and dollars a task of each run against the time at which it began.

    Runs of an unknown time are left out, as is the cost of those that do not know it.

    Raises:
        ExtraMissing: matplotlib is missing.
        CannotShow: no run has a time and a score.
        OSError: the file cannot be written.
    """
    check_matplotlib()
    shown = [run for run in runs if run.figures.first and run.figures.score_mean is not None]
    if not shown:
        raise CannotShow("--plot: no run has both a time and a score")
    from matplotlib import rc_context

    with rc_context({"date.converter": "concise"}):
        save(_figure(shown), path)


def blank(width: float, height: float) -> Figure:
    """A figure of so many inches, without pyplot: no window system is looked for."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def save(figure: Figure, path: Path) -> None:
    """Write a picture; the same figure gives the same file. Raises OSError."""
    from matplotlib import rc_context

    metadata = {"Date": None} if path.suffix.lower() == ".svg" else {}
    with rc_context({"svg.hashsalt": "runs"}):
        figure.savefig(path, dpi=DOTS_PER_INCH, metadata=metadata)


def _figure(runs: Sequence[RunLine]) -> Figure:
    colours = _colours(runs)
    figure = blank(10.0, 6.5)
    score, cost = figure.subplots(2, 1, sharex=True)
    _scores(score, runs, colours)
    _costs(cost, runs, colours)
    _legend(figure, colours, any(run.figures.harm for run in runs))
    return figure


def _colours(runs: Iterable[RunLine]) -> dict[str, str]:
    """The colour of each prompt version in the order of their first runs."""
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    names = list(dict.fromkeys(prompt_name(run.prompts) for run in runs if run.prompts))
    few = colormaps[PALETTE]
    palette = few if len(names) <= few.N else colormaps[MANY_COLOURS].resampled(len(names))
    found = {name: to_hex(palette(place)) for place, name in enumerate(names)}
    return found | ({UNKNOWN: GREY} if any(not run.prompts for run in runs) else {})


def _by_version(
    runs: Iterable[RunLine], colours: dict[str, str]
) -> Iterable[tuple[str, list[RunLine]]]:
    every = list(runs)
    for name, colour in colours.items():
        mine = [run for run in every if prompt_name(run.prompts) == name]
        if mine:
            yield colour, mine


def _scores(axes: Axes, runs: Sequence[RunLine], colours: dict[str, str]) -> None:
    for colour, mine in _by_version(runs, colours):
        scores = [run.figures.score_mean or 0.0 for run in mine]
        axes.plot(_times(mine), scores, "o", color=colour, markersize=5)
        known = [run for run in mine if run.figures.passed.low is not None]
        low = [run.figures.passed.low or 0.0 for run in known]
        high = [run.figures.passed.high or 0.0 for run in known]
        axes.vlines(_times(known), low, high, color=colour, alpha=0.4)
    wrong = [run for run in runs if run.figures.harm]
    scores = [run.figures.score_mean or 0.0 for run in wrong]
    axes.plot(_times(wrong), scores, WRONG_MARK, color="black", markersize=4)
    axes.set_ylim(-0.03, 1.03)
    axes.set_ylabel("mean score")
    title = f"{len(runs)} runs; lines: 95 % Wilson interval of the share passed"
    axes.set_title(title, loc="left", fontsize="small")
    axes.grid(alpha=0.3)


def _costs(axes: Axes, runs: Sequence[RunLine], colours: dict[str, str]) -> None:
    known = [run for run in runs if run.figures.cost_usd.mean is not None]
    for colour, mine in _by_version(known, colours):
        costs = [run.figures.cost_usd.mean or 0.0 for run in mine]
        axes.plot(_times(mine), costs, "o", color=colour, markersize=5)
    if not known:
        axes.text(0.5, 0.5, "the cost is not known", ha="center", transform=axes.transAxes)
    axes.set_ylim(bottom=0.0)
    axes.set_ylabel("dollars a task")
    axes.set_xlabel("beginning of the run, UTC")
    axes.grid(alpha=0.3)


def _times(runs: Iterable[RunLine]) -> NDArray[datetime64]:
    import numpy as np

    first = [datetime.fromisoformat(run.figures.first) for run in runs if run.figures.first]
    return np.array([time.replace(tzinfo=None) for time in first], dtype="datetime64[s]")


def _legend(figure: Figure, colours: dict[str, str], wrong: bool) -> None:
    from matplotlib.lines import Line2D

    shown = list(colours.items())[-LEGEND_LINES:]
    handles = [Line2D([], [], marker="o", linestyle="", color=colour) for _, colour in shown]
    names = [f"prompt: {clean(name)}" for name, _ in shown]
    if len(colours) > len(shown):
        names[0] += f" (and {len(colours) - len(shown)} earlier)"
    if wrong:
        handles.append(Line2D([], [], marker=WRONG_MARK, linestyle="", color="black"))
        names.append("harm done")
    columns = 1 + (len(names) > LEGEND_ROWS)
    legend = figure.legend(
        handles, names, loc="outside lower center", fontsize="x-small", ncols=columns
    )
    for text in legend.get_texts():
        # A dollar sign in a name would be taken for a formula.
        text.set_parse_math(False)
