"""Sessions, tasks and benchmarks, as the SDK has them."""

from __future__ import annotations

import os
from typing import Any

import requests
from pydantic import create_model

from core.erc3_client.own import core as own
from core.erc3_client.own.core import *  # noqa: F403

from .base import BaseClient
from .demo import DemoClient
from .erc3 import Erc3Client
from .store import StoreClient


class CoreClient(BaseClient):
    """The platform; ``session`` is the caller's own connections."""

    def __init__(
        self,
        key: str | None = None,
        base_url: str = own.DEFAULT_URL,
        session: requests.Session | None = None,
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
            "/sessions/start", own.Resp_StartSession, account_key=self.key, benchmark=benchmark,
            workspace=workspace, name=name, architecture=architecture, flags=flags or [],
        )  # fmt: skip

    def session_status(self, session_id: str) -> Any:
        return self._ask("/sessions/status", own.Resp_SessionStatus, session_id=session_id)

    def search_sessions(self) -> Any:
        return self._ask("/sessions/search", own.Resp_SearchSessions, account_key=self.key)

    def submit_session(self, session_id: str, force: bool = False) -> Any:
        fields = {"session_id": session_id, "force": force}
        return self._ask("/sessions/submit", own.Resp_SubmitSession, **fields)

    def start_task(self, task: Any) -> Any:
        return self._ask("/tasks/start", own.Resp_StartTask, task_id=task.task_id)

    def start_new_task(self, benchmark: str, spec_id: str) -> Any:
        fields = {"benchmark": benchmark, "spec_id": spec_id}
        return self._ask("/tasks/start", own.Resp_StartTask, **fields)

    def complete_task(self, task: Any) -> Any:
        return self._ask("/tasks/complete", own.Resp_CompleteTask, task_id=task.task_id)

    def task_detail(self, task_id: str, since: int = 0) -> Any:
        return self._ask("/tasks/view", own.Resp_ViewTask, task_id=task_id)

    def view_benchmark(self, benchmark: str) -> Any:
        return self._ask("/benchmarks/view", own.Resp_ViewBenchmark, benchmark=benchmark)

    def log_llm(
        self, task_id: str, model: str, duration_sec: float, completion: str, prompt_tokens: int,
        completion_tokens: int, cached_prompt_tokens: int = 0,
    ) -> Any:  # fmt: skip
        return self._ask(
            "/tasks/log", own.Resp_LogLLM, task_id=task_id, model=model,
            duration_sec=duration_sec, completion=completion, prompt_tokens=prompt_tokens,
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
