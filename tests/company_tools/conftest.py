"""Nobody waits here for a platform that does not answer: pauses move a clock of their own."""

from __future__ import annotations

import pytest

from core.erc3_client import retry_policy


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    moment = [0.0]

    def rest(seconds: float) -> None:
        moment[0] += seconds

    monkeypatch.setattr(retry_policy, "now", lambda: moment[0])
    monkeypatch.setattr(retry_policy, "rest", rest)
