"""The platform's state: sessions and tasks over one pack.

Choices where nothing is recorded of the real platform:

- any account key that starts with `key-` is an account;
- starting a running task again answers as the first time and changes nothing, starting a
  completed one is refused;
- completing a task that was not started is refused; completing it again answers
  `already_completed` with the same evaluation (one participant's statement);
- a store call or a model call report for a task that is not in progress is refused;
- a session is `open` until it is submitted and `evaluated` from then on; submitting it again
  changes nothing; with `force`, unfinished tasks become `failed` with score 0;
- an id that is not known is refused with HTTP 404.

For a client that does not know whether a call arrived, repeating it is

- harmless: everything that only reads, `/tasks/start` with a task id, `/tasks/complete`,
  `/sessions/submit`, `/coupon/apply` with the same code, `/coupon/remove`;
- another effect: `/tasks/start` by spec (one more task), `/sessions/start` (one more session),
  `/tasks/log` (one more report, which does not change the score), `/basket/add` and
  `/basket/remove` (the quantity again; the size that they answer and `/basket/view` tell);
- refused where it did take effect: `/basket/checkout`, as the basket is then empty. Whether it
  was bought can only be told from a basket that was not empty before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

from simulator.clock import Clock
from simulator.records import Refusal, Session, Tally, Task
from simulator.store.scoring import Evaluation, evaluate
from simulator.store.shop import Basket, Catalog, Shop

if TYPE_CHECKING:
    from _collections_abc import dict_values

    from simulator.store.pack import Expect, Pack, Scenario

BENCHMARK = "store"
KEY_PREFIX = "key-"


class Platform:
    """Sessions and tasks over the shops of one pack; raises `Refusal`.

    One thread, the server's, drives it; `expectation` and `checkouts` may be asked from any.
    Every look-up is by id in a dict, so thousands of tasks may be alive at once.
    """

    def __init__(self, pack: Pack) -> None:
        self.pack = pack
        self.clock = Clock()
        self._scenarios = {scenario.spec_id: scenario for scenario in pack.scenarios}
        self._catalogs = {scenario.spec_id: Catalog(scenario) for scenario in pack.scenarios}
        self._tasks: dict[str, Task] = {}
        self._single: dict[str, Task] = {}
        self._sessions: dict[str, Session] = {}

    def expectation(self, spec_id: str) -> Expect:
        """What the evaluator wants of a scenario; KeyError for an unknown one."""
        return self._scenarios[spec_id].expect

    def checkouts(self, task_id: str) -> tuple[Basket, ...]:
        """The successful checkouts of a task so far; KeyError for an unknown one."""
        return self._tasks[task_id].checkouts

    @property
    def sessions(self) -> dict_values[str, Session]:
        """All sessions, oldest first."""
        return self._sessions.values()

    @property
    def single_tasks(self) -> dict_values[str, Task]:
        """The tasks that belong to no session, oldest first."""
        return self._single.values()

    def scenario(self, spec_id: str) -> Scenario:
        """The scenario of a spec id."""
        if spec_id not in self._scenarios:
            raise Refusal(f"unknown spec: {spec_id}", 404)
        return self._scenarios[spec_id]

    def catalog(self, spec_id: str) -> Catalog:
        """What the shops of a scenario share; KeyError for an unknown one."""
        return self._catalogs[spec_id]

    def key_for(self, email: str) -> str:
        """The account key of an address; the same one every time."""
        return KEY_PREFIX + hashlib.sha256(email.encode()).hexdigest()[:32]

    def check_benchmark(self, benchmark: str) -> None:
        """Refuse every benchmark but the one that the pack stands for."""
        if benchmark != BENCHMARK:
            raise Refusal(f"unknown benchmark: {benchmark}", 404)

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
        self.check_benchmark(benchmark)
        session_id, tally = self.clock.new("ssn"), Tally()
        tasks = tuple(
            Task(self.clock.new("tsk"), scenario, self.clock, num, session_id, tally=tally)
            for num, scenario in enumerate(self.pack.scenarios)
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
            tally=tally,
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
            task.shop = Shop(self._catalogs[task.scenario.spec_id])
            task.note("info", f"Simulation {self.clock.new('run')} started")
        task.running_shop()
        return task

    def start_new_task(self, benchmark: str, spec_id: str) -> Task:
        """Make and start a task that belongs to no session."""
        self.check_benchmark(benchmark)
        task = Task(self.clock.new("tsk"), self.scenario(spec_id), self.clock)
        self._tasks[task.task_id] = self._single[task.task_id] = task
        return self.start_task(task.task_id)

    def log_model_call(self, task_id: str) -> None:
        """Note that a model call was reported."""
        task = self.task(task_id)
        task.running_shop()
        task.model_calls += 1
        task.note("telemetry", "api.Log_Inference")

    def complete_task(self, task_id: str) -> tuple[Evaluation, bool]:
        """Close and score a task; the flag says whether it was closed before."""
        task = self.task(task_id)
        if task.status == "completed" and task.evaluation:
            return task.evaluation, True
        task.running_shop()
        evaluation = evaluate(task.scenario, task.checkouts, task.model_calls > 0)
        task.move("completed", evaluation)
        return evaluation, False

    def _check_key(self, account_key: str) -> None:
        if not is_key(account_key):
            raise Refusal("invalid account key")


def is_key(text: str) -> bool:
    """Whether it has the form of an account key."""
    return text.startswith(KEY_PREFIX) and text != KEY_PREFIX
