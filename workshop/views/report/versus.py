"""The page of two runs: verdict, changed results, changed settings; the rest folded.

Records are complete only for tasks whose result changed, and only as long as the page
stays small; the others are summarised.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from markupsafe import Markup

from core.runs.errors import CannotRun
from core.runs.run_view import RunView, read_run_view
from core.terminal.task_columns import totals
from workshop.views.comparison import MARGIN, Comparison, compare, read_side
from workshop.views.measured import figures_of
from workshop.views.no_verdict import no_verdict
from workshop.views.report.differences import Differences, differences
from workshop.views.report.pairs import FILTERS, PAIR_COLUMNS, RowPair, pairs_of, steps_of
from workshop.views.report.render import packed, page, piece
from workshop.views.report.run_page import filters_of
from workshop.views.report.setup import Text, setup_of

PAGE_BYTES = 11_000_000
"""Maximum bytes of the page; records that would exceed it are summarised."""
PAIR_BYTES = 2_500
"""Bytes per task beside its records: its row and its summary."""
WORDS = {0: "B is not worse than A", 1: "B is worse than A", 3: "Not enough data to tell"}
CLASSES = {0: "good", 1: "bad", 3: "open"}


def versus_page(left: Path, right: Path, *, swapped: str = "") -> str:
    """Make the page of two run folders; ``swapped``: address of the reverse comparison, if
    served. Raises NotRecorded: one is not a run folder."""
    runs = read_run_view(left), read_run_view(right)
    try:
        with no_verdict():
            verdict: Comparison | str = compare(read_side(left), read_side(right), MARGIN)
    except CannotRun as error:
        verdict = str(error)
    prompts = {text.sha256: text for side in (left, right) for text in setup_of(side).prompts}
    changed = differences(left, right)
    return page_of(runs, verdict, changed, swapped=swapped, prompts=tuple(prompts.values()))


def page_of(
    runs: tuple[RunView, RunView],
    verdict: Comparison | str,
    changed: Differences,
    *,
    swapped: str = "",
    prompts: tuple[Text, ...] = (),
) -> str:
    """Render the page; ``verdict``: or why there is none; ``prompts``: of both, each once."""
    left, right = runs
    pairs = pairs_of(left, right)
    data = [pair.data for pair in pairs]
    marks = [flag for task in data for flag in task["flags"]]
    filters = filters_of(FILTERS, marks, f"new {right.manifest.harm_name}")
    room = PAGE_BYTES - len(json.dumps(data)) - PAIR_BYTES * len(pairs)
    turnless = not isinstance(verdict, str) and verdict.found
    first = "flipped" if marks.count("flipped") else ""
    return page(
        "versus.html.jinja",
        {"tasks": data, "filter": first},
        pairs=pairs,
        runs=(("A", left), ("B", right)),
        sums=(totals(left), totals(right)),
        verdict=None if isinstance(verdict, str) else verdict,
        why=verdict if isinstance(verdict, str) else "",
        words=WORDS,
        classes=CLASSES,
        figures=() if isinstance(verdict, str) else tuple(figures_of(verdict)),
        found=changed,
        filters=[f for f in filters if f[2] or f[0] in ("flipped", "worse", "better")],
        first=first,
        columns=[c for c in PAIR_COLUMNS if not turnless or c.name not in ("parts", "turns")],
        prompts=prompts,
        served=bool(swapped),
        swapped=swapped,
        records=list(_records(pairs, room)),
    )


def _records(pairs: list[RowPair], room: int) -> Iterator[Markup]:
    """The records as they lie in the page, those of flipped tasks in full while there is room."""
    for pair in pairs:
        in_full = pair.flipped and room > 0
        html = packed(record_html(pair) if in_full else outline_html(pair))
        room -= len(html) if in_full else 0
        yield html


def record_html(pair: RowPair) -> Markup:
    """Both records of a task, turn beside turn, those before they part folded."""
    both = list(zip_longest(*(row.record.last if row else () for _, row in pair.sides)))
    at = pair.first_difference.at
    same = len(both) if at is None else at
    return piece("versus_record.html.jinja", "whole", pair, both[:same], both[same:])


def outline_html(pair: RowPair) -> Markup:
    """A task in both runs, its turns in short."""
    both = list(zip_longest(*(steps_of(row.record) if row else () for _, row in pair.sides)))
    return piece("versus_record.html.jinja", "outline", pair, both)
