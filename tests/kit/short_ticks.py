"""Servers that end at once: uvicorn looks every tenth of a second whether it is to end.

Every run has a platform of its own, so that a test would wait for two or three such looks.
"""

from __future__ import annotations

import asyncio
from types import ModuleType
from typing import Any

import uvicorn.server

TIMES = 10


class _Hurried(ModuleType):
    """``asyncio`` with shorter pauses."""

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    @staticmethod
    async def sleep(seconds: float) -> None:
        await asyncio.sleep(seconds / TIMES)


def shorten() -> None:
    """Let every server of this process, and of those forked from it, look more often."""
    uvicorn.server.asyncio = _Hurried("asyncio")  # type: ignore[attr-defined]
