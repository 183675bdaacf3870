"""The kept versions of wikis: listed, written out, fetched."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.wiki_command import file_names
from company_tools.wiki_store import WikiStore, hash_of
from core.models.kept_files import cache_folder
from tests.kit.commands import type_words
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
    assert folder
    for age, pages in enumerate([OLD, NEW]):
        WikiStore(folder).keep(hash_of(pages), dict(pages))
        written = max((folder / "wiki").iterdir(), key=lambda p: p.stat().st_mtime)
        os.utime(written, (1_700_000_000 + age, 1_700_000_000 + age))
    return hash_of(OLD), hash_of(NEW)


def pages_in(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text() for path in files}


def test_versions_are_listed_with_their_company_and_who_read_them(kept: tuple[str, str]) -> None:
    tasks = Path("logs/20260504-120000-aaaa/tasks")
    tasks.mkdir(parents=True)
    note = json.dumps({"kind": "notice", "text": f"wiki version {kept[0]}"})
    (tasks / "raise-pay.jsonl").write_text(note + "\n")
    done = type_words("wiki", "list")
    new, old = done.stdout.splitlines()
    assert (done.exit_code, new.split()[0], "0 tasks" in new) == (0, kept[1][:12], True)
    size = sum(map(len, OLD.values()))
    for part in (kept[0][:12], "3 pages", f"{size} bytes", "2023-11-14 22:13:20", "'Kites'",
                 "20260504-120000-aaaa/raise-pay"):  # fmt: skip
        assert part in old


def test_versions_are_written_out_page_by_page(kept: tuple[str, str]) -> None:
    assert type_words("wiki", "dump", "out/all").exit_code == 0
    for sha1, pages in zip(kept, (OLD, NEW), strict=True):
        assert pages_in(Path("out/all", sha1[:12])) == pages
    assert type_words("wiki", "dump", kept[0][:7].upper(), "one").exit_code == 0
    assert [path.name for path in Path("one").iterdir()] == [kept[0][:12]]


def test_what_cannot_be_written_out_is_said(kept: tuple[str, str]) -> None:
    Path("out").mkdir()
    Path("out/mine.md").write_text("mine")
    for words in (["out"], ["out/mine.md"], ["zz", "other"]):
        assert type_words("wiki", "dump", *words).exit_code == 2
    assert (Path("out/mine.md").read_text(), Path("other").exists()) == ("mine", False)


def test_an_empty_cache_is_no_error() -> None:
    done = type_words("wiki", "dump", "out")
    assert (done.exit_code, done.stdout) == (0, "")
    assert "no wiki version is cached" in done.stderr


HOSTILE = (
    "../up.md", "/etc/passwd", "a/../../b", "", ".", "..", "a//b", "a/", "~/x", "C:\\x", "a\\..\\b",
    "con", "nul.md", "x" * 300, "a/" * 200 + "b", "nul\0l", "\x1b[31m", "line\nbreak", ".hidden",
    "end.", "end ", "A.md", "a.md", "d", "d/e", "D/E", "\ud800", "=up.0", "\u202egnp.md",
)  # fmt: skip


def test_no_page_leaves_the_folder_or_hides_another() -> None:
    pages = {path: f"text of {number}" for number, path in enumerate(HOSTILE)}
    WikiStore(cache_folder()).keep(sha1 := hash_of(pages), pages)
    done = type_words("wiki", "dump", "out")
    assert (done.exit_code, "\x1b" in done.stdout) == (0, False)
    assert sorted(pages_in(Path("out", sha1[:12])).values()) == sorted(pages.values())
    assert {path.name for path in Path.cwd().iterdir()} == {"out", "cache"}


@given(st.lists(st.one_of(st.text(max_size=12), st.text("aA./\\~ ", max_size=8)), unique=True))
def test_names_of_files_stay_inside_and_apart(paths: list[str]) -> None:
    names = file_names(paths)
    assert list(names) == sorted(paths)
    for name in names.values():
        assert not {"", ".", ".."} & set(name.split("/"))
        assert "\\" not in name
    folded = [name.casefold() for name in names.values()]
    assert len(set(folded)) == len(folded)
    parts = [name.split("/") for name in folded]
    above = {"/".join(part[:n]) for part in parts for n in range(1, len(part))}
    assert not above & set(folded)


def test_a_wiki_is_fetched_from_the_platform_without_a_session() -> None:
    pack = load_pack(BUNDLED_PACK)
    with serve(pack) as simulator:
        env = {"ERC3_BASE_URL": simulator.base_url, "ERC3_API_KEY": "key-mine"}
        done = type_words("wiki", "fetch", "out", "--benchmark", "company", **env)
        other = type_words("wiki", "fetch", "else", "--benchmark", "of-nobody", **env)
        platform = simulator.platform
        (task,) = platform.single_tasks.values()
    assert (done.exit_code, task.status, platform.sessions) == (0, "completed", {}), done.output
    assert task.scenario.spec_id == pack.scenarios[0].spec_id
    (folder,) = Path("out").iterdir()
    assert hash_of(pages_in(folder))[:12] == folder.name
    assert (other.exit_code, "of-nobody" in other.stderr) == (1, True)
    assert not Path("else").exists()
