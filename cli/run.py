"""One run, read from top to bottom: what it needs, its session, its tasks, its end."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from itertools import chain
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from cli import loading
from cli.asking import agrees, at_terminal
from cli.benchmarks import benchmark_named, used_sections
from cli.checks import check_ready
from cli.earlier import Resumed, past_of, resumed
from cli.end_of_run import End
from cli.options import Options
from cli.platform import (
    STATE,
    bare,
    known_of,
    pack_at,
    pack_of,
    platform_of,
    real_key,
    url_to_play_at,
)
from cli.run_models import (
    check_models,
    hashes,
    identity_of,
    models_line,
    prompts_of,
    run_models,
    versions,
    with_models,
)
from coordinator.benchmark import TaskOptions
from coordinator.clients import client_factory
from coordinator.config import STRATEGIES
from coordinator.fork import Differs
from coordinator.limits import CancelToken, handle_signals
from coordinator.resume import CannotGoOn, Continuation, continuation, session_of
from coordinator.session import Session, TaskExecutorFactory
from coordinator.stages import caveat_of
from coordinator.task_plan import TaskPlan
from core.erc3_client.retry_policy import RetryPolicy, trouble_of
from core.models import litellm_module
from core.models.kept_files import cache_folder
from core.models.model_call import KeptCalls
from core.models.providers import Played, is_scripted, note_on
from core.models.sections import SectionError, Texts
from core.runs.errors import CannotRun, Exit, NotRecorded, Usage
from core.runs.folder import PACK_COPY, run_folder
from core.runs.hints import command, goes_on
from core.runs.journal import JournalFailed, write_whole
from core.runs.manifest import Manifest, PackInfo, manifest_of, note_progress
from core.runs.prompts import Prompts
from core.runs.task import TaskInfo, Watcher
from core.terminal.console import notes, say
from core.terminal.figures import so_many_tasks
from core.terminal.progress import Progress, Stream
from worker.sandbox.isolation import used_kind

if TYPE_CHECKING:
    from rich.console import Console

SUBMITTED = frozenset({"submitted", "evaluated"})
"""The platform's status of a submitted session."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def start(options: Options) -> int:
    """Run what the command line asks for; the exit code.

    Raises:
        NothingToDo: the run to resume was already submitted.
        CannotRun: something that the run needs is missing, its models do not answer, or it broke
            off.
        ExtraMissing: the library of traces is not installed.
    """
    note = notes(quiet=options.quiet)
    options, notice = with_models(options)
    if notice:
        say(note, notice)
    check_sandbox(options, note)
    with ExitStack() as stack:
        run = Run(options, stack)
        say(note, models_line(run.options))
        stack.enter_context(_ended_properly(run))
        watch = run.watcher()
        session, plans = run.session(watch)
        watch.expect(len(plans), session.kept)
        if session.kept:
            rest = f"{len(plans)} to play" if plans else "nothing is left to play"
            say(note, f"resuming {run.folder}: {so_many_tasks(len(session.kept))} kept, {rest}")
        loading.over()
        with nullcontext() if run.options.debug else _interrupts(run.stop, run.folder), watch:
            results = session.run(plans)
        return End(run, session, results).come_to(anything_new=bool(plans))


# -- the sandbox


def check_sandbox(options: Options, note: Console) -> None:
    """Find what is wrong with the sandbox now and not in every task; say which one it is.

    Raises:
        Usage: the setting asks for a sandbox that there is not.
        CannotRun: the sandbox does not start, lacks the isolation that is required, or nobody
            agreed to play a real session without isolation.
    """
    from worker.sandbox.contract import SandboxUnavailable
    from worker.sandbox.isolation import chosen_kind, describe_sandbox

    try:
        choice = chosen_kind()
        kind, text = describe_sandbox(choice)
        if options.require_wall and kind == "monty":
            raise CannotRun(f"--require-wall: {text}")
    except ValueError as error:
        raise Usage(str(error)) from None
    except SandboxUnavailable as error:
        fix = "; set it to auto" if choice != "monty" else ""
        raise CannotRun(f"WORKER_SANDBOX={choice}: {error}{fix}") from None
    if kind == "monty":
        say(note, f"warning: {text}")
        if choice == "auto" and _runs_code_for_real(options):
            _agree_to_monty(note)
    elif not options.as_json:
        note.print(text, highlight=False, markup=False)


