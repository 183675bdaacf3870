"""Where every call arrives: it is counted, meets its fault, is noted in the state, takes effect."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from workshop.simulator.faults import TASK_PATHS, Fault, FaultPlan
from workshop.simulator.platform import Platform, Task, key_digest
from workshop.simulator.state import Call, StateError, StateFile
from workshop.simulator.world import Refusal, Scenario, Wire, World

SESSION_WRITES = frozenset({"/sessions/start", "/sessions/submit"})
IRREVERSIBLE = frozenset({"/tasks/complete", "/sessions/submit"})
NO_FAULTS = FaultPlan()


@dataclass(frozen=True, slots=True)
class Answered:
    """How a call was answered: JSON, HTTP status, and the fault that the client meets instead."""

    status: int
    answer: Wire
    fault: Fault | None = None


class _Subject(NamedTuple):
    """Whom a call is about: what it counts for, its world, the scenario, the task if it exists."""

    counted: str
    world: World
    scenario: Scenario
    task: Task | None


class RequestHandler:
    """Takes the calls of one platform, one after the other; `plan` has faults for them.

    With a state file, what it holds is repeated first. A call that may change anything is then
    written to it before it takes effect, so whatever was answered is in the file; the disk has
    confirmed it where the effect cannot be undone.
    """

    def __init__(
        self, platform: Platform, plan: FaultPlan = NO_FAULTS, state: StateFile | None = None
    ) -> None:
        self.platform = platform
        self._plan = plan
        self._state = state
        self._irreversible = IRREVERSIBLE.union(
            *(served.world.irreversible for served in platform.served)
        )
        self._arrivals: Counter[tuple[str, str]] = Counter()
        for call in state.calls() if state else ():
            self._carry_out(call, self._subject(call.path, call.body, call.task_id))

    def take(self, path: str, body: Wire, task_id: str | None = None) -> Answered:
        """Answer one call: to the world of a task, or where none is named, to the platform."""
        if task_id is None:
            body = _without_secrets(body)
        subject = self._subject(path, body, task_id)
        call = Call(*self.platform.clock.draw(), path, task_id, body, self._fault(path, subject))
        if subject is None and path not in SESSION_WRITES:
            return self._deliver(call)
        try:
            if self._state:
                self._state.append(call, sync=path in self._irreversible)
        except StateError as error:
            return _refused(500, str(error))
        return self._carry_out(call, subject)

    def close(self) -> None:
        """Let go of the state file."""
        if self._state:
            self._state.close()

    def _fault(self, path: str, subject: _Subject | None) -> Fault | None:
        """What the next call of a path meets; the scenario's own faults go first."""
        if subject is None:
            return None
        nth, scenario = self._arrivals[subject.counted, path] + 1, subject.scenario
        own = (fault for fault in scenario.faults if fault.meets(path, nth))
        return next(own, None) or self._plan.fault(subject.world, scenario.spec_id, path, nth)

    def _carry_out(self, call: Call, subject: _Subject | None) -> Answered:
        if subject:
            self._arrivals[subject.counted, call.path] += 1
        task, fault = subject.task if subject else None, call.fault
        with self.platform.clock.held(call.at, call.salt):
            if task:
                task.arrives(call.path, call.body, fault)
            if fault is None:
                return self._deliver(call)
            if not fault.deliveries:
                return Answered(fault.status or 0, {}, fault)
            first = self._deliver(call)
            acts = len(task.acts) if task else 0
            for _ in range(fault.deliveries - 1):
                self._deliver(call)
            if task:
                task.echoes.update(range(acts, len(task.acts)))
            elif first.status == 200:
                self.platform.task(first.answer["task_id"]).note("info", fault.label)
            return Answered(first.status, first.answer, fault)

    def _deliver(self, call: Call) -> Answered:
        try:
            if call.task_id is None:
                return Answered(200, self.platform.call_core(call.path, call.body))
            return Answered(200, self.platform.call(call.task_id, call.path, call.body))
        except Refusal as error:
            return _refused(error.status, str(error))

    def _subject(self, path: str, body: Wire, task_id: str | None) -> _Subject | None:
        """What a call counts for; None: it reaches no task."""
        if task_id is None and path not in TASK_PATHS:
            return None
        named = body.get("task_id") if task_id is None else task_id
        benchmark, spec_id = body.get("benchmark"), body.get("spec_id")
        try:
            if named and isinstance(named, str):
                task = self.platform.task(named)
                world = self.platform.served_as(task.benchmark).world
                if task_id is None or path in world.routes:
                    return _Subject(named, world, task.scenario, task)
            elif path == "/tasks/start" and isinstance(benchmark, str) and isinstance(spec_id, str):
                served = self.platform.served_as(benchmark)
                counted = f"{served.world.name} spec {spec_id}"
                return _Subject(counted, served.world, served.scenario(spec_id), None)
        except Refusal:
            pass
        return None


def _refused(status: int, text: str) -> Answered:
    return Answered(status, {"status": status, "error": text, "code": ""})


def _without_secrets(body: Wire) -> Wire:
    """The body of a call as platform and state file may know it.

    An account key becomes its digest, which is as good for telling accounts apart and stays
    refused where the key is. The text of a reported model call is nobody's business here.
    """
    if isinstance(key := body.get("account_key"), str):
        return body | {"account_key": key_digest(key)}
    return body | {"completion": ""} if isinstance(body.get("completion"), str) else body
