"""Assembles a run: folder, pack, platform, models, and the tasks that it plays."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from cli import preflight
from cli.benchmarks import benchmark_named, used_sections
from cli.options import Options
from cli.platform import (
    STATE,
    bare,
    client_class,
    known_of,
    load_pack,
    pack_at,
    pack_of,
    platform_of,
    url_to_play_at,
)
from cli.run_models import (
    RunModels,
    check_models,
    hashes,
    identity_of,
    prompts_of,
    run_models,
    versions,
)
from coordinator.benchmark import Benchmark, TaskOptions
from coordinator.clients import client_factory
from coordinator.config import STRATEGIES
from coordinator.fork import Past
from coordinator.limits import CancelToken
from coordinator.resume import CannotGoOn, Continuation, continuation, session_of
from coordinator.session import Session, TaskExecutorFactory
from coordinator.stages import caveat_of
from coordinator.task_plan import TaskPlan
from core.erc3_client.retry_policy import RetryPolicy
from core.models import litellm_module
from core.models.kept_files import cache_folder
from core.models.model_call import KeptCalls, ModelCall
from core.models.providers import Played, is_scripted, note_on
from core.models.sections import SectionError, Texts
from core.runs.errors import CannotRun, NothingToDo, NotRecorded, Usage
from core.runs.find import find_run
from core.runs.folder import PACK_COPY, held, run_folder
from core.runs.hints import command, goes_on
from core.runs.journal import write_whole
from core.runs.manifest import (
    Identity,
    Manifest,
    NoManifest,
    PackInfo,
    changes,
    manifest_of,
    note_progress,
    read_manifest,
)
from core.runs.prompts import Prompts
from core.runs.reader import read_one_task
from core.runs.task import TaskInfo, Watcher
from core.terminal.console import notes, say
from core.terminal.figures import so_many_tasks
from core.terminal.progress import Progress, Stream
from worker.sandbox.isolation import used_kind

SUBMITTED = frozenset({"submitted", "evaluated"})
"""The platform's status of a submitted session."""

if TYPE_CHECKING:
    from workshop.simulator.world import Pack


@dataclass
class Resumed:
    """The run of ``--resume``, held by this process."""

    folder: Path
    manifest: Manifest
    options: Options
    pack: Pack | None
    force: bool
    starts_over: bool = False
    """Whether the world begins again because the pack has changed."""

    def check(self, now: Identity) -> None:
        """Refuse another pack, model or prompt, with what differs.

        Raises CannotRun: something differs and ``--force`` is not given.
        """
        then = self.manifest.identity
        differences = changes(then, now)
        if differences and not self.force:
            listed = "\n  ".join(differences)
            raise CannotRun(
                f"cannot resume {self.folder}, because these have changed:\n  {listed}\n"
                "use --force to resume anyway"
            )
        self.starts_over = (then.pack, then.scenarios) != (now.pack, now.scenarios)
        state = self.folder / STATE
        if self.starts_over and state.exists():
            os.replace(state, state.with_suffix(".before.jsonl"))


def resumed(options: Options, stack: ExitStack) -> Resumed:
    """Take a run up; ``stack`` keeps its folder's lock.

    Raises:
        NothingToDo: the run was submitted.
        CannotRun: the folder holds no run, is in use, or its pack is gone.
    """
    folder = options.resume or Path()
    try:
        read_manifest(folder)
        stack.enter_context(held(folder))
        manifest = read_manifest(folder)
        restored = options.restored(manifest.options)
    except (NoManifest, ValueError) as error:
        raise CannotRun(f"cannot resume: {error}") from None
    if manifest.submitted:
        raise NothingToDo(submitted_already(folder, manifest.session_id))
    try:
        datetime.fromisoformat(manifest.created)
    except ValueError:
        raise CannotRun(f"cannot resume: {folder}/run.json: created: is not a time") from None
    if restored.real:
        return Resumed(folder, manifest, restored, None, options.force)
    from workshop.simulator.pack_files import PackError

    # The pack of today where there is one, else the copy that the run keeps.
    original = options.pack if "pack" in options.model_fields_set else restored.pack
    try:
        pack = load_pack(original if original and original.exists() else folder / PACK_COPY)
    except PackError as error:
        raise CannotRun(f"cannot resume: {error}") from None
    return Resumed(folder, manifest, restored, pack, options.force)


