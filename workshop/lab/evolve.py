"""The command ``evolve``: GEPA proposes prompts, runs try them, `compare` says what is proven.

Everything that is played or asked lies in the loop's folder, and is not played or asked again: a
loop that is resumed starts from the beginning and reaches the same point without spending anything.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import typer
from pydantic import Field

from coordinator.clients import BASE_URLS
from coordinator.config import option
from core.files import read_bytes
from core.models.extras import install
from core.models.model_call import KeptCalls, ModelCall
from core.models.model_client import ModelClient, ModelFailed, open_transport
from core.models.models_file import ModelsError, default_models
from core.models.prices import price_of
from core.models.sections import SectionError, checked, tags, write_out
from core.runs.cassette import TapeError, Tapes
from core.runs.errors import CannotRun, Usage
from core.runs.find import find_run
from core.runs.folder import held, run_folder
from core.runs.hints import command
from core.runs.journal import journal_file, write_whole
from core.runs.manifest import NAME as RUN
from core.runs.prompts import text_diff
from core.runs.reader import read_task
from core.runs.results import TaskResult, read_results
from core.runs.summary import Figures
from core.terminal.console import answers, notes, say
from core.terminal.figures import cut, dollars
from core.terminal.record_command import takes
from workshop.generators.generating import Raw
from workshop.lab.command import PACKS, LabOptions
from workshop.lab.engines import engine_for
from workshop.lab.lab_benchmark import LabContext
from workshop.lab.leaks import Secrets
from workshop.lab.packs import Source, canonical, source_of
from workshop.lab.sampled_run import carry_out, new_run, read_sampled
from workshop.lab.settings import Settings, cores
from workshop.views.comparison import ALPHA, MARGIN, compare, exact_p, read_side

if TYPE_CHECKING:
    from gepa.core.adapter import EvaluationBatch

NAME = "evolve.json"
PROPOSED = "proposed"
NOTHING_PROVEN = 3
OF_A_SITTING = {"resume", "out", "jobs", "scheduler", "as_json"}
UNSEEN = 200
DEFAULT_SECTIONS = ("rules", "playbooks/")
REFUSED = -2.0
"""Fitness of a candidate that is not played: below that of any other."""
STORY_CHARS = 8_000
LINE_CHARS = 700
CALLS_SHOWN = 10
IDLE = 2
"""So often all training tasks may pass in a row."""


class EvolveOptions(LabOptions):
    """The command line of ``evolve``."""

    train: str | None = option(f"The training tasks: {PACKS}. Required.", None)
    reflection: str | None = option(
        "The model that reads failed tasks and rewrites prompts [REFLECTION_MODEL]. Required.",
        default_factory=lambda: os.environ.get("REFLECTION_MODEL"),
    )
    sections: str | None = option(
        "Sections that may be changed, separated by commas; a name that ends with / includes all "
        "below it [the benchmark's rules and playbooks].",
        None,
    )
    unseen: str | None = option(
        f"Tasks of the acceptance test [{UNSEEN} of another seed than --train].", None
    )
    budget_tasks: int = option(
        "Maximum number of tasks played, including those of the acceptance test.", 2000, ge=1
    )
    budget_dollars: float | None = option("Maximum dollars for tasks and reflections.", None, ge=0)
    generations: int = option("Maximum number of proposals.", 20, ge=1)
    batch: int = option("Number of tasks shown in one reflection.", 3, ge=1)
    looks: int = option(
        "Candidates that the acceptance test looks at; each one makes it stricter.", 3, ge=1
    )
    token_slack: float = option("Share by which the tokens per task may grow.", 0.1, ge=0)
    seed: int = option("Seed of the optimiser's choices.", 0)
    resume: str | None = option(
        "Resume this loop: its folder, the beginning of its name, or `latest`.", None
    )


class Candidate(Figures):
    """Texts that the optimiser kept; the first are those that it began with."""

    texts: dict[str, str]
    fitness: float
    """Mean over the training tasks: 1 passed, 0 not, -1 harm."""
    is_proven: bool | None = None
    """Whether it came through the acceptance test; None: it was not looked at."""
    verdict: str = ""


class Loop(Figures):
    """The whole of ``evolve.json``: what was asked for, and what has come of it."""

    format: str = "evolve/2"
    settings: Settings
    prompts: dict[str, str]
    """Sections over the shipped ones with which the loop begins."""
    sections: tuple[str, ...]
    reflection: str
    asked: dict[str, Any]
    """The other options."""
    ended: str | None = None
    candidates: tuple[Candidate, ...] = ()
    refused: dict[str, str] = Field(default_factory=dict)
    """Proposals that were not played, with the reason."""
    proposed: int | None = None
    played: int = 0
    reflections: int = 0
    cost_usd: float | None = None


@takes(EvolveOptions)
def evolve(options: EvolveOptions, context: typer.Context) -> int:
    """Let a model improve prompts; propose only what is proven.

    It reads failed tasks; the proof is a comparison on tasks that it has not seen.

    Exit codes: 0 a candidate is proposed; 3 no improvement is proven; 1 something outside stopped
    it; 2 it cannot begin.
    """
    lab: LabContext = context.obj()
    if options.resume and options.model_fields_set - OF_A_SITTING:
        raise typer.BadParameter("--resume continues a loop with its own options")
    if not options.resume and not (options.train and options.reflection):
        raise typer.BadParameter("--train and --reflection are required")
    for name in ("gepa", "scipy"):
        if find_spec(name) is None:
            raise Usage(f"{name} is not installed; this needs: {install('evolve')}")
    try:
        if options.resume:
            folder = find_run(options.resume, options.out, lambda path: (path / NAME).is_file())
            with held(folder):
                return _go_on(lab, folder, options)
        loop, packs = _begin(lab, options)
        _ask_once(lab, loop, options)
        with run_folder(options.out) as folder:
            for name, raws in packs.items():  # as they were drawn, for a life to come
                text = lab.benchmark(options.benchmark).world.pack_text(name, raws)
                write_whole(folder / f"{name}.json", text)
            write_whole(folder / NAME, loop.model_dump_json(indent=1))
            return _go_on(lab, folder, options)
    except (ModelsError, TapeError) as error:
        raise Usage(str(error)) from None


def _begin(lab: LabContext, options: EvolveOptions) -> tuple[Loop, dict[str, list[Raw]]]:
    """What a loop is asked for, and its tasks. Raises Usage, CannotRun."""
    benchmark, strategy = lab.benchmark(options.benchmark), options.strategy
    train, unseen = options.train or "", options.unseen
    if not unseen:
        kind, _, rest = train.partition(":")
        if kind != "generated":
            raise Usage("--unseen is required, because only generated packs have more tasks")
        seed, _, more = rest.partition(":")
        asked = more.partition(":")[2]
        unseen = ":".join(["generated", f"{seed}-unseen", str(UNSEEN), *([asked] if asked else [])])
    packs = {
        name: list(source_of(asked, benchmark).scenarios())
        for name, asked in (("train", train), ("unseen", unseen))
    }
    known = {canonical({**raw, "spec_id": ""}) for raw in packs["train"]}
    again = sum(canonical({**raw, "spec_id": ""}) in known for raw in packs["unseen"])
    if again:
        raise Usage(f"--unseen: {again} of its {len(packs['unseen'])} tasks are training tasks")
    least = len(packs["train"]) + len(packs["unseen"]) * (1 + options.looks)
    if options.budget_tasks < least:
        text = f"{len(packs['train'])} training tasks and {options.looks} looks at "
        text += f"{len(packs['unseen'])} unseen ones"
        raise Usage(f"--budget-tasks {options.budget_tasks}: {text} need {least} at least")
    shipped = benchmark.benchmark.sections()
    words = [f"{benchmark.world.name}/{part}" for part in DEFAULT_SECTIONS]
    words = [word.strip() for word in options.sections.split(",")] if options.sections else words
    for word in words:
        if word not in shipped and not word.endswith("/"):
            try:
                checked(word, "", shipped)
            except SectionError as error:
                raise Usage(f"--sections: {error}") from None
    starts = tuple(word for word in words if word.endswith("/"))
    models = lab.models(benchmark.world.name, strategy, options.evaluator, options.worker)
    shared = options.model_dump(include={"guards", "stages"}) | models
    if options.budget_dollars is not None:
        for model in {*models.values(), options.reflection or ""}:
            if price_of(model, default_models()) is None:
                raise Usage(f"--budget-dollars cannot be enforced: the price of {model} is unknown")
    others = {
        "budget_tasks", "budget_dollars", "generations", "batch", "looks", "token_slack", "seed",
    }  # fmt: skip
    loop = Loop(
        settings=Settings(
            benchmark=benchmark.world.name, strategy=strategy, trivial="not", tapes=True,
            max_turns=options.turns_of(strategy), **shared,
            journals="none" if options.scheduler else "failed",
        ),
        prompts=dict(lab.texts(options.prompts, benchmark.world.name, (strategy,), notes())),
        sections=tuple(n for n in shipped if n in words or (starts and n.startswith(starts))),
        reflection=options.reflection or "",
        asked=options.model_dump(include=others),
    )  # fmt: skip
    return loop, packs


def _ask_once(lab: LabContext, loop: Loop, options: EvolveOptions) -> None:
    """Check that the reflecting model answers, before tasks are paid for. Raises CannotRun."""
    asked = (loop.reflection, os.environ.get(BASE_URLS["reflection"]))
    lab.ask_once({"reflection": asked}, notes(quiet=options.as_json))


def _go_on(lab: LabContext, folder: Path, options: EvolveOptions) -> int:
    """Play a loop to its end, from wherever it is; the exit code. Raises CannotRun."""
    loop = Loop.model_validate_json(read_bytes(folder / NAME))
    if options.resume and loop.ended is None:
        _ask_once(lab, loop, options)
    try:
        with closing(Tapes(folder / "reflections")) as tapes:
            loop = Evolution(lab, folder, loop, options, tapes).run()
    except KeyboardInterrupt:
        again = command("evolve", "--resume", folder)
        raise CannotRun(f"interrupted; resume: {again}") from None
    write_whole(folder / NAME, loop.model_dump_json(indent=1))
    if options.as_json:
        print(loop.model_dump_json(indent=1))
    else:
        say(answers(), *summary(loop, folder))
    return 0 if loop.proposed else NOTHING_PROVEN


@dataclass
class Evolution:
    """One life of a loop; it is GEPA's adapter and its reflecting model."""

    lab: LabContext
    folder: Path
    loop: Loop
    options: EvolveOptions
    tapes: Tapes
    propose_new_texts: None = None
    """GEPA's own way of asking the reflecting model is used."""
    results: list[TaskResult] = field(default_factory=list)
    calls: list[ModelCall] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.benchmark = self.lab.benchmark(self.loop.settings.benchmark)
        split = self.benchmark.world.split
        self.train, self.unseen = (
            {str(raw["spec_id"]): raw for raw in split(json.loads(read_bytes(path)))}
            for path in (self.folder / "train.json", self.folder / "unseen.json")
        )
        self.shipped = self.benchmark.benchmark.sections()
        may_say = [*self.shipped.values(), *self.loop.prompts.values()]
        self.secrets = Secrets(list(self.train.values()), may_say)
        self.asked = self._seen = self._idle = 0
        self.failed: CannotRun | None = None
        self._known: dict[tuple[str, str], TaskResult] = {}
        self._runs: dict[str, Path] = {}
        self._client = ModelClient(
            self.loop.reflection,
            "reflection",
            KeptCalls(self.calls),
            base_url=os.environ.get(BASE_URLS["reflection"]),
            transport_factory=self.tapes.transport_factory(open_transport),
        )

    def run(self) -> Loop:
        """Play it to its end. Raises CannotRun: it can be resumed."""
        from gepa.api import optimize  # late: it takes a second to load

        asked, texts = SimpleNamespace(**self.loop.asked), {**self.shipped, **self.loop.prompts}
        sections = {name: texts[name] for name in self.loop.sections}
        found: Any = optimize(
            seed_candidate=sections,
            trainset=list(self.train),
            adapter=cast(Any, self),
            reflection_lm=self.reflect,
            reflection_prompt_template={n: template(n, text) for n, text in sections.items()},
            reflection_minibatch_size=min(asked.batch, len(self.train)),
            stop_callbacks=lambda _state: self._why_over() is not None,
            logger=cast(Any, SimpleNamespace(log=lambda _message: None)),
            track_best_outputs=False,
            seed=asked.seed,
        )
        if self.failed:
            raise self.failed
        candidates = [
            Candidate(texts=dict(one), fitness=round(fitness, 6))
            for one, fitness in zip(found.candidates, found.val_aggregate_scores, strict=True)
        ]
        ended = self._why_over() or ""
        say(notes(quiet=self.options.as_json), f"the loop has ended: {ended}")
        return self._accept(candidates).model_copy(update={"ended": ended, **self._spent()})

    def _why_over(self) -> str | None:
        """Why there will be no further proposal."""
        asked, train = SimpleNamespace(**self.loop.asked), len(self.train)
        gate = len(self.unseen) * (1 + asked.looks)
        self._idle = 0 if self.asked != self._seen else self._idle + 1
        self._seen = self.asked
        most = 2 * min(asked.batch, train) + train + gate
        spent, price = self._spent()["cost_usd"], 0.0
        if self.results and spent is not None:
            price = spent / len(self.results)
        if self.failed:
            return str(self.failed)
        if self.asked >= asked.generations:
            return f"{self.asked} proposals"
        if len(self.results) + most > asked.budget_tasks:
            return "the budget of tasks is used up, except for the acceptance test"
        if asked.budget_dollars is not None and (spent or 0) + price * most > asked.budget_dollars:
            return "the budget of dollars is used up, except for the acceptance test"
        if self._idle > 2 + IDLE * -(-train // asked.batch):
            return "nothing left to learn: its tasks pass"
        return None

    def _spent(self) -> dict[str, Any]:
        costs = [c.cost_usd for c in self.calls] + [r.cost_usd for r in self.results]
        known = [cost for cost in costs if cost is not None]
        total = round(sum(known), 6) if len(known) == len(costs) else None
        return {"played": len(self.results), "reflections": self.asked, "cost_usd": total}

    def _over(self, candidate: Mapping[str, str]) -> dict[str, str]:
        """The sections over the shipped ones with which a candidate is played."""
        texts = {**self.loop.prompts, **candidate}
        return {name: text for name, text in texts.items() if text != self.shipped[name]}

    def evaluate(
        self, batch: list[str], candidate: dict[str, str], capture_traces: bool = False
    ) -> EvaluationBatch[Any, Any]:
        """See ``GEPAAdapter``: the results of tasks by spec. Raises CannotRun."""
        from gepa.core.adapter import EvaluationBatch

        if self._is_refused(candidate):
            return EvaluationBatch([None] * len(batch), [REFUSED] * len(batch), [])
        digest = sha256(json.dumps(sorted(candidate.items())).encode()).hexdigest()
        missing = [self.train[s] for s in batch if (digest, s) not in self._known]
        if missing:
            path = self.folder / "rollouts" / f"{len(self._runs):04d}-{digest[:8]}"
            self._runs[str(path)] = path
            for one in self._play(path, missing, self._over(candidate)):
                self._known[digest, one.spec_id] = one
                self._runs[one.task_id] = path
        results = [self._known[digest, spec] for spec in batch]
        scores = [-1.0 if one.harm else float(one.passed) for one in results]
        return EvaluationBatch(results, scores, results if capture_traces else None)

    def make_reflective_dataset(
        self, candidate: object, eval_batch: EvaluationBatch[Any, Any], components: list[str]
    ) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """See ``GEPAAdapter``: masked records of failed tasks for the reflecting model."""
        told: list[dict[str, str]] = []
        for one in eval_batch.trajectories or ():
            result = "harmful: an irreversible action was wrong" if one.harm else "failed"
            story = {} if one.passed else {"Story": self.secrets.masked(self._story(one))}
            told.append({"Result": "passed" if one.passed else result} | story)
        return dict.fromkeys(components, told)

    def reflect(self, prompt: object) -> str:
        """The reflecting model's answer. Raises CannotRun."""
        if self.failed is None:
            try:
                text = self._client.complete([{"role": "user", "content": str(prompt)}]).text
                self.asked += 1
                return text
            except ModelFailed as error:  # GEPA takes it for a bad proposal and would ask again
                text = f"the reflecting model gave no answer: {error}; continue with --resume"
                self.failed = CannotRun(text)
        raise self.failed

    def _is_refused(self, candidate: Mapping[str, str]) -> bool:
        """Whether a candidate may not even be played; the reason is noted."""
        for name, text in candidate.items():
            if text in (self.shipped[name], self.loop.prompts.get(name)) or text in self.refused:
                continue
            try:
                checked(name, text, self.shipped)
            except SectionError as error:
                self.refused[text] = str(error)
            if leaks := self.secrets.leaks(text):
                self.refused[text] = f"it holds data of training tasks: {', '.join(leaks[:3])}"
        return any(text in self.refused for text in candidate.values())

    def _play(self, path: Path, raws: Sequence[Raw], texts: dict[str, str]) -> list[TaskResult]:
        """The results of a run in its folder, which is made or gone on with. Raises CannotRun."""
        settings = self.loop.settings.model_copy(update={"prompts": texts})
        if (path / RUN).exists():
            run = read_sampled(path)
        else:
            shutil.rmtree(path, ignore_errors=True)
            path.mkdir(parents=True)
            source = Source(path.name, path.parent.name, lambda: iter(raws))
            run = new_run(path, [source], settings, self.lab)
        results = read_results(path)
        if results.finished is None or any(one.infrastructure_failure for one in results.tasks):
            factory, jobs = self.lab.factory(settings.benchmark), self.options.jobs or cores()
            engine = engine_for(factory, jobs, len(raws), self.options.scheduler)
            carry_out(run, self.benchmark, engine)
            results = read_results(path)
        outside = [one for one in results.tasks if one.infrastructure_failure]
        if outside:
            text = f"{len(outside)} tasks failed for external reasons ({outside[0].error})"
            self.failed = CannotRun(f"{text}; continue with --resume")
            raise self.failed
        self.results += results.tasks
        return list(results.tasks)

    def _story(self, result: TaskResult) -> str:
        """A task for a model that learns from it: its turns, the end, the platform's log."""
        lines = [f"Task: {result.task_text}"]
        path = self._runs.get(result.task_id)
        log = read_task(journal_file(path, result.journal)) if path else None
        for turn in log.whole if log else ():
            lines += [f"Turn {turn.number}, state: {' '.join(turn.state.split())}"]
            lines += turn.prompt(latest=True).splitlines()
            calls = turn.report.calls[-CALLS_SHOWN:] if turn.report else ()
            lines += [f"  {one.outcome}: {' '.join(one.prompt().split())}" for one in calls]
        lines += [f"End: {result.ended}", f"Error: {result.error or 'none'}"]
        lines += [f"The platform: {' '.join(result.eval_log.split()) or 'nothing'}"]
        text, half = "\n".join(cut(line, LINE_CHARS) for line in lines), STORY_CHARS // 2
        return text if len(text) <= STORY_CHARS else f"{text[:half]}\n…\n{text[-half:]}"

    def _accept(self, candidates: list[Candidate]) -> Loop:
        """Look at the best candidates on unseen tasks; the first that is proven is proposed."""
        first, asked, proposed = candidates[0], SimpleNamespace(**self.loop.asked), None
        better = [n for n, one in enumerate(candidates) if one.fitness > first.fitness]
        for number in sorted(better, key=lambda n: -candidates[n].fitness)[: asked.looks]:
            paths = [self.folder / "gate" / str(n) for n in (0, number)]
            for path, one in zip(paths, (first, candidates[number]), strict=True):
                self._play(path, list(self.unseen.values()), self._over(one.texts))
            before, after = map(read_side, paths)
            found = compare(before, after, MARGIN)
            new, healed = len(found.harm.lost), len(found.harm.gained)
            tokens = next(one for one in found.measures if one.name == "tokens")
            gained, lost = len(found.flips.gained), len(found.flips.lost)
            p = exact_p(gained, lost)
            rules = {
                f"{new} tasks with a new {found.harm_name}, {healed} without theirs":
                    not new if before.deterministic and after.deterministic else new <= healed,
                f"tokens of a task {tokens.a} before, {tokens.b} now":
                    tokens.tasks == found.tasks
                    and (tokens.b or 0) <= (tokens.a or 0) * (1 + asked.token_slack),
                f"{gained} tasks better, {lost} worse, p = {p:.4f}": p <= ALPHA / asked.looks,
            }  # fmt: skip
            against = [said for said, holds in rules.items() if not holds]
            verdict = "; ".join(against or rules)
            update = {"is_proven": not against, "verdict": verdict}
            candidates[number] = candidates[number].model_copy(update=update)
            if not against:
                proposed = number
                self._propose(first.texts, candidates[number].texts)
                break
        update = {"candidates": tuple(candidates), "refused": self.refused, "proposed": proposed}
        return self.loop.model_copy(update=update)

    def _propose(self, was: Mapping[str, str], now: Mapping[str, str]) -> None:
        changed = {name: text for name, text in now.items() if text != was[name]}
        shutil.rmtree(self.folder / PROPOSED, ignore_errors=True)
        write_out({**self.loop.prompts, **changed}, self.folder / PROPOSED)
        parts = [text_diff(name, was[name], text, "start") for name, text in changed.items()]
        write_whole(self.folder / "proposed.diff", "".join(f"{part}\n" for part in parts))


def template(section: str, text: str) -> str:
    """The prompt for a section; the optimiser fills in two places."""
    from jinja2 import StrictUndefined, Template  # late: help needs none

    source = Path(__file__).with_name("reflect.jinja").read_text(encoding="utf-8")
    placeholders = " ".join(dict.fromkeys(tags(text)))
    made = Template(source, undefined=StrictUndefined)
    return str(made.render(section=section, placeholders=placeholders))


def summary(loop: Loop, folder: Path) -> list[str]:
    """What has come of a loop, in lines."""
    lines = [f"{loop.played} tasks played, {loop.reflections} proposals, {dollars(loop.cost_usd)}"]
    lines += [f"refused: {cut(text)!r}: {why}" for text, why in loop.refused.items()]
    for number, one in enumerate(loop.candidates):
        looked = f"; acceptance test: {one.verdict}" if one.verdict else ""
        lines.append(f"candidate {number}: fitness {one.fitness:.3f}{looked}")
    if loop.proposed is None:
        return [*lines, "no improvement is proven"]
    lines.append(f"proven better: candidate {loop.proposed}")
    return [*lines, f"try it: --prompts {folder / PROPOSED}; what changed: proposed.diff"]
