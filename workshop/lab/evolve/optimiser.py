"""What the optimiser calls: it has candidates played and described, and its steps recorded.

Each play of a candidate is a recorded run of the lab, played once and then remembered. Answers of
the reflecting model are kept on cassettes, so that none is paid twice.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import regex

from core.models.cassette import Tapes
from core.models.file_checks import shown
from core.models.model_call import KeptCalls, ModelCall, total_cost
from core.models.model_client import ModelClient, ModelFailed, open_transport
from core.models.sections import MOST_CHARS, SectionError, Texts, checked, tags
from core.runs.errors import CannotRun
from core.runs.folder import LAB
from workshop.lab.benchmark_adapter import BenchmarkAdapter, Raw
from workshop.lab.engines import Engine
from workshop.lab.evolve.records import Candidate, Generation
from workshop.lab.lab_folder import LabFolder, carry_out
from workshop.lab.lab_run import Settings, Trial
from workshop.lab.leaks import Secrets, masked
from workshop.lab.packs import Source
from workshop.views.stats.interval import share_of

if TYPE_CHECKING:
    from gepa.core.adapter import EvaluationBatch

REFUSED = -2.0
"""Fitness of a candidate that is not played: below that of any other."""
LEAKS_SHOWN = 3
WHY_CHARS = 300
_WHY = regex.compile(r"^[\s*_#>-]*why[*_]*:[*_]*[ \t]*(.+)$", regex.MULTILINE | regex.IGNORECASE)
Texting = dict[str, str]
Event = Mapping[str, Any]
REFUSED_CHARS = 2_000
"""That are kept of a proposal which is too long for any prompt."""


class Ended(BaseException):
    """The loop has ended, for the reason in the text.

    Not an ``Exception``, because the optimiser attributes those to a task and continues.
    """


EngineOf = Callable[[int], Engine]


def played(
    path: Path,
    adapter: BenchmarkAdapter,
    raws: Sequence[Raw],
    settings: Settings,
    engine_of: EngineOf,
) -> list[Trial]:
    """The trials of a lab run in its folder, which is made or gone on with, to its end.

    Raises CannotRun: the folder is of another run, or a worker was lost.
    """
    folder, (name,) = LabFolder(path), settings.packs
    if not (path / LAB).exists():
        # Nothing was played before it is there.
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
        run = folder.fill(adapter, [Source(name, name, lambda: iter(raws))], settings)
    else:
        run = folder.read()
        if run.settings != settings or run.packs[0].tasks != len(raws):
            raise CannotRun(f"{path} belongs to another loop: its settings or tasks differ")
    if run.finished is None or any(t.infrastructure_failure for t in folder.trials()):
        carry_out(folder, run, engine_of(len(raws)))
    return list(folder.trials())


@dataclass
class Rollouts:
    """Plays candidates on training tasks; what one has played is never played again."""

    folder: Path
    adapter: BenchmarkAdapter
    raws: Sequence[Raw]
    settings: Callable[[dict[str, str]], Settings]
    """Settings of a run in which these sections replace built-in ones."""
    engine_of: EngineOf
    may_play: Callable[[int], None]
    """Asked before so many trials. Raises Ended."""
    trials: list[Trial] = field(default_factory=list)
    _known: dict[tuple[str, str], Trial] = field(default_factory=dict)
    _runs: int = 0

    def play(self, texts: dict[str, str], specs: Sequence[str]) -> list[Trial]:
        """A trial of each task. Raises Ended, CannotRun."""
        digest = _digest(texts)
        wanted = set(specs)
        missing = [
            raw
            for raw in self.raws
            if raw["spec_id"] in wanted and (digest, raw["spec_id"]) not in self._known
        ]
        if missing:
            self.may_play(len(missing))
            self._runs += 1
            path = self.folder / f"{self._runs:04d}-{digest[:8]}"
            trials = played(path, self.adapter, missing, self.settings(texts), self.engine_of)
            outside = [one for one in trials if one.infrastructure_failure]
            if outside:
                first = outside[0]
                raise CannotRun(
                    f"{len(outside)} trials failed for external reasons ({first.spec_id}: "
                    f"{first.failure}: {first.error}); continue with --resume"
                )
            self.trials += trials
            self._known |= {(digest, one.spec_id): one for one in trials}
        return [self._known[digest, spec] for spec in specs]

    def remembered(self, texts: dict[str, str]) -> list[Trial]:
        """The trials with these texts so far."""
        digest = _digest(texts)
        return [trial for (known, _), trial in self._known.items() if known == digest]


def _digest(texts: dict[str, str]) -> str:
    return sha256(json.dumps(sorted(texts.items())).encode()).hexdigest()


def fitness(trial: Trial) -> float:
    """The optimiser's objective: 1 for passed, 0 for not passed, -1 for harm."""
    return -1.0 if trial.harm else float(trial.passed)


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
        for name, text in candidate.items():
            if text in (self.shipped[name], self.start.get(name)):
                continue
            try:
                checked(name, text, self.shipped)
            except SectionError as error:
                return str(error)
            leaks = [f"{one.kind} {shown(one.what)}" for one in self.secrets.leaks(text)]
            if leaks:
                listed = ", ".join(list(dict.fromkeys(leaks))[:LEAKS_SHOWN])
                return f"it holds data of training tasks: {listed}"
        return None

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
        rendered = []
        for trial in eval_batch.trajectories or ():
            if trial.passed:
                rendered.append({"Result": "passed"})
                continue
            result = "harmful: an irreversible action was wrong" if trial.harm else "failed"
            rendered.append({"Result": result, "Story": masked(trial.story, self.secrets)})
        return {name: rendered for name in components_to_update}


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
        text = fields.get("text", "")
        if len(text) > MOST_CHARS:  # too long to be played
            fields["text"] = f"{text[:REFUSED_CHARS]}\n[… of {len(text):,} characters]"
        self.generations.append(Generation.model_validate(fields | {"dollars": self.spent()}))
        self._now = {}
        self.changed()


