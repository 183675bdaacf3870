"""The loop: an optimiser plays candidates in the lab; the acceptance test picks the proposal.

After a resume it starts from the beginning. What was played or asked before is answered from its
folder, so that it reaches the same point without spending anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from core.models.sections import Texts
from core.terminal import figures
from workshop.lab.benchmark_adapter import BenchmarkAdapter, Raw
from workshop.lab.comparison import Side, read_side
from workshop.lab.evolve.optimiser import (
    Chronicle,
    Ended,
    EngineOf,
    LabAdapter,
    Reflection,
    Rollouts,
    played,
    template,
)
from workshop.lab.evolve.records import Asked, Candidate, Evolved
from workshop.lab.gate import judge
from workshop.lab.lab_run import Trial
from workshop.lab.leaks import Secrets

BARREN = 2
"""So often all training tasks may pass in a row."""


@dataclass
class Loop:
    """One loop in its folder."""

    folder: Path
    asked: Asked
    adapter: BenchmarkAdapter
    train: Sequence[Raw]
    unseen: Sequence[Raw]
    engine_of: EngineOf
    reflection: Reflection
    write_line: Callable[[str], None] = lambda _line: None
    _looked: list[Trial] = field(default_factory=list)

    def __post_init__(self) -> None:
        shipped = self.adapter.benchmark.prompts.shipped()
        may_say = [*shipped.values(), *self.asked.start.values()]
        secrets = Secrets(map(self.adapter.facts, self.train), may_say)
        rollouts = Rollouts(
            self.folder / "rollouts",
            self.adapter,
            self.train,
            lambda texts: self.asked.settings(self.asked.train, texts, stories=True),
            self.engine_of,
            self._may_play,
        )
        self.gepa_adapter = LabAdapter(rollouts, shipped, self.asked.start, secrets)
        self.chronicle = Chronicle(self.gepa_adapter, self._dollars, self._tell)
        self._told = Evolved(
            run_id=self.folder.name,
            asked=self.asked,
            harm_name=self.adapter.benchmark.results.harm_name,
        )

    @property
    def _gate_trials(self) -> int:
        return len(self.unseen) * (1 + self.asked.terms.looks)

    def run(self) -> Evolved:
        """Play it to its end. Raises CannotRun: it can be gone on with."""
        ended = self._optimise()
        self.write_line(f"the loop has ended: {ended}")
        proposed = self._gate() if self.chronicle.candidates else None
        self._told = self._told.model_copy(update={"ended": ended, "proposed": proposed})
        self._write()
        return self._told

    def _optimise(self) -> str:
        """Have GEPA propose and keep candidates; why it ended."""
        # Late: it takes a second to load.
        from gepa.api import optimize

        texts = {**self.gepa_adapter.shipped, **self.asked.start}
        sections = {name: texts[name] for name in self.asked.sections}
        templates = {name: template(name, text) for name, text in sections.items()}
        try:
            optimize(
                seed_candidate=sections,
                trainset=[raw["spec_id"] for raw in self.train],
                adapter=cast(Any, self.gepa_adapter),
                reflection_lm=self.reflection,
                reflection_prompt_template=templates,
                reflection_minibatch_size=min(self.asked.batch, len(self.train)),
                stop_callbacks=lambda _state: self._over() is not None,
                callbacks=[cast(Any, self.chronicle)],
                logger=cast(Any, SimpleNamespace(log=lambda _message: None)),
                track_best_outputs=False,
                seed=self.asked.seed,
            )
        except Ended as end:
            return str(end)
        finally:
            if self.reflection.failed:
                raise self.reflection.failed
        return self._over() or ""

    def _over(self) -> str | None:
        """Why there will be no further generation."""
        done = len(self.chronicle.generations)
        if done >= self.asked.generations:
            return figures.counted(done, "generation")
        if self.chronicle.barren > BARREN * -(-len(self.train) // self.asked.batch):
            return "nothing left to learn: its tasks pass"
        return None

    def _may_play(self, trials: int) -> None:
        done = len(self.gepa_adapter.rollouts.trials)
        if done + trials + self._gate_trials > self.asked.budget_tasks:
            raise Ended("the budget of tasks is used up, except for the acceptance test")
        if not self._affords(trials + self._gate_trials):
            raise Ended("the budget of dollars is used up, except for the acceptance test")

    def _affords(self, trials: int) -> bool:
        """Whether so many more trials, at the mean price so far, keep to the budget."""
        spent, bound = self._dollars(), self.asked.budget_dollars
        if bound is None or spent is None:
            return True
        played = [*self.gepa_adapter.rollouts.trials, *self._looked]
        price = sum(t.cost_usd or 0.0 for t in played) / max(1, len(played))
        return spent + price * trials <= bound

    def _dollars(self) -> float | None:
        trials = [*self.gepa_adapter.rollouts.trials, *self._looked]
        costs = [self.reflection.cost_usd, *(trial.cost_usd for trial in trials)]
        known = [cost for cost in costs if cost is not None]
        return round(sum(known), 6) if len(known) == len(costs) else None

    def _gate(self) -> int | None:
        """The first candidate that is proven better on tasks that the loop never saw."""
        first, *others = self.chronicle.candidates
        better = [one for one in others if one.fitness > first.fitness]
        best = sorted(better, key=lambda one: (-one.fitness, one.number))
        base: Side | None = None
        for candidate in best[: self.asked.terms.looks]:
            if not self._affords(len(self.unseen) * (1 if base else 2)):
                self.write_line("the budget of dollars is used up")
                break
            base = base or self._side(first)
            ruling = judge(base, self._side(candidate), self.asked.terms)
            self.chronicle.candidates[candidate.number] = candidate.model_copy(
                update={"ruling": ruling}
            )
            word = "passes" if ruling.passed else "does not pass"
            self.write_line(
                f"candidate {candidate.number} {word} the acceptance test: {ruling.reason}"
            )
            self._write()
            if ruling.passed:
                return candidate.number
        return None

    def _side(self, candidate: Candidate) -> Side:
        texts, asked = self.gepa_adapter.texts(candidate.texts), self.asked
        settings = asked.settings(asked.unseen, texts, stories=False)
        path = self.folder / "gate" / str(candidate.number)
        self._looked += played(path, self.adapter, self.unseen, settings, self.engine_of)
        return read_side(path)

    def _tell(self) -> None:
        for one in self.chronicle.generations[len(self._told.generations) :]:
            line = f"generation {one.number}: {one.section or 'no proposal'}: {one.outcome}"
            self.write_line(f"{line}; {len(self.gepa_adapter.rollouts.trials)} trials so far")
        self._write()

    def _write(self) -> None:
        record, chronicle = self._told, self.chronicle
        self._told = record.model_copy(
            update={
                "generations": tuple(chronicle.generations),
                "candidates": tuple(chronicle.candidates),
                "trials": len(self.gepa_adapter.rollouts.trials) + len(self._looked),
                "reflections": self.reflection.asked,
                "cost_usd": self._dollars(),
            }
        )
        self._told.write(self.folder)


def sections_of(shipped: Texts, asked: Sequence[str]) -> list[str]:
    """The sections that names or beginnings such as ``store/playbooks/`` mean."""
    beginnings = tuple(one for one in asked if one.endswith("/"))
    return [name for name in shipped if name in asked or name.startswith(beginnings)]
