"""The models of a run: settings, what answers for them, the cassette in between, its identity."""

from __future__ import annotations

import os
import platform as machine
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from cli.benchmarks import every_stage
from cli.checks import check_ids
from cli.options import Options
from cli.platform import bare
from cli.registry import declared
from coordinator.benchmark import Benchmark
from coordinator.clients import base_urls
from coordinator.stages import StageSpec, chosen
from core.http.proxies import is_loopback
from core.models.model_call import Role
from core.models.model_client import ModelClient, open_transport
from core.models.models_file import Backend, Models, ModelsError, Target, load_models
from core.models.prices import refresh_prices, tells_cost
from core.models.providers import NOTHING_PLAYED, SCRIPTED, Played, is_scripted
from core.models.sections import NONE, Texts
from core.runs.errors import CannotRun, Usage
from core.runs.journal import text_hash
from core.runs.manifest import Identity
from evaluator.evaluator import Evaluator
from worker.worker import system_prompt

if TYPE_CHECKING:
    from core.models.model_call import Transport
    from core.runs.cassette import Player, TapeWriter
    from workshop.simulator.world import Pack

PACKAGES = ("litellm", "smolagents", "pydantic-monty", "pydantic", "erc3")


@dataclass
class RunModels:
    """Everything a run needs to call its models; one object for the whole run."""

    models: Models
    """The settings."""
    ids: dict[Role, str]
    """The model of each role and of each stage that has one of its own."""
    asked: dict[Role, tuple[str, str | None]]
    """Id and base URL of each role that the strategy or a stage asks."""
    base_urls: dict[Role, str]
    player: Player | None = None
    """The recording that answers in place of the models."""
    writer: TapeWriter | None = None
    """Records every exchange."""
    played: Played = NOTHING_PLAYED
    """What the run plays, for models that have to be told."""
    _transports: dict[Backend, Transport] = field(default_factory=dict)

    def transport_factory(self, backend: Backend) -> Transport:
        """Return the transport of a backend: the cassette, or its own transport, recorded."""
        if self.player:
            return self.player
        if backend not in self._transports:
            self._transports[backend] = open_transport(backend, self.played)
            if self.writer:
                from core.runs.cassette import Recorder

                self._transports[backend] = Recorder(self.writer, self._transports[backend])
        return self._transports[backend]

    def record(self, path: Path) -> None:
        """Start to record every exchange with a model. Raises Usage if that is impossible."""
        from core.runs.cassette import TapeError, TapeWriter

        try:
            self.writer = TapeWriter(path)
            self._transports.clear()
        except TapeError as error:
            raise Usage(str(error)) from None

    def targets(self) -> list[tuple[Target, ...]]:
        """The backends of each role that is asked. Raises ModelsError."""
        return [self.models.settings(m, role, url).targets for role, (m, url) in self.asked.items()]

    def notes(self) -> list[str]:
        """Messages about the cassette at the end of the run."""
        notes = list(self.player.notes()) if self.player else []
        if self.writer:
            notes.append(f"{self.writer.exchanges} model exchanges recorded: {self.writer.path}")
            if self.writer.masked:
                notes.append(f"a secret was masked in {self.writer.masked} of them")
        return notes


def run_models(options: Options, stages: Sequence[StageSpec] = ()) -> RunModels:
    """Load the settings, and find what is wrong with them before anything is spent.

    ``stages``: what the benchmark has.

    Raises:
        Usage: settings, an id or a cassette cannot be used.
        CannotRun: a dollar limit has no price.
    """
    urls = base_urls(ids=options.ids)
    try:
        models = load_models(options.models)
        of_stages = _stage_models(models, options, stages)
        ids: dict[Role, str] = {**options.ids, **of_stages}
        roles = [role for role in ids if asks_role(options, role)]
        models_by_role = {role: (ids[role], urls.get(role)) for role in roles}
        run = RunModels(models, ids, models_by_role, urls)
        groups = [[target.backend.model for target in targets] for targets in run.targets()]
        check_roles(run.asked, groups)
        check_scripted(options.benchmark, chain.from_iterable(groups))
        if options.playback:
            from core.runs.cassette import Player, Tape, TapeError

            try:
                run.player = Player(Tape.load(options.playback), backends=groups)
            except TapeError as error:
                raise Usage(str(error)) from None
        else:
            check_ids(models, models_by_role)
            refresh_prices(target for targets in run.targets() for target in targets)
    except ModelsError as error:
        raise Usage(str(error)) from None
    _check_prices(options, run)
    return run


