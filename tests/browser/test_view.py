"""The live pages, while a run goes on."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from runs.journal import Journal
from tests.run_folders import HOSTILE, RunFolder, asked, ended, worked
from views.live.app import build_app


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    """The address of the live pages over ``tmp_path``."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(build_app(tmp_path), lifespan="off", ws="none", log_config=None)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join(10)
    listener.close()


def test_the_index_leads_to_a_run(served: str, hostile: Path, look: Any) -> None:
    seen = look(served)
    assert "finished" in seen.page.get_by_role("row", name=hostile.name).inner_text()
    assert seen.violations() == []
    seen.page.get_by_role("link", name=hostile.name).click()
    seen.page.get_by_role("link", name="hostile").click()
    seen.told.get_by_role("heading", name="hostile").wait_for()
    seen.page.keyboard.press("e")
    assert seen.told.get_by_role("cell", name="<script>").count() >= 1
    assert seen.page.evaluate("window.hit") is None
    assert seen.violations() == []
    assert seen.complaints == []
    assert all(url.startswith(served) for url in seen.requests)


def test_a_page_follows_its_run(served: str, look: Any, tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "20260506-120000-cccc")
    run.task("tea", asked(), worked(), outcome="running")
    run.write(running=True)
    seen = look(f"{served}/runs/{run.path.name}/#tea")
    seen.told.get_by_role("heading", name="Turn 1").wait_for()
    call = seen.told.locator(".call").first
    call.locator("summary").first.click()
    with closing(Journal(run.path / "tasks" / "tea.jsonl")) as journal:
        journal.write("turn", ended(thought=HOSTILE).journal())
    seen.told.get_by_role("heading", name="Turn 2").wait_for()
    assert call.get_by_role("cell", name="Green Tea", exact=True).is_visible(), (
        "an open call was folded"
    )
    run.task("cup", asked(), worked(), score=0.0)
    run.write(running=True)
    seen.page.get_by_role("link", name="cup").wait_for(state="attached")
    assert seen.page.get_by_role("button", name="Failed").inner_text() == "Failed 1"
    assert seen.complaints == []
