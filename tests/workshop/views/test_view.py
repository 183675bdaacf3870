"""The live pages: what the list says of a run, what has changed, and whom the server answers."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from cli.cli import app
from core.runs.journal import Journal
from core.runs.results import ResultsFile
from tests.kit.run_folders import RunFolder, asked, ended, hostile_run, worked
from workshop.views.comparison import Comparison, Side
from workshop.views.live import build_app, index_row
from workshop.views.report import versus

NAME = "20260504-120000-aaaa"
NOW = 2_000_000_000.0


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    hostile_run(tmp_path / "logs" / NAME)
    return TestClient(build_app(tmp_path / "logs"), base_url="http://127.0.0.1:8310")


def test_the_newest_run_is_first(client: TestClient, tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "logs" / "20260505-bbbb").task("tea", worked(), outcome="running")
    page = client.get("/").text
    assert page.index("20260505-bbbb") < page.index(NAME)
    assert page.index("running") < page.index("finished")
    old = run.path / "tasks" / "tea.jsonl"
    os.utime(old, (1, 1))
    assert "stopped" in client.get("/").text


def test_a_page_is_rendered_again_when_a_file_of_its_run_has_changed(
    client: TestClient, tmp_path: Path
) -> None:
    run = RunFolder(tmp_path / "logs" / "live")
    run.task("tea", asked(), worked(), outcome="running").task("cup", worked()).write()
    first = client.get("/runs/live/")
    with closing(Journal(run.path / "tasks" / "tea.jsonl")) as journal:
        journal.write("turn", ended().model_dump(mode="json"))
    second = client.get("/runs/live/", headers={"If-None-Match": first.headers["ETag"]})
    assert second.status_code == 200
    assert first.text != second.text
    cup = next(one for one in run.results if one.spec_id == "cup")
    ResultsFile(run.path).append([cup.model_copy(update={"score": 0.0})])
    third = client.get("/runs/live/")
    assert '<span class="mark bad" title="failed">' in third.text
    for path in ("/", "/runs/live/"):
        tag = {"If-None-Match": client.get(path).headers["ETag"]}
        again = client.get(path, headers=tag)
        assert (again.status_code, again.content) == (304, b"")


def test_a_story_is_sent_again_only_when_its_task_changed(
    client: TestClient, tmp_path: Path
) -> None:
    path = f"/runs/{NAME}/tasks/good"
    tag = client.get(path).headers["ETag"]
    with closing(Journal(tmp_path / "logs" / NAME / "tasks" / "wrong.jsonl")) as journal:
        journal.write("warning", {"text": "late"})
    assert client.get(path, headers={"If-None-Match": tag}).status_code == 304
    with closing(Journal(tmp_path / "logs" / NAME / "tasks" / "good.jsonl")) as journal:
        journal.write("warning", {"text": "late"})
    assert client.get(path, headers={"If-None-Match": tag}).status_code == 200


def test_a_name_that_only_points_here_is_refused(client: TestClient) -> None:
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 400
    assert client.get("/", headers={"Host": "localhost:8310"}).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/runs/%2e%2e/", "/runs/..%2f..%2fetc/", f"/runs/{NAME}/tasks/..%2fresults",
        f"/runs/{NAME}/tasks/%2fetc%2fpasswd", "/runs/secret/", f"/runs/{NAME}/tasks/nope",
        "/favicon.ico", "/compare", "/compare?run=x", f"/compare?run={NAME}",
        f"/compare?run={NAME}&run=../{NAME}", f"/compare?run={NAME}&run={NAME}",
    ],
)  # fmt: skip
def test_nothing_but_runs_and_tasks_is_found(client: TestClient, tmp_path: Path, path: str) -> None:
    hostile_run(tmp_path / "secret")
    assert client.get(path, follow_redirects=False).status_code == 404


def test_every_answer_forbids_what_is_foreign(client: TestClient) -> None:
    for path in ("/", f"/runs/{NAME}/", f"/runs/{NAME}/tasks/hostile"):
        policy = client.get(path).headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'")
        assert "unsafe" not in policy


def test_a_folder_that_is_none_or_is_a_run_is_refused(tmp_path: Path) -> None:
    run = hostile_run(tmp_path / "run")
    for folder, said in (
        (tmp_path / "no", "there is no folder"),
        (run, "name the folder that contains"),
    ):
        done = CliRunner().invoke(app, ["view", str(folder)])
        assert (done.exit_code, said in done.stderr) == (2, True)


def test_two_runs_open_as_one_page_the_older_one_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("20260504-a", "20260505-b"):
        hostile_run(tmp_path / name)
    judged: list[tuple[str, str]] = []
    really = versus.compare

    def judge(first: Side, second: Side, margin: float) -> Comparison:
        judged.append((first.run_id, second.run_id))
        return really(first, second, margin)

    monkeypatch.setattr(versus, "compare", judge)
    client = TestClient(build_app(tmp_path), base_url="http://127.0.0.1:8310")
    address = "/compare?run=20260505-b&run=20260504-a"
    page = client.get(address)
    assert "Not enough data to tell" in page.text
    assert judged == [("20260504-a", "20260505-b")]
    assert client.get(address, headers={"If-None-Match": page.headers["ETag"]}).status_code == 304
    assert client.get(address).text == page.text
    assert len(judged) == 1, "what has not changed is not compared again"
    with closing(Journal(tmp_path / "20260504-a" / "tasks" / "wrong.jsonl")) as journal:
        journal.write("warning", {"text": "late"})
    client.get(address)
    assert len(judged) == 2


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    return RunFolder(tmp_path / NAME)


def test_tasks_that_are_over_stand_beside_those_there_are(run: RunFolder) -> None:
    tasks = tuple((spec, f"tsk-{spec}", "Buy tea") for spec in "abcd")
    run.task("a", asked(), worked()).task("b", outcome="running")
    run.write(finished=False, tasks=tasks, options={"name": "spring cleaning"})
    row = index_row(run.path, NOW)
    assert (row.progress, row.manifest.title, row.place) == ("1/4", "spring cleaning", "small")
    (run.path / "results.jsonl").unlink()
    row = index_row(run.path, (run.path / "run.json").stat().st_mtime)
    assert (row.progress, row.state) == ("0/4", "running")
    assert index_row(run.path, NOW).state == "stopped"


def test_what_was_handed_in_and_what_died_say_so(run: RunFolder) -> None:
    run.task("a").write(submitted=True)
    assert index_row(run.path, NOW).state == "submitted"
    run.write(base_url="https://erc.example")
    assert index_row(run.path, NOW).state == "finished", "single tasks have no session"
    run.write(base_url="https://erc.example", session_id="ssn-1")
    assert index_row(run.path, NOW).state == "not submitted"
    run.write(finished=False)
    for path in run.path.rglob("*"):
        os.utime(path, (NOW - 10, NOW - 10))
    assert index_row(run.path, NOW).state == "running"
    assert index_row(run.path, NOW + 3_600).state == "stopped"
