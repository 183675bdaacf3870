"""Fixtures of the sandbox tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from worker.sandbox.contract import SandboxLimits
from worker.sandbox.executor import SandboxExecutor
from worker.sandbox.isolation import open_sandbox

from .kinds import KINDS
from .shop import Shop

Opened = Callable[..., SandboxExecutor]


@pytest.fixture
def shop() -> Shop:
    return Shop()


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def opened(shop: Shop, kind: str) -> Iterator[Opened]:
    """Opens sandboxes of the kind under test on the shop, and closes them afterwards."""
    boxes: list[SandboxExecutor] = []

    def make(limits: SandboxLimits | None = None) -> SandboxExecutor:
        executor = open_sandbox(shop, limits, kind)  # type: ignore[arg-type]
        shop.executor = executor
        boxes.append(executor)
        return executor

    yield make
    for executor in boxes:
        executor.cleanup()


@pytest.fixture
def box(opened: Opened) -> SandboxExecutor:
    return opened()
