"""The page of two runs: verdict, changed results, changed settings; the rest folded.

A record is complete only for a task whose result changed, and only as long as the page stays small;
of the others the page has the result, where they differ first, and the commands that show more.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from markupsafe import Markup

from core.runs.errors import CannotRun
from core.runs.run_view import read_run_view
from core.terminal.task_columns import totals
from workshop.views.comparison import MARGIN, Comparison, compare, no_verdict, read_side
from workshop.views.measured import figures_of
from workshop.views.report.differences import differences
from workshop.views.report.pairs import FILTERS, PAIR_COLUMNS, RowPair, pairs_of
from workshop.views.report.render import packed, page, piece
from workshop.views.report.run_page import filters_of
from workshop.views.report.setup import prompts_of

PAGE_BYTES = 11_000_000
"""Maximum bytes of the page; records that would exceed it are left out."""
PAIR_BYTES = 2_500
"""Bytes per task beside its records: its row and its result."""
WORDS = {0: "B is not worse than A", 1: "B is worse than A", 3: "Not enough data to tell"}
CLASSES = {0: "good", 1: "bad", 3: "open"}


def versus_page(left: Path, right: Path, *, served: bool = False) -> str:
    """Make the page of two run folders; ``served``: it leads to the pages of the runs.

    Raises NotRecorded: one is not a run folder.
    """
    runs = read_run_view(left), read_run_view(right)
    verdict: Comparison | None = None
    why = ""
    try:
        with no_verdict():
            verdict = compare(read_side(left), read_side(right), MARGIN)
    except CannotRun as error:
        why = str(error)
    sides = zip((left, right), runs, strict=True)
    prompts = {text.sha256: text for path, run in sides for text in prompts_of(path, run.manifest)}
    pairs = pairs_of(*runs)
    data = [pair.data for pair in pairs]
    marks = [flag for task in data for flag in task["flags"]]
    filters = filters_of(FILTERS, marks, f"new {runs[1].manifest.harm_name}")
    room = PAGE_BYTES - len(json.dumps(data)) - PAIR_BYTES * len(pairs)
    first = "flipped" if marks.count("flipped") else ""
    return page(
        "versus.html.jinja",
        {"tasks": data, "filter": first},
        pairs=pairs,
        runs=tuple(zip("AB", runs, strict=True)),
        sums=tuple(map(totals, runs)),
        verdict=verdict,
        why=why,
        words=WORDS,
        classes=CLASSES,
        figures=tuple(figures_of(verdict)) if verdict else (),
        found=differences(left, right),
        filters=[f for f in filters if f[2] or f[0] in ("flipped", "worse", "better")],
        first=first,
        columns=PAIR_COLUMNS,
        prompts=tuple(prompts.values()),
        served=served,
        records=list(_records(pairs, room)),
    )


def _records(pairs: list[RowPair], room: int) -> Iterator[Markup]:
    """The records as they lie in the page, those of flipped tasks in full while there is room."""
    for pair in pairs:
        in_full = pair.flipped and room > 0
        html = packed(record_html(pair) if in_full else piece(RECORD, "short", pair))
        room -= len(html) if in_full else 0
        yield html


RECORD = "versus_record.html.jinja"


def record_html(pair: RowPair) -> Markup:
    """Both records of a task, turn beside turn, those before they part folded."""
    both = list(zip_longest(*(one.last if one else () for _, one in pair.sides)))
    at = pair.first_difference.at
    same = len(both) if at is None else at
    return piece(RECORD, "whole", pair, both[:same], both[same:])
