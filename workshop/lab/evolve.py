"""The command ``evolve``: GEPA proposes prompts, runs try them, `compare` says what is proven.

Everything that is played or asked lies in the loop's folder, and is not played or asked again: a
loop that is resumed starts from the beginning and reaches the same point without spending anything.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import closing
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal, cast

import typer
from pydantic import Field, ValidationError
from rich.console import Console

from coordinator.benchmark import Benchmark
from coordinator.clients import BASE_URLS
from core.files import read_bytes
from core.models.extras import install
from core.models.file_checks import first_problem
from core.models.model_client import ModelClient, ModelFailed, open_transport
from core.models.models_file import ModelsError
from core.models.sections import SectionError, checked, tags, write_out
from core.options import option
from core.runs.cassette import TapeError, Tapes
from core.runs.errors import CannotRun, Usage
from core.runs.find import find_run
from core.runs.folder import held, run_folder
from core.runs.hints import command
from core.runs.journal import journal_file, write_whole
from core.runs.manifest import NAME as RUN
from core.runs.reader import read_task
from core.runs.results import TaskResult, read_results
from core.runs.summary import Figures
from core.terminal.console import answers, notes, say
from core.terminal.figures import cut
from core.terminal.record_command import takes
from core.text import instead
from workshop.generators.generating import Raw
from workshop.lab.command import PACKS, LabOptions
from workshop.lab.context import LabContext, check_faults, world_of
from workshop.lab.engines import engine_for
from workshop.lab.packs import Source, canonical, source_of
from workshop.lab.sampled_run import carry_out, new_run, read_sampled
from workshop.lab.settings import Settings, cores
from workshop.lab.task_data import TaskData
from workshop.views.comparison import MARGIN, WORSE, compare, read_side
from workshop.views.task_view import print_task

if TYPE_CHECKING:
    from gepa.core.adapter import EvaluationBatch

NAME = "evolve.json"
PROPOSED = "proposed"
NOTHING_PROVEN = 3
OF_A_SITTING = {"resume", "out", "jobs", "scheduler", "as_json"}
OF_THE_LOOP = {"reflection", "budget_tasks", "generations", "batch", "seed"}
"""Options that a loop is gone on with; settings, prompts, sections and packs are kept as such."""
REFUSED = -2.0
"""Fitness of a candidate that is not played: below that of any other."""
STORY_CHARS = 8_000


class EvolveOptions(LabOptions):
    """The command line of ``evolve``."""

    train: str | None = option(f"Train on these tasks: {PACKS}. Required.", None)
    unseen: str | None = option(
        "Accept a candidate on these tasks, named as for --train. Required.", None
    )
    reflection: str | None = option(
        "Let this model read failed tasks and rewrite prompts [REFLECTION_MODEL]. Required.",
        default_factory=lambda: os.environ.get("REFLECTION_MODEL"),
    )
    sections: str | None = option(
        "Change only these sections; their names or how they begin, separated by commas "
        "[the benchmark's rules and playbooks].",
        None,
    )
    budget_tasks: int = option(
        "Play at most this many tasks, with the acceptance test.", 2000, ge=1
    )
    generations: int = option("Try at most this many proposals.", 20, ge=1)
    batch: int = option("Show this many tasks in one reflection.", 3, ge=1)
    seed: int = option("Draw the optimiser's choices from this seed.", 0)
    resume: str | None = option(
        "Resume this loop: its folder, the beginning of its name, or `latest`.", None
    )


class Loop(Figures):
    """The whole of ``evolve.json``: what was asked for, and what has come of it."""

    format: Literal["evolve/4"] = "evolve/4"
    settings: Settings
    prompts: dict[str, str]
    """Sections over the shipped ones with which the loop begins."""
    sections: tuple[str, ...]
    asked: dict[str, Any]
    """Options of the loop by name."""
    candidates: tuple[dict[str, str], ...] = ()
    """Texts that the optimiser kept; the first are those that it began with."""
    fitness: tuple[float, ...] = ()
    """Of each, the mean over the training tasks: 1 passed, 0 not, -1 harm."""
    refused: dict[str, str] = Field(default_factory=dict)
    """Proposals that were not played, with the reason."""
    proposed: int | None = None
    verdict: str = ""
    """What the acceptance test found of the fittest candidate, if one is fitter than the first."""
    played: int = 0
    reflections: int = 0


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
    if not options.resume and not (options.train and options.unseen and options.reflection):
        raise typer.BadParameter("--train, --unseen and --reflection are required")
    for name in ("gepa", "scipy"):
        if find_spec(name) is None:
            raise Usage(f"{name} is not installed; this needs: {install('evolve')}")
    try:
        if options.resume:
            folder = find_run(options.resume, options.out, lambda path: (path / NAME).is_file())
            with held(folder):
                return _go_on(lab, folder, options)
        benchmark = lab.benchmark(options.benchmark)
        loop, packs = _begin(lab, benchmark, options), _packs(benchmark, options)
        with run_folder(options.out) as folder:
            for name, text in packs.items():  # as they were drawn, for a life to come
                write_whole(folder / f"{name}.json", text)
            write_whole(folder / NAME, loop.model_dump_json(indent=1))
            return _go_on(lab, folder, options)
    except (ModelsError, TapeError) as error:
        raise Usage(str(error)) from None


def _packs(benchmark: Benchmark, options: EvolveOptions) -> dict[str, str]:
    """The packs to learn from and to prove it on. Raises Usage, CannotRun."""
    train, unseen = (
        list(source_of(asked or "", benchmark).scenarios())
        for asked in (options.train, options.unseen)
    )
    known, tasks = ({canonical({**raw, "spec_id": ""}) for raw in raws} for raws in (train, unseen))
    if again := known & tasks:
        raise Usage(f"--unseen: {len(again)} of its {len(unseen)} tasks are training tasks")
    if (least := len(train) + 2 * len(unseen)) > options.budget_tasks:
        raise Usage(f"--budget-tasks {options.budget_tasks}: these packs need {least} at least")
    pack_text = world_of(benchmark).pack_text
    return {"train": pack_text("train", train), "unseen": pack_text("unseen", unseen)}


def _begin(lab: LabContext, benchmark: Benchmark, options: EvolveOptions) -> Loop:
    """What a loop is asked for. Raises Usage."""
    name, shipped = benchmark.name, benchmark.sections()
    words = (options.sections or f"{name}/rules,{name}/playbooks/").split(",")
    for word in words:
        if not any(section.startswith(word) for section in shipped):
            raise Usage(f"--sections: nothing begins with {word!r}; {instead(word, [*shipped])}")
    check_faults(options.faults, world_of(benchmark))
    settings = options.model_dump(include={"faults", "guards", "stages", "strategy"}) | {
        "benchmark": name,
        "max_turns": options.turns_of(options.strategy),
        "journals": "none" if options.scheduler else "failed",
        **lab.models(name, options.strategy, options.evaluator, options.worker),
    }
    return Loop(
        settings=Settings(with_trivial=False, tapes=True, **settings),
        prompts=dict(lab.texts(options.prompts, name, (options.strategy,), notes())),
        sections=tuple(one for one in shipped if one.startswith(tuple(words))),
        asked=options.model_dump(include=OF_THE_LOOP),
    )


def _go_on(lab: LabContext, folder: Path, options: EvolveOptions) -> int:
    """Play a loop to its end, from wherever it is; the exit code. Raises CannotRun."""
    try:
        loop = Loop.model_validate_json(read_bytes(folder / NAME))
    except ValidationError as error:
        text = f"{folder / NAME} is of another version, or damaged: {first_problem(error)}"
        raise Usage(text) from None
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
    return NOTHING_PROVEN if loop.proposed is None else 0


class Evolution:
    """One life of a loop; it is GEPA's adapter and its reflecting model."""

    propose_new_texts = None
    """GEPA's own way of asking the reflecting model is used."""

    def __init__(
        self, lab: LabContext, folder: Path, loop: Loop, options: EvolveOptions, tapes: Tapes
    ) -> None:
        """``options``: of this sitting, as the number of jobs."""
        self.lab, self.folder, self.loop, self.options = lab, folder, loop, options
        self.asked = EvolveOptions.model_validate(loop.asked)
        self.benchmark = lab.benchmark(loop.settings.benchmark)
        self.train, self.unseen = (
            {str(raw["spec_id"]): raw for raw in world_of(self.benchmark).split(json.loads(body))}
            for body in (read_bytes(folder / f"{name}.json") for name in ("train", "unseen"))
        )
        self.shipped = self.benchmark.sections()
        free_text = " ".join([*self.shipped.values(), *loop.prompts.values()])
        self.data = TaskData(list(self.train.values()), free_text)
        self.refused: dict[str, str] = {}
        self.played = self.reflections = 0
        self.failed: CannotRun | None = None
        self._known: dict[tuple[str, str], tuple[Path, TaskResult]] = {}
        self._client = ModelClient(
            self.asked.reflection or "",
            "reflection",
            base_url=os.environ.get(BASE_URLS["reflection"]),
            transport_factory=tapes.transport_factory(open_transport),
        )

    def run(self) -> Loop:
        """Play it to its end. Raises CannotRun: it can be resumed."""
        from gepa.api import optimize  # late: it takes a second to load

        asked, texts = self.asked, {**self.shipped, **self.loop.prompts}
        sections = {name: texts[name] for name in self.loop.sections}
        batch = min(asked.batch, len(self.train))
        # A proposal that helps takes a batch twice, and all training tasks.
        most = asked.budget_tasks - 2 * (len(self.unseen) + batch) - len(self.train)
        found: Any = optimize(
            seed_candidate=sections,
            trainset=list(self.train),
            adapter=cast(Any, self),
            reflection_lm=self.reflect,
            reflection_prompt_template={n: template(n, text) for n, text in sections.items()},
            reflection_minibatch_size=batch,
            max_metric_calls=max(1, most),
            stop_callbacks=lambda _: bool(self.failed) or self.reflections >= asked.generations,
            logger=cast(Any, SimpleNamespace(log=lambda _message: None)),
            track_best_outputs=False,
            seed=asked.seed,
        )
        if self.failed:
            raise self.failed
        candidates = tuple(map(dict, found.candidates))
        fitness = tuple(round(one, 6) for one in found.val_aggregate_scores)
        accepted = self._accept(candidates, fitness)
        counts = {"played": self.played, "reflections": self.reflections}
        came_of_it = {"candidates": candidates, "fitness": fitness, "refused": self.refused}
        return self.loop.model_copy(update={**came_of_it, **accepted, **counts})

    def evaluate(
        self, batch: list[str], candidate: dict[str, str], capture_traces: bool = False
    ) -> EvaluationBatch[Any, Any]:
        """See ``GEPAAdapter``: the results of tasks by spec. Raises CannotRun."""
        from gepa.core.adapter import EvaluationBatch

        if self._is_refused(candidate):
            return EvaluationBatch([None] * len(batch), [REFUSED] * len(batch), [])
        digest = sha256(json.dumps(sorted(candidate.items())).encode()).hexdigest()
        if missing := [self.train[one] for one in batch if (digest, one) not in self._known]:
            runs = {path for path, _ in self._known.values()}
            path = self.folder / "rollouts" / f"{len(runs):04d}-{digest[:8]}"
            for one in self._play(path, missing, candidate):
                self._known[digest, one.spec_id] = path, one
        played = [self._known[digest, spec] for spec in batch]
        scores = [-1.0 if one.harm else float(one.passed) for _, one in played]
        return EvaluationBatch([one for _, one in played], scores, played)

    def make_reflective_dataset(
        self, candidate: object, eval_batch: EvaluationBatch[Any, Any], components: list[str]
    ) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """See ``GEPAAdapter``: masked records of failed tasks for the reflecting model."""
        told: list[dict[str, str]] = []
        for path, one in eval_batch.trajectories or ():
            result = "harmful: an irreversible action was wrong" if one.harm else "failed"
            story = {} if one.passed else {"Story": self.data.masked(_story(path, one))}
            told.append({"Result": "passed" if one.passed else result} | story)
        return dict.fromkeys(components, told)

    def reflect(self, prompt: object) -> str:
        """The reflecting model's answer. Raises CannotRun."""
        if self.failed is None:
            try:
                text = self._client.complete([{"role": "user", "content": str(prompt)}]).text
                self.reflections += 1
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
            if data := self.data.found_in(text):
                self.refused[text] = f"it holds data of training tasks: {', '.join(data[:3])}"
        return any(text in self.refused for text in candidate.values())

    def _play(
        self, path: Path, raws: Sequence[Raw], candidate: Mapping[str, str]
    ) -> Sequence[TaskResult]:
        """The results of a run in its folder, which is made or gone on with. Raises CannotRun."""
        texts = {**self.loop.prompts, **candidate}
        over = {name: text for name, text in texts.items() if text != self.shipped[name]}
        if not (path / RUN).exists():
            rmtree(path, ignore_errors=True)
            path.mkdir(parents=True)
            source = Source(path.name, path.parent.name, lambda: iter(raws))
            settings = self.loop.settings.model_copy(update={"prompts": over})
            new_run(path, [source], settings, self.lab)
        results = read_results(path)
        if results.finished is None or any(one.infrastructure_failure for one in results.tasks):
            factory, jobs = self.lab.factory(self.benchmark.name), self.options.jobs
            engine = engine_for(factory, jobs or cores(), len(raws), self.options.scheduler)
            carry_out(read_sampled(path), self.benchmark, engine)
            results = read_results(path)
        if outside := [one for one in results.tasks if one.infrastructure_failure]:
            text = f"{len(outside)} tasks failed for external reasons ({outside[0].error})"
            self.failed = CannotRun(f"{text}; continue with --resume")
            raise self.failed
        self.played += len(results.tasks)
        return results.tasks

    def _accept(
        self, texts: Sequence[Mapping[str, str]], fitness: Sequence[float]
    ) -> dict[str, Any]:
        """Compare the fittest candidate with the first on unseen tasks; what it came to."""
        best = max(range(len(texts)), key=lambda number: (fitness[number], -number))
        if best == 0:
            return {}
        paths = [self.folder / "gate" / name for name in ("first", "fittest")]
        for path, one in zip(paths, (texts[0], texts[best]), strict=True):
            self._play(path, list(self.unseen.values()), one)
        before, after = map(read_side, paths)
        forth, back = compare(before, after, MARGIN), compare(after, before, MARGIN)
        # A better score makes up for no harm.
        is_proven = back.code == WORSE != forth.code and not forth.harm.lost
        if is_proven:
            rmtree(self.folder / PROPOSED, ignore_errors=True)
            write_out({**self.loop.prompts, **texts[best]}, self.folder / PROPOSED)
        verdict = f"it is {forth.verdict} ({forth.reason})"
        verdict += f"; what it replaces is {back.verdict} ({back.reason})"
        return {"verdict": verdict, "proposed": best if is_proven else None}


