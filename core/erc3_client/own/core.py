"""The platform's core client: sessions, tasks, benchmarks, inference statistics."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from core.erc3_client.own import core_models as wire
from core.erc3_client.own.base import BaseClient, HasTaskId
from core.erc3_client.own.company import Erc3Client
from core.erc3_client.own.core_models import *  # noqa: F403 - the SDK has them here, too
from core.erc3_client.own.core_models import TaskInfo
from core.erc3_client.own.store import StoreClient

if TYPE_CHECKING:
    import httpx

__all__ = ["DEFAULT_URL", "ERC3", "TaskInfo"]

DEFAULT_URL = "https://erc.timetoact-group.at"
COMPANY_ROOT = "erc3-dev"
"""Below it all company benchmarks were played, `erc3-test` and `erc3-prod` too."""


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
    ) -> wire.Resp_StartSession:
        """Open a session with one task per spec of the benchmark; ValueError without a key."""
        request = wire.Req_StartSession(
            account_key=self._account_key(),
            benchmark=benchmark,
            workspace=workspace,
            name=name,
            architecture=architecture,
            flags=flags or [],
        )
        return self._post("/sessions/start", request, wire.Resp_StartSession)

    def session_status(self, session_id: str) -> wire.Resp_SessionStatus:
        """The session's state with all its tasks."""
        request = wire.Req_SessionStatus(session_id=session_id)
        return self._post("/sessions/status", request, wire.Resp_SessionStatus)

    def search_sessions(
        self,
        workspace: str | None = None,
        status: list[str] | None = None,
        benchmark: str | None = None,
    ) -> wire.Resp_SearchSessions:
        """The account's sessions; ValueError without a key.

        `status` holds any of `open`, `done`, `evaluated`; None does not filter.
        """
        request = wire.Req_SearchSessions(
            account_key=self._account_key(),
            workspace=workspace,
            status=status,
            benchmark=benchmark,
        )
        return self._post("/sessions/search", request, wire.Resp_SearchSessions)

    def submit_session(self, session_id: str, force: bool = False) -> wire.Resp_SubmitSession:
        """Hand the session in; refused while tasks are unfinished unless `force`."""
        request = wire.Req_SubmitSession(session_id=session_id, force=force)
        return self._post("/sessions/submit", request, wire.Resp_SubmitSession)

    def start_task(self, task: HasTaskId) -> wire.Resp_StartTask:
        """Start a task of a session."""
        return self._post(
            "/tasks/start", wire.Req_StartTask(task_id=task.task_id), wire.Resp_StartTask
        )

    def start_new_task(self, benchmark: str, spec_id: str) -> wire.Resp_StartTask:
        """Make and start a task that belongs to no session."""
        request = wire.Req_StartTask(benchmark=benchmark, spec_id=spec_id)
        return self._post("/tasks/start", request, wire.Resp_StartTask)

    def complete_task(self, task: HasTaskId) -> wire.Resp_CompleteTask:
        """Close a task; `.eval` is None while a contest hides its scores."""
        request = wire.Req_CompleteTask(task_id=task.task_id)
        return self._post("/tasks/complete", request, wire.Resp_CompleteTask)

    def task_detail(self, task_id: str, since: int | None = None) -> wire.Resp_ViewTask:
        """A task with its log, from the unix second `since` on."""
        request = wire.Req_ViewTask(task_id=task_id, since=since)
        return self._post("/tasks/view", request, wire.Resp_ViewTask)

    def log_llm(
        self,
        task_id: str,
        model: str,
        duration_sec: float,
        completion: str,
        prompt_tokens: int,
        completion_tokens: int,
        cached_prompt_tokens: int = 0,
    ) -> wire.Resp_LogLLM:
        """Report one model call; a task without any loses 0.1 of its score."""
        request = wire.Req_LogLLM(
            task_id=task_id,
            model=model,
            duration_sec=duration_sec,
            completion=completion,
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
            cached_prompt_tokens=cached_prompt_tokens,
        )
        return self._post("/tasks/log", request, wire.Resp_LogLLM)

    def list_benchmarks(self) -> wire.Resp_ListBenchmarks:
        """The benchmarks on offer."""
        return self._post("/benchmarks/list", wire.Req_ListBenchmarks(), wire.Resp_ListBenchmarks)

    def view_benchmark(self, benchmark: str) -> wire.Resp_ViewBenchmark:
        """A benchmark with its specs, in task order, and its routes."""
        request = wire.Req_ViewBenchmark(benchmark=benchmark)
        return self._post("/benchmarks/view", request, wire.Resp_ViewBenchmark)

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