def submitted_already(folder: Path, session_id: str | None) -> str:
    """The message about a run that was already submitted."""
    return f"{folder}: session {session_id} was already submitted; there is nothing left to do"


_OF_THE_RUN = ("benchmark", "strategy")
"""A fork plays what its run played, in the way that it did, where nothing else is asked for."""


def located(options: Options) -> Options:
    """The same options, with folders in place of names; those of a fork as its run has them.

    Raises NotRecorded: there is no such run.
    """
    folders: dict[str, Any] = {}
    of_run: dict[str, Any] = {}
    if options.resume:
        folder = folders["resume"] = find_run(str(options.resume), options.out)
    if options.fork:
        folder = folders["fork"] = find_run(str(options.fork), options.out)
        manifest = manifest_of(folder)
        stored = manifest.options if manifest else {}
        of_run = {name: stored[name] for name in _OF_THE_RUN if name in stored}
    if not folders:
        return options
    given = {name: getattr(options, name) for name in options.model_fields_set}
    return Options.model_validate(of_run | given | folders, by_name=True)


def past_of(options: Options) -> Past | None:
    """Return the recorded turns that a fork starts with; None without ``--fork``. Raises Usage."""
    if options.fork is None:
        return None
    try:
        was = "evaluator-worker"  # runs without a manifest are older than the second strategy
        if manifest := manifest_of(options.fork):
            was = str(manifest.options.get("strategy", was))
        if was != options.strategy:
            raise NotRecorded(f"the run was played with --strategy {was}; use the same one")
        return Past(read_one_task(options.fork, options.tasks[0]), options.turn, options.edited)
    except NotRecorded as error:
        raise Usage(f"cannot fork: {error}") from None


