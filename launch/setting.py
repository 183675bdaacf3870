"""Everything a run stands on: folder, pack, platform, models, and where it begins."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from coordinator.attempt import Start
from coordinator.config import RunConfig, TaskInfo, Watcher
from coordinator.display import Progress
from coordinator.doors import doors_of
from coordinator.fork import Past
from coordinator.journal import write_whole
from coordinator.limits import Limits, Stop
from coordinator.manifest import Manifest, NoManifest, read_manifest
from coordinator.prompts import Prompts
from coordinator.recording import read_recording
from coordinator.resume import SessionGone, continuation
from coordinator.session import Session
from coordinator.tracing.sinks import CannotTrace, check_kinds
from coordinator.tracing.tracer import Tracer
from launch.brains import Brains
from launch.console import notes
from launch.errors import CannotRun
from launch.folder import run_folder
from launch.identity import identity_of, prompts_of, versions
from launch.options import Options, stored
from launch.platform import PACK_COPY, STATE, Place, pack_of, platform_of
from launch.resuming import Resumed
from launch.store import store_benchmark
from models import litellm_module
from store_tools.brief import brief
from worker.recorded import NotRecorded

if TYPE_CHECKING:
    from simulator.pack import Pack


@dataclass
class Work:
    """The tasks of a run and how each begins."""

    tasks: list[TaskInfo]
    starts: list[Start]


class Setting:
    """Puts a run together step by step; nothing is spent before :meth:`session`."""

    def __init__(self, options: Options, stack: ExitStack, stop: Stop) -> None:
        """Raises CannotRun."""
        self._stop = stop
        self.resumed = Resumed(options) if options.resume else None
        self.options = self.resumed.options if self.resumed else options
        try:
            check_kinds(self.options.trace)
        except CannotTrace as error:
            raise CannotRun(str(error)) from None
        self.past = _past(self.options)
        self.folder: Path = (
            self.resumed.folder
            if self.resumed
            else stack.enter_context(run_folder(self.options.out))
        )
        self.pack: Pack | None = (
            self.resumed.pack if self.resumed else pack_of(self.options, self.past)
        )
        self.brains = Brains(self.options)
        self._prompts = prompts_of(
            self.brains.ids,
            self.options.strategy,
            self.brains.models,
            self.brains.base_urls.get("evaluator"),
        )
        self._identity = identity_of(self.brains.ids, self.pack, self._prompts)
        if self.resumed:
            self.resumed.check(self._identity, self._prompts)
        if self.brains.needs_litellm:
            litellm_module.warm()
        place = Place(self.folder, keep=not self.past)
        self.platform: Any = stack.enter_context(platform_of(self.options, self.pack, place))

    def watcher(self, note: Console) -> Progress:
        """Who looks on."""
        # Lines that move would be drawn over the debugger's prompt.
        plain = notes(quiet=self.options.quiet, plain=True)
        return Progress(plain if self.options.debug else note, brief)

    def tracer(self, note: Console) -> Tracer | None:
        """Who has the tasks traced; None without ``--trace``."""
        if not self.options.trace:
            return None

        def say(text: str) -> None:
            note.print(text, highlight=False, markup=False, soft_wrap=True)

        return Tracer(self.options.trace, self.folder, stored(self.options), say)

    def session(self, watch: Watcher) -> tuple[Session, Work]:
        """The session, begun or taken up again, and its work.

        Raises:
            ApiException: the platform refused.
            Differs: the world of a fork could not be rebuilt.
            Unusable: a journal of the run to go on with cannot be read.
        """
        if self.brains.needs_litellm:
            # The slowest import is done before the run's clock starts.
            litellm_module.load()
        session = Session(
            self.platform,
            self._config(),
            store_benchmark,
            self.folder,
            watch,
            doors=doors_of(
                self.brains.ids,
                self.brains.models,
                base_urls=self.brains.base_urls,
                opener=self.brains.opener,
                sleep=self._stop.wait,
            ),
            past=self.past,
            stop=self._stop,
        )
        if self.resumed:
            return session, self._taken_up(session, self.resumed)
        tasks = session.tasks()
        self._note(session, tasks)
        return session, Work(tasks, session.starts(tasks))

    def _taken_up(self, session: Session, resumed: Resumed) -> Work:
        manifest = self._noted_again(resumed.manifest, anew=resumed.anew)
        try:
            plan = continuation(
                self.platform,
                self.options.benchmark,
                manifest.infos(),
                self.folder,
                manifest.session_id,
                may_start=not self.options.real,
            )
        except SessionGone as error:
            if self.options.real:
                raise
            raise SessionGone(f"{self.folder / STATE} is cut or lost: {error}") from None
        session.take_over(plan, manifest.session_id, manifest.created)
        return Work(plan.tasks, plan.starts)

    def _noted_again(self, manifest: Manifest, *, anew: bool) -> Manifest:
        """Where a resumption was forced, the manifest says what the run is made of from now on."""
        if self._identity == manifest.identity:
            return manifest
        self._keep_prompts()
        update: dict[str, Any] = {
            "identity": self._identity,
            "earlier": (*manifest.earlier, manifest.identity),
            "session_id": None if anew else manifest.session_id,
        }
        noted = manifest.model_copy(update=update)
        noted.write(self.folder)
        if self.pack:
            self._keep_pack(self.pack)
        return noted

    def _keep_prompts(self) -> None:
        prompts = Prompts(self.folder)
        for text in self._prompts.values():
            prompts.keep(text)

    def _keep_pack(self, pack: Pack) -> None:
        write_whole(self.folder / PACK_COPY, pack.model_dump_json(exclude_defaults=True))

    def _note(self, session: Session, tasks: list[TaskInfo]) -> None:
        """Keep what the run is made of before anything is spent."""
        self._keep_prompts()
        Manifest(
            run_id=self.folder.name,
            created=session.started.isoformat(timespec="seconds"),
            identity=self._identity,
            options=stored(self.options),
            base_url=getattr(self.platform, "base_url", None) if self.options.real else None,
            session_id=session.session_id,
            tasks=tuple((t.spec_id, t.task_id, t.text) for t in tasks),
            versions=versions(),
        ).write(self.folder)
        if self.pack:
            self._keep_pack(self.pack)

    def _config(self) -> RunConfig:
        options = self.options
        return RunConfig(
            benchmark=options.benchmark,
            evaluator=options.evaluator,
            worker=options.worker,
            pack=self.pack.name if self.pack else None,
            tasks=options.tasks,
            jobs=options.jobs,
            max_turns=options.max_turns,
            workspace=options.workspace,
            name=options.name,
            architecture=options.architecture,
            flags=options.flags,
            debug=options.debug,
            strategy=options.strategy,
            prompt_tokens=options.prompt_tokens,
            run_limits=Limits(options.max_seconds, options.max_tokens, options.max_dollars),
            task_limits=Limits(options.task_seconds, options.task_tokens, options.task_dollars),
        )


def _past(options: Options) -> Past | None:
    """What a fork begins with; None without ``--fork``. Raises CannotRun."""
    if options.fork is None:
        return None
    try:
        was = _strategy_of(options.fork)
        if was != options.strategy:
            raise CannotRun(f"cannot fork: the run was made with --strategy {was}, give that one")
        return Past(read_recording(options.fork, options.tasks[0]), options.turn)
    except NotRecorded as error:
        raise CannotRun(f"cannot fork: {error}") from None


def _strategy_of(folder: Path) -> str:
    """The strategy of a recorded run; runs without a manifest are older than the second one."""
    try:
        return str(read_manifest(folder).options.get("strategy", "evaluator-worker"))
    except NoManifest:
        return "evaluator-worker"
