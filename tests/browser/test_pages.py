"""Every page in a wide and a narrow window, light and dark, by keyboard alone, by axe's rules."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from typer.testing import CliRunner

from cli.cli import app
from core.runs.manifest import Identity
from tests.kit.run_folders import HOSTILE, RunFolder, asked, hostile_run, worked
from workshop.views.live import build_app

LONG = "a_name_of_a_task_that_is_longer_than_a_telephone_is_wide_by_some_way"
FOCUSABLE = "a[href], button, input, select, summary, [tabindex='0']"
SEEN = f"""() => [...document.querySelectorAll("{FOCUSABLE}")].filter((node) => {{
  const box = node.getBoundingClientRect();
  return !node.disabled && node.tabIndex >= 0 && box.width && box.height && node.checkVisibility({{visibilityProperty: true}});
}})"""  # noqa: E501
COUNT = f"() => {{ window.left = new Set(({SEEN})()); return window.left.size; }}"
FOCUSED = """() => {
  const node = document.activeElement;
  window.left.delete(node);
  return node === document.body || getComputedStyle(node).outlineStyle !== "none";
}"""
LEFT = "() => [...window.left].map((node) => node.outerHTML.slice(0, 120))"
"""What ``Tab`` has not come to."""
TOO_WIDE = "() => document.scrollingElement.scrollWidth - document.documentElement.clientWidth"


def live(stack: ExitStack, logs: Path) -> str:
    listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
    config = uvicorn.Config(build_app(logs), lifespan="off", ws="none", log_config=None)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    stack.callback(thread.join, 10)
    stack.callback(setattr, server, "should_exit", True)
    return f"http://127.0.0.1:{listener.getsockname()[1]}"


def runs(logs: Path) -> Path:
    """A run of four tasks, the one that is returned, and some in other states."""
    whole = hostile_run(logs / "20260504-120000-aaaa")
    cut = RunFolder(logs / "20260506-120000-bbbb").task(LONG, failure="limit", score=0.0)
    cut.write(
        created="2026-05-06T12:00:00+00:00",
        identity=Identity(models={"evaluator": "lab/a-model-with-a-name-as-hosted-ones-have-it"}),
        options={"name": f"spring {HOSTILE}", "benchmark": "store", "max_seconds": 1.0},
        base_url="https://user:pass@erc.example.org",
        tasks=tuple((spec, f"tsk-{spec}", "Buy tea") for spec in (LONG, "next", "third")),
    )
    running = RunFolder(logs / "20260507-120000-cccc")
    running.task("tea", asked(), worked(), outcome="running")
    later = time.time() + 3_600  # it is taken to be running for as long as the tests last
    for path in running.path.rglob("*"):
        os.utime(path, (later, later))
    return whole


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """By name where each page is."""
    logs = tmp_path_factory.mktemp("logs")
    first = runs(logs)
    report = ["report", str(first), "--out", str(logs / "report.html")]
    assert CliRunner().invoke(app, report).exit_code == 0
    with ExitStack() as stack:
        site = live(stack, logs)
        yield {
            "report": (logs / "report.html").as_uri(),
            "report, a story": f"{(logs / 'report.html').as_uri()}#hostile",
            "two runs": f"{site}/compare?run=20260506-120000-bbbb&run={first.name}",
            "runs": site,
            "live run": f"{site}/runs/{first.name}/",
            "live story": f"{site}/runs/{first.name}/#hostile",
        }


PAGES = ("report", "report, a story", "two runs", "runs", "live run", "live story")


OTHER_WIDTH = pytest.mark.nightly("by day every page is seen in one of the two widths")


@pytest.mark.parametrize(
    ("name", "width"),
    [
        pytest.param(name, width, marks=OTHER_WIDTH if (place + narrow) % 2 else [])
        for place, name in enumerate(PAGES)
        for narrow, width in enumerate((1280, 390))
    ],
)
def test_a_page_fits_its_window_and_pleases_axe(
    addresses: dict[str, str], look: Callable[..., Any], name: str, width: int
) -> None:
    size = {"width": width, "height": 800}
    seen = look(addresses[name], viewport=size, color_scheme="light")
    seen.page.wait_for_load_state("networkidle")
    assert seen.page.evaluate(TOO_WIDE) <= 0
    assert seen.violations() == []
    seen.page.emulate_media(color_scheme="dark")
    assert seen.violations() == []
    assert seen.complaints == []
    assert seen.page.evaluate("window.hit") is None


@pytest.mark.parametrize("name", PAGES)
def test_the_keyboard_reaches_everything_and_shows_where_it_is(
    addresses: dict[str, str], look: Callable[..., Any], name: str
) -> None:
    page = look(addresses[name], viewport={"width": 1280, "height": 800}).page
    page.wait_for_load_state("networkidle")
    for _ in range(page.evaluate(COUNT) + 3):
        page.keyboard.press("Tab")
        assert page.evaluate(FOCUSED), page.evaluate("document.activeElement.outerHTML")[:200]
    assert page.evaluate(LEFT) == []
