"""A real browser: the Chromium of the machine, driven by Playwright, with no way out."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kit.run_folders import hostile_run

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
AT_MOST_MS = 60_000
OUTSIDE = """() => [...document.querySelectorAll("body *")].filter((node) => {
    const box = node.getBoundingClientRect();
    return box.width > 0 && (box.right > innerWidth + 1 || box.left < -1)
        && !node.closest(".unseen") && !node.closest("svg");
}).map((node) => `${node.tagName}.${node.className}`)"""
"""What reaches beyond the left or right edge of the window and is seen."""
SHOWN_TASKS = "#tasks tbody tr:visible th a"


def expect(locator: Any) -> Any:
    """Playwright's assertions, which try again: many events reach the page after the click."""
    from playwright.sync_api import expect as assertions  # an extra that need not be installed

    assertions.set_options(timeout=AT_MOST_MS)
    return assertions(locator)


def _chromium() -> str:
    names = ("chromium", "chromium-browser", "google-chrome")
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), "")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Headless Chromium, one for all tests."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = _chromium()
    if not path:
        pytest.skip("there is no Chromium here; install it, or name it in CHROMIUM")
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=path, args=FLAGS)
        yield running
        running.close()


class Look:
    """An open page with all that it asked for and complained of."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.set_default_timeout(AT_MOST_MS)
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        page.on(
            "console",
            lambda line: self.complaints.append(line.text) if line.type == "error" else None,
        )

    def tasks(self) -> list[str]:
        """The tasks that the table shows, in its order."""
        names: list[str] = self.page.locator(SHOWN_TASKS).all_inner_texts()
        return names

    def expect_tasks(self, names: list[str]) -> None:
        """Wait until the table shows exactly these tasks, in this order."""
        expect(self.page.locator(SHOWN_TASKS)).to_have_text(names)

    def expect_count(self, count: int) -> None:
        """Wait until the table shows so many tasks."""
        expect(self.page.locator(SHOWN_TASKS)).to_have_count(count)

    @property
    def told(self) -> Any:
        """The story that is open."""
        return self.page.locator("#story-body")

    def violations(self) -> list[str]:
        """What axe finds wrong, as rule and place."""
        axe = pytest.importorskip("axe_playwright_python.sync_playwright")
        found = axe.Axe().run(self.page).response["violations"]
        return [f"{v['id']}: {node['html'][:120]}" for v in found for node in v["nodes"]]


@pytest.fixture
def look(browser: Any) -> Iterator[Callable[..., Look]]:
    """Opens an address in a window of its own."""
    contexts = []

    def open_page(address: str, **options: Any) -> Look:
        contexts.append(browser.new_context(**options))
        seen = Look(contexts[-1].new_page())
        seen.page.goto(address)
        return seen

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A run folder of four tasks with hostile texts."""
    return hostile_run(tmp_path / "20260504-120000-aaaa")
