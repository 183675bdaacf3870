"""Replaces the SDK's module of the same name."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any, NoReturn

from core.erc3_client.own import core
from core.erc3_client.own.base import HasTaskId
from core.erc3_client.own.company import Erc3Client
from core.erc3_client.own.core import *  # noqa: F403
from core.erc3_client.own.core import Resp_LogLLM, TaskInfo
from core.erc3_client.own.demo import DemoClient

from .missing import text_of
from .transport import platform_url

__all__ = ["ERC3", "CoreClient", "TaskInfo"]

_COUNTED = {
    "prompt_tokens": ("prompt_tokens", "input_tokens"),
    "completion_tokens": ("completion_tokens", "output_tokens"),
}
"""The names of a usage's numbers at different providers."""


class ERC3(core.ERC3):  # type: ignore[no-redef]
    """The platform that the agent was started for, whatever address or key the agent names."""

    def __init__(
        self, key: str | None = None, base_url: str | None = None, session: object = None
    ) -> None:
        """``session`` is kept and not used: the client has connections of its own."""
        url = platform_url()
        if base_url and base_url.rstrip("/") != url:
            _note(f"erc3 stand-in: the agent asked for {base_url}; using {url}")
        super().__init__(os.environ.get("ERC3_COMPAT_API_KEY") or key, url)
        self.session = session

    def __getattr__(self, name: str) -> NoReturn:
        known = [f"ERC3.{one}" for one in dir(type(self)) if not one.startswith("_")]
        raise AttributeError(text_of("ERC3", name, known))

    def get_corporate_client(self, task: HasTaskId) -> Erc3Client:
        """The company of a task, by the name that SDK 1.0 has for it."""
        return self.get_erc_client(task)

    def get_demo_client(self, task: HasTaskId) -> DemoClient:
        """The demo of a task, on this client's connections."""
        return DemoClient(f"{self.base_url}/demo/{task.task_id}", self._http, self.key)

    def log_llm(self, *values: Any, usage: Any = None, **named: Any) -> Resp_LogLLM:
        """Report one model call; `usage` is a provider's own, as the SDK took it before 1.2.0."""
        if usage is not None:
            counts = {name: _count(usage, *names) for name, names in _COUNTED.items()}
            named = {"completion": "", **counts, **named}
        return super().log_llm(*values, **named)


CoreClient = ERC3


def _count(usage: Any, *names: str) -> int:
    counts = [usage.get(n) if isinstance(usage, Mapping) else getattr(usage, n, 0) for n in names]
    return next((int(value) for value in counts if value), 0)


@cache
def _note(text: str) -> None:
    print(text, file=sys.stderr)
