"""The platform's core: its client for sessions, tasks and benchmarks, and the models of these."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from core.erc3_client.bounds import known_score
from core.erc3_client.own.base import BaseClient, HasTaskId
from core.erc3_client.own.company import Erc3Client
from core.erc3_client.own.store import StoreClient

if TYPE_CHECKING:
    import httpx

DEFAULT_URL = "https://erc.timetoact-group.at"
COMPANY_ROOT = "erc3-dev"
"""Below it all company benchmarks were played, `erc3-test` and `erc3-prod` too."""
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


class ERC3(BaseClient):
    """The platform as one account sees it; usable from many threads, closed by `close` or `with`.

    `key` falls back to the variable `ERC3_API_KEY`; tasks that belong to no session need none.
    `session` is an `httpx.Client` of the caller's, which stays open at `close`; how much it reads
    and how long it waits is the caller's affair, too.
    """

    def __init__(
        self,
        key: str | None = None,
        base_url: str = DEFAULT_URL,
        session: httpx.Client | None = None,
    ) -> None:
        self.key = key or os.environ.get("ERC3_API_KEY") or None
        self._owns_http = session is None
        super().__init__(base_url, session, secret=self.key)

    def __enter__(self) -> ERC3:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections, those of the task clients included."""
        if self._owns_http:
            self._http.close()

    def start_session(
        self,
        benchmark: str,
        workspace: str,
        name: str = "",
        architecture: str = "",
        flags: list[str] | None = None,
    ) -> Resp_StartSession:
        """Open a session with one task per spec of the benchmark; ValueError without a key."""
        request = Req_StartSession(
            account_key=self._account_key(),
            benchmark=benchmark,
            workspace=workspace,
            name=name,
            architecture=architecture,
            flags=flags or [],
        )
        return self._post("/sessions/start", request, Resp_StartSession)

    def session_status(self, session_id: str) -> Resp_SessionStatus:
        """The session's state with all its tasks."""
        request = Req_SessionStatus(session_id=session_id)
        return self._post("/sessions/status", request, Resp_SessionStatus)

    def search_sessions(
        self,
        workspace: str | None = None,
        status: list[str] | None = None,
        benchmark: str | None = None,
    ) -> Resp_SearchSessions:
        """The account's sessions; ValueError without a key.

        `status` holds any of `open`, `done`, `evaluated`; None does not filter.
        """
        request = Req_SearchSessions(
            account_key=self._account_key(),
            workspace=workspace,
            status=status,
            benchmark=benchmark,
        )
        return self._post("/sessions/search", request, Resp_SearchSessions)

    def submit_session(self, session_id: str, force: bool = False) -> Resp_SubmitSession:
        """Hand the session in; refused while tasks are unfinished unless `force`."""
        request = Req_SubmitSession(session_id=session_id, force=force)
        return self._post("/sessions/submit", request, Resp_SubmitSession)

    def start_task(self, task: HasTaskId) -> Resp_StartTask:
        """Start a task of a session."""
        return self._post("/tasks/start", Req_StartTask(task_id=task.task_id), Resp_StartTask)

    def start_new_task(self, benchmark: str, spec_id: str) -> Resp_StartTask:
        """Make and start a task that belongs to no session."""
        request = Req_StartTask(benchmark=benchmark, spec_id=spec_id)
        return self._post("/tasks/start", request, Resp_StartTask)

    def complete_task(self, task: HasTaskId) -> Resp_CompleteTask:
        """Close a task; `.eval` is None while a contest hides its scores."""
        request = Req_CompleteTask(task_id=task.task_id)
        return self._post("/tasks/complete", request, Resp_CompleteTask)

    def task_detail(self, task_id: str, since: int | None = None) -> Resp_ViewTask:
        """A task with its log, from the unix second `since` on."""
        request = Req_ViewTask(task_id=task_id, since=since)
        return self._post("/tasks/view", request, Resp_ViewTask)

    def log_llm(
        self,
        task_id: str,
        model: str,
        duration_sec: float,
        completion: str,
        prompt_tokens: int,
        completion_tokens: int,
        cached_prompt_tokens: int = 0,
    ) -> Resp_LogLLM:
        """Report one model call; a task without any loses 0.1 of its score."""
        request = Req_LogLLM(
            task_id=task_id,
            model=model,
            duration_sec=duration_sec,
            completion=completion,
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
            cached_prompt_tokens=cached_prompt_tokens,
        )
        return self._post("/tasks/log", request, Resp_LogLLM)

    def list_benchmarks(self) -> Resp_ListBenchmarks:
        """The benchmarks on offer."""
        return self._post("/benchmarks/list", Req_ListBenchmarks(), Resp_ListBenchmarks)

    def view_benchmark(self, benchmark: str) -> Resp_ViewBenchmark:
        """A benchmark with its specs, in task order, and its routes."""
        request = Req_ViewBenchmark(benchmark=benchmark)
        return self._post("/benchmarks/view", request, Resp_ViewBenchmark)

    def get_store_client(self, task: HasTaskId) -> StoreClient:
        """The shop of a task, on this client's connections."""
        return StoreClient(f"{self.base_url}/store/{task.task_id}", self._http, self.key)

    def get_erc_client(self, task: HasTaskId) -> Erc3Client:
        """The company of a task, on this client's connections."""
        return Erc3Client(f"{self.base_url}/{COMPANY_ROOT}/{task.task_id}", self._http, self.key)

    get_erc_dev_client = get_erc_client
    """Its older name."""

    def _account_key(self) -> str:
        if not self.key:
            raise ValueError("no account key: pass key= or set ERC3_API_KEY")
        return self.key
