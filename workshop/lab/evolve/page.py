"""The page of a loop: generations, candidates, scores with intervals, rulings, cost."""

from __future__ import annotations

import difflib

from jinja2 import Environment, PackageLoader, StrictUndefined

from core.terminal import figures
from core.text import clean
from workshop.lab.evolve.records import Candidate, Evolved, Generation
from workshop.views.stats.interval import Share

PAGE = "evolve.html"


def page_of(evolved: Evolved, proposed: Candidate | None, diff: str) -> str:
    """The page; ``diff``: what the proposed candidate changes, "" without one."""
    environment = Environment(
        loader=PackageLoader("workshop.lab.evolve", "."),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: clean(value) if isinstance(value, str) else value,
    )
    environment.filters |= {
        "share": share_text, "dollars": figures.dollars, "change": _change, "sum": _sum,
    }  # fmt: skip
    template = environment.get_template("page.html.jinja")
    return template.render(evolved=evolved, proposed=proposed, diff=diff)


def share_text(share: Share) -> str:
    """A share with its interval and its counts."""
    if share.share is None:
        return figures.DASH
    return f"{share.share:.3f} [{share.low:.3f}, {share.high:.3f}] ({share.passed}/{share.of})"


def _sum(scores: tuple[float, ...]) -> str:
    return f"{sum(scores):g}" if scores else figures.DASH


def _change(generation: Generation) -> str:
    lines = generation.was.splitlines(), generation.text.splitlines()
    return "\n".join(list(difflib.unified_diff(*lines, n=1, lineterm=""))[2:])
