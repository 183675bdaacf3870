"""The report of a run, opened from disk as a person would."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import OUTSIDE
from tests.run_folders import HOSTILE, RunFolder, worked
from workshop.views.report.run_page import write_report

ON_TOP = """(node) => {
    const box = node.getBoundingClientRect();
    return node.contains(document.elementFromPoint(box.x + 5, box.y + box.height / 2));
}"""
SHOWN = HOSTILE.replace("\u202e", "\\u202e")
"""A sign that turns the reading direction is shown by its number."""


@pytest.fixture
def report(hostile: Path, look: Any) -> Any:
    return look(write_report(hostile).as_uri())


def test_the_table_is_filtered_by_kind_and_by_words(report: Any) -> None:
    assert report.tasks() == ["good", "hostile", "wrong", "broken"]
    report.page.get_by_role("button", name="Failed").click()
    assert report.tasks() == ["hostile", "wrong", "broken"]
    assert report.page.locator("#count").inner_text() == "3 of 4 tasks"
    report.page.get_by_role("button", name="Wrong checkout").click()
    assert report.tasks() == ["wrong"]
    report.page.get_by_role("button", name="All", exact=True).click()
    report.page.get_by_label("Find in tasks").fill("MODEL failed")
    assert report.tasks() == ["broken"]


def test_a_heading_sorts_unknown_last(report: Any) -> None:
    heading = report.page.locator("[data-sort=score]")
    heading.click()
    assert report.tasks() == ["good", "hostile", "wrong", "broken"]
    heading.click()
    assert report.tasks() == ["hostile", "wrong", "good", "broken"]
    assert report.page.locator("th[aria-sort]").inner_text().startswith("Score")


def test_a_task_opens_and_a_call_unfolds_under_its_line(report: Any) -> None:
    report.page.get_by_role("link", name="good").click()
    report.told.get_by_role("heading", name="good").wait_for()
    call = report.told.locator(".call").first
    assert "Find(query=" in call.locator("summary").first.inner_text()
    line = call.locator("xpath=../preceding-sibling::pre[1]").locator(".ln").last
    assert "found = Find(query=query)" in line.inner_text()
    assert not call.get_by_text("Green Tea", exact=True).is_visible()
    call.locator("summary").first.click()
    assert call.get_by_role("cell", name="Green Tea", exact=True).is_visible()


def test_the_state_is_a_table_that_marks_what_changed(report: Any) -> None:
    report.page.get_by_role("link", name="good").click()
    after = report.told.locator(".state.after").first
    after.wait_for()
    assert after.locator(".changed").all_inner_texts() == ["tea", "4", "4"]


def test_the_failed_one_is_found_with_the_keyboard_alone(report: Any) -> None:
    keyboard = report.page.keyboard
    keyboard.press("f")
    keyboard.press("Enter")
    report.told.get_by_role("heading", name="hostile").wait_for()
    keyboard.press("f")
    report.told.get_by_role("heading", name="wrong").wait_for()
    keyboard.press("k")
    report.told.get_by_role("heading", name="hostile").wait_for()
    keyboard.press("Escape")
    assert report.page.locator("#story").is_hidden()
    keyboard.press("/")
    keyboard.type("broken")
    assert report.tasks() == ["broken"]
    keyboard.press("Escape")
    assert len(report.tasks()) == 4


def test_hostile_texts_are_texts(report: Any) -> None:
    report.page.get_by_role("link", name="hostile").click()
    report.told.get_by_role("heading", name="hostile").wait_for()
    report.page.keyboard.press("e")
    assert SHOWN in report.told.locator(".call .json td").all_inner_texts()
    assert report.told.locator("blockquote").inner_text() == f"Buy {SHOWN}"
    assert report.told.locator("script, img").count() == 0
    assert report.page.evaluate("window.hit") is None
    assert report.complaints == []


def test_no_page_asks_anybody_for_anything(report: Any, hostile: Path) -> None:
    for name in report.tasks():
        report.page.keyboard.press("j")
        report.page.keyboard.press("Enter")
        report.told.get_by_role("heading", name=name).wait_for()
    ours = (hostile / "report.html").as_uri()
    assert {url.split("#")[0] for url in report.requests} == {ours}


def test_the_page_itself_forbids_what_is_foreign(report: Any) -> None:
    said = report.page.evaluate(
        """async () => {
            const script = document.createElement("script");
            script.textContent = "window.hit = 3";
            document.body.append(script);
            try { await fetch("https://example.com/"); return "sent"; } catch { return "refused"; }
        }"""
    )
    assert said == "refused"
    assert report.page.evaluate("window.hit") is None
    assert any("Content Security Policy" in text for text in report.complaints)


def test_light_and_dark_follow_the_system_and_the_button(hostile: Path, look: Any) -> None:
    address = write_report(hostile).as_uri()
    colours = {}
    for scheme in ("light", "dark"):
        seen = look(address, color_scheme=scheme)
        paper = "getComputedStyle(document.body).backgroundColor"
        colours[scheme] = seen.page.evaluate(paper)
        seen.page.get_by_role("button", name="Switch between light and dark").click()
        colours[f"not {scheme}"] = seen.page.evaluate(paper)
    assert colours["light"] == colours["not dark"] != colours["dark"] == colours["not light"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(hostile: Path, look: Any, scheme: str) -> None:
    seen = look(write_report(hostile).as_uri(), color_scheme=scheme)
    assert seen.violations() == []
    seen.page.get_by_role("link", name="hostile").click()
    seen.told.get_by_role("heading", name="hostile").wait_for()
    seen.page.keyboard.press("e")
    assert seen.violations() == []


def test_without_scripts_the_table_is_there_and_says_what_is_not(hostile: Path, look: Any) -> None:
    seen = look(write_report(hostile).as_uri(), java_script_enabled=False)
    assert seen.tasks() == ["good", "hostile", "wrong", "broken"]
    assert "submission.py show RUN" in seen.page.locator("body").inner_text()


def test_on_paper_the_open_story_is_printed_without_the_tools(report: Any) -> None:
    report.page.get_by_role("link", name="good").click()
    report.told.get_by_role("heading", name="good").wait_for()
    report.page.emulate_media(media="print")
    assert report.told.is_visible()
    assert not report.page.locator("#find").is_visible()
    assert not report.page.locator("#tasks").is_visible()


def test_a_search_shows_where_it_hit(report: Any) -> None:
    report.page.get_by_label("Find in tasks").fill("MODEL")
    row = report.page.locator("#tasks tbody tr:visible")
    assert report.tasks() == ["broken"]
    assert row.locator(".hit").inner_text() == "error: model failed"
    assert row.locator(".hit mark").inner_text() == "model"
    report.page.get_by_label("Find in tasks").fill("tea wrong")
    assert report.tasks() == ["wrong"]
    assert row.locator("mark").all_inner_texts() == ["wrong", "tea"]
    report.page.get_by_label("Find in tasks").fill("")
    assert len(report.tasks()) == 4
    assert report.page.locator("mark, .hit").count() == 0


def test_hostile_hits_are_texts(report: Any) -> None:
    report.page.get_by_label("Find in tasks").fill("onerror")
    assert report.tasks() == ["hostile"]
    assert report.page.locator("#tasks img, #tasks script").count() == 0
    report.page.get_by_label("Find in tasks").fill("[(*")
    assert report.tasks() == []
    assert report.page.evaluate("window.hit") is None
    assert report.complaints == []


def test_a_row_tells_text_wanted_and_reason(report: Any) -> None:
    row = report.page.locator(
        "#tasks tbody tr", has=report.page.get_by_role("link", name="hostile")
    )
    text = row.inner_text()
    assert f"Buy {SHOWN}" in text
    assert "declined wanted: buy" in text
    assert "FAIL: " in text


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_nothing_is_hidden_or_cut_off(hostile: Path, look: Any, scheme: str) -> None:
    phone = {"width": 390, "height": 844}
    seen = look(write_report(hostile).as_uri(), viewport=phone, color_scheme=scheme)
    for row in seen.page.locator("#tasks tbody tr").all():
        assert all(cell.is_visible() for cell in row.locator("th, td").all())
    assert seen.page.evaluate(OUTSIDE) == []
    assert seen.violations() == []
    seen.page.evaluate("scrollTo(0, 400)")
    seen.page.locator("#tasks").get_by_role("link", name="hostile").click()
    heading = seen.told.get_by_role("heading", name="hostile")
    heading.wait_for()
    for shown in (heading, seen.page.locator("#close")):
        assert shown.evaluate(ON_TOP), "something lies over it"
    seen.page.keyboard.press("e")
    assert seen.page.evaluate(OUTSIDE) == []
    assert seen.violations() == []
    assert seen.complaints == []


def test_a_command_is_copied(tmp_path: Path, look: Any) -> None:
    run = RunFolder(tmp_path / "20260504-120000-aaaa").task("tea", worked(), score=0.0)
    (run.path / "pack.json").write_text("{}", encoding="utf-8")
    seen = look(write_report(run.write()).as_uri())
    seen.page.get_by_role("link", name="tea").click()
    button = seen.told.get_by_role("button", name="Copy: Go on from turn 1")
    button.click()
    seen.told.get_by_text("Copied", exact=True).wait_for()
    command = button.locator("xpath=../code").inner_text()
    assert command.split()[2] == "--fork"
    assert seen.page.evaluate("String(getSelection())").strip() == command
    assert seen.complaints == []
