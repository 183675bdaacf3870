"""The platform's state: sessions and tasks over one pack of each kind.

Choices where nothing is recorded of the real platform:

- any account key that starts with `key-` is an account;
- starting a running task again answers as the first time and changes nothing, starting a
  completed one is refused;
- completing a task that was not started is refused; completing it again answers
  `already_completed` with the same evaluation (one participant's statement);
- a call to its world or a model call report for a task that is not in progress is refused;
- a session is `open` until it is submitted and `evaluated` from then on; submitting it again
  changes nothing; with `force`, unfinished tasks become `failed` with score 0;
- an id that is not known is refused with HTTP 404.

For a client that does not know whether a call arrived, repeating it is

- harmless: everything that only reads, `/tasks/start` with a task id, `/tasks/complete`,
  `/sessions/submit`;
- another effect: `/tasks/start` by spec (one more task), `/sessions/start` (one more session),
  `/tasks/log` (one more report, which does not change the score).

A request to a task's world that does not fit its model is refused with HTTP 400 and names the
field; that text is ours. The `tool` in a body is not looked at, as the platform does not need it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from simulator.clock import Clock
from simulator.pack_files import PackError
from simulator.sessions import Session, Standing, Task
from simulator.world import Evaluation, Pack, Refusal, Scenario, Wire, read_request
from simulator.worlds import world_of

if TYPE_CHECKING:
    from _collections_abc import dict_values

KEY_PREFIX = "key-"


class Bench:
    """A pack as it is served: its world, its scenarios by id, and what opens their tasks."""

    def __init__(self, pack: Pack) -> None:
        self.pack = pack
        self.world = world_of(pack.format)
        self.openers = {one.spec_id: self.world.opener(pack, one) for one in pack.scenarios}
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

    def __init__(self, *packs: Pack) -> None:
        self.benches = tuple(Bench(pack) for pack in packs)
        self._by_benchmark: dict[str, Bench] = {}
        for bench in self.benches:
            for benchmark in bench.world.benchmarks:
                other = self._by_benchmark.setdefault(benchmark, bench)
                if other is not bench:
                    names = f"{other.pack.name!r} and {bench.pack.name!r}"
                    raise PackError(
                        f"the packs {names} both stand for the benchmark {benchmark!r}; serve one "
                        "pack of each kind"
                    )
        self.roots = frozenset(root for bench in self.benches for root in bench.world.roots)
        self.clock = Clock()
        self._tasks: dict[str, Task] = {}
        self._single: dict[str, Task] = {}
        self._sessions: dict[str, Session] = {}

    def acts(self, task_id: str) -> tuple[Any, ...]:
        """What was done for good in a task so far; KeyError for an unknown one."""
        return self._tasks[task_id].acts

    @property
    def sessions(self) -> dict_values[str, Session]:
        """All sessions, oldest first."""
        return self._sessions.values()

    @property
    def single_tasks(self) -> dict_values[str, Task]:
        """The tasks that belong to no session, oldest first."""
        return self._single.values()

    def key_for(self, email: str) -> str:
        """The account key of an address; the same one every time."""
        return KEY_PREFIX + hashlib.sha256(email.encode()).hexdigest()[:32]

    def bench(self, benchmark: str) -> Bench:
        """What is served under the id of a benchmark."""
        if benchmark not in self._by_benchmark:
            raise Refusal(f"unknown benchmark: {benchmark}", 404)
        return self._by_benchmark[benchmark]

    def serves(self, root: str, task_id: str) -> bool:
        """Whether calls of a task go to this root; those of an unknown one may go to each."""
        if root not in self.roots or task_id not in self._tasks:
            return root in self.roots
        return root in self.bench(self._tasks[task_id].benchmark).world.roots

    def start_session(
        self,
        account_key: str,
        benchmark: str,
        workspace: str,
        name: str = "",
        architecture: str = "",
        flags: Iterable[str] = (),
    ) -> Session:
        """Open a session with one new task per scenario."""
        self._check_key(account_key)
        bench = self.bench(benchmark)
        session_id, standing, clock = self.clock.new("ssn"), Standing(), self.clock
        tasks = tuple(
            Task(clock.new("tsk"), benchmark, one, clock, num, session_id, standing=standing)
            for num, one in enumerate(bench.pack.scenarios)
        )
        session = Session(
            session_id=session_id,
            account_key=account_key,
            benchmark=benchmark,
            workspace=workspace,
            name=name,
            architecture=architecture,
            flags=tuple(flags),
            tasks=tasks,
            standing=standing,
            created=self.clock.now(),
        )
        self._sessions[session_id] = session
        self._tasks.update((task.task_id, task) for task in tasks)
        return session

    def session(self, session_id: str) -> Session:
        """The session of an id."""
        if session_id not in self._sessions:
            raise Refusal(f"session not found: {session_id}", 404)
        return self._sessions[session_id]

    def sessions_of(self, account_key: str) -> list[Session]:
        """The sessions that were opened with a key, oldest first."""
        self._check_key(account_key)
        return [one for one in self._sessions.values() if one.account_key == account_key]

    def submit_session(self, session_id: str, force: bool = False) -> Session:
        """Hand a session in; refused while tasks are unfinished unless `force`."""
        session = self.session(session_id)
        unfinished = [task for task in session.tasks if task.status in ("new", "in_progress")]
        if unfinished and not force:
            raise Refusal("session has unfinished tasks")
        for task in unfinished:
            task.error_message = "session was submitted before the task was completed"
            task.move("failed", Evaluation(0.0, f"FAIL: {task.error_message}"))
        session.status = "evaluated"
        return session

    def task(self, task_id: str) -> Task:
        """The task of an id."""
        if task_id not in self._tasks:
            raise Refusal(f"task not found: {task_id}", 404)
        return self._tasks[task_id]

    def start_task(self, task_id: str) -> Task:
        """Start a task of a session."""
        task = self.task(task_id)
        if task.status == "new":
            task.move("in_progress")
            task.world = self.bench(task.benchmark).openers[task.scenario.spec_id]()
            task.note("info", f"Simulation {self.clock.new('run')} started")
        task.running()
        return task

    def start_new_task(self, benchmark: str, spec_id: str) -> Task:
        """Make and start a task that belongs to no session."""
        scenario = self.bench(benchmark).scenario(spec_id)
        task = Task(self.clock.new("tsk"), benchmark, scenario, self.clock)
        self._tasks[task.task_id] = self._single[task.task_id] = task
        return self.start_task(task.task_id)

    def call(self, task_id: str, path: str, body: Wire) -> Wire:
        """Carry out a request to the world of a running task; its log has a line each way."""
        task = self.task(task_id)
        offered = self.bench(task.benchmark).world
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

    def log_model_call(self, task_id: str) -> None:
        """Note that a model call was reported."""
        task = self.task(task_id)
        task.running()
        task.model_calls += 1
        task.note("telemetry", "api.Log_Inference")

    def complete_task(self, task_id: str) -> tuple[Evaluation, bool]:
        """Close and score a task; the flag says whether it was closed before."""
        task = self.task(task_id)
        if task.status == "completed" and task.evaluation:
            return task.evaluation, True
        evaluation = task.running().evaluate(task.model_calls > 0)
        task.move("completed", evaluation)
        return evaluation, False

    def _check_key(self, account_key: str) -> None:
        if not is_key(account_key):
            raise Refusal("invalid account key")


def is_key(text: str) -> bool:
    """Whether it has the form of an account key."""
    return text.startswith(KEY_PREFIX) and text != KEY_PREFIX
