"""The models of a run: settings, what answers for them, the cassette in between, its identity."""

from __future__ import annotations

import platform as machine
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from cli import preflight
from cli.benchmarks import every_stage
from cli.caches import cache_folder
from cli.options import Options
from coordinator.beginning import base_urls
from coordinator.benchmark import Benchmark
from coordinator.stages import StageSpec, chosen, with_stage_tools
from core.models import openrouter_prices
from core.models.api_keys import missing_keys
from core.models.cassette import Player, Recorder, open_cassette
from core.models.cassette_tape import Tape, TapeError, TapeWriter
from core.models.model_call import Role
from core.models.model_client import ModelClient, open_transport
from core.models.models_file import Backend, Models, ModelsError, load_models
from core.models.openrouter_prices import OpenRouterPrices, openrouter_id
from core.models.prices import price_of
from core.models.providers import is_rule_based, is_served
from core.models.sections import NONE, Texts
from core.runs.errors import CannotRun, Usage
from core.runs.journal import text_hash
from core.runs.manifest import Identity
from evaluator import Evaluator
from next_step import Agent
from worker.worker import system_prompt

if TYPE_CHECKING:
    from core.models.exchange import Transport
    from workshop.simulator.world import Pack

PACKAGES = ("litellm", "smolagents", "pydantic-monty", "pydantic", "erc3")


class RunModels:
    """What a run needs to open the doors to its models; one object for the whole run."""

    def __init__(self, options: Options, steps: Sequence[StageSpec] = ()) -> None:
        """Find wrong settings before anything is spent; nothing is written or sent.

        ``steps``: what the benchmark has.

        Raises:
            Usage: settings, an id or a cassette cannot be used.
            CannotRun: a dollar limit has no price.
        """
        kinds = _steps(options, steps)
        self.base_urls = base_urls()
        self.told_at_the_end: list[Callable[[], str]] = []
        """Asked for what else the user should know when the run is over."""
        try:
            self.models: Models = load_models(options.models)
            self.step_models = _step_models(self.models, kinds)
            """By step, where it has a model of its own."""
            self.ids: dict[Role, str] = {**options.ids, **self.step_models}
            self.asked: dict[Role, tuple[str, str | None]] = {
                role: (model, self.base_urls.get(role))
                for role, model in self.ids.items()
                if asks_role(options, role)
            }
            """Id and base URL of each role that the strategy or a step asks."""
            self.opener = cache(self._opener(options))
            self._prepare(options)
        except (ModelsError, TapeError) as error:
            raise Usage(str(error)) from None
        if options.replay:  # which sends nothing
            openrouter_prices.use(OpenRouterPrices(cache_folder(), None))
        else:
            self._begin_prices()
        self._check_prices(options)

    @property
    def _models(self) -> list[str]:
        return list(dict.fromkeys(model for model, _ in self.asked.values()))

    def _prepare(self, options: Options) -> None:
        for role, (model, base_url) in self.asked.items():
            self.models.settings(model, role, base_url)
        if not options.replay:
            preflight.check_ids(self.models, self.asked)
        self.player: Player | None = None
        self.writer: TapeWriter | None = None
        if options.replay:
            self.player = Player(Tape.load(options.replay), backends=self._groups())
        self.needs_litellm = not options.replay and self.models.needs_litellm(self._models)
        for model in self._models:
            if model.startswith("cassette/") and not options.replay:
                self.opener(Backend(name=model, model=model))

    def record(self, path: Path) -> None:
        """From now on record every exchange with a model. Raises Usage where that cannot be."""
        try:
            self.writer = TapeWriter(path)
            self.opener.cache_clear()
        except TapeError as error:
            raise Usage(str(error)) from None

    def _groups(self) -> list[list[str]]:
        """The ids under which each model may have been asked."""
        targets = [self.models.settings(m, r).targets for r, (m, _) in self.asked.items()]
        return [[t.backend.model for t in group] for group in targets]

    def _opener(self, options: Options) -> Callable[[Backend], Transport]:
        def open_(backend: Backend) -> Transport:
            if self.player:
                return self.player
            taped = backend.model.startswith("cassette/")
            return self.taped(open_cassette(backend.model) if taped else open_transport(backend))

        return open_

    def taped(self, inner: Transport) -> Transport:
        """What asks ``inner`` by way of this run's cassette, where there is one."""
        if self.player:
            return self.player
        return Recorder(self.writer, inner) if self.writer else inner

    def _begin_prices(self) -> None:
        """Ask OpenRouter for its prices beside the rest, where it may be asked for an answer."""
        listing = openrouter_prices.used()
        targets = [
            target
            for role, (model, base_url) in self.asked.items()
            for target in self.models.settings(model, role, base_url).targets
        ]
        if listing and any(t.prices is None and _is_routed(t.backend) for t in targets):
            listing.begin()
            self.told_at_the_end.append(lambda: listing.problem)

    def _check_prices(self, options: Options) -> None:
        if options.max_dollars is None and options.task_dollars is None:
            return
        for model in self._models:
            if price_of(model, self.models) is None:
                raise CannotRun(
                    f"a dollar limit cannot hold: the price of {model} is unknown; give it under "
                    f'[models."{model}"] prices in a file for --models, or use a token limit'
                )

    def notes(self) -> list[str]:
        """What the user should know about the cassette when the run is over."""
        notes = list(self.player.notes()) if self.player else []
        notes += [note for tell in self.told_at_the_end if (note := tell())]
        if self.writer:
            notes.append(f"{self.writer.exchanges} model exchanges recorded: {self.writer.path}")
            if self.writer.masked:
                notes.append(f"in {self.writer.masked} of them a secret was masked")
        return notes


