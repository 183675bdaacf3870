"""Requests and responses of the platform's core: benchmarks, sessions, tasks."""

from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from core.erc3_client.bounds import known_score

Score: TypeAlias = Annotated[float | None, BeforeValidator(known_score)]
"""From 0 to 1; None for whatever else the platform sends."""


ListedScore: TypeAlias = Annotated[
    float, BeforeValidator(lambda value: -1.0 if known_score(value) is None else value)
]


class _WithKey(BaseModel):
    """A request that carries the account key, which stays out of reprs and of error texts."""

    model_config = ConfigDict(hide_input_in_errors=True)

    account_key: str = Field(repr=False)


class TaskInfo(BaseModel):
    """One task of a session; `num` counts from 0, `score` is -1.0 until evaluated."""

    spec_id: str
    task_id: str
    num: int
    task_text: str
    status: str
    benchmark: str
    score: ListedScore
    error_message: str | None = None


class BenchmarkInfo(BaseModel):
    """A benchmark in the list; `tasks` is how many it has."""

    id: str
    short_description: str = ""
    status: str = ""
    tasks: int = 0


class Req_ListBenchmarks(BaseModel):
    """Ask for the benchmarks."""


class Resp_ListBenchmarks(BaseModel):
    """All benchmarks."""

    benchmarks: list[BenchmarkInfo] = []


class Req_ViewBenchmark(BaseModel):
    """Ask for one benchmark."""

    benchmark: str


class SpecInfo(BaseModel):
    """A task of a benchmark; `gotcha` says what is hard about it and may be empty."""

    id: str
    task: str
    gotcha: str = ""


class RouteInfo(BaseModel):
    """A route of a benchmark's API, with sample bodies."""

    path: str
    description: str = ""
    sample_request: Any = None
    sample_response: Any = None


class Resp_ViewBenchmark(BaseModel):
    """One benchmark; `specs` are in task order."""

    id: str
    description: str = ""
    status: str = ""
    specs: list[SpecInfo] = []
    routes: list[RouteInfo] = []


class Req_StartSession(_WithKey):
    """Open a session on a benchmark."""

    benchmark: str
    workspace: str
    name: str = ""
    architecture: str = ""
    flags: list[str] = []


class Resp_StartSession(BaseModel):
    """The new session and how many tasks it has."""

    session_id: str
    task_count: int


class Req_SessionStatus(BaseModel):
    """Ask for a session."""

    session_id: str


class Resp_SessionStatus(BaseModel):
    """A session: the number of tasks per status, and the tasks."""

    status: str = ""
    benchmark: str = ""
    failed: int = 0
    new: int = 0
    running: int = 0
    completed: int = 0
    tasks: list[TaskInfo]
    name: str = ""
    architecture: str = ""
    flags: list[str] | None = None
    score: Score = None


class Req_SearchSessions(_WithKey):
    """Ask for the account's sessions; None does not filter."""

    workspace: str | None = None
    status: list[str] | None = None
    benchmark: str | None = None


class SessionInfo(BaseModel):
    """A session as the search shows it."""

    id: str
    benchmark_type: str = ""
    status: str = ""
    created_at: Any = None
    workspace: str = ""
    benchmark_description: str = ""
    total_tasks: int = 0
    completed_tasks: int = 0
    running_tasks: int = 0
    new_tasks: int = 0
    failed_tasks: int = 0
    score: Score = None


class Resp_SearchSessions(BaseModel):
    """The sessions that were found."""

    sessions: list[SessionInfo] | None = None


class Req_SubmitSession(BaseModel):
    """Hand a session in; `force` also with unfinished tasks."""

    session_id: str
    force: bool = False


class Resp_SubmitSession(BaseModel):
    """The session's status after it was handed in."""

    status: str = ""


class Req_StartTask(BaseModel):
    """Start a session's task by `task_id`, or a new one by `benchmark` and `spec_id`."""

    task_id: str | None = None
    benchmark: str | None = None
    spec_id: str | None = None


class Resp_StartTask(BaseModel):
    """The running task; `session_id` is None outside of a session."""

    task_id: str
    session_id: str | None = None
    status: str


class Req_CompleteTask(BaseModel):
    """Close a task."""

    task_id: str


class TaskEval(BaseModel):
    """What the evaluator found; `score` is 0.0 to 1.0, `logs` some lines of text."""

    score: Score
    logs: str = ""


class Resp_CompleteTask(BaseModel):
    """`completed`, or `already_completed` for the second call."""

    status: str
    eval: TaskEval | None = None


class Req_ViewTask(BaseModel):
    """Ask for a task; `since` is a unix second that cuts its log."""

    task_id: str
    since: int | None = None


class LogEntry(BaseModel):
    """One line of a task's log on the platform."""

    type: str = ""
    text: str = ""
    time: Any = None
    unix: int = 0
    body: Any = None


class Resp_ViewTask(BaseModel):
    """A task with its log; `spec` is the id of its spec."""

    task_id: str
    text: str = ""
    session_id: str | None = None
    spec: str = ""
    status: str = ""
    logs: list[LogEntry] | None = None
    score: Score = None
    benchmark: str = ""
    error_message: str | None = None


class Req_LogLLM(BaseModel):
    """One model call as SDK 1.2.0 reports it."""

    task_id: str
    model: str
    duration_sec: float
    completion: str
    prompt_tokens: int
    completion_tokens: int
    cached_prompt_tokens: int = 0


class Resp_LogLLM(BaseModel):
    """Says nothing."""


class Req_GetKey(BaseModel):
    """Ask for the key of an account."""

    email: str


class Resp_GetKey(BaseModel):
    """The account's key, which stays out of reprs, and its public name."""

    key: str = Field(repr=False)
    public_key: str = ""
