"""Where every call arrives: it is counted, meets its fault, is noted in the state, takes effect."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from simulator import core_api
from simulator.pack_faults import FAULT_PATHS
from simulator.platform import KEY_PREFIX, is_key
from simulator.records import Refusal
from simulator.state import Call, Event, StateError
from simulator.store import api

if TYPE_CHECKING:
    from simulator.faults import FaultPlan
    from simulator.pack_faults import Fault
    from simulator.platform import Platform
    from simulator.records import Task
    from simulator.state import StateFile
    from simulator.store.api import Wire

COUNTED = frozenset(FAULT_PATHS)
SESSION_WRITES = frozenset({"/sessions/start", "/sessions/submit"})
IRREVERSIBLE = frozenset({"/basket/checkout", "/tasks/complete", "/sessions/submit"})


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer of a call with its HTTP status, and the fault that the client meets instead."""

    status: int
    answer: Wire
    fault: Fault | None = None


class _Subject(NamedTuple):
    """Whom a call is about: the id that it counts for, its scenario, and the task if it exists."""

    counted: str
    spec_id: str
    task: Task | None


class Desk:
    """Takes the calls of one platform, one after the other.

    With a state file, what it holds is repeated first. A call that may change anything is then
    written to it before it takes effect, so whatever was answered is in the file; the disk has
    confirmed it where the effect cannot be undone.
    """

    def __init__(self, platform: Platform, plan: FaultPlan, state: StateFile | None = None) -> None:
        self.platform = platform
        self._plan = plan
        self._state = state
        self._arrivals: Counter[tuple[str, str]] = Counter()
        for event in state.events() if state else ():
            self._repeat(event)

    def take(self, call: Call) -> Outcome:
        """Answer one call."""
        call = _without_secrets(call)
        subject = self._subject(call)
        if subject is None and call.path not in SESSION_WRITES:
            return self._deliver(call)
        fault = None
        if subject:
            nth = self._arrivals[subject.counted, call.path] + 1
            fault = self._plan.meet(subject.spec_id, call.path, nth)
        if self._state is None:
            return self._admit(call, fault, subject)
        event = Event.of(self.platform.clock.draw(), call, fault)
        try:
            self._state.append(event, sync=call.path in IRREVERSIBLE)
        except StateError as error:
            return _refused(500, str(error))
        return self._repeat(event)

    def close(self) -> None:
        """Let go of the state file."""
        if self._state:
            self._state.close()

    def _repeat(self, event: Event) -> Outcome:
        call = event.call
        with self.platform.clock.held(event.ticket):
            return self._admit(call, event.fault, self._subject(call))

    def _admit(self, call: Call, fault: Fault | None, subject: _Subject | None) -> Outcome:
        if subject:
            self._arrivals[subject.counted, call.path] += 1
        if fault is None:
            return self._deliver(call)
        task = subject.task if subject else None
        if task:
            task.note("info", fault.label)
        outcomes = [self._deliver(call) for _ in range(fault.deliveries)]
        if not outcomes:
            return Outcome(fault.status or 0, {}, fault)
        first = outcomes[0]
        if task is None and first.status == 200:
            self.platform.task(first.answer["task_id"]).note("info", fault.label)
        return Outcome(first.status, first.answer, fault)

    def _deliver(self, call: Call) -> Outcome:
        try:
            if call.task_id is None:
                return Outcome(200, core_api.call(self.platform, call.path, call.body))
            task = self.platform.task(call.task_id)
            return Outcome(200, api.call(task, call.path, call.body))
        except Refusal as error:
            return _refused(error.status, str(error))

    def _subject(self, call: Call) -> _Subject | None:
        routes = core_api.ROUTES if call.task_id is None else api.ROUTES
        if call.path not in COUNTED or call.path not in routes:
            return None
        task_id = call.body.get("task_id") if call.task_id is None else call.task_id
        spec_id = call.body.get("spec_id")
        try:
            if task_id and isinstance(task_id, str):
                task = self.platform.task(task_id)
                return _Subject(task_id, task.scenario.spec_id, task)
            if call.path == "/tasks/start" and isinstance(spec_id, str):
                self.platform.scenario(spec_id)
                return _Subject(f"spec {spec_id}", spec_id, None)
        except Refusal:
            pass
        return None


def _refused(status: int, text: str) -> Outcome:
    return Outcome(status, {"status": status, "error": text, "code": ""})


def _without_secrets(call: Call) -> Call:
    """The call as platform and state file may know it.

    An account key becomes its digest, which is as good for telling accounts apart and stays
    refused where the key is. The text of a reported model call is nobody's business here.
    """
    key, text = call.body.get("account_key"), call.body.get("completion")
    if isinstance(key, str):
        prefix = KEY_PREFIX if is_key(key) else ""
        digest = hashlib.sha256(key.encode()).hexdigest()
        return Call(call.path, call.body | {"account_key": prefix + digest}, call.task_id)
    if isinstance(text, str) and call.task_id is None:
        return Call(call.path, call.body | {"completion": ""})
    return call