@dataclass
class Assembly:
    """The parts of a run; nothing is spent before :meth:`session`."""

    options: Options
    stop: CancelToken
    resumed: Resumed | None
    past: Past | None
    pack: Pack | None
    overrides: Texts
    retry_policy: RetryPolicy
    benchmark: Benchmark
    models: RunModels
    prompts: dict[str, str]
    identity: Identity
    sandbox: tuple[str, ...]
    preflight: tuple[ModelCall, ...]
    folder: Path
    platform: Any
    address: str | None
    """Of the real platform; None: it is embedded."""

    def place(self, session_id: str | None, tasks: int) -> str:
        """What is played where on the real platform, in words."""
        session = f"session {session_id}" if session_id else "outside of a session"
        what = f"benchmark {self.options.benchmark}, {session}, {so_many_tasks(tasks)}"
        return f"{self.address}: {what}"

    def watcher(self, note: Console) -> Progress:
        """What shows the run while it is played."""
        # Lines that move would be drawn over the debugger's prompt, or over those of a stream.
        options = self.options
        if options.debug or options.verbose:
            note = notes(quiet=options.quiet, plain=True)
        shown = Stream if options.verbose else Progress
        return shown(note, self.benchmark.shorten_state, self.benchmark.harm_name)

    def session(self, watch: Watcher) -> tuple[Session, list[TaskPlan]]:
        """Open or resume the session; return it with the tasks that it plays.

        Raises:
            ApiException: the platform refused.
            Differs: the world of a fork could not be rebuilt.
            NotRecorded: a journal of the run to resume cannot be read.
            CannotGoOn: the platform no longer knows one of its tasks.
        """
        targets = chain.from_iterable(self.models.targets())
        if not (self.models.player or all(is_scripted(t.backend.model) for t in targets)):
            # The slowest import is done before the run's clock starts.
            litellm_module.load()
        session = self._new_session(watch)
        if self.resumed:
            return session, self._taken_up(session, self.resumed).plans
        forked = manifest_of(self.options.fork) if self.options.fork else None
        self._note_sandbox(forked.sandboxes if forked else ())
        session.sandboxes = self.sandbox
        # What can fail for a reason of our own does so before a session is opened.
        for role in self.models.asked:
            session.clients(role, KeptCalls([]))
        self._keep()
        blank = self._manifest(session)
        with self._told_where_left_open(session):
            # A session that only the platform knows of would be lost.
            tasks = session.tasks(lambda: self._note(blank, session, []))
            self._note(blank, session, tasks)
            plans = session.plans(tasks)
        if self.address:
            place = self.place(session.session_id, len(tasks))
            say(notes(quiet=self.options.quiet), f"playing at {place}")
        return session, plans

    @contextmanager
    def _told_where_left_open(self, session: Session) -> Iterator[None]:
        """Name the session that the platform has opened, if the run goes no further."""
        try:
            yield
        except BaseException:
            if self.address and session.session_id:
                text = f"session {session.session_id} at {self.address} is open"
                again = goes_on(self.folder) or f"; {self.folder} could not keep its id"
                say(notes(), f"{text}{again}")
            raise

    def _new_session(self, watch: Watcher) -> Session:
        options, models = self.options, self.models
        return Session(
            self.platform,
            options.model_copy(update={"pack_name": self.pack.name if self.pack else None}),
            self.benchmark,
            self.folder,
            watch,
            clients=client_factory(
                models.ids,
                models.models,
                base_urls=models.base_urls,
                transport_factory=models.transport_factory,
                sleep=self.stop.wait,
            ),
            past=self.past,
            stop=self.stop,
            with_retries=self.retry_policy.within,
            executor_factory=self._debugged() if options.debug else None,
            stage_models=models.stage_models,
            known=known_of(self.pack, self.benchmark) if self.pack else {},
        )

    def _debugged(self) -> TaskExecutorFactory:
        from workshop.replay.debugger.sessions import live_debugger

        return lambda task, played: live_debugger(self.benchmark, task, played)

    def _taken_up(self, session: Session, resumed: Resumed) -> Continuation:
        manifest = resumed.manifest
        if self.address:
            place = self.place(manifest.session_id, len(manifest.tasks))
            say(notes(quiet=self.options.quiet), f"resuming at {place}")
        status = self._status(resumed)
        self._note_sandbox(manifest.sandboxes)
        update: dict[str, object] = {}
        if self.identity != manifest.identity:  # a forced resume
            self._keep()
            update |= {"identity": self.identity, "earlier": (*manifest.earlier, manifest.identity)}
            update["packs"] = self._packs
            update |= {"session_id": None} if resumed.starts_over else {}
        if manifest.sandboxes[-1:] != self.sandbox:
            update["sandboxes"] = (*manifest.sandboxes, *self.sandbox)
        if status and not manifest.tasks:
            update["tasks"] = tuple((t.spec_id, t.task_id, t.task_text) for t in status.tasks)
        if update:
            manifest = manifest.model_copy(update=update)
            manifest.write(self.folder)
        plan = continuation(
            self.platform,
            self.options.benchmark,
            [TaskInfo(*task) for task in manifest.tasks],
            self.folder,
            status,
            seconds=manifest.seconds,
            may_start=not self.options.real,
        )
        note = notes(quiet=self.options.quiet)
        if plan.plans and (calls := preflight.ready(self.models, self.options, note)):
            tried = {"preflight": (*manifest.preflight, *calls)}
            manifest.model_copy(update=tried).write(self.folder)
        session.take_over(plan, manifest.session_id, manifest.created)
        session.sandboxes = manifest.sandboxes
        return plan

    def _status(self, resumed: Resumed) -> Any | None:
        """Return the session of the run to resume; None if there is none or it starts over.

        A process may have died between submitting and recording that. Raises NothingToDo.
        """
        session_id = resumed.manifest.session_id
        if not session_id or resumed.starts_over:
            return None
        try:
            status = session_of(self.platform, session_id)
        except CannotGoOn as error:
            if self.options.real:
                raise
            raise CannotGoOn(f"{self.folder / STATE} is cut or lost: {error}") from None
        if self.options.real and status.status in SUBMITTED:
            note_progress(resumed.folder, submitted=True)
            raise NothingToDo(submitted_already(resumed.folder, session_id))
        return status

    def _keep(self) -> None:
        prompts = Prompts(self.folder)
        shipped = self.benchmark.sections()
        replaced = [shipped[name] for name in self.overrides]
        for text in [*self.prompts.values(), *replaced, *self.overrides.values()]:
            prompts.keep(text)
        if self.pack:
            write_whole(self.folder / PACK_COPY, self.pack.model_dump_json(exclude_defaults=True))

    def _manifest(self, session: Session) -> Manifest:
        """What the run is made of, without its session and tasks, which are not known yet."""
        shipped = self.benchmark.sections()
        return Manifest(
            run_id=self.folder.name,
            created=session.started.isoformat(timespec="seconds"),
            benchmark=self.options.benchmark,
            strategy=self.options.strategy,
            stages=tuple(kind.name for kind in session.stages),
            harm_name=self.benchmark.harm_name,
            groups=self.benchmark.groups,
            idle_group=self.benchmark.idle_group,
            identity=self.identity,
            note=note_on(self.identity.models.values()),
            caveat=caveat_of(session.stages, self.benchmark.stages),
            packs=self._packs,
            options=self.options.stored(),
            base_url=self.address,
            preflight=self.preflight,
            shipped=hashes({name: shipped[name] for name in self.overrides}),
            versions=versions(),
            sandboxes=self.sandbox,
        )

    def _note(self, blank: Manifest, session: Session, tasks: list[TaskInfo]) -> None:
        """Keep the manifest before anything is spent."""
        named = tuple((t.spec_id, t.task_id, t.text) for t in tasks)
        update = {"session_id": session.session_id, "tasks": named}
        blank.model_copy(update=update).write(self.folder)

    @property
    def _packs(self) -> tuple[PackInfo, ...]:
        pack = self.pack
        return (PackInfo(name=pack.name, tasks=len(pack.scenarios)),) if pack else ()

    def _note_sandbox(self, before: tuple[str, ...]) -> None:
        if before and self.sandbox and before[-1:] != self.sandbox:
            text = f"its code previously ran in {before[-1]} and now runs in {self.sandbox[0]}"
            say(notes(quiet=self.options.quiet), f"note: {text}")


