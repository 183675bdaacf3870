"""The output of a loop: a folder for ``--prompts``, a diff, a page, and a summary."""

from __future__ import annotations

import difflib
import shutil
from pathlib import Path

from core.models.sections import write_out
from core.runs.journal import write_whole
from core.runs.prompts import text_diff
from core.terminal import figures
from workshop.lab.evolve.records import Candidate, Evolved, Generation
from workshop.views.stats.interval import Share

PROPOSED = "proposed"
DIFF = "proposed.diff"
PAGE = "evolve.html"


def write_outcome(evolved: Evolved, folder: Path) -> None:
    """Write all of it, in place of what an earlier life has left. Raises OSError."""
    diff = ""
    shutil.rmtree(folder / PROPOSED, ignore_errors=True)
    (folder / DIFF).unlink(missing_ok=True)
    if proposed := proposal(evolved):
        first = evolved.candidates[0].texts
        changed = {name: text for name, text in proposed.texts.items() if text != first[name]}
        write_out({**evolved.asked.start, **changed}, folder / PROPOSED)
        diff = diff_of(evolved, proposed)
        write_whole(folder / DIFF, diff)
    write_whole(folder / PAGE, page_of(evolved, proposed, diff))


def proposal(evolved: Evolved) -> Candidate | None:
    """The candidate that came through the gate."""
    return next((one for one in evolved.candidates if one.number == evolved.proposed), None)


def diff_of(evolved: Evolved, candidate: Candidate) -> str:
    """The change from what the loop began with."""
    first = evolved.candidates[0].texts
    parts = [text_diff(name, first[name], text, "start") for name, text in candidate.texts.items()]
    return "".join(f"{part}\n" for part in parts if part)


def summary(evolved: Evolved) -> list[str]:
    """Summarise the loop in lines: generations, candidates with intervals, the decision."""
    lines = [
        f"{evolved.trials} trials, {evolved.reflections} reflections, "
        f"{figures.dollars(evolved.cost_usd)}; ended: {evolved.ended or 'not yet'}"
    ]
    for one in evolved.generations:
        lines.append(f"generation {one.number}: {one.section or 'no proposal'}: {one.outcome}")
    for candidate in evolved.candidates:
        harm = f"{candidate.harm} {evolved.harm_name}s"
        lines.append(f"candidate {candidate.number}: passed {share_text(candidate.passed)}, {harm}")
    proposed = proposal(evolved)
    if proposed and proposed.ruling:
        return [*lines, f"proven better: candidate {proposed.number}: {proposed.ruling.reason}"]
    return [*lines, "no improvement is proven"]


def page_of(evolved: Evolved, proposed: Candidate | None, diff: str) -> str:
    """The page; ``diff``: what the proposed candidate changes, "" without one."""
    from workshop.views.report.render import page  # late: help needs none

    return page(
        "evolve.html.jinja", {"tasks": []}, evolved=evolved, proposed=proposed, diff=diff,
        share=share_text, change=_change, sum_of=_sum,
    )  # fmt: skip


def share_text(share: Share) -> str:
    """A share with its interval and its counts."""
    return share.text + (f" ({share.passed}/{share.of})" if share.of else "")


def _sum(scores: tuple[float, ...]) -> str:
    return f"{sum(scores):g}" if scores else figures.DASH


def _change(generation: Generation) -> str:
    lines = generation.was.splitlines(), generation.text.splitlines()
    return "\n".join(list(difflib.unified_diff(*lines, n=1, lineterm=""))[2:])
