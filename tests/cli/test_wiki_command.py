"""The kept versions of wikis, written out."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from cli.cli import app
from cli.wiki_command import file_names
from company_tools.company_session import CompanySession
from company_tools.wiki_store import WikiStore, hash_of
from core.ledger import Ledger
from core.ledger.calls import Notice
from core.models.kept_files import cache_folder
from workshop.simulator.company.pack import BUNDLED_PACK
from workshop.simulator.server import serve
from workshop.simulator.worlds import load_pack

OLD = {"index.md": "# Kites\nFly them.\n", "rules/a.md": "No strings.\n", "gone.md": "x\n"}
NEW = {"index.md": "# Kites\nFly them high.\n", "rules/a.md": "No strings.\n", "new.md": "y\n"}


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def kept() -> tuple[str, str]:
    """The hashes of two versions in the cache, the older one first."""
    folder = cache_folder()
    store, hashes = WikiStore(folder), []
    for age, pages in enumerate([OLD, NEW]):
        hashes.append(hash_of(pages))
        store.keep(hashes[-1], dict(pages))
        assert folder
        written = max((folder / "wiki").iterdir(), key=lambda p: p.stat().st_mtime)
        os.utime(written, (1_700_000_000 + age, 1_700_000_000 + age))
    return hashes[0], hashes[1]


def run(folder: str = "out") -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["wiki", "dump", folder])
    return done.exit_code, done.stdout, done.stderr


def test_each_version_is_written_out_page_by_page_the_last_first(kept: tuple[str, str]) -> None:
    code, output, _ = run("out/wikis")
    assert code == 0
    lines = output.splitlines()
    folders = [Path("out/wikis", sha1[:12]) for sha1 in (kept[1], kept[0])]
    assert [Path(line.split()[0]) for line in lines] == folders
    size = sum(len(text) for text in OLD.values())
    assert lines[1].split()[1:] == [
        "3", "pages", str(size), "bytes", "2023-11-14", "22:13:20", "UTC",
    ]  # fmt: skip
    for folder, pages in zip(folders, (NEW, OLD), strict=True):
        files = [path for path in folder.rglob("*") if path.is_file()]
        assert {str(path.relative_to(folder)): path.read_text() for path in files} == pages


def test_an_empty_cache_is_no_error() -> None:
    code, output, message = run()
    assert (code, output) == (0, "")
    assert "no wiki version is cached" in message


def test_nothing_is_written_over(kept: tuple[str, str]) -> None:
    Path("out").mkdir()
    Path("out/mine.md").write_text("mine")
    code, _, message = run()
    assert code == 2
    assert "name a new or empty folder" in message
    assert [p.name for p in Path("out").iterdir()] == ["mine.md"]
    assert run("out/mine.md")[0] == 2
    assert Path("out/mine.md").read_text() == "mine"


HOSTILE = (
    "../up.md", "/etc/passwd", "a/../../b", "", ".", "..", "a//b", "a/", "~/x", "C:\\x", "a\\..\\b",
    "con", "nul.md", "x" * 300, "a/" * 200 + "b", "nul\0l", "\x1b[31m", "line\nbreak", ".hidden",
    "end.", "end ", "A.md", "a.md", "d", "d/e", "D/E", "\ud800", "=up.0", "\u202egnp.md",
)  # fmt: skip


def test_no_page_leaves_the_folder_or_hides_another(kept: tuple[str, str]) -> None:
    pages = {path: f"text of {number}" for number, path in enumerate(HOSTILE)}
    WikiStore(cache_folder()).keep(sha1 := hash_of(pages), pages)
    code, output, _ = run()
    assert code == 0
    files = [path for path in Path("out", sha1[:12]).rglob("*") if path.is_file()]
    assert sorted(path.read_text() for path in files) == sorted(pages.values())
    assert {path.name for path in Path.cwd().iterdir()} == {"out", "cache"}
    assert len(list(Path("out").iterdir())) == 3
    assert "\x1b" not in output
    assert "'../up.md' is in =up-md." in output


@given(st.lists(st.one_of(st.text(max_size=12), st.text("aA./\\~ ", max_size=8)), unique=True))
def test_names_of_files_stay_inside_and_apart(paths: list[str]) -> None:
    names = file_names(paths)
    assert list(names) == sorted(paths)
    for name in names.values():
        parts = name.split("/")
        assert not {"", ".", ".."} & set(parts)
        assert "\\" not in name
    folded = [name.casefold() for name in names.values()]
    assert len(set(folded)) == len(folded)
    above = {
        "/".join(name.split("/")[:n]) for name in folded for n in range(1, name.count("/") + 1)
    }
    assert not above & set(folded)


class _Client:
    """Answers whoami with the versions that it is given, one after another."""

    def __init__(self, *versions: object) -> None:
        self._left = list(versions)

    def dispatch(self, request: object) -> object:
        user = {
            "current_user": "a",
            "is_public": False,
            "today": "2025-01-02",
            "wiki_sha1": self._left.pop(0),
        }
        return type("Answer", (), {"model_dump": lambda self, **_: dict(user)})()


def test_a_journal_tells_each_version_once() -> None:
    noted: list[object] = []
    ledger = Ledger(on_entry=noted.append)
    session = CompanySession(_Client("one", "one", "", "two", "x" * 300))
    with session.recording_to(ledger):
        for _ in range(5):
            session.look_again()
    notices = [note.text for note in noted if isinstance(note, Notice)]
    assert notices == ["wiki version one", "wiki version two", f"wiki version {'x' * 200}"]


def test_versions_are_listed_with_their_company_and_who_read_them(kept: tuple[str, str]) -> None:
    tasks = Path("logs/20260504-120000-aaaa/tasks")
    tasks.mkdir(parents=True)
    note = json.dumps({"kind": "notice", "text": f"wiki version {kept[0]}"})
    (tasks / "raise-pay.jsonl").write_text(note + "\n")
    done = CliRunner().invoke(app, ["wiki", "list"])
    assert done.exit_code == 0
    new, old = done.stdout.splitlines()
    assert new.split()[0] == kept[1][:12]
    assert "0 tasks" in new
    assert old.split()[0] == kept[0][:12]
    assert "'Kites'" in old
    assert "20260504-120000-aaaa/raise-pay" in old


def test_one_version_is_written_out_by_the_beginning_of_its_hash(kept: tuple[str, str]) -> None:
    done = CliRunner().invoke(app, ["wiki", "dump", kept[0][:7].upper(), "out"])
    assert done.exit_code == 0
    assert [path.name for path in Path("out").iterdir()] == [kept[0][:12]]


def test_a_version_that_is_not_kept_is_an_error(kept: tuple[str, str]) -> None:
    done = CliRunner().invoke(app, ["wiki", "dump", "zz", "out"])
    assert done.exit_code != 0
    assert not Path("out").exists()


def test_a_wiki_is_fetched_from_the_platform_without_a_session(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pack = load_pack(BUNDLED_PACK)
    wanted = pack.scenarios[0]
    with serve(pack) as simulator:
        monkeypatch.setenv("ERC3_BASE_URL", simulator.base_url)
        monkeypatch.setenv("ERC3_API_KEY", "key-mine")
        words = ["wiki", "fetch", "out", "--benchmark", "company"]
        done = CliRunner().invoke(app, words)
        other = CliRunner().invoke(app, [*words[:2], "else", "--benchmark", "company-of-nobody"])
        platform = simulator.platform
        assert platform.sessions == {}
        (task,) = platform.single_tasks.values()
    assert done.exit_code == 0, done.output
    assert task.status == "completed"
    assert task.scenario.spec_id == wanted.spec_id
    (folder,) = Path("out").iterdir()
    assert hash_of(pages_in(folder))[:12] == folder.name
    assert other.exit_code == 1
    assert "company-of-nobody" in other.stderr
    assert not Path("else").exists()


def pages_in(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text() for path in files}
