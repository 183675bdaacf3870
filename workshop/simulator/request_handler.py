"""Where every call arrives: it is counted, meets its fault, is noted in the state, takes effect."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from workshop.simulator import core_api
from workshop.simulator.faults import TASK_PATHS, Chaos, Fault
from workshop.simulator.platform import Platform, Task, key_digest
from workshop.simulator.state import ApiCall, StateError, StateFile, StateLine
from workshop.simulator.world import Refusal, Scenario, Wire

SESSION_WRITES = frozenset({"/sessions/start", "/sessions/submit"})
IRREVERSIBLE = frozenset({"/tasks/complete", "/sessions/submit"})


@dataclass(frozen=True, slots=True)
class Answered:
    """How a call was answered: JSON, HTTP status, and the fault that the client meets instead."""

    status: int
    answer: Wire
    fault: Fault | None = None


class _Subject(NamedTuple):
    """Whom a call is about: what it counts for, the scenario, and the task if it exists."""

    counted: str
    scenario: Scenario
    task: Task | None


class RequestHandler:
    """Takes the calls of one platform, one after the other; `chaos` draws faults for them.

    With a state file, what it holds is repeated first. A call that may change anything is then
    written to it before it takes effect, so whatever was answered is in the file; the disk has
    confirmed it where the effect cannot be undone.
    """

    def __init__(
        self, platform: Platform, chaos: Chaos | None = None, state: StateFile | None = None
    ) -> None:
        self.platform = platform
        self._chaos = chaos
        self._state = state
        self._irreversible = IRREVERSIBLE.union(
            *(served.world.irreversible for served in platform.served)
        )
        self._arrivals: Counter[tuple[str, str]] = Counter()
        for line in state.lines() if state else ():
            self._repeat(line)

    def take(self, call: ApiCall) -> Answered:
        """Answer one call."""
        call = _without_secrets(call)
        subject = self._subject(call)
        if subject is None and call.path not in SESSION_WRITES:
            return self._deliver(call)
        fault = self._fault(call.path, subject) if subject else None
        ticket = self.platform.clock.draw()
        line = StateLine(ticket.at, ticket.salt, call.path, call.task_id, call.body, fault)
        try:
            if self._state:
                self._state.append(line, sync=call.path in self._irreversible)
        except StateError as error:
            return _refused(500, str(error))
        return self._repeat(line)

    def close(self) -> None:
        """Let go of the state file."""
        if self._state:
            self._state.close()

    def _fault(self, path: str, subject: _Subject) -> Fault | None:
        """What the next call of a path meets; the scenario's own faults go first."""
        nth = self._arrivals[subject.counted, path] + 1
        for fault in subject.scenario.faults:
            if fault.meets(path, nth):
                return fault
        return self._chaos.fault(subject.scenario.spec_id, path, nth) if self._chaos else None

    def _repeat(self, line: StateLine) -> Answered:
        call, fault = line.call, line.fault
        subject = self._subject(call)
        if subject:
            self._arrivals[subject.counted, call.path] += 1
        with self.platform.clock.held(line.ticket):
            return self._admit(call, fault, subject.task if subject else None)

    def _admit(self, call: ApiCall, fault: Fault | None, task: Task | None) -> Answered:
        if task and (call.path, call.body) in task.undelivered:
            task.undelivered.remove((call.path, call.body))
        if fault is None:
            return self._deliver(call)
        if task:
            task.note("info", fault.label)
        if not fault.deliveries:
            if task:
                task.undelivered.append((call.path, call.body))
            return Answered(fault.status or 0, {}, fault)
        first = self._deliver(call)
        acts = len(task.acts) if task else 0
        for _ in range(fault.deliveries - 1):
            self._deliver(call)
        if task:
            task.echoes.update(range(acts, len(task.acts)))
        if task is None and first.status == 200:
            self.platform.task(first.answer["task_id"]).note("info", fault.label)
        return Answered(first.status, first.answer, fault)

    def _deliver(self, call: ApiCall) -> Answered:
        try:
            if call.task_id is None:
                return Answered(200, core_api.call(self.platform, call.path, call.body))
            return Answered(200, self.platform.call(call.task_id, call.path, call.body))
        except Refusal as error:
            return _refused(error.status, str(error))

    def _subject(self, call: ApiCall) -> _Subject | None:
        if call.task_id is None and call.path not in TASK_PATHS:
            return None
        task_id = call.body.get("task_id") if call.task_id is None else call.task_id
        benchmark, spec_id = call.body.get("benchmark"), call.body.get("spec_id")
        try:
            if task_id and isinstance(task_id, str):
                task = self.platform.task(task_id)
                world = self.platform.served_as(task.benchmark).world
                if call.task_id is None or call.path in world.routes:
                    return _Subject(task_id, task.scenario, task)
            elif (
                call.path == "/tasks/start"
                and isinstance(benchmark, str)
                and isinstance(spec_id, str)
            ):
                served = self.platform.served_as(benchmark)
                scenario = served.scenario(spec_id)
                return _Subject(f"{served.world.name} spec {spec_id}", scenario, None)
        except Refusal:
            pass
        return None


def _refused(status: int, text: str) -> Answered:
    return Answered(status, {"status": status, "error": text, "code": ""})


def _without_secrets(call: ApiCall) -> ApiCall:
    """The call as platform and state file may know it.

    An account key becomes its digest, which is as good for telling accounts apart and stays
    refused where the key is. The text of a reported model call is nobody's business here.
    """
    key, text = call.body.get("account_key"), call.body.get("completion")
    if isinstance(key, str):
        return ApiCall(call.path, call.body | {"account_key": key_digest(key)}, call.task_id)
    if isinstance(text, str) and call.task_id is None:
        return ApiCall(call.path, call.body | {"completion": ""})
    return call