def _is_routed(backend: Backend) -> bool:
    """Whether OpenRouter can be asked: it answers for the id, and there is a key."""
    routed = openrouter_id(backend.model, backend.base_url)
    return routed is not None and not missing_keys(backend)


def asks_role(options: Options, role: Role) -> bool:
    """Whether the strategy asks the model of a role."""
    return role != "worker" or options.strategy == "evaluator-worker"


def seems_served(options: Options) -> bool:
    """Whether a run will need LiteLLM, as far as its options tell; Brains knows it for certain."""
    if options.replay or options.resume:
        return False
    return any(is_served(model) for role, model in options.ids.items() if asks_role(options, role))


def _steps(options: Options, steps: Sequence[StageSpec]) -> tuple[StageSpec, ...]:
    """The steps that are on. Raises Usage."""
    try:
        return chosen(options.stages, steps)
    except ValueError as error:
        raise Usage(f"--stages: {error}") from None


def _step_models(models: Models, kinds: Sequence[StageSpec]) -> dict[str, str]:
    """The models of stages that are on. Raises ModelsError: a name that no stage has."""
    named = models.file.stages
    known = every_stage() if named else ()
    if strange := [name for name in named if name not in known]:
        raise ModelsError(
            f"{models.source}: stages.{strange[0]}: there is no such stage; there are: "
            f"{', '.join(known)}"
        )
    return {k.name: named[k.name] for k in kinds if k.prompt and k.name in named}


def prompts_of(benchmark: Benchmark, options: Options, brains: RunModels) -> dict[str, str]:
    """The text that all prompts of a role begin with; ``next-step`` has one role."""
    kinds = chosen(options.stages, benchmark.environments.stages)
    asked = [k for k in kinds if k.prompt and asks(options, brains, k)]
    of_steps = {k.name: k.prompt() for k in asked if k.prompt}
    tools = with_stage_tools(benchmark, asked).environments.tools()
    texts = benchmark.prompts
    url = brains.base_urls.get("evaluator")
    # Its settings tell whether it takes a schema.
    door = ModelClient(options.evaluator, "evaluator", base_url=url, models=brains.models)
    if options.strategy == "next-step":
        guide = texts.guide_of_steps()
        agent = Agent(door, texts.rules, guide, tools, texts=texts.overrides)
        return {options.strategy: agent.system, **of_steps}
    evaluator = Evaluator(door, texts.rules, texts.guide(), texts.final_answer, texts.overrides)
    return {
        "evaluator": evaluator.system,
        "worker": system_prompt((t for t in tools if not t.closes), texts.overrides),
        **of_steps,
    }


def asks(options: Options, brains: RunModels, kind: StageSpec) -> bool:
    """Whether a step has a model to ask: its own, or the evaluator's where that needs a key."""
    return kind.name in brains.step_models or not is_rule_based(options.evaluator)


def hashes(texts: Mapping[str, str]) -> dict[str, str]:
    """SHA-256 of each text, by name."""
    return {name: text_hash(text) for name, text in sorted(texts.items())}


def identity_of(
    ids: Mapping[Role, str],
    pack: Pack | None,
    prompts: Mapping[str, str],
    sections: Texts = NONE,
) -> Identity:
    """The identity of a run with these models and prompts on this pack.

    ``sections``: those that are laid over the shipped ones.
    """
    scenarios = pack.scenarios if pack else ()
    # What scenarios share beside their own lines.
    shared = pack.model_dump_json(exclude={"format", "name", "scenarios"}) if pack else "{}"
    suffix = "" if shared == "{}" else text_hash(shared)
    return Identity(
        models={str(role): model for role, model in ids.items()},
        prompts={role: text_hash(text) for role, text in prompts.items()},
        sections=hashes(sections),
        pack=pack.name if pack else None,
        scenarios={s.spec_id: text_hash(s.model_dump_json() + suffix) for s in scenarios},
    )


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that decide how a run goes."""
    found = {"python": machine.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