def _check_prices(options: Options, run: RunModels) -> None:
    if options.max_dollars is None and options.task_dollars is None:
        return
    for (model, _), targets in zip(run.asked.values(), run.targets(), strict=True):
        if not tells_cost(targets[0]):
            raise CannotRun(
                f"a dollar limit cannot be enforced: the price of {model} is unknown; "
                "give it under "
                f'[models."{model}"] prices in a file for --models, or use a token limit'
            )


def check_roles(asked: Mapping[Role, object], groups: Sequence[Sequence[str]]) -> None:
    """Raises Usage: a scripted model plays beside others.

    It knows what is asked. Who decides, acts or judges beside it would seem to be as good.
    """
    by_role = dict(zip(asked, groups, strict=True))
    scripted = {role for role, ids in by_role.items() if any(map(is_scripted, ids))}
    others = {role for role, ids in by_role.items() if not all(map(is_scripted, ids))}
    if scripted and others:
        one, other = (", ".join(sorted(map(str, roles))) for roles in (scripted, others))
        raise Usage(
            f"a scripted model plays all roles or none: {one} would be scripted, {other} not; name "
            "models of one sort with --evaluator, --worker and [stages] of --models"
        )


def check_scripted(benchmark: str, ids: Iterable[str]) -> None:
    """Raises Usage: a scripted model plays another benchmark, whose tasks alone it knows."""
    scripted = [id for id in ids if is_scripted(id)]
    if not scripted:
        return
    from workshop.scripted.provider import BENCHMARKS

    own = declared(benchmark).name
    for id in scripted:
        plays = BENCHMARKS.get(id.partition("?")[0].rpartition("/")[2], own)
        if plays != own:
            raise Usage(f"{id} plays --benchmark {plays}, and this is --benchmark {benchmark}")


def asks_role(options: Options, role: Role) -> bool:
    """Whether the strategy asks the model of a role."""
    return role != "worker" or options.strategy == "evaluator-worker"


def _stage_models(models: Models, options: Options, stages: Sequence[StageSpec]) -> dict[str, str]:
    """The models of stages that are on. Raises Usage, ModelsError: a name that no stage has."""
    try:
        kinds = chosen(options, stages)
    except ValueError as error:
        raise Usage(f"--stages: {error}") from None
    named = models.file.stages
    known = every_stage() if named else ()
    if strange := [name for name in named if name not in known]:
        raise ModelsError(
            f"{models.source}: stages.{strange[0]}: there is no such stage; there are: "
            f"{', '.join(known)}"
        )
    return {k.name: named[k.name] for k in kinds if k.prompt and k.name in named}


def prompts_of(benchmark: Benchmark, options: Options, models: RunModels) -> dict[str, str]:
    """The text that all prompts of a role begin with; ``next-step`` has one role."""
    texts = benchmark.options.texts
    kinds = chosen(options, benchmark.stages)
    prompted = [k for k in kinds if k.prompt]
    of_steps = {k.name: k.prompt(texts) for k in prompted if k.prompt}
    tools = benchmark.tools(prompted)
    url = models.base_urls.get("evaluator")
    # Its settings tell whether it takes a schema.
    client = ModelClient(options.evaluator, "evaluator", base_url=url, models=models.models)
    if options.strategy == "next-step":
        from next_step.agent import Agent

        guide = benchmark.guide(of_steps=True)
        agent = Agent(client, benchmark.rules, guide, tools, texts=texts)
        return {options.strategy: agent.system, **of_steps}
    guide, form = benchmark.guide(), benchmark.final_answer
    evaluator = Evaluator(client, benchmark.rules, guide, form, texts)
    return {
        "evaluator": evaluator.system,
        "worker": system_prompt((t for t in tools if not t.closes), texts),
        **of_steps,
    }


