"""The core routes: benchmarks, key, sessions and tasks; request models in, wire objects out.

What nothing is recorded of stands in `choices.md`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel

from core.erc3_client.own import core
from workshop.simulator.platform import KEY_PREFIX, Platform
from workshop.simulator.telemetry import LogInference
from workshop.simulator.world import Refusal, Wire, read_request


def call(platform: Platform, path: str, body: Wire) -> Wire:
    """Carry out one core request; `Refusal` when the path is unknown (404) or it is refused."""
    route = ROUTES.get(path)
    if route is None:
        raise Refusal("Not found", 404)
    model, answer = route
    return answer(platform, read_request(model, body))


def _get_key(platform: Platform, request: core.Req_GetKey) -> Wire:
    # The same one every time.
    key = KEY_PREFIX + hashlib.sha256(request.email.encode()).hexdigest()[:32]
    return {"key": key, "public_key": f"public-{key[-8:]}"}


def _list_benchmarks(platform: Platform, request: core.Req_ListBenchmarks) -> Wire:
    benchmarks = [
        {
            "id": benchmark,
            "short_description": served.world.description,
            "status": "public",
            "tasks": len(served.pack.scenarios),
        }
        for served in platform.served
        for benchmark in served.world.benchmarks
    ]
    return {"benchmarks": benchmarks}


def _view_benchmark(platform: Platform, request: core.Req_ViewBenchmark) -> Wire:
    served = platform.served_as(request.benchmark)
    specs = [
        {"id": one.spec_id, "task": one.task_text, "gotcha": ""} for one in served.pack.scenarios
    ]
    return {
        "id": request.benchmark,
        "description": served.world.description,
        "status": "public",
        "specs": specs,
        "routes": [route.described for route in served.world.routes.values()],
    }


def _start_session(platform: Platform, request: core.Req_StartSession) -> Wire:
    session = platform.start_session(**request.model_dump())
    return {"session_id": session.session_id, "task_count": len(session.tasks)}


def _session_status(platform: Platform, request: core.Req_SessionStatus) -> Wire:
    session = platform.session(request.session_id)
    return {
        "status": session.status,
        "benchmark": session.benchmark,
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
        "name": session.name,
        "architecture": session.architecture,
        "flags": list(session.flags),
        "score": session.score,
    }


def _search_sessions(platform: Platform, request: core.Req_SearchSessions) -> Wire:
    sessions = [
        {
            "id": session.session_id,
            "benchmark_type": session.benchmark,
            "status": session.status,
            "created_at": _iso(session.created),
            "workspace": session.workspace,
            "benchmark_description": platform.served_as(session.benchmark).world.description,
            "total_tasks": len(session.tasks),
            "completed_tasks": session.count("completed"),
            "running_tasks": session.count("in_progress"),
            "new_tasks": session.count("new"),
            "failed_tasks": session.count("failed"),
            "score": session.score,
        }
        for session in platform.sessions_of(request.account_key)
        if request.workspace in (None, session.workspace)
        and request.benchmark in (None, session.benchmark)
        and (not request.status or session.status in request.status)
    ]
    return {"sessions": sessions}


def _submit_session(platform: Platform, request: core.Req_SubmitSession) -> Wire:
    platform.submit_session(request.session_id, request.force)
    return {"status": "submitted"}


def _start_task(platform: Platform, request: core.Req_StartTask) -> Wire:
    if request.task_id:
        task = platform.start_task(request.task_id)
    elif request.benchmark and request.spec_id:
        task = platform.start_new_task(request.benchmark, request.spec_id)
    else:
        raise Refusal("give task_id, or benchmark and spec_id")
    return {"task_id": task.task_id, "session_id": task.session_id, "status": task.status}


def _complete_task(platform: Platform, request: core.Req_CompleteTask) -> Wire:
    evaluation, again = platform.complete_task(request.task_id)
    return {
        "status": "already_completed" if again else "completed",
        "eval": {"score": evaluation.score, "logs": evaluation.logs},
    }


def _view_task(platform: Platform, request: core.Req_ViewTask) -> Wire:
    task = platform.task(request.task_id)
    since = request.since or 0
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


def _log_inference(platform: Platform, request: LogInference) -> Wire:
    platform.log_model_call(request.task_id, request.report())
    return {}


ROUTES: dict[str, tuple[type[BaseModel], Callable[[Platform, Any], Wire]]] = {
    "/get_key": (core.Req_GetKey, _get_key),
    "/benchmarks/list": (core.Req_ListBenchmarks, _list_benchmarks),
    "/benchmarks/view": (core.Req_ViewBenchmark, _view_benchmark),
    "/sessions/start": (core.Req_StartSession, _start_session),
    "/sessions/status": (core.Req_SessionStatus, _session_status),
    "/sessions/search": (core.Req_SearchSessions, _search_sessions),
    "/sessions/submit": (core.Req_SubmitSession, _submit_session),
    "/tasks/start": (core.Req_StartTask, _start_task),
    "/tasks/complete": (core.Req_CompleteTask, _complete_task),
    "/tasks/view": (core.Req_ViewTask, _view_task),
    "/tasks/log": (LogInference, _log_inference),
}


def _compact(body: Wire | None) -> str:
    return "" if body is None else json.dumps(body, separators=(",", ":"), sort_keys=True)


def _iso(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds")
