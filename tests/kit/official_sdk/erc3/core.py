"""Sessions, tasks and benchmarks, as the SDK has them."""

from __future__ import annotations

import os
from typing import Any

import requests
from pydantic import BaseModel, create_model

from .base import BaseClient
from .demo import DemoClient
from .erc3 import Erc3Client
from .store import StoreClient

URL = "https://erc.timetoact-group.at"


class TaskInfo(BaseModel):
    """One task of a session."""

    spec_id: str
    task_id: str
    num: int
    task_text: str
    status: str
    benchmark: str
    score: float
    error_message: str | None = None


class Resp_StartSession(BaseModel):
    session_id: str
    task_count: int


class Resp_SessionStatus(BaseModel):
    status: str
    benchmark: str = ""
    failed: int = 0
    new: int = 0
    running: int = 0
    completed: int = 0
    tasks: list[TaskInfo]
    name: str = ""
    architecture: str = ""
    flags: list[str] | None = None
    score: float | None = None


class Resp_SearchSessions(BaseModel):
    sessions: list[dict[str, Any]] | None = None


class Resp_SubmitSession(BaseModel):
    status: str


class Resp_StartTask(BaseModel):
    task_id: str
    session_id: str | None = None
    status: str


class Evaluation(BaseModel):
    score: float
    logs: str = ""


class Resp_CompleteTask(BaseModel):
    status: str
    eval: Evaluation | None = None


class LogEntry(BaseModel):
    type: str = ""
    text: str = ""
    time: str = ""
    unix: int = 0
    body: Any = None


class Resp_ViewTask(BaseModel):
    task_id: str
    text: str
    session_id: str | None = None
    spec: str = ""
    status: str
    logs: list[LogEntry] | None = None
    score: float | None = None
    benchmark: str = ""
    error_message: str | None = None


class Resp_LogLLM(BaseModel):
    pass


class Spec(BaseModel):
    id: str
    task: str
    gotcha: str = ""


class Resp_ViewBenchmark(BaseModel):
    id: str
    description: str = ""
    status: str = ""
    specs: list[Spec] = []


class CoreClient(BaseClient):
    """The platform; ``session`` is the caller's own connections."""

    def __init__(
        self, key: str | None = None, base_url: str = URL, session: requests.Session | None = None
    ) -> None:
        super().__init__(base_url, session)
        self.key = key or os.environ["ERC3_API_KEY"]

    def _ask(self, path: str, answer: type[Any], **fields: Any) -> Any:
        kinds: dict[str, Any] = {name: (type(value), value) for name, value in fields.items()}
        return self._post(path, create_model("Request", **kinds)(), answer)

    def start_session(
        self, benchmark: str, workspace: str, name: str = "", architecture: str = "",
        flags: list[str] | None = None,
    ) -> Any:  # fmt: skip
        return self._ask(
            "/sessions/start", Resp_StartSession, account_key=self.key, benchmark=benchmark,
            workspace=workspace, name=name, architecture=architecture, flags=flags or [],
        )  # fmt: skip

    def session_status(self, session_id: str) -> Any:
        return self._ask("/sessions/status", Resp_SessionStatus, session_id=session_id)

    def search_sessions(self) -> Any:
        return self._ask("/sessions/search", Resp_SearchSessions, account_key=self.key)

    def submit_session(self, session_id: str, force: bool = False) -> Any:
        return self._ask("/sessions/submit", Resp_SubmitSession, session_id=session_id, force=force)

    def start_task(self, task: Any) -> Any:
        return self._ask("/tasks/start", Resp_StartTask, task_id=task.task_id)

    def start_new_task(self, benchmark: str, spec_id: str) -> Any:
        return self._ask("/tasks/start", Resp_StartTask, benchmark=benchmark, spec_id=spec_id)

    def complete_task(self, task: Any) -> Any:
        return self._ask("/tasks/complete", Resp_CompleteTask, task_id=task.task_id)

    def task_detail(self, task_id: str, since: int = 0) -> Any:
        return self._ask("/tasks/view", Resp_ViewTask, task_id=task_id)

    def view_benchmark(self, benchmark: str) -> Any:
        return self._ask("/benchmarks/view", Resp_ViewBenchmark, benchmark=benchmark)

    def log_llm(
        self, task_id: str, model: str, duration_sec: float, completion: str, prompt_tokens: int,
        completion_tokens: int, cached_prompt_tokens: int = 0,
    ) -> Any:  # fmt: skip
        return self._ask(
            "/tasks/log", Resp_LogLLM, task_id=task_id, model=model, duration_sec=duration_sec,
            completion=completion, prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens, cached_prompt_tokens=cached_prompt_tokens,
        )  # fmt: skip

    def get_store_client(self, task: Any) -> StoreClient:
        return StoreClient(f"{self.base_url}/store/{task.task_id}", self.session)

    def get_demo_client(self, task: Any) -> DemoClient:
        return DemoClient(f"{self.base_url}/demo/{task.task_id}", self.session)

    def get_erc_client(self, task: Any) -> Erc3Client:
        return Erc3Client(f"{self.base_url}/erc3-dev/{task.task_id}", self.session)

    get_erc_dev_client = get_erc_client


ERC3 = CoreClient
