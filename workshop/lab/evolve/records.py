"""The request and the results of a loop: ``evolve.json``, the proposal, the page, a summary."""

from __future__ import annotations

import difflib
import shutil
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from coordinator.config import StrategyName
from core.files import read_bytes
from core.models.file_checks import first_problem
from core.models.sections import write_out
from core.runs.errors import CannotRun
from core.runs.journal import write_whole
from core.runs.prompts import text_diff
from core.terminal import figures
from workshop.lab.gate import Ruling, Terms
from workshop.lab.lab_run import Settings
from workshop.views.stats.interval import Record, Share

NAME = "evolve.json"
PROPOSED = "proposed"
DIFF = "proposed.diff"
PAGE = "evolve.html"


class Asked(Record):
    """The settings that determine a loop."""

    benchmark: str
    train: str
    unseen: str
    """The pack of the gate, as the command line says it."""
    evaluator: str
    worker: str
    strategy: StrategyName
    max_turns: int
    guards: str = "all"
    steps: str = "default"
    reflection: str
    sections: tuple[str, ...]
    start: dict[str, str] = Field(default_factory=dict)
    """Sections over the shipped ones with which the loop begins."""
    budget_dollars: float | None = None
    budget_tasks: int
    """Trials, those of the gate among them."""
    generations: int
    batch: int
    terms: Terms
    seed: int

    def settings(self, pack: str, prompts: dict[str, str], *, stories: bool) -> Settings:
        """Settings of a lab run of this loop."""
        same = self.model_dump(include=set(Settings.model_fields))
        played = {"packs": (pack,), "prompts": prompts, "stories": stories}
        return Settings.model_validate(same | played | {"floors": False, "tapes": True})


class Candidate(Record):
    """Texts that the optimiser kept, with what they scored on all training tasks."""

    number: int
    """0 is what the loop began with."""
    generation: int
    parents: tuple[int, ...]
    texts: dict[str, str]
    fitness: float
    """Mean over the training tasks: 1 passed, 0 not, -1 harm."""
    passed: Share
    harm: int
    ruling: Ruling | None = None


class Generation(Record):
    """One proposal and what became of it."""

    number: int
    parent: int
    section: str = ""
    why: str = ""
    """The purpose of the change, in the reflecting model's words."""
    text: str = ""
    was: str = ""
    before: tuple[float, ...] = ()
    after: tuple[float, ...] = ()
    """Fitness of the tasks that it was tried on."""
    outcome: str = "the loop ended before it was tried"
    candidate: int | None = None
    dollars: float | None = None
    """Spent so far, trials and reflections."""


class Evolved(Record):
    """The whole of ``evolve.json``."""

    format: Literal["lab-evolve/1"] = "lab-evolve/1"
    run_id: str
    asked: Asked
    harm_name: str
    ended: str | None = None
    generations: tuple[Generation, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    proposed: int | None = None
    """The candidate that came through the gate."""
    trials: int = 0
    reflections: int = 0
    cost_usd: float | None = None
    """Dollars of all trials and reflections; None is unknown."""

    @property
    def proposal(self) -> Candidate | None:
        """The candidate that came through the gate."""
        return next((one for one in self.candidates if one.number == self.proposed), None)

    def write(self, folder: Path) -> None:
        """Write it whole. Raises OSError."""
        write_whole(folder / NAME, self.model_dump_json(indent=1))


def read_evolved(folder: Path) -> Evolved:
    """Read the records of a folder. Raises CannotRun."""
    path = folder / NAME
    try:
        return Evolved.model_validate_json(read_bytes(path))
    except OSError as error:
        text = f"{folder} is not a folder of a loop: {NAME} cannot be read: {error.strerror}"
        raise CannotRun(text) from None
    except ValidationError as error:
        raise CannotRun(f"{path}: {first_problem(error)}") from None


def write_outcome(evolved: Evolved, folder: Path) -> None:
    """Write all of it, in place of what an earlier life has left. Raises OSError."""
    from workshop.views.report.render import page  # late: help needs none

    diff = ""
    shutil.rmtree(folder / PROPOSED, ignore_errors=True)
    (folder / DIFF).unlink(missing_ok=True)
    if proposed := evolved.proposal:
        first = evolved.candidates[0].texts
        changed = {name: text for name, text in proposed.texts.items() if text != first[name]}
        write_out({**evolved.asked.start, **changed}, folder / PROPOSED)
        parts = [text_diff(name, first[name], text, "start") for name, text in changed.items()]
        diff = "".join(f"{part}\n" for part in parts if part)
        write_whole(folder / DIFF, diff)
    text = page(
        "evolve.html.jinja",
        {"tasks": []},
        evolved=evolved,
        proposed=evolved.proposal,
        diff=diff,
        share=share_text,
        change=_change,
    )
    write_whole(folder / PAGE, text)


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
    proposed = evolved.proposal
    if proposed and proposed.ruling:
        return [*lines, f"proven better: candidate {proposed.number}: {proposed.ruling.reason}"]
    return [*lines, "no improvement is proven"]


def share_text(share: Share) -> str:
    """A share with its interval and its counts."""
    return share.text + (f" ({share.passed}/{share.of})" if share.of else "")


def _change(generation: Generation) -> str:
    lines = generation.was.splitlines(), generation.text.splitlines()
    return "\n".join(list(difflib.unified_diff(*lines, n=1, lineterm=""))[2:])
