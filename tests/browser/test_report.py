"""The report of a run, opened from disk as a person would."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import OUTSIDE, expect
from tests.kit.run_folders import RunFolder, worked
from workshop.views.report.run_page import write_report

ON_TOP = """(node) => {
    const box = node.getBoundingClientRect();
    return node.contains(document.elementFromPoint(box.x + 5, box.y + box.height / 2));
}"""


@pytest.fixture
def report(hostile: Path, look: Any) -> Any:
    return look(write_report(hostile).as_uri())


def test_the_table_is_filtered_by_kind_and_by_words(report: Any) -> None:
    report.expect_tasks(["wrong", "hostile", "broken", "good"])
    report.page.get_by_role("button", name="Failed").click()
    report.expect_tasks(["wrong", "hostile", "broken"])
    expect(report.page.locator("#count")).to_have_text("3 of 4 tasks")
    report.page.get_by_role("button", name="Wrong checkout").click()
    report.expect_tasks(["wrong"])
    report.page.get_by_role("button", name="All", exact=True).click()
    report.page.get_by_label("Find in tasks").fill("MODEL failed")
    report.expect_tasks(["broken"])


def test_a_heading_sorts_unknown_last(report: Any) -> None:
    heading = report.page.locator("[data-sort=score]")
    heading.click()
    report.expect_tasks(["good", "wrong", "hostile", "broken"])
    heading.click()
    report.expect_tasks(["wrong", "hostile", "good", "broken"])
    expect(report.page.locator("th[aria-sort]")).to_contain_text("Score")


def test_a_task_opens_and_a_call_unfolds_under_its_line(report: Any) -> None:
    report.page.get_by_role("link", name="good").click()
    report.told.get_by_role("heading", name="good").wait_for()
    call = report.told.locator(".call").first
    expect(call.locator("summary").first).to_contain_text("Find(query=")
    line = call.locator("xpath=../preceding-sibling::pre[1]").locator(".ln").last
    expect(line).to_contain_text("found = Find(query=query)")
    expect(call.get_by_text("Green Tea", exact=True)).to_be_hidden()
    call.locator("summary").first.click()
    expect(call.get_by_role("cell", name="Green Tea", exact=True)).to_be_visible()


def test_the_failed_one_is_found_with_the_keyboard_alone(report: Any) -> None:
    keyboard = report.page.keyboard
    keyboard.press("f")
    keyboard.press("Enter")
    report.told.get_by_role("heading", name="wrong").wait_for()
    keyboard.press("f")
    report.told.get_by_role("heading", name="hostile").wait_for()
    keyboard.press("k")
    report.told.get_by_role("heading", name="wrong").wait_for()
    keyboard.press("Escape")
    expect(report.page.locator("#story")).to_be_hidden()
    keyboard.press("/")
    keyboard.type("broken")
    report.expect_tasks(["broken"])
    keyboard.press("Escape")
    report.expect_count(4)


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


def test_a_search_shows_where_it_hit(report: Any) -> None:
    report.page.get_by_label("Find in tasks").fill("MODEL")
    row = report.page.locator("#tasks tbody tr:visible")
    report.expect_tasks(["broken"])
    expect(row.locator(".hit")).to_have_text("error: model failed")
    expect(row.locator(".hit mark")).to_have_text("model")
    report.page.get_by_label("Find in tasks").fill("tea wrong")
    report.expect_tasks(["wrong"])
    expect(row.locator("mark")).to_have_text(["wrong", "tea"])
    report.page.get_by_label("Find in tasks").fill("")
    report.expect_count(4)
    expect(report.page.locator("mark, .hit")).to_have_count(0)


@pytest.mark.parametrize(
    "scheme",
    ["dark", pytest.param("light", marks=pytest.mark.nightly("by day it is seen in dark"))],
)
def test_on_a_phone_nothing_is_hidden_or_cut_off(hostile: Path, look: Any, scheme: str) -> None:
    phone = {"width": 390, "height": 844}
    seen = look(write_report(hostile).as_uri(), viewport=phone, color_scheme=scheme)
    for row in seen.page.locator("#tasks tbody tr").all():
        for cell in row.locator("th, td").all():
            expect(cell).to_be_visible()
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
    turn = worked()
    assert turn.report
    coded = turn.model_copy(update={"report": turn.report.model_copy(update={"pins": (0.0, 1)})})
    run = RunFolder(tmp_path / "20260504-120000-aaaa").task("tea", coded, score=0.0)
    seen = look(write_report(run.write()).as_uri())
    seen.page.get_by_role("link", name="tea").click()
    seen.told.locator("details.ways > summary").first.click()
    button = seen.told.get_by_role("button", name="Copy: Step through its code")
    button.click()
    seen.told.get_by_text("Copied", exact=True).wait_for()
    command = button.locator("xpath=../code").inner_text()
    assert "debug" in command.split()
    assert seen.page.evaluate("String(getSelection())").strip() == command
    assert seen.complaints == []


def test_what_is_looked_for_stands_in_the_address(report: Any, look: Any) -> None:
    page = report.page
    page.get_by_role("button", name="Failed").click()
    page.get_by_label("Find in tasks").fill("tea")
    page.locator("[data-sort=score]").click()
    report.expect_tasks(["wrong", "broken"])
    expect(page).to_have_url(re.compile(r"\?filter=failed&find=tea&sort=-score$"))
    again = look(page.url)
    again.expect_tasks(["wrong", "broken"])
    expect(again.page.get_by_label("Find in tasks")).to_have_value("tea")
    expect(again.page.get_by_role("button", name="Failed")).to_have_attribute(
        "aria-pressed", "true"
    )
    again.page.get_by_role("link", name="wrong").click()
    expect(again.page).to_have_url(re.compile(r"sort=-score#wrong$"))
    assert again.complaints == []


def test_the_tasks_that_are_shown_are_downloaded(report: Any) -> None:
    page = report.page
    page.get_by_role("button", name="Failed").click()
    files = {}
    for kind in ("csv", "json"):
        with page.expect_download() as download:
            page.get_by_role("button", name=f"Download as {kind.upper()}").click()
        assert download.value.suggested_filename.endswith(f".{kind}")
        files[kind] = download.value.path().read_text(encoding="utf-8")
    rows = list(csv.DictReader(files["csv"].splitlines()))
    records = json.loads(files["json"])
    for written in (rows, records):
        assert [one["task"] for one in written] == ["wrong", "hostile", "broken"]
    assert [one["status"] for one in records] == ["failed", "failed", "failed"]
    assert (rows[0]["tokens"], records[0]["tokens"]) == ("960", 960)
    assert report.complaints == []
