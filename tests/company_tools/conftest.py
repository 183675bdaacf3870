"""Nobody waits here for a platform that does not answer."""

from __future__ import annotations

import pytest

from erc3_compat import patience


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "rest", lambda _seconds: None)
