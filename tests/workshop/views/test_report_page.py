"""The written report: one file, everything escaped, small, and two runs in one."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from cli.cli import app
from core.runs.run_view import read_run_view
from tests.kit.run_folders import HOSTILE, RunFolder, asked, ended, found, hostile_run, worked
from workshop.views.report import versus
from workshop.views.report.pairs import pairs_of
from workshop.views.report.render import record_html
from workshop.views.report.run_page import row_html, rows_of, write_report


def stories_of(page: str) -> list[str]:
    packed = re.findall(r'<script type="text/plain" id="story-\d+">(.*?)</script>', page)
    return [zlib.decompress(base64.b64decode(text)).decode("utf-8") for text in packed]


def test_the_file_stands_alone_and_its_policy_names_its_own_parts(tmp_path: Path) -> None:
    path = write_report(hostile_run(tmp_path / "run"))
    page = path.read_text(encoding="utf-8")
    assert path.name == "report.html"
    assert not re.search(r'(?:src|href)="(?!#|data:)', page)
    script = re.search(r"<script>(.*?)</script>", page, re.S)
    style = re.search(r"<style>(.*?)</style>", page, re.S)
    assert script
    assert style
    for part in (script[1], style[1]):
        digest = base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()
        assert f"sha256-{digest}" in page.replace("&#39;", "'").replace("&#43;", "+")
    assert "default-src &#39;none&#39;" in page


def test_nothing_hostile_is_markup_anywhere(tmp_path: Path) -> None:
    page = write_report(hostile_run(tmp_path / "run")).read_text(encoding="utf-8")
    pieces = [page, *stories_of(page)]
    assert sum("window.hit=1" in piece for piece in pieces) >= 2
    for piece in pieces:
        assert "<script>window" not in piece
        assert "<img" not in piece
        assert "\u202e" not in piece
        assert "49" not in re.findall(r"</template>(.{0,6})", piece)


OURS = {
    "a", "b", "blockquote", "button", "caption", "code", "details", "div", "h2", "h3", "i", "li",
    "p", "pre", "rect", "section", "small", "span", "summary", "svg", "table", "tbody", "td", "th",
    "thead", "tr", "ul", "wbr",
}  # fmt: skip
CHECKED = {
    "type", "role", "decision", "outcome", "kind", "failure", "score", "group", "verdict", "harm",
    "sha256",
}  # fmt: skip
"""Fields that are no free texts, or by which records find each other."""


class Marks(HTMLParser):
    """Every tag and attribute of a piece of a page, and its text."""

    def __init__(self, piece: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: dict[str, set[str]] = {}
        self.text = ""
        self.feed(piece)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            self.attributes.setdefault(name, set()).add(value or "")

    def handle_data(self, data: str) -> None:
        self.text += data


def poisoned(value: Any, name: str = "") -> Any:
    """A record whose free texts, and names of arguments and answers, are all hostile."""
    if isinstance(value, dict):
        inner = name in {"result", "arguments", "body"}
        return {HOSTILE if inner else key: poisoned(item, key) for key, item in value.items()}
    if isinstance(value, list):
        return [poisoned(item, name) for item in value]
    return HOSTILE if isinstance(value, str) and name not in CHECKED else value


def poisoned_run(path: Path) -> Path:
    """One task with everything that a story can show, all of it hostile."""
    wire = {"path": "/a", "body": {"x": 1}, "kind": "read", "outcome": "failed", "error": "no"}
    turn = worked(challenge="why").model_dump(mode="json")
    report: Any = turn["report"]
    (done,) = report["calls"]
    refused = done | {"outcome": "failed", "error": "no", "requests": [wire], "line": 1}
    apart = [refused | {"step": step, "line": None} for step in (1, None)]
    report["calls"] = [done, *[refused] * 6, *apart]
    report["error"] = report["steps"][0]["error"] = "broke"
    calls = [
        {"type": "text", "sha256": "ab", "text": "asked"},
        {"type": "model_call", "prompt": [{"role": "user", "sha256": "ab"}], "attempt": 2}
        | asked(backend="b", reasoning="r", error="e", next="n", finish_reason="s").model_dump(
            exclude={"prompt"}
        ),
    ]
    records = [
        {"type": "task", "spec_id": "tea", "task_id": "t", "text": "Buy", "mechanics": ["kind"]},
        *calls,
        {"type": "turn"} | turn,
        {"type": "resumed"},
        *calls,
        {"type": "turn"} | ended().model_dump(mode="json"),
        {"type": "warning", "text": "odd"},
        {"type": "result", "score": 0.0, "outcome": HOSTILE, "group": HOSTILE, "error": "e"}
        | {"eval_log": "log", "acts": 1, "harm": True},
    ]
    (path / "tasks").mkdir(parents=True)
    lines = (json.dumps(poisoned(record)) + "\n" for record in records)
    (path / "tasks" / "tea.jsonl").write_text("".join(lines), encoding="utf-8")
    return path


def test_no_text_of_a_record_becomes_markup_or_steers(tmp_path: Path) -> None:
    path = poisoned_run(tmp_path / "run")
    view = read_run_view(path)
    (row,) = rows_of(view.tasks)
    (pair,) = pairs_of(view, view)
    story = record_html(row.record)
    both = versus.record_html(pair)
    for piece in (story, both, versus.outline_html(pair), row_html(row)):
        seen = Marks(piece)
        assert seen.tags <= OURS
        assert not {name for name in seen.attributes if name.startswith("on")}
        assert "\u202e" not in piece
        rest = [v for name, values in seen.attributes.items() if name != "data-key" for v in values]
        assert not [value for value in rest if "window.hit" in value]
    texts = Marks(story).text
    assert texts.count("window.hit=1") > 60
    for said in ("6 not done", "whose line is not known", "of code that is not known", "failed"):
        assert said in texts


def test_a_name_cannot_end_the_attribute_that_it_stands_in(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run").task("tea", worked())
    (run.path / "tasks" / "tea.jsonl").rename(run.path / "tasks" / '"><b>&\u202e.jsonl')
    run.results[0] = run.results[0].model_copy(update={"journal": '"><b>&\u202e'})
    (row,) = rows_of(read_run_view(run.write()).tasks)
    seen = Marks(row_html(row))
    assert seen.attributes["data-key"] == {'"><b>&\\u202e'}
    assert seen.attributes["href"] == {"#%22%3E%3Cb%3E%26%E2%80%AE"}
    assert "b" not in seen.tags
    assert "\u202e" not in row_html(row)


def test_calls_stand_under_their_line_and_strays_at_the_end(tmp_path: Path) -> None:
    turn = worked()
    assert turn.report
    calls = (
        found("third", line=3),
        found("nowhere", line=None, number=2),
        found("stray", step=None, number=3),
    )
    report = turn.report.model_copy(update={"calls": calls})
    run = RunFolder(tmp_path / "run").task("tea", turn.model_copy(update={"report": report}))
    html = record_html(read_run_view(run.write()).tasks[0])
    places = [html.index(text) for text in ("found = <b", "third", "<i>4</i>") if text in html]
    assert places == sorted(places)
    assert html.index("third") < html.index("<i>4</i>") < html.index("nowhere")
    assert html.index("Calls of code that is not known") < html.index("stray")


def test_pairs_tell_what_became_of_each_task(tmp_path: Path) -> None:
    one = RunFolder(tmp_path / "one")
    two = RunFolder(tmp_path / "two")
    for name, then in (("same", {}), ("worse", {"score": 0.0}), ("better", {})):
        one.task(name, worked(), ended(), score=0.0 if name == "better" else 1.0)
        two.task(name, worked(), ended(), **then)
    one.task("way", worked(), ended())
    two.task("way", ended(1))
    two.task("alone", worked())
    pairs = pairs_of(read_run_view(one.write()), read_run_view(two.write()))
    assert [(pair.spec_id, pair.change) for pair in pairs] == [
        ("worse", "worse"),
        ("better", "better"),
        ("way", "other way"),
        ("same", "same"),
        ("alone", "only in B"),
    ]


def test_the_command_writes_one_run_or_two(tmp_path: Path) -> None:
    one, two = (hostile_run(tmp_path / name) for name in ("one", "two"))
    run = CliRunner().invoke
    assert run(app, ["report", str(one)]).stdout.strip() == str(one / "report.html")
    done = run(app, ["report", str(one), str(two), "-o", str(tmp_path / "pair.html")])
    assert done.exit_code == 0
    assert "Two runs compared" in (tmp_path / "pair.html").read_text(encoding="utf-8")
    assert HOSTILE not in (tmp_path / "pair.html").read_text(encoding="utf-8")