def _runs_code_for_real(options: Options) -> bool:
    """Whether generated code will run for a real session, a resumed one included."""
    manifest = manifest_of(options.resume) if options.resume else None
    stored = manifest.options if manifest else {}
    traits = STRATEGIES.get(stored.get("strategy", options.strategy))
    runs_code = not options.submit_as_is and (traits is None or traits.has_worker)
    return runs_code and bool(options.real or stored.get("real"))


def _agree_to_monty(note: Console) -> None:
    """Ask whether a real session is played without isolation. Raises CannotRun: it is not."""
    way = "WORKER_SANDBOX=monty plays without asking"
    if not at_terminal():
        raise CannotRun(f"--real asks before it plays in Monty, and there is no terminal; {way}")
    if not agrees(note, "Play a real session in Monty?"):
        raise CannotRun(f"nothing was played; {way}")


# -- what it needs, and its session


class Run:
    """The parts of a run; nothing is spent at the platform before :meth:`session`."""

    def __init__(self, options: Options, stack: ExitStack) -> None:
        """Find all that the run needs; ``stack`` closes what it opens. Raises as ``start``."""
        self.stop = CancelToken()
        earlier = self.resumed = resumed(options, stack) if options.resume else None
        options = earlier.options if earlier else options
        self.note = notes(quiet=options.quiet)
        if options.trace:
            from workshop.views.tracing.collector import check_targets

            check_targets(options.trace)
        url = _url(options, earlier)
        self.address = bare(url) if options.real else None
        self.past = past_of(options)
        if self.past:  # one of several tasks of a spec is named by its journal
            options = options.model_copy(update={"tasks": (self.past.log.spec_id,)})
        self.pack = earlier.pack if earlier else pack_of(options, self.past)
        pack_name = self.pack.name if self.pack else None
        self.options = options = options.model_copy(update={"pack_name": pack_name})
        self.overrides = used_sections(
            options.prompts, options.benchmark, (options.strategy,), self.note
        )
        self.retry_policy = RetryPolicy(
            options.retry_seconds, self.stop.wait, lambda: self.stop.requested
        )
        of_tasks = _task_options(options, self.overrides, self.retry_policy)
        self.benchmark = benchmark_named(options.benchmark, of_tasks)
        self._find_models(url)
        if earlier:
            earlier.check(self.identity, force=earlier.options.force)
        has_worker = STRATEGIES[options.strategy].has_worker
        self.sandboxes = (used_kind(),) if has_worker else ()
        self.preflight = () if earlier else check_ready(self.models, options, self.note)
        self.folder = earlier.folder if earlier else stack.enter_context(run_folder(options.out))
        if options.record:
            self.models.record(options.record)
        state = None if self.past else self.folder / STATE
        client = platform_of(self.pack, state, self.retry_policy, url, options.faults)
        self.platform: Any = stack.enter_context(client)

    def _find_models(self, url: str) -> None:
        """Load the models, and the prompts that they will get."""
        options = self.options
        self.models = run_models(options, self.benchmark.stages)
        known = self.pack
        if options.allow_scripted and options.pack:
            known = pack_at(options.pack)
        self.models.played = Played((known,) if known else ())
        check_models(options, self.models, url)
        try:
            self.prompts = prompts_of(self.benchmark, options, self.models)
        except SectionError as error:
            raise Usage(f"--prompts: {error}") from None
        self.identity = identity_of(self.models.ids, self.pack, self.prompts, self.overrides)

    def place(self, session_id: str | None, tasks: int) -> str:
        """What is played where on the real platform, in words."""
        session = f"session {session_id}" if session_id else "outside of a session"
        what = f"benchmark {self.options.benchmark}, {session}, {so_many_tasks(tasks)}"
        return f"{self.address}: {what}"

    def watcher(self) -> Progress:
        """What shows the run while it is played."""
        note = self.note
        if self.options.debug:  # lines that move would be drawn over the debugger's prompt
            note = notes(quiet=self.options.quiet, plain=True)
        shown = Stream if self.options.verbose else Progress
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
        session = Session(
            self.platform,
            self.options,
            self.benchmark,
            self.folder,
            watch,
            clients=client_factory(
                self.models.ids,
                self.models.models,
                base_urls=self.models.base_urls,
                transport_factory=self.models.transport_factory,
                sleep=self.stop.wait,
            ),
            past=self.past,
            stop=self.stop,
            with_retries=self.retry_policy.within,
            executor_factory=self._debugged() if self.options.debug else None,
            known=known_of(self.pack, self.benchmark) if self.pack else {},
        )
        if self.resumed:
            return session, self._take_up(session, self.resumed).plans
        return session, self._begin(session)

    def _debugged(self) -> TaskExecutorFactory:
        from workshop.replay.sessions import live_debugger

        return lambda task, _environment: live_debugger(self.benchmark, task)

    def _begin(self, session: Session) -> list[TaskPlan]:
        """Open a new session, and keep its id before anything else can fail."""
        forked = manifest_of(self.options.fork) if self.options.fork else None
        self._note_sandbox(forked.sandboxes if forked else ())
        session.sandboxes = self.sandboxes
        # What can fail for a reason of our own does so before a session is opened.
        for role in self.models.asked:
            session.clients(role, KeptCalls([]))
        self.keep_texts()
        blank = self._manifest(session)

        def keep(tasks: list[TaskInfo]) -> None:
            named = tuple((t.spec_id, t.task_id, t.text) for t in tasks)
            update = {"session_id": session.session_id, "tasks": named}
            blank.model_copy(update=update).write(self.folder)

        try:
            tasks = session.tasks(lambda: keep([]))
            keep(tasks)
            plans = session.plans(tasks)
        except BaseException:
            if self.address and session.session_id:
                text = f"session {session.session_id} at {self.address} is open"
                again = goes_on(self.folder) or f"; {self.folder} could not keep its id"
                say(notes(), f"{text}{again}")
            raise
        if self.address:
            say(self.note, f"playing at {self.place(session.session_id, len(tasks))}")
        return plans

    def _take_up(self, session: Session, earlier: Resumed) -> Continuation:
        """Go on with the session of an earlier run."""
        manifest = earlier.manifest
        if self.address:
            place = self.place(manifest.session_id, len(manifest.tasks))
            say(self.note, f"resuming at {place}")
        status = self._status(earlier)
        self._note_sandbox(manifest.sandboxes)
        update: dict[str, object] = {}
        if self.identity != manifest.identity:  # a forced resume
            self.keep_texts()
            update |= {"identity": self.identity, "earlier": (*manifest.earlier, manifest.identity)}
            update["packs"] = self._packs
            update |= {"session_id": None} if earlier.starts_over else {}
        if manifest.sandboxes[-1:] != self.sandboxes:
            update["sandboxes"] = (*manifest.sandboxes, *self.sandboxes)
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
        if plan.plans and (calls := check_ready(self.models, self.options, self.note)):
            tried = {"preflight": (*manifest.preflight, *calls)}
            manifest.model_copy(update=tried).write(self.folder)
        session.take_over(plan, manifest.session_id, manifest.created)
        session.sandboxes = manifest.sandboxes
        return plan

    def _status(self, earlier: Resumed) -> Any | None:
        """Return the session of the run to resume; None if there is none or it starts over.

        A process may have died between submitting and recording that. Raises NothingToDo.
        """
        session_id = earlier.manifest.session_id
        if not session_id or earlier.starts_over:
            return None
        try:
            status = session_of(self.platform, session_id)
        except CannotGoOn as error:
            if self.options.real:
                raise
            raise CannotGoOn(f"{self.folder / STATE} is cut or lost: {error}") from None
        if self.options.real and status.status in SUBMITTED:
            note_progress(earlier.folder, submitted=True)
            raise earlier.submitted_already()
        return status

    def keep_texts(self) -> None:
        """Keep the prompts and the pack in the run's folder."""
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
            sandboxes=self.sandboxes,
        )

    @property
    def _packs(self) -> tuple[PackInfo, ...]:
        pack = self.pack
        return (PackInfo(name=pack.name, tasks=len(pack.scenarios)),) if pack else ()

    def _note_sandbox(self, before: tuple[str, ...]) -> None:
        if before and self.sandboxes and before[-1:] != self.sandboxes:
            text = f"its code previously ran in {before[-1]} and now runs in {self.sandboxes[0]}"
            say(self.note, f"note: {text}")


