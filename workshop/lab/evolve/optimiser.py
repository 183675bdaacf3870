"""What the optimiser calls: it has candidates played and described, and its steps recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from core.models.file_checks import shown
from core.models.sections import MOST_CHARS, SectionError, Texts, checked
from workshop.lab.evolve.records import Candidate, Generation
from workshop.lab.evolve.reflection import why_of
from workshop.lab.evolve.rollouts import Rollouts, fitness
from workshop.lab.lab_run import Trial
from workshop.lab.leaks import Mask, Secrets
from workshop.views.stats.interval import share_of

if TYPE_CHECKING:
    from gepa.core.adapter import EvaluationBatch

REFUSED = -2.0
"""Fitness of a candidate that is not played: below that of any other."""
LEAKS_SHOWN = 3
Texting = dict[str, str]
Event = Mapping[str, Any]
REFUSED_CHARS = 2_000
"""That are kept of a proposal which is too long for any prompt."""


@dataclass
class LabAdapter:
    """GEPA's ``GEPAAdapter``: trials for a candidate, records for reflection."""

    rollouts: Rollouts
    shipped: Texts
    start: Texts
    """Sections over the shipped ones that are not changed."""
    secrets: Secrets
    propose_new_texts: None = None
    """GEPA's own way of asking the reflecting model is used."""

    def texts(self, candidate: Texting) -> dict[str, str]:
        """The sections over the shipped ones with which a candidate is played."""
        every = {**self.start, **candidate}
        return {name: text for name, text in every.items() if text != self.shipped[name]}

    def objection(self, candidate: Texting) -> str | None:
        """Why a candidate may not even be played; None: it may."""
        changed = {
            name: text
            for name, text in candidate.items()
            if text not in (self.shipped[name], self.start.get(name))
        }
        objections = (self._objection(name, text) for name, text in changed.items())
        return next(filter(None, objections), None)

    def _objection(self, name: str, text: str) -> str:
        try:
            checked(name, text, self.shipped)
        except SectionError as error:
            return str(error)
        leaks = list(
            dict.fromkeys(f"{one.kind} {shown(one.what)}" for one in self.secrets.leaks(text))
        )
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


@dataclass
class Chronicle:
    """A ``GEPACallback``: hears of every step and keeps it as records."""

    gepa_adapter: LabAdapter
    spent: Callable[[], float | None]
    changed: Callable[[], None] = lambda: None
    """Called behind every step that is worth being shown."""
    generations: list[Generation] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)
    barren: int = 0
    """Times in a row in which there was nothing to learn."""
    _now: dict[str, Any] = field(default_factory=dict)

    def on_candidate_selected(self, event: Event) -> None:
        """A generation begins with a parent."""
        self._now = {
            "number": len(self.generations) + 1,
            "parent": event["candidate_idx"],
            "texts": dict(event["candidate"]),
        }

    def on_evaluation_skipped(self, event: Event) -> None:
        """All its tasks pass: there is nothing to learn, and this is no generation."""
        if event["reason"] == "all_scores_perfect":
            self.barren += 1
            self._now = {}

    def on_proposal_end(self, event: Event) -> None:
        """The reflecting model has answered; one section is changed at a time."""
        self.barren = 0
        ((name, text),) = event["new_instructions"].items()
        self._now |= {
            "section": name,
            "text": text,
            "was": self._now["texts"][name],
            "why": why_of(str(event["raw_lm_outputs"].get(name, ""))),
        }

    def on_evaluation_end(self, event: Event) -> None:
        """The parent, then its child, on the same few tasks."""
        key = "before" if event["candidate_idx"] is not None else "after"
        self._now[key] = tuple(event["scores"])

    def on_candidate_rejected(self, event: Event) -> None:
        """It was refused, or did no better on these tasks than its parent."""
        child = {**self._now["texts"], self._now["section"]: self._now["text"]}
        objection = self.gepa_adapter.objection(child)
        if objection:
            self._now["after"] = ()
        why = f"refused: {objection}" if objection else "not better than its parent on these tasks"
        self._now["outcome"] = why

    def on_valset_evaluated(self, event: Event) -> None:
        """A candidate is kept: it was played on all training tasks."""
        texts = dict(event["candidate"])
        trials = self.gepa_adapter.rollouts.remembered(self.gepa_adapter.texts(texts))
        number, passed = event["candidate_idx"], sum(trial.passed for trial in trials)
        self.candidates.append(
            Candidate(
                number=number,
                generation=self._now.get("number", 0),
                parents=tuple(event["parent_ids"]),
                texts=texts,
                fitness=round(sum(map(fitness, trials)) / len(trials), 6),
                passed=share_of(passed, len(trials)),
                harm=sum(trial.harm is True for trial in trials),
            )
        )
        if self._now:
            self._now |= {"outcome": f"kept as candidate {number}", "candidate": number}
        self.changed()

    def on_iteration_end(self, event: Event) -> None:
        """The generation is over."""
        if not self._now:
            return
        fields = {key: value for key, value in self._now.items() if key != "texts"}
        fields |= {"text": _cut(fields["text"])} if "text" in fields else {}
        self.generations.append(Generation.model_validate(fields | {"dollars": self.spent()}))
        self._now = {}
        self.changed()


def _cut(text: str) -> str:
    """A proposal as it is kept: of one that is too long to be played, only the beginning."""
    if len(text) <= MOST_CHARS:
        return text
    return f"{text[:REFUSED_CHARS]}\n[… of {len(text):,} characters]"
