"""The written report: one file, everything escaped, small, and two runs in one."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from coordinator.report import write_report
from coordinator.report.__main__ import app
from coordinator.report.pairs import pairs_of
from coordinator.report.reading import read_run_view
from coordinator.report.render import story_html
from tests.run_folders import HOSTILE, RunFolder, asked, ended, found, hostile_run, worked
from worker.recorded import NotRecorded


def data_of(page: str) -> dict[str, object]:
    found = re.search(r'<script type="application/json" id="page">(.*?)</script>', page, re.S)
    assert found
    read: dict[str, object] = json.loads(found[1])
    return read


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


def test_lone_surrogates_do_not_stop_the_report(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run").task("tea", asked(text="\ud800"), worked(name="half \udfff"))
    page = write_report(run.write()).read_text(encoding="utf-8")
    assert "half ?" in stories_of(page)[0]


def test_the_table_holds_what_is_filtered_and_sorted_by(tmp_path: Path) -> None:
    page = write_report(hostile_run(tmp_path / "run")).read_text(encoding="utf-8")
    tasks = data_of(page)["tasks"]
    assert isinstance(tasks, list)
    assert [task["key"] for task in tasks] == ["good", "hostile", "wrong", "broken"]
    assert tasks[3]["sort"]["score"] is None
    assert "model failed" in tasks[3]["find"]
    assert len(stories_of(page)) == len(tasks)


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
    html = story_html(read_run_view(run.write()).stories[0])
    places = [html.index(text) for text in ("found = <b", "third", "<i>4</i>") if text in html]
    assert places == sorted(places)
    assert html.index("third") < html.index("<i>4</i>") < html.index("nowhere")
    assert html.index("Calls of code that is not known") < html.index("stray")


def test_failed_attempts_at_a_model_are_told(tmp_path: Path) -> None:
    failed = asked(error="HTTP 429", backend="b1", attempt=2, next="next backend: b2")
    run = RunFolder(tmp_path / "run").task("tea", failed, asked(), worked())
    html = story_html(read_run_view(run.write()).stories[0])
    for said in ("1 failed", "HTTP 429", "b1", "attempt 2", "then next backend: b2"):
        assert said in html


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
    assert {pair.spec_id: pair.change for pair in pairs} == {
        "same": "same",
        "worse": "worse",
        "better": "better",
        "way": "other way",
        "alone": "only in the second",
    }


def test_the_command_writes_one_run_or_two(tmp_path: Path) -> None:
    one, two = (hostile_run(tmp_path / name) for name in ("one", "two"))
    run = CliRunner().invoke
    assert run(app, [str(one)]).stdout.strip() == str(one / "report.html")
    done = run(app, [str(one), str(two), "-o", str(tmp_path / "pair.html")])
    assert done.exit_code == 0
    assert "Two runs side by side" in (tmp_path / "pair.html").read_text(encoding="utf-8")
    assert HOSTILE not in (tmp_path / "pair.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["nowhere"], 2, "there is no run 'nowhere'"),
        (["run", "-o", "missing/deep/x.html"], 1, "cannot be written"),
    ],
)
def test_the_command_says_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int, said: str
) -> None:
    hostile_run(tmp_path / "run")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, arguments)
    assert (done.exit_code, said in done.stderr) == (code, True)


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotRecorded, match="no run folder"):
        write_report(tmp_path)