def _url(options: Options, earlier: Resumed | None) -> str:
    """The address of the real platform; "" where it is not played at. Raises CannotRun."""
    if not options.real:
        return ""
    real_key()  # without it nothing needs to be found out
    if earlier is None:
        return url_to_play_at(None, "")
    return url_to_play_at(earlier.manifest.base_url, command("--resume", earlier.folder))


def _task_options(options: Options, texts: Texts, retry_policy: RetryPolicy) -> TaskOptions:
    """What the run asks of its benchmark. Raises Usage."""
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
        texts=texts,
        rulebooks=options.rulebook,
        cache=cache,
        books=None if is_taped else cache,
        embedding=options.embedding,
    )


# -- what ends it early


@contextmanager
def _ended_properly(run: Run) -> Iterator[None]:
    """End the run in order if the platform refuses a request or the disk is full.

    Raises CannotRun: with the command that resumes it, if something has started.
    """
    from core.erc3_client import ApiException, transport_errors  # of the chosen client

    try:
        yield
        return
    except Differs as error:
        raise CannotRun(f"cannot fork: {error}") from None
    except (CannotGoOn, NotRecorded) as error:
        raise CannotRun(f"cannot continue: {error}") from None
    except ApiException as error:
        answer = "refused" if trouble_of(error) == "refused" else "gave no usable answer"
        text = f"the platform {answer}: {error}"
    except transport_errors() as error:
        where = run.address or "the simulator"
        fix = "; check the network and ERC3_BASE_URL" if run.address else ""
        text = f"the platform cannot be reached: {where} ({type(error).__name__}){fix}"
    except JournalFailed as error:
        text = f"stopped: {error}"
    except OSError as error:
        text = f"stopped: the run in {run.folder} cannot continue: {error.strerror or error}"
    raise CannotRun(f"{text}{goes_on(run.folder)}") from None


@contextmanager
def _interrupts(stop: CancelToken, folder: Path) -> Iterator[None]:
    """While this lasts the first interrupt asks for the end, the second one is the end.

    Every record is on its way to the disk when it is written, so that nothing is lost by leaving
    at once; the run can be resumed. A signal that is ignored, as those who start us in the
    background have it, stays ignored.
    """

    again = command("--resume", folder)

    def asked(number: int, frame: FrameType | None) -> None:
        if stop.requested:
            with suppress(OSError):
                os.write(2, f"\nstopped; resume: {again}\n".encode())
            os._exit(Exit.INTERRUPTED)
        stop.request()
        # Where the signal comes into the middle of another line, this one cannot be said.
        with suppress(OSError, RuntimeError):
            text = "\nfinishing current calls; press Ctrl-C again to stop now"
            print(text, file=sys.stderr, flush=True)

    with handle_signals(_SIGNALS, asked):
        yield
