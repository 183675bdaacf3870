"""The page of a company's task in a browser, while an agent works."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.run_folders import HOSTILE
from tests.workshop.simulator.company.bakery import Visit, bakery, pack_of, scenario
from workshop.simulator.server import Simulator, serve


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    wiki = {"rules.md": f"One\nTwo {HOSTILE}\n"}
    with serve(pack_of(scenario(task_text=HOSTILE), rye=bakery(wiki=wiki))) as running:
        yield running


@pytest.fixture
def visit(simulator: Simulator) -> Iterator[Visit]:
    with httpx.Client(trust_env=False) as http:
        yield Visit(http, simulator.base_url, "ask")


def test_a_task_page_follows_the_agent(look: Any, simulator: Simulator, visit: Visit) -> None:
    seen = look(f"{simulator.base_url}/tasks/{visit.task_id}")
    page = seen.page
    page.get_by_text("None yet.").wait_for()
    assert not page.locator("#wanted ul").is_visible()
    page.get_by_text("rules.md").click()
    assert "Two" in page.locator("#wiki-1 pre").inner_text()
    visit.ask("/wiki/update", file="rules.md", content="One\nThree\n", changed_by="mara")
    page.locator("#wiki-changes", has_text="+Three").wait_for()
    assert page.locator("#wiki-1 pre").is_visible(), "an unfolded page was folded"
    assert "Three" in page.locator("#wiki-1 pre").inner_text()
    visit.ask("/respond", message="Done.", outcome="ok_answer")
    page.locator("#responses", has_text="Done.").wait_for()
    assert page.locator("#events tbody tr").count() == 2
    visit.complete()
    page.get_by_text("FAIL: expected no change events, found 1").wait_for()
    assert page.evaluate("window.hit") is None
    assert seen.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(look: Any, simulator: Simulator, visit: Visit, scheme: str) -> None:
    visit.ask("/employees/update", employee="ben", notes="n", skills=[{"name": "a", "level": 1}])
    visit.ask("/wiki/update", file="rules.md", content="")
    visit.ask("/respond", message="x", outcome="ok_answer", links=[{"kind": "wiki", "id": "x"}])
    for path in (f"/tasks/{visit.task_id}", "/benchmarks/company"):
        seen = look(f"{simulator.base_url}{path}", color_scheme=scheme)
        for fold in seen.page.locator("summary").all():
            fold.click()
        assert seen.violations() == []
        assert seen.complaints == []
