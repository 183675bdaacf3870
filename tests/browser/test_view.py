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

from core.runs.journal import Journal
from tests.browser.conftest import expect
from tests.kit.run_folders import HOSTILE, RunFolder, asked, ended, worked
from workshop.views.live import build_app


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
    expect(seen.page.get_by_role("row", name=hostile.name)).to_contain_text("finished")
    assert seen.violations() == []
    seen.page.get_by_role("link", name=hostile.name).click()
    seen.page.get_by_role("link", name="hostile").click()
    seen.told.get_by_role("heading", name="hostile").wait_for()
    seen.page.keyboard.press("e")
    expect(seen.told.get_by_role("cell", name="<script>").first).to_be_visible()
    assert seen.page.evaluate("window.hit") is None
    assert seen.violations() == []
    assert seen.complaints == []
    assert all(url.startswith(served) for url in seen.requests)


def names(seen: Any) -> Any:
    """The links of the runs that the table shows."""
    return seen.page.locator("#runs tbody tr:visible th a")


def test_runs_are_found_filtered_and_sorted_also_when_the_list_is_new(
    served: str, look: Any, tmp_path: Path
) -> None:
    for number, score in enumerate((0.25, 1.0, None)):
        run = RunFolder(tmp_path / f"2026050{number + 1}-120000-aaaa").task("tea", score=score)
        run.write(finished=number != 2)
    seen = look(served)
    page = seen.page
    newest = ["20260503-120000-aaaa", "20260502-120000-aaaa", "20260501-120000-aaaa"]
    expect(names(seen)).to_have_text(newest)
    page.get_by_role("button", name="Score").click()
    expect(names(seen)).to_have_text([newest[1], newest[2], newest[0]])
    page.get_by_role("button", name="finished 2").click()
    expect(names(seen)).to_have_text([newest[1], newest[2]])
    expect(page.locator("#count")).to_have_text("2 of 3 runs")
    page.keyboard.press("/")
    page.keyboard.type("20260501")
    expect(names(seen)).to_have_text([newest[2]])
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    RunFolder(tmp_path / "20260504-120000-aaaa").task("tea", score=0.5).write()
    page.locator("#runs tbody tr:visible", has_text="20260504").wait_for()
    expect(names(seen)).to_have_text([newest[1], "20260504-120000-aaaa", newest[2]])
    page.get_by_role("button", name="all", exact=True).click()
    expect(page.locator("#count")).to_have_text("4 runs")
    assert seen.complaints == []


def test_a_page_follows_its_run(served: str, look: Any, tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "20260506-120000-cccc")
    run.task("tea", asked(), worked(), outcome="running")
    run.write(running=True)
    seen = look(f"{served}/runs/{run.path.name}/#tea")
    seen.told.get_by_role("heading", name="Turn 1").wait_for()
    call = seen.told.locator(".call").first
    call.locator("summary").first.click()
    with closing(Journal(run.path / "tasks" / "tea.jsonl")) as journal:
        journal.write("turn", ended(thought=HOSTILE).model_dump(mode="json"))
    seen.told.get_by_role("heading", name="Turn 2").wait_for()
    # A call that was open stays open when the page is drawn again.
    expect(call.get_by_role("cell", name="Green Tea", exact=True)).to_be_visible()
    run.task("cup", asked(), worked(), score=0.0)
    run.write(running=True)
    seen.page.get_by_role("link", name="cup").wait_for(state="attached")
    expect(seen.page.get_by_role("button", name="Failed")).to_have_text("Failed 1")
    assert seen.complaints == []


def test_two_ticked_runs_open_as_one_page(
    served: str, hostile: Path, look: Any, tmp_path: Path
) -> None:
    RunFolder(tmp_path / "20260506-120000-cccc").task("good", worked(), score=0.0).write()
    seen = look(served)
    button = seen.page.get_by_role("button", name="Compare two runs")
    expect(button).to_be_disabled()
    seen.page.get_by_label(f"Compare {hostile.name}").check()
    expect(seen.page.locator("#picked")).to_have_text("Tick one more.")
    RunFolder(tmp_path / "20260507-120000-dddd").task("tea", worked()).write()
    seen.page.get_by_role("link", name="20260507-120000-dddd").wait_for()
    expect(seen.page.get_by_label(f"Compare {hostile.name}")).to_be_checked()
    seen.page.get_by_label("Compare 20260506-120000-cccc").check()
    button.click()
    seen.page.locator("#verdict").wait_for()
    seen.expect_tasks(["good"])
    shown = seen.page.locator(".versus-names a")
    expect(shown).to_have_text([hostile.name, "20260506-120000-cccc"])
    assert seen.violations() == []
    assert seen.complaints == []


def test_points_of_the_chart_are_the_runs_that_are_shown(
    served: str, look: Any, tmp_path: Path
) -> None:
    for number, score in enumerate((0.25, 1.0, 0.5)):
        RunFolder(tmp_path / f"2026050{number + 1}-120000-aaaa").task("tea", score=score).write()
    seen = look(f"{served}/?find=aaaa&sort=-score")
    expect(names(seen)).to_have_text([f"2026050{n}-120000-aaaa" for n in (2, 3, 1)])
    charts = seen.page.locator("#trend figure")
    expect(charts).to_have_count(3)
    expect(charts.locator("figcaption").first).to_have_text("Score 0.500 latest of 3")
    seen.page.get_by_label("Find in runs").fill("2026050")
    seen.page.get_by_label("Find in runs").press("Backspace")
    expect(seen.page).to_have_url(f"{served}/?find=202605&sort=-score")
    expect(charts.first.locator("path")).to_have_count(3)
    seen.page.get_by_label("Find in runs").fill("20260501")
    expect(seen.page.locator("#trend")).to_be_hidden()
    with seen.page.expect_download() as download:
        seen.page.get_by_role("button", name="Download as JSON").click()
    assert '"run": "20260501-120000-aaaa"' in download.value.path().read_text()
    assert seen.complaints == []
