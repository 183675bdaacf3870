"""The result of a task of an external agent, by what its platform saw."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from coordinator.benchmark import is_harmful
from core.models.model_call import Usage
from core.models.prices import price_of
from core.models.prompt_json import compact
from core.runs.fit import fit
from core.runs.journal import Journal
from core.runs.reader import read_task
from core.runs.results import PASS, Failure, TaskResult
from core.runs.task_record import ObservedRequest
from workshop.simulator.faults import Fault
from workshop.simulator.platform import Platform, Task
from workshop.simulator.telemetry import ModelReport
from workshop.simulator.world import Refusal

SEEN_CHARS, SEEN_TOKENS = 4_000, 1_500
EVAL_CHARS = 4_000
ANSWERS = ("response", "error")


@dataclass(frozen=True)
class Cause:
    """Why a task that was not completed was not."""

    failure: Failure
    text: str


@dataclass(frozen=True)
class PlayedTask:
    """One task: its result, and what there is to tell of it."""

    result: TaskResult
    observed: tuple[ObservedRequest, ...] = ()
    remarks: tuple[str, ...] = ()
    """Lines of the platform that are about no request."""
    events: tuple[str, ...] = ()
    """Actions that cannot be undone."""


def tasks_of(platform: Platform) -> dict[str, list[Task]]:
    """All tasks by spec, the one that counts first.

    A task of a submitted session counts before any other, because an agent may prepare itself with
    single tasks; then one that was completed; then one that was begun. Of those that are alike the
    one that was begun first counts: a second try makes nothing better.

    May be called while the platform is in use; it contains what is done by then.
    """
    submitted = {one.session_id for one in list(platform.sessions.values()) if one.status != "open"}

    def rank(task: Task) -> tuple[bool, bool, float]:
        in_session = task.begun and task.session_id in submitted
        began = task.log[0].moment if task.begun else math.inf
        return not in_session, task.status != "completed", began

    by_spec: dict[str, list[Task]] = {}
    for task in sorted(platform.tasks, key=rank):
        by_spec.setdefault(task.scenario.spec_id, []).append(task)
    return by_spec


def played(platform: Platform, task: Task, cause: Cause | None) -> PlayedTask:
    """What became of a task; ``cause``: why it was not completed, if so."""
    world, state = platform.served_as(task.benchmark).world, task.world
    evaluation = task.evaluation
    score = evaluation.score if evaluation else None
    error, failure = _early(task, cause)
    acts = world.side_effects(state) if state is not None else 0
    calls = sum(line.type == "request" for line in task.log)
    # From its start to its end, or to the last request.
    began = task.log[0].moment if task.begun else 0.0
    ended = (task.ended or task.log[-1].moment) if task.begun else 0.0
    result = TaskResult(
        spec_id=task.scenario.spec_id,
        task_id=task.task_id,
        task_text=task.scenario.task_text,
        score=score,
        eval_log=evaluation.logs[:EVAL_CHARS] if evaluation else "",
        outcome="unfinished" if failure else "finished",
        verdict=world.verdict(state) if state is not None and not failure else None,
        acts=acts,
        harm=is_harmful(acts, None if score is None else score >= PASS),
        turns=len(task.reports),
        tool_calls=calls,
        requests=calls,
        tokens=tokens_of(task.reports),
        cost_usd=cost_of(task.reports),
        seconds=round(max(0.0, ended - began), 3),
        error=error,
        failure=failure,
        paid=world.paid(state) if state is not None else None,
        **platform.effects_of(task.task_id),
    )
    return PlayedTask(
        result,
        observed=tuple(requests_of(platform, task)),
        remarks=tuple(line.text for line in task.log if line.type == "info" and not line.faulted),
        events=tuple(world.event(act) for act in state.acts) if state is not None else (),
    )


def _early(task: Task, cause: Cause | None) -> tuple[str | None, Failure | None]:
    if task.status == "completed":
        return None, None
    if task.status == "failed":
        what = "completing" if task.begun else "beginning"
        return f"the agent submitted its session without {what} the task", "agent"
    return (cause.text, cause.failure) if cause else (None, "agent")


def requests_of(platform: Platform, task: Task) -> Iterator[ObservedRequest]:
    """The requests and reports that the agent sent for a task, in order, with their faults."""
    if not task.begun:
        return
    world = platform.served_as(task.benchmark).world
    paths = {f"{world.module}.{one.request.__name__}": path for path, one in world.routes.items()}
    began, reports = task.log[0].moment, iter(task.reports)
    kinds = ("telemetry", "request", *ANSWERS)
    lines = [line for line in task.log if line.type in kinds or line.faulted]
    met, delivery = None, 0
    for line, after in zip_longest(lines, lines[1:]):
        at = round(max(0.0, line.moment - began), 3)
        if line.faulted:
            met, delivery = line.faulted, 0
            if not met.fault.deliveries or met.path not in world.routes:
                sent = ObservedRequest(at=at, path=met.path, body=_json(met.body))
                yield _with_fault(sent, met.fault, 1)
                met = None
        elif line.type == "telemetry":
            report = asdict(next(reports, ModelReport("", 0.0)))
            body = _json({name: value for name, value in report.items() if value is not None})
            yield ObservedRequest(at=at, path="/tasks/log", body=body, answer="{}")
        elif line.type == "request":
            answer = after if after and after.type in ANSWERS else None
            refused = answer is not None and answer.type == "error"
            seen = ObservedRequest(
                at=at,
                path=paths.get(line.text, line.text),
                body=_json(line.body),
                answer=_json(answer.body) if answer and not refused else None,
                error=answer.text if answer and refused else None,
            )
            delivery += 1
            yield _with_fault(seen, met.fault, delivery) if met else seen
            if met and delivery >= met.fault.deliveries:
                met = None


def note_faults(platform: Platform, task_id: str, journal: Path) -> None:
    """Add the requests of a task that met a fault to its journal, unless they are there already.

    Raises JournalFailed, OSError.
    """
    try:
        task = platform.task(task_id)
    except Refusal:  # of another pack, with which the run began
        return
    if not any(line.faulted for line in task.log):
        return
    met = [one for one in requests_of(platform, task) if one.fault]
    if not met or not journal.is_file() or read_task(journal).seen:
        return
    with closing(Journal(journal)) as lines:
        for one in met:
            lines.write("seen", one.model_dump(mode="json"))


def _with_fault(one: ObservedRequest, fault: Fault, delivery: int) -> ObservedRequest:
    """A request with its fault; where its answer did not reach the agent, that is its error."""
    answer = one.error or one.answer or "not recorded"
    if not fault.deliveries:
        came = f"status {fault.status}" if fault.status else "the connection was closed"
        error = f"it never reached the platform: {came}"
    elif delivery > 1:
        error = f"the same request, delivered a second time; answer that nobody got: {answer}"
    elif not fault.is_answered:
        how = "lost" if fault.kind == "drop" else "replaced by a page of HTML"
        error = f"the answer never arrived, it was {how}: {answer}"
    else:
        return one.model_copy(update={"fault": fault.word})
    return one.model_copy(update={"fault": fault.word, "error": error, "answer": None})


def _json(body: Mapping[str, Any] | None) -> str:
    text = compact(body or {})
    return text if len(text) <= SEEN_CHARS else fit(body, SEEN_TOKENS)


def tokens_of(reports: Sequence[ModelReport]) -> Usage:
    """Tokens of all reported calls; unknown where none was reported, or one does not tell."""
    return sum(map(_usage, reports), Usage.nothing()) if reports else Usage()


def cost_of(reports: Sequence[ModelReport]) -> float | None:
    """Dollars of all reported calls, by the best price known; unknown where one of them is."""
    dollars = 0.0
    for report in reports:
        try:
            price = price_of(report.model)
        except ValueError:  # no name that a model can have
            return None
        cost = price.of(_usage(report)) if price else None
        if cost is None:
            return None
        dollars += cost
    return round(dollars, 6) if reports else None


def _usage(one: ModelReport) -> Usage:
    return Usage(
        prompt=one.prompt, completion=one.completion, cached=one.cached, reasoning=one.reasoning
    )
