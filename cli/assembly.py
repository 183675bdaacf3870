"""Everything a run stands on: folder, pack, platform, models, and where it begins."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from cli import preflight
from cli.benchmarks import RunContext, benchmark_named, sections_at, workbench_of
from cli.caches import cache_folder
from cli.default_models import check_models
from cli.options import Options
from cli.platform import STATE, client_class, pack_of, platform_of
from cli.resuming import Resumed, submitted_already
from cli.run_models import RunModels, hashes, identity_of, prompts_of, versions
from coordinator.beginning import Start, TaskExecutorFactory, client_factory
from coordinator.config import STRATEGIES
from coordinator.fork import Past
from coordinator.limits import CancelToken
from coordinator.resume import Continuation, SessionGone, continuation, note_submitted, session_of
from coordinator.session import Session
from coordinator.watching import Watcher
from core.erc3_client.retry_policy import RetryPolicy
from core.models import litellm_module
from core.models.extras import ExtraMissing
from core.models.model_call import ModelCall
from core.models.sections import SectionError
from core.runs.errors import CannotRun, NothingToDo, Usage
from core.runs.folder import PACK_COPY, run_folder
from core.runs.journal import write_whole
from core.runs.manifest import Manifest, NoManifest, read_manifest
from core.runs.prompts import Prompts
from core.runs.reader import NotRecorded, read_tasks
from core.runs.task import TaskInfo
from core.terminal.console import notes, say
from core.terminal.progress import Progress
from core.terminal.stream import Stream
from worker.sandbox.isolation import used_kind

SUBMITTED = frozenset({"submitted", "evaluated"})
"""What the platform calls a session that was handed in."""

if TYPE_CHECKING:
    from pathlib import Path

    from workshop.simulator.world import Pack


class Assembly:
    """Puts a run together step by step; nothing is spent before :meth:`session`."""

    def __init__(self, options: Options, stack: ExitStack, stop: CancelToken) -> None:
        """Raises CannotRun."""
        self._stop = stop
        self.resumed = Resumed(options, stack) if options.resume else None
        self.options = self.resumed.options if self.resumed else options
        if self.options.trace:
            self._check_traces(self.resumed.folder.parent if self.resumed else options.out)
        self.past = _past(self.options)
        self.pack: Pack | None = (
            self.resumed.pack if self.resumed else pack_of(self.options, self.past)
        )
        self._texts = sections_at(self.options.prompts)
        self._retry_policy = RetryPolicy(self.options.retry_seconds, stop.wait, lambda: stop.asked)
        self.benchmark = benchmark_named(self.options.benchmark, self._context())
        self.brains = RunModels(self.options, self.benchmark.environments.stages)
        if not self.resumed:
            check_models(self.options)
        client_class()  # the tools that the prompts name are made from its models
        try:
            self._prompts = prompts_of(self.benchmark, self.options, self.brains)
        except SectionError as error:
            raise Usage(f"--prompts: {error}") from None
        self._identity = identity_of(self.brains.ids, self.pack, self._prompts, self._texts)
        if self.resumed:
            self.resumed.check(self._identity, self._prompts)
        has_code = STRATEGIES[self.options.strategy].has_worker
        self._sandbox: tuple[str, ...] = (used_kind(),) if has_code else ()
        self._preflight = () if self.resumed else self._ready()
        if self.resumed:
            self.folder = self.resumed.folder
        else:
            self.folder = stack.enter_context(run_folder(self.options.out))
        if self.options.record:
            self.brains.record(self.options.record)
        state = None if self.past else self.folder / STATE
        platform = platform_of(self.pack, state, self._retry_policy)
        self.platform: Any = stack.enter_context(platform)

    def _context(self, cache: Path | None = None) -> RunContext:
        """Without a ``cache`` for prompts alone."""
        return RunContext(
            self._retry_policy,
            self.options.guards,
            cache,
            self._texts,
            self.options.rulebook,
        )

    def _check_traces(self, folder: Path) -> None:
        from workshop.views.tracing.targets import CannotTrace, check_targets

        try:
            check_targets(self.options.trace, folder)
        except (CannotTrace, ExtraMissing) as error:
            raise CannotRun(str(error)) from None

    def _ready(self) -> tuple[ModelCall, ...]:
        return preflight.ready(self.brains, self.options, notes(quiet=self.options.quiet))

    @property
    def stopped(self) -> bool:
        """Whether the user wished the end."""
        return self._stop.asked

    @property
    def base_url(self) -> str | None:
        """Address of the platform, as far as its client tells."""
        return getattr(self.platform, "base_url", None)

    def watcher(self, note: Console) -> Progress:
        """Who looks on."""
        # Lines that move would be drawn over the debugger's prompt, or over those of a stream.
        options = self.options
        if options.debug or options.verbose:
            note = notes(quiet=options.quiet, plain=True)
        words = self.benchmark.results
        return Progress(note, words.brief, words.harm_name)

    def stream(self) -> Stream | None:
        """Who prints what happens; None without ``--verbose``."""
        return Stream(notes(plain=True)) if self.options.verbose else None

    def session(self, watch: Watcher) -> tuple[Session, list[TaskInfo], list[Start]]:
        """The session, begun or taken up again, its tasks and how each begins.

        Raises:
            ApiException: the platform refused.
            Differs: the world of a fork could not be rebuilt.
            NotRecorded: a journal of the run to go on with cannot be read.
            CannotGoOn: a task of it is not known any more.
        """
        if self.brains.needs_litellm:
            # The slowest import is done before the run's clock starts.
            litellm_module.load()
        session = Session(
            self.platform,
            self.options.model_copy(update={"pack_name": self.pack.name if self.pack else None}),
            benchmark_named(self.options.benchmark, self._context(cache_folder())),
            self.folder,
            watch,
            doors=client_factory(
                self.brains.ids,
                self.brains.models,
                base_urls=self.brains.base_urls,
                opener=self.brains.opener,
                sleep=self._stop.wait,
            ),
            past=self.past,
            stop=self._stop,
            with_retries=self._retry_policy.within,
            executor_factory=self._debugged() if self.options.debug else None,
            step_models=self.brains.step_models,
        )
        if self.resumed:
            plan = self._taken_up(session, self.resumed)
            return session, plan.tasks, plan.starts
        forked = _manifest_of(self.options.fork) if self.options.fork else None
        self._say_sandbox(forked.sandboxes if forked else ())
        session.sandboxes = self._sandbox
        # A session that only the platform knows of would be lost.
        tasks = session.tasks(lambda: self._note(session, []))
        self._note(session, tasks)
        return session, tasks, session.starts(tasks)

    def _debugged(self) -> TaskExecutorFactory:
        from workshop.replay.debugger.live import LiveDebugger

        bench = workbench_of(self.options.benchmark)
        return lambda task, played: LiveDebugger(bench, task.spec_id, task.text, played).open

    def _taken_up(self, session: Session, resumed: Resumed) -> Continuation:
        status = self._status(resumed)
        manifest = self._noted_again(resumed.manifest, anew=resumed.anew)
        self._say_sandbox(manifest.sandboxes)
        if manifest.sandboxes[-1:] != self._sandbox:
            there = (*manifest.sandboxes, *self._sandbox)
            manifest = manifest.model_copy(update={"sandboxes": there})
            manifest.write(self.folder)
        if status and not manifest.tasks:
            found = tuple((t.spec_id, t.task_id, t.task_text) for t in status.tasks)
            manifest = manifest.model_copy(update={"tasks": found})
            manifest.write(self.folder)
        plan = continuation(
            self.platform,
            self.options.benchmark,
            manifest.infos(),
            self.folder,
            status,
            seconds=resumed.results.totals.seconds if resumed.results else 0.0,
            may_start=not self.options.real,
        )
        if plan.tasks and (calls := self._ready()):
            asked = {"preflight": (*manifest.preflight, *calls)}
            manifest.model_copy(update=asked).write(self.folder)
        session.take_over(plan, manifest.session_id, manifest.created)
        session.sandboxes = manifest.sandboxes
        return plan

    def _status(self, resumed: Resumed) -> Any | None:
        """The session of a run to go on with; None where there is none or it begins anew.

        A process may have died between handing it in and writing that down. Raises NothingToDo.
        """
        session_id = resumed.manifest.session_id
        if not session_id or resumed.anew:
            return None
        try:
            status = session_of(self.platform, session_id)
        except SessionGone as error:
            if self.options.real:
                raise
            raise SessionGone(f"{self.folder / STATE} is cut or lost: {error}") from None
        if self.options.real and status.status in SUBMITTED:
            note_submitted(resumed.folder, resumed.results)
            raise NothingToDo(submitted_already(resumed.folder, session_id))
        return status

    def _noted_again(self, manifest: Manifest, *, anew: bool) -> Manifest:
        """Where a resumption was forced, the manifest says what the run is made of from now on."""
        if self._identity == manifest.identity:
            return manifest
        self._keep()
        update: dict[str, Any] = {
            "identity": self._identity,
            "earlier": (*manifest.earlier, manifest.identity),
            "session_id": None if anew else manifest.session_id,
        }
        noted = manifest.model_copy(update=update)
        noted.write(self.folder)
        return noted

    def _keep(self) -> None:
        """The texts and the pack that the manifest names."""
        prompts = Prompts(self.folder)
        shipped = self.benchmark.prompts.shipped()
        laid = [text for name in self._texts for text in (shipped[name], self._texts[name])]
        for text in [*self._prompts.values(), *laid]:
            prompts.keep(text)
        if self.pack:
            write_whole(self.folder / PACK_COPY, self.pack.model_dump_json(exclude_defaults=True))

    def _note(self, session: Session, tasks: list[TaskInfo]) -> None:
        """Keep what the run is made of before anything is spent."""
        self._keep()
        Manifest(
            run_id=self.folder.name,
            created=session.started.isoformat(timespec="seconds"),
            identity=self._identity,
            options=self.options.stored(),
            base_url=self.base_url if self.options.real else None,
            session_id=session.session_id,
            tasks=tuple((t.spec_id, t.task_id, t.text) for t in tasks),
            preflight=self._preflight,
            shipped=hashes({name: self.benchmark.prompts.shipped()[name] for name in self._texts}),
            versions=versions(),
            sandboxes=self._sandbox,
        ).write(self.folder)

    def _say_sandbox(self, before: tuple[str, ...]) -> None:
        """Say where the code of the run to go on with ran, if that was another sandbox."""
        if before and self._sandbox and before[-1:] != self._sandbox:
            text = f"note: its code ran in {before[-1]} before, and runs in {self._sandbox[0]} now"
            say(notes(quiet=self.options.quiet), text)


def _past(options: Options) -> Past | None:
    """What a fork begins with; None without ``--fork``. Raises CannotRun."""
    if options.fork is None:
        return None
    try:
        was = "evaluator-worker"  # runs without a manifest are older than the second strategy
        if manifest := _manifest_of(options.fork):
            was = str(manifest.options.get("strategy", was))
        if was != options.strategy:
            raise CannotRun(f"cannot fork: the run was made with --strategy {was}, give that one")
        return Past(read_tasks(options.fork, options.tasks[0])[0], options.turn)
    except NotRecorded as error:
        raise CannotRun(f"cannot fork: {error}") from None


def _manifest_of(folder: Path) -> Manifest | None:
    """The manifest of a run; None where it has none that can be read."""
    with suppress(NoManifest):
        return read_manifest(folder)
    return None