def _story(path: Path, result: TaskResult) -> str:
    """A failed task as `show` prints it, its middle left out where it is long."""
    printed, half = io.StringIO(), STORY_CHARS // 2
    record = read_task(journal_file(path, result.journal)).told(result, "harm")
    print_task(Console(file=printed, width=120), record, times=False)
    text = printed.getvalue()
    return text if len(text) <= STORY_CHARS else f"{text[:half]}\n…\n{text[-half:]}"


def template(section: str, text: str) -> str:
    """The prompt for a section; the optimiser fills in two places."""
    from jinja2 import StrictUndefined, Template  # late: help needs none

    source = Path(__file__).with_name("reflect.jinja").read_text(encoding="utf-8")
    placeholders = " ".join(dict.fromkeys(tags(text)))
    made = Template(source, undefined=StrictUndefined)
    return str(made.render(section=section, placeholders=placeholders))


def summary(loop: Loop, folder: Path) -> list[str]:
    """What has come of a loop, in lines."""
    lines = [f"{loop.played} tasks played, {loop.reflections} proposals"]
    lines += [f"refused: {cut(text)!r}: {why}" for text, why in loop.refused.items()]
    lines += [f"candidate {n}: fitness {one:.3f}" for n, one in enumerate(loop.fitness)]
    lines += [f"acceptance test of the fittest: {loop.verdict}"] * bool(loop.verdict)
    if loop.proposed is None:
        return [*lines, "no improvement is proven"]
    gate, proposed = folder / "gate", folder / PROPOSED
    changed = command("report", gate / "first", gate / "fittest")
    lines += [f"proven better: candidate {loop.proposed}", f"try it: --prompts {proposed}"]
    return [*lines, f"what changed: {changed}"]