@dataclass
class Reflection:
    """Answers prompts by a model, which is asked no more once it gave no answer."""

    client: ModelClient
    calls: list[ModelCall]
    asked: int = 0
    failed: CannotRun | None = None

    def __call__(self, prompt: Any) -> str:
        """The model's answer. Raises CannotRun."""
        if self.failed:
            raise self.failed
        try:
            answer = self.client.complete([{"role": "user", "content": str(prompt)}])
        except ModelFailed as error:
            # The optimiser takes it for a bad proposal and would ask again.
            text = f"the reflecting model gave no answer: {error}; continue with --resume"
            self.failed = CannotRun(text)
            raise self.failed from None
        self.asked += 1
        return answer.text

    @property
    def cost_usd(self) -> float | None:
        """Dollars of all answers so far, including those before a resume; None: unknown."""
        return total_cost(self.calls)


@contextmanager
def reflection_of(model: str, folder: Path, base_url: str | None = None) -> Iterator[Reflection]:
    """The reflecting model of that id; what it has answered in the folder, it is not asked again.

    Raises ModelsError: its settings do not fit; TapeError.
    """
    calls: list[ModelCall] = []
    with closing(Tapes(folder)) as tapes:
        transport_factory = tapes.transport_factory(open_transport)
        client = ModelClient(
            model,
            "reflection",
            KeptCalls(calls),
            base_url=base_url,
            transport_factory=transport_factory,
        )
        yield Reflection(client, calls)


def template(section: str, text: str) -> str:
    """The prompt for a section; the optimiser fills in two places."""
    from jinja2 import Template  # late: help needs none

    source = Path(__file__).with_name("reflect.jinja").read_text(encoding="utf-8")
    placeholders = " ".join(dict.fromkeys(tags(text)))
    return str(Template(source).render(section=section, placeholders=placeholders))


def why_of(answer: str) -> str:
    """The purpose of the change, in one line; "" if the model gives none."""
    match = _WHY.search(answer)
    return match[1].strip()[:WHY_CHARS] if match else ""
