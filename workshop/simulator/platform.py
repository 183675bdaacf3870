"""The platform's sessions and tasks over one pack of each kind, and what answers its own paths.

What it does where nothing is recorded of the real one, and what a repeated call does, stands in
`choices.md`.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, ClassVar, Literal

from pydantic import BaseModel

from core.erc3_client.own import core
from workshop.simulator.clock import Clock
from workshop.simulator.effects import count_effects
from workshop.simulator.faults import Fault
from workshop.simulator.pack_files import PackError
from workshop.simulator.telemetry import LogInference, ModelReport
from workshop.simulator.world import (
    Evaluation,
    Pack,
    Refusal,
    Scenario,
    TaskWorld,
    Wire,
    read_request,
)
from workshop.simulator.worlds import world_of

KEY_PREFIX = "key-"
TaskStatus = Literal["new", "in_progress", "completed", "failed"]
LineType = Literal["info", "telemetry", "request", "response", "error"]


@dataclass(frozen=True, slots=True)
class Faulted:
    """A call and the fault that it met."""

    path: str
    body: Wire
    fault: Fault


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line of a task's log; `moment` in unix seconds, `body` a JSON object or None."""

    type: LineType
    text: str
    body: Wire | None
    moment: float
    faulted: Faulted | None = None
    """The call whose fault it tells; its requests follow, as many as arrived."""


