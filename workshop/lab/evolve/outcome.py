"""What a loop leaves for its user: a folder for ``--prompts``, a diff, and a page."""

from __future__ import annotations

import difflib
import shutil
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from core.models.sections import write_out
from core.runs.journal import write_whole
from core.runs.prompts import text_diff
from core.terminal import figures
from core.text import clean
from workshop.lab.evolve.records import Candidate, Evolved, Generation
from workshop.views.stats.interval import Share

PROPOSED = "proposed"
DIFF = "proposed.diff"
PAGE = "evolve.html"


def write_outcome(told: Evolved, folder: Path) -> None:
    """Write all of it, over what an earlier life has left. Raises OSError."""
    shutil.rmtree(folder / PROPOSED, ignore_errors=True)
    (folder / DIFF).unlink(missing_ok=True)
    found = proposal(told)
    if found:
        first = told.candidates[0].texts
        changed = {name: text for name, text in found.texts.items() if text != first[name]}
        write_out({**told.asked.start, **changed}, folder / PROPOSED)
        write_whole(folder / DIFF, diff_of(told, found))
    write_whole(folder / PAGE, page_of(told))


def proposal(told: Evolved) -> Candidate | None:
    """The candidate that came through the gate."""
    return next((one for one in told.candidates if one.number == told.proposed), None)


def diff_of(told: Evolved, candidate: Candidate) -> str:
    """From what the loop began with."""
    first = told.candidates[0].texts
    parts = [text_diff(name, first[name], text, "start") for name, text in candidate.texts.items()]
    return "".join(f"{part}\n" for part in parts if part)


def page_of(told: Evolved) -> str:
    """The page: generations, candidates, scores with intervals, rulings, cost."""
    found = proposal(told)
    return (
        _house()
        .get_template("page.html.jinja")
        .render(told=told, proposed=found, diff=diff_of(told, found) if found else "")
    )


@cache
def _house() -> Environment:
    made = Environment(
        loader=PackageLoader("workshop.lab.evolve", "."),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: clean(value) if isinstance(value, str) else value,
    )
    made.filters |= {"share": _share, "dollars": figures.dollars, "change": _change}
    made.filters["sum"] = _sum
    return made


def _share(found: Share) -> str:
    if found.share is None:
        return figures.DASH
    return f"{found.share:.3f} [{found.low:.3f}, {found.high:.3f}] ({found.passed}/{found.of})"


def _sum(scores: Any) -> str:
    return f"{sum(scores):g}" if scores else figures.DASH


def _change(generation: Generation) -> str:
    lines = generation.was.splitlines(), generation.text.splitlines()
    return "\n".join(list(difflib.unified_diff(*lines, n=1, lineterm=""))[2:])