def assemble(options: Options, stack: ExitStack, stop: CancelToken) -> Assembly:
    """Assemble a run; ``stack`` closes what it opens.

    Raises:
        NothingToDo: the run to resume was already submitted.
        CannotRun: something that the run needs is missing, or its models do not answer.
        ExtraMissing: the library of traces is not installed.
    """
    earlier = resumed(options, stack) if options.resume else None
    options = earlier.options if earlier else options
    if options.trace:
        from workshop.views.tracing.collector import check_targets

        check_targets(options.trace)
    url = _url(options, earlier)
    past = past_of(options)
    if past:  # one of several tasks of a spec is named by its journal
        options = options.model_copy(update={"tasks": (past.log.spec_id,)})
    pack = earlier.pack if earlier else pack_of(options, past)
    note = notes(quiet=options.quiet)
    overrides = used_sections(options.prompts, options.benchmark, (options.strategy,), note)
    retry_policy = RetryPolicy(options.retry_seconds, stop.wait, lambda: stop.requested)
    benchmark = benchmark_named(options.benchmark, _asked(options, overrides, retry_policy))
    models = run_models(options, benchmark.stages)
    known = pack or (pack_at(options.pack) if options.allow_scripted and options.pack else None)
    models.played = Played((known,) if known else ())
    check_models(options, models, url)
    client_class()  # the tools that the prompts name are made from its models
    try:
        prompts = prompts_of(benchmark, options, models)
    except SectionError as error:
        raise Usage(f"--prompts: {error}") from None
    identity = identity_of(models.ids, pack, prompts, overrides)
    if earlier:
        earlier.check(identity)
    sandbox = (used_kind(),) if STRATEGIES[options.strategy].has_worker else ()
    calls = () if earlier else preflight.ready(models, options, note)
    folder = earlier.folder if earlier else stack.enter_context(run_folder(options.out))
    if options.record:
        models.record(options.record)
    client = platform_of(pack, None if past else folder / STATE, retry_policy, url)
    return Assembly(
        options, stop, earlier, past, pack, overrides, retry_policy, benchmark, models,
        prompts, identity, sandbox, calls, folder, stack.enter_context(client),
        bare(url) if options.real else None,
    )  # fmt: skip


def _url(options: Options, earlier: Resumed | None) -> str:
    """The address of the real platform; "" where it is not played at. Raises CannotRun."""
    if not options.real:
        return ""
    if earlier is None:
        return url_to_play_at(None, "")
    return url_to_play_at(earlier.manifest.base_url, command("--resume", earlier.folder))


def _asked(options: Options, overrides: Texts, retry_policy: RetryPolicy) -> TaskOptions:
    cache = cache_folder()
    # What is recorded, or answered from a record, holds every call.
    is_taped = bool(options.record or options.playback)
    if is_taped and options.embedding:
        raise Usage(
            "--embedding: a recorded file has no vectors; leave it out with --record and --playback"
        )
    return TaskOptions(
        retry_policy,
        guards=options.guards,
        stages=options.stages,
        texts=overrides,
        rulebooks=options.rulebook,
        cache=cache,
        books=None if is_taped else cache,
        embedding=options.embedding,
    )