def hashes(texts: Mapping[str, str]) -> dict[str, str]:
    """SHA-256 of each text, by name."""
    return {name: text_hash(text) for name, text in sorted(texts.items())}


def identity_of(
    ids: Mapping[Role, str],
    pack: Pack | None,
    prompts: Mapping[str, str],
    sections: Texts = NONE,
) -> Identity:
    """Build the identity of a run with these models and prompts on this pack.

    ``sections``: those that replace built-in ones.
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
    by_name = {"python": machine.python_version()}
    for name in PACKAGES:
        try:
            by_name[name] = version(name)
        except PackageNotFoundError:
            continue
    return by_name


REFERENCE = "reference"
"""A name in the settings of models, whose backends say which key is for which id."""
OptionsOf = TypeVar("OptionsOf", bound=Options)
_VARIABLES = ("EVALUATOR_MODEL", "WORKER_MODEL")
_ROLES = {"evaluator", "worker"}


def with_models(options: OptionsOf) -> tuple[OptionsOf, str]:
    """The options with the models that play, and what is to be said of them; "" for nothing.

    Where no model is named and the key of a provider is set, evaluator and worker are the
    reference model at the first such provider.
    """
    if options.resume:
        return options, ""
    named = _ROLES & options.model_fields_set or any(map(os.environ.get, _VARIABLES))
    if named or base_urls():
        return options, ""
    reference = _reference(options)
    if reference is None:
        return _with_recording(options), ""
    model, variable = reference
    pair = "evaluator and worker are" if asks_role(options, "worker") else "the model is"
    text = f"no model is named and {variable} is set: {pair} {model}"
    scripted = declared(options.benchmark).scripted
    notice = f"{text}; --evaluator {scripted} plays without an LLM"
    return options.model_copy(update=dict.fromkeys(_ROLES, model)), notice


AS_RECORDED = {
    "strategy", "prompts", "stages", "guards", "rulebook", "embedding", "max_turns", "pack",
    "models", "faults", "real",
}  # fmt: skip
"""Options that change what a model is asked: with one of them no recorded reply fits for sure."""


def _with_recording(options: OptionsOf) -> OptionsOf:
    """The options with the recorded replies of a language model, where they fit what is asked."""
    from cli import has_workshop

    name = declared(options.benchmark).name
    if options.model_fields_set & AS_RECORDED or not has_workshop():
        return options
    from workshop.recorded.replies import has_recording

    if not has_recording(name):
        return options
    return options.model_copy(update=dict.fromkeys(_ROLES, f"recorded/{name}"))


def models_line(options: Options) -> str:
    """The models that play, in words."""
    if not asks_role(options, "worker"):
        return f"model: {options.evaluator}"
    if options.worker == options.evaluator:
        return f"evaluator and worker: {options.evaluator}"
    return f"evaluator: {options.evaluator}; worker: {options.worker}"


def check_models(options: Options, models: RunModels, url: str) -> None:
    """Raises Usage: scripted models would play a real session, and it is no rehearsal of theirs.

    ``url``: where the session is played.

    They know what is asked, so their session would say nothing of an agent.
    """
    backends = (target.backend.model for targets in models.targets() for target in targets)
    ids = ", ".join(dict.fromkeys(id for id in backends if is_scripted(id)))
    if not options.real or not ids:
        return
    if not options.allow_scripted:
        raise Usage(
            f"--real would play this session with {SCRIPTED} ({ids}): name models with "
            "--evaluator and --worker; to rehearse on a server of your own: --allow-scripted --pack"
        )
    if not is_loopback(urlsplit(url).hostname):
        raise Usage(f"--allow-scripted is for a platform on this machine, not {bare(url)}")


def _reference(options: Options) -> tuple[str, str] | None:
    """Id of the reference model at the first provider whose key is set, and the key's variable."""
    try:
        targets = load_models(options.models).settings(REFERENCE, "evaluator").targets
    except ModelsError:
        return None  # whoever asks a model says what is wrong with the file
    for backend in (target.backend for target in targets):
        variable = backend.key_variable
        if variable and not backend.base_url and os.environ.get(variable, "").strip():
            return backend.model, variable
    return None