@dataclass(slots=True)
class Task:
    """One task; `world` is there once the task was started."""

    task_id: str
    benchmark: str
    scenario: Scenario
    clock: Clock = field(repr=False)
    num: int = 0
    session_id: str | None = None
    status: TaskStatus = "new"
    world: TaskWorld | None = None
    log: list[LogLine] = field(default_factory=list)
    reports: list[ModelReport] = field(default_factory=list)
    """One for each line of telemetry in the log, in the same order."""
    undelivered: list[tuple[str, Wire]] = field(default_factory=list)
    """Requests that a fault kept from arriving and that were not sent again: path and body."""
    echoes: set[int] = field(default_factory=set)
    """Places among the acts of those that only came because a fault delivered a request twice."""
    evaluation: Evaluation | None = None
    ended: float | None = None
    """When it was evaluated, in unix seconds."""
    error_message: str | None = None

    def end(self, status: TaskStatus, evaluation: Evaluation) -> None:
        """Take on the last status and the evaluation."""
        self.status, self.evaluation, self.ended = status, evaluation, self.clock.now()

    @property
    def score(self) -> float:
        """The evaluator's score, or -1.0 before it."""
        return self.evaluation.score if self.evaluation else -1.0

    @property
    def begun(self) -> bool:
        """Whether it was started; may be asked while the platform is in use."""
        return self.world is not None and bool(self.log)

    def note(
        self, type: LineType, text: str, body: Wire | None = None, faulted: Faulted | None = None
    ) -> None:
        """Write a line into the task's log."""
        self.log.append(LogLine(type, text, body, self.clock.now(), faulted))

    def arrives(self, path: str, body: Wire, fault: Fault | None) -> None:
        """Note what becomes of a call on its way, before it takes effect."""
        if (path, body) in self.undelivered:
            self.undelivered.remove((path, body))
        if fault is None:
            return
        self.note("info", fault.label, faulted=Faulted(path, body, fault))
        if not fault.deliveries:
            self.undelivered.append((path, body))
        if fault.kind == "limit" and self.world:
            # Half of it, and at the next change the whole again; a list that is refused stays so.
            whole, now = self.scenario.page_limit, self.world.page_limit
            self.world.page_limit = whole if now != whole else min(whole, max(1, whole // 2))

    @property
    def acts(self) -> tuple[Any, ...]:
        """What was done for good so far."""
        return self.world.acts if self.world else ()

    def running(self) -> TaskWorld:
        """The task's world; `Refusal` unless the task is in progress."""
        if self.status != "in_progress" or self.world is None:
            raise Refusal(f"task is not in progress, its status is {self.status}")
        return self.world


@dataclass(slots=True)
class Session:
    """The tasks of one account's run over a benchmark, in pack order."""

    session_id: str
    asked: core.Req_StartSession
    """What it was opened with."""
    tasks: tuple[Task, ...]
    created: float
    status: Literal["open", "evaluated"] = "open"

    def count(self, status: TaskStatus) -> int:
        """How many tasks have this status."""
        return sum(task.status == status for task in self.tasks)

    @property
    def score(self) -> float:
        """The mean of the tasks' scores; a task without one counts as 0."""
        return sum(max(0.0, task.score) for task in self.tasks) / len(self.tasks)


class ServedPack:
    """A pack as it is served, with its world and its scenarios by id."""

    def __init__(self, pack: Pack) -> None:
        self.pack = pack
        self.world = world_of(pack.format)
        self._scenarios = {one.spec_id: one for one in pack.scenarios}

    def scenario(self, spec_id: str) -> Scenario:
        """The scenario of a spec id."""
        if spec_id not in self._scenarios:
            raise Refusal(f"unknown spec: {spec_id}", 404)
        return self._scenarios[spec_id]


class Platform:
    """Sessions and tasks over the scenarios of some packs; raises `Refusal`.

    One thread, the server's, drives it; `acts` may be asked from any. Every look-up is by id in a
    dict, so thousands of tasks may be alive at once.

    Raises `PackError` when two packs are of the same kind: a benchmark's id names one of them.
    """

    def __init__(self, *packs: Pack, key: str | None = None) -> None:
        """``key``: the only account key that is taken; any where none is named."""
        self._key = None if key is None else key_digest(key)
        self.served = tuple(ServedPack(pack) for pack in packs)
        self._by_benchmark: dict[str, ServedPack] = {}
        for served in self.served:
            for benchmark in served.world.benchmarks:
                other = self._by_benchmark.setdefault(benchmark, served)
                if other is not served:
                    names = f"{other.pack.name!r} and {served.pack.name!r}"
                    raise PackError(
                        f"the packs {names} are both for the benchmark {benchmark!r}; serve one "
                        "pack of each kind"
                    )
        self.roots = frozenset(root for served in self.served for root in served.world.roots)
        self.clock = Clock()
        self._tasks: dict[str, Task] = {}
        self.single_tasks: dict[str, Task] = {}
        """Those that belong to no session, by id, oldest first."""
        self.sessions: dict[str, Session] = {}
        """By id, oldest first."""

    @property
    def tasks(self) -> list[Task]:
        """All tasks, oldest first; may be asked while the platform is in use."""
        return list(self._tasks.values())

    def acts(self, task_id: str) -> tuple[Any, ...]:
        """What was done for good in a task so far; KeyError for an unknown one."""
        return self._tasks[task_id].acts

    def effects_of(self, task_id: str) -> dict[str, Any]:
        """The effects of a task that went wrong, as results name them; {} where nobody knows."""
        # A run that was forced to go on with other packs has results of tasks of earlier ones.
        task = self._tasks.get(task_id)
        effects = self.served_as(task.benchmark).world.effects if task else None
        if task is None or effects is None or task.world is None:
            return {}
        wanted, done = effects(task.scenario, task.world)
        own = [effect for place, effect in enumerate(done) if place not in task.echoes]
        undelivered = Counter(path for path, _ in task.undelivered)
        return count_effects(wanted, own, undelivered)._asdict()

    def served_as(self, benchmark: str) -> ServedPack:
        """What is served under the id of a benchmark."""
        if benchmark not in self._by_benchmark:
            there = ", ".join(self._by_benchmark)
            raise Refusal(f"unknown benchmark: {benchmark}; served here: {there}", 404)
        return self._by_benchmark[benchmark]

    def serves(self, root: str, task_id: str) -> bool:
        """Whether calls of a task go to this root; those of an unknown one may go to each."""
        if root not in self.roots or task_id not in self._tasks:
            return root in self.roots
        return root in self.served_as(self._tasks[task_id].benchmark).world.roots

    def task(self, task_id: str) -> Task:
        """The task of an id."""
        if task_id not in self._tasks:
            raise Refusal(f"task not found: {task_id}", 404)
        return self._tasks[task_id]

    def start_new_task(self, benchmark: str, spec_id: str) -> Task:
        """Make and start a task that belongs to no session."""
        scenario = self.served_as(benchmark).scenario(spec_id)
        task = Task(self.clock.new("tsk"), benchmark, scenario, self.clock)
        self._tasks[task.task_id] = self.single_tasks[task.task_id] = task
        return self._started(task)

    def call(self, task_id: str, path: str, body: Wire) -> Wire:
        """Carry out a request to the world of a running task; its log has a line each way."""
        task = self.task(task_id)
        offered = self.served_as(task.benchmark).world
        route = offered.routes.get(path)
        if route is None:
            raise Refusal("Not found", 404)
        world = task.running()
        fields = {name: value for name, value in body.items() if name != "tool"}
        task.note("request", f"{offered.module}.{route.request.__name__}", fields)
        try:
            answer = route.answer(world, read_request(route.request, fields))
        except Refusal as error:
            task.note("error", f"Status: {error.status}, Error: {error}, Code: ")
            raise
        task.note("response", f"{offered.module}.{route.response.__name__}", answer)
        return answer

    def call_core(self, path: str, body: Wire) -> Wire:
        """Carry out a request to one of the platform's own paths."""
        if path not in self.routes:
            raise Refusal("Not found", 404)
        model, answer = self.routes[path]
        return answer(self, read_request(model, body))

    def _started(self, task: Task) -> Task:
        if task.status == "new":
            task.status = "in_progress"
            served = self.served_as(task.benchmark)
            task.world = served.world.open_task(served.pack, task.scenario)
            task.note("info", f"Simulation {self.clock.new('run')} started")
        task.running()
        return task

    def session(self, session_id: str) -> Session:
        """The session of an id."""
        if session_id not in self.sessions:
            raise Refusal(f"session not found: {session_id}", 404)
        return self.sessions[session_id]

    def _check_key(self, account_key: str) -> None:
        if not (is_key(account_key) if self._key is None else account_key == self._key):
            raise Refusal("invalid account key")

    # What answers the platform's own paths

    def _get_key(self, request: core.Req_GetKey) -> Wire:
        # The same one every time.
        key = KEY_PREFIX + hashlib.sha256(request.email.encode()).hexdigest()[:32]
        return {"key": key, "public_key": f"public-{key[-8:]}"}

    def _list_benchmarks(self, request: core.Req_ListBenchmarks) -> Wire:
        benchmarks = [
            {
                "id": benchmark,
                "short_description": served.world.description,
                "status": "public",
                "tasks": len(served.pack.scenarios),
            }
            for served in self.served
            for benchmark in served.world.benchmarks
        ]
        return {"benchmarks": benchmarks}

    def _view_benchmark(self, request: core.Req_ViewBenchmark) -> Wire:
        served = self.served_as(request.benchmark)
        specs = [
            {"id": one.spec_id, "task": one.task_text, "gotcha": ""}
            for one in served.pack.scenarios
        ]
        return {
            "id": request.benchmark,
            "description": served.world.description,
            "status": "public",
            "specs": specs,
            "routes": [route.described for route in served.world.routes.values()],
        }

    def _start_session(self, request: core.Req_StartSession) -> Wire:
        self._check_key(request.account_key)
        served, new = self.served_as(request.benchmark), self.clock.new
        session_id = new("ssn")
        tasks = tuple(
            Task(new("tsk"), request.benchmark, one, self.clock, num, session_id)
            for num, one in enumerate(served.pack.scenarios)
        )
        self.sessions[session_id] = Session(session_id, request, tasks, self.clock.now())
        self._tasks.update((task.task_id, task) for task in tasks)
        return {"session_id": session_id, "task_count": len(tasks)}

    def _view_session(self, request: core.Req_SessionStatus) -> Wire:
        session = self.session(request.session_id)
        asked = session.asked
        return {
            "status": session.status,
            "benchmark": asked.benchmark,
            "failed": session.count("failed"),
            "new": session.count("new"),
            "running": session.count("in_progress"),
            "completed": session.count("completed"),
            "tasks": [
                {
                    "spec_id": task.scenario.spec_id,
                    "task_id": task.task_id,
                    "num": task.num,
                    "task_text": task.scenario.task_text,
                    "status": task.status,
                    "benchmark": task.benchmark,
                    "score": task.score,
                    "error_message": task.error_message,
                }
                for task in session.tasks
            ],
            "name": asked.name,
            "architecture": asked.architecture,
            "flags": asked.flags,
            "score": session.score,
        }

    def _search_sessions(self, request: core.Req_SearchSessions) -> Wire:
        self._check_key(request.account_key)
        sessions = [
            {
                "id": session.session_id,
                "benchmark_type": session.asked.benchmark,
                "status": session.status,
                "created_at": _iso(session.created),
                "workspace": session.asked.workspace,
                "benchmark_description": self.served_as(session.asked.benchmark).world.description,
                "total_tasks": len(session.tasks),
                "completed_tasks": session.count("completed"),
                "running_tasks": session.count("in_progress"),
                "new_tasks": session.count("new"),
                "failed_tasks": session.count("failed"),
                "score": session.score,
            }
            for session in self.sessions.values()
            if session.asked.account_key == request.account_key
            and request.workspace in (None, session.asked.workspace)
            and request.benchmark in (None, session.asked.benchmark)
            and (not request.status or session.status in request.status)
        ]
        return {"sessions": sessions}

    def _submit_session(self, request: core.Req_SubmitSession) -> Wire:
        session = self.session(request.session_id)
        unfinished = [task for task in session.tasks if task.status in ("new", "in_progress")]
        if unfinished and not request.force:
            raise Refusal("session has unfinished tasks")
        for task in unfinished:
            task.error_message = "session was submitted before the task was completed"
            task.end("failed", Evaluation(0.0, f"FAIL: {task.error_message}"))
        session.status = "evaluated"
        return {"status": "submitted"}

    def _start_task(self, request: core.Req_StartTask) -> Wire:
        if request.task_id:
            task = self._started(self.task(request.task_id))
        elif request.benchmark and request.spec_id:
            task = self.start_new_task(request.benchmark, request.spec_id)
        else:
            raise Refusal("give task_id, or benchmark and spec_id")
        return {"task_id": task.task_id, "session_id": task.session_id, "status": task.status}

    def _complete_task(self, request: core.Req_CompleteTask) -> Wire:
        task, status = self.task(request.task_id), "already_completed"
        if task.status != "completed":
            task.end("completed", task.running().evaluate(bool(task.reports)))
            status = "completed"
        assert task.evaluation
        found = {"score": task.evaluation.score, "logs": task.evaluation.logs}
        return {"status": status, "eval": found}

    def _view_task(self, request: core.Req_ViewTask) -> Wire:
        task, since = self.task(request.task_id), request.since or 0
        return {
            "task_id": task.task_id,
            "text": task.scenario.task_text,
            "session_id": task.session_id,
            "spec": task.scenario.spec_id,
            "status": task.status,
            "logs": [
                {
                    "type": line.type,
                    "text": line.text,
                    "time": _iso(line.moment),
                    "unix": int(line.moment),
                    "body": _compact(line.body),
                }
                for line in task.log
                if int(line.moment) >= since
            ],
            "score": task.score,
            "benchmark": task.benchmark,
            "error_message": task.error_message,
        }

    def _log_model_call(self, request: LogInference) -> Wire:
        task = self.task(request.task_id)
        task.running()
        task.reports.append(request.report())
        task.note("telemetry", "api.Log_Inference")
        return {}

    routes: ClassVar[Mapping[str, tuple[type[BaseModel], Callable[[Platform, Any], Wire]]]] = {
        "/get_key": (core.Req_GetKey, _get_key),
        "/benchmarks/list": (core.Req_ListBenchmarks, _list_benchmarks),
        "/benchmarks/view": (core.Req_ViewBenchmark, _view_benchmark),
        "/sessions/start": (core.Req_StartSession, _start_session),
        "/sessions/status": (core.Req_SessionStatus, _view_session),
        "/sessions/search": (core.Req_SearchSessions, _search_sessions),
        "/sessions/submit": (core.Req_SubmitSession, _submit_session),
        "/tasks/start": (core.Req_StartTask, _start_task),
        "/tasks/complete": (core.Req_CompleteTask, _complete_task),
        "/tasks/view": (core.Req_ViewTask, _view_task),
        "/tasks/log": (LogInference, _log_model_call),
    }
    """By path the platform's own requests and what answers them."""


def key_digest(key: str) -> str:
    """What is kept of an account key: a digest, of the form of a key where the key has it."""
    prefix = KEY_PREFIX if is_key(key) else ""
    return prefix + hashlib.sha256(key.encode()).hexdigest()


def is_key(text: str) -> bool:
    """Whether it has the form of an account key."""
    return text.startswith(KEY_PREFIX) and text != KEY_PREFIX


def _compact(body: Wire | None) -> str:
    return "" if body is None else json.dumps(body, separators=(",", ":"), sort_keys=True)


def _iso(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds")
