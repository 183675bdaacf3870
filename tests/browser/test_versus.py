"""Two runs on one page, in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.runs.journal import write_whole
from tests.browser.conftest import OUTSIDE, expect
from tests.kit.run_folders import HOSTILE
from tests.workshop.views.test_pages import run
from workshop.views.report.versus import versus_page

OTHERS = pytest.mark.nightly("by day each size and each colour scheme is seen once")
WIDE, PHONE = {"width": 1280, "height": 860}, {"width": 390, "height": 844}


@pytest.fixture
def page(tmp_path: Path) -> str:
    """Address of the page of two runs: one task got worse, one better, one is only in B."""
    a = run(tmp_path / "20260504-120000-aaaa", "t4", max_turns=7)
    b = run(tmp_path / "20260505-120000-bbbb", "t1", prompt=f"Be brief.\n{HOSTILE}\n", tasks=7)
    write_whole(tmp_path / "pair.html", versus_page(a, b))
    return (tmp_path / "pair.html").as_uri()


def test_the_verdict_is_seen_first_and_only_flips_are_listed(page: str, look: Any) -> None:
    seen = look(page, viewport=WIDE)
    verdict = seen.page.locator("#verdict").bounding_box()
    assert verdict["y"] + verdict["height"] < 300
    expect(seen.page.get_by_role("heading", name="Not enough data to tell")).to_be_visible()
    seen.expect_tasks(["t1", "t4"])
    expect(seen.page.locator("#count")).to_have_text("2 of 7 tasks")
    seen.page.get_by_role("button", name="Better").click()
    seen.expect_tasks(["t4"])
    seen.page.get_by_role("button", name="All", exact=True).click()
    seen.expect_count(7)
    assert seen.complaints == []


def test_both_stories_open_by_the_keyboard_alone(page: str, look: Any) -> None:
    seen = look(page, viewport=WIDE)
    seen.page.keyboard.press("f")
    seen.page.keyboard.press("Enter")
    seen.told.get_by_role("heading", name="t1").wait_for()
    parting = seen.told.locator(".parting")
    expect(parting).to_contain_text("First difference turn 1: other calls, other words")
    left, right = seen.told.locator(".parting + .sides > div").all()
    expect(left).to_contain_text("Find Green Tea")
    expect(right).to_contain_text("Find Cup")
    assert abs(left.bounding_box()["y"] - right.bounding_box()["y"]) < 2
    seen.page.keyboard.press("f")
    seen.told.get_by_role("heading", name="t4").wait_for()
    seen.page.keyboard.press("Escape")
    expect(seen.page.locator("#story")).to_be_hidden()


@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        pytest.param(WIDE, "light", id="wide-light"),
        pytest.param(PHONE, "dark", id="phone-dark"),
        pytest.param(WIDE, "dark", id="wide-dark", marks=OTHERS),
        pytest.param(PHONE, "light", id="phone-light", marks=OTHERS),
    ],
)
def test_nothing_is_cut_off_and_axe_finds_nothing(
    page: str, look: Any, scheme: str, size: dict[str, int]
) -> None:
    seen = look(page, viewport=size, color_scheme=scheme)
    for fold in seen.page.locator(".sheet summary").all():
        fold.click()
    assert seen.page.evaluate(OUTSIDE) == []
    assert seen.violations() == []
    seen.page.locator("#tasks").get_by_role("link", name="t1").click()
    seen.told.get_by_role("heading", name="t1").wait_for()
    seen.page.keyboard.press("e")
    assert seen.page.evaluate(OUTSIDE) == []
    assert seen.violations() == []
    assert seen.complaints == []
