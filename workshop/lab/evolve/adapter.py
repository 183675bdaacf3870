"""The optimiser's adapter to the lab: plays candidates and describes their tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from core.models.file_checks import shown
from core.models.sections import SectionError, Texts, checked
from workshop.lab.evolve.rollouts import Rollouts, fitness
from workshop.lab.lab_run import Trial
from workshop.lab.leaks import Mask, Secrets

if TYPE_CHECKING:
    from gepa.core.adapter import EvaluationBatch

REFUSED = -2.0
"""Fitness of a candidate that is not played: below that of any other."""
LEAKS_SHOWN = 3
Texting = dict[str, str]


@dataclass
class LabAdapter:
    """GEPA's ``GEPAAdapter``: trials for a candidate, records for reflection."""

    rollouts: Rollouts
    shipped: Texts
    start: Texts
    """Sections over the shipped ones that are not changed."""
    secrets: Secrets
    refused: dict[str, str] = field(default_factory=dict)
    """Why a section text may not be played, by text."""
    propose_new_texts: None = None
    """GEPA's own way of asking the reflecting model is used."""

    def texts(self, candidate: Texting) -> dict[str, str]:
        """The sections over the shipped ones with which a candidate is played."""
        every = {**self.start, **candidate}
        return {name: text for name, text in every.items() if text != self.shipped[name]}

    def objection(self, candidate: Texting) -> str | None:
        """Why a candidate may not even be played; None: it may."""
        for name, text in candidate.items():
            if text in (self.shipped[name], self.start.get(name)):
                continue
            if text not in self.refused:
                self.refused[text] = self._objection(name, text)
            if self.refused[text]:
                return self.refused[text]
        return None

    def _objection(self, name: str, text: str) -> str:
        try:
            checked(name, text, self.shipped)
        except SectionError as error:
            return str(error)
        found = self.secrets.leaks(text)
        leaks = list(dict.fromkeys(f"{one.kind} {shown(one.what)}" for one in found))
        listed = ", ".join(leaks[:LEAKS_SHOWN])
        return f"it holds data of training tasks: {listed}" if leaks else ""

    def evaluate(
        self, batch: list[str], candidate: Texting, capture_traces: bool = False
    ) -> EvaluationBatch[Trial, Trial | None]:
        """A trial of each task, by spec. Raises Ended, CannotRun."""
        from gepa.core.adapter import EvaluationBatch

        if self.objection(candidate):
            nothing: list[Trial | None] = [None] * len(batch)
            return EvaluationBatch(nothing, [REFUSED] * len(batch), [], num_metric_calls=0)
        trials = self.rollouts.play(self.texts(candidate), batch)
        scores = [fitness(trial) for trial in trials]
        return EvaluationBatch(list(trials), scores, trials if capture_traces else None)

    def make_reflective_dataset(
        self,
        candidate: Texting,
        eval_batch: EvaluationBatch[Trial, Trial | None],
        components_to_update: list[str],
    ) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """Build the input of the reflecting model: masked records of failed tasks."""
        rendered = [self._told(trial) for trial in eval_batch.trajectories or ()]
        return {name: rendered for name in components_to_update}

    def _told(self, trial: Trial) -> dict[str, str]:
        if trial.passed:
            return {"Result": "passed"}
        result = "harmful: an irreversible action was wrong" if trial.harm else "failed"
        return {"Result": result, "Story": Mask(self.secrets)(trial.story)}
