"""Pages by version: on disk beyond a run, shared by processes, never another company's."""

from __future__ import annotations

import json
import os
import stat
from multiprocessing import get_context
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_tools import wiki_store
from company_tools.wiki_pages import PAGES_AT_MOST, WIKI_AT_MOST
from company_tools.wiki_store import IN_MEMORY_AT_MOST, WikiStore, hash_of
from core.erc3_client.bounds import PAGE_AT_MOST
from core.models.kept_files import cache_folder, write_kept
from core.tools.faults import Inconsistent
from tests.company_tools.kites import kites, toolbox
from tests.company_tools.played_task import PlayedTask

PAGES = {"a.md": "Gulls may not be fed.", "b/c.md": "Kites only."}
SHA1 = hash_of(PAGES)


def nobody() -> dict[str, str]:
    raise AssertionError("read, although it is on disk")


def kept(folder: Path, sha1: str = SHA1) -> dict[str, str]:
    return WikiStore(folder).pages(sha1, nobody)


def test_a_version_is_named_as_the_platform_names_it() -> None:
    assert toolbox().session.user().wiki_sha1 == hash_of(kites()["wiki"])


def test_pages_are_read_once_for_all_tasks_and_runs(tmp_path: Path) -> None:
    first = PlayedTask(wiki=WikiStore(tmp_path))
    assert len(first.line.paths("/wiki/load")) == 2
    store = WikiStore(tmp_path)
    second, third = PlayedTask(wiki=store), PlayedTask(wiki=store)
    assert not second.line.paths("/wiki/load", "/wiki/list")
    assert not third.line.paths("/wiki/load", "/wiki/list")
    assert first.briefing == second.briefing == third.briefing
    assert third.benchmark._session.evidence.has("wiki", "rules.md")
    assert not third.benchmark._session.evidence.listed


@pytest.mark.parametrize(
    "damage",
    [
        "", "{", "[]", "null", "[" * 100_000,
        json.dumps({"a": 1}),
        json.dumps({"format": "wiki-pages/2", "sha1": SHA1, "pages": PAGES}),
        json.dumps({"format": "wiki-pages/1", "sha1": SHA1, "pages": ["a"]}),
        json.dumps({"format": "wiki-pages/1", "sha1": hash_of({"a": "7"}), "pages": {"a": 7}}),
        json.dumps({"format": "wiki-pages/1", "sha1": hash_of({}), "pages": {}}),
        json.dumps({"format": "wiki-pages/1", "sha1": SHA1, "pages": {**PAGES, "a.md": "May."}}),
    ],
)  # fmt: skip
def test_a_damaged_file_is_read_anew_and_mended(tmp_path: Path, damage: str) -> None:
    WikiStore(tmp_path).pages(SHA1, lambda: dict(PAGES))
    (file,) = (tmp_path / "wiki").iterdir()
    file.write_text(damage)
    assert WikiStore(tmp_path).pages(SHA1, lambda: dict(PAGES)) == PAGES
    assert kept(tmp_path) == PAGES


def test_a_disk_that_takes_nothing_costs_only_time(tmp_path: Path) -> None:
    (tmp_path / "wiki").write_text("no folder")
    assert "== rules.md ==" in PlayedTask(wiki=WikiStore(tmp_path)).briefing


def test_pages_are_for_their_owner_alone(tmp_path: Path) -> None:
    WikiStore(tmp_path / "new").pages(SHA1, lambda: dict(PAGES))
    (file,) = (tmp_path / "new" / "wiki").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


@given(st.text(st.characters(codec=None)), st.dictionaries(st.text(), st.text(), max_size=4))
def test_no_name_and_no_page_leaves_the_folder(
    tmp_path_factory: pytest.TempPathFactory, sha1: str, pages: dict[str, str]
) -> None:
    base = tmp_path_factory.mktemp("any")
    folder = base / "cache"
    for at in (sha1, "../../x", "/etc/passwd", "a\0b"):
        assert WikiStore(folder).pages(at, lambda: pages) == pages
    assert WikiStore(folder).pages(hash_of(pages), lambda: pages) == pages
    assert WikiStore(folder).pages(hash_of(pages), nobody) == pages
    assert [path.name for path in base.iterdir()] == ["cache"]
    names = {path.name for path in (folder / "wiki").iterdir()}
    assert all(len(name) == 45 and name.endswith(".json") for name in names)


def test_two_versions_of_one_company_with_one_name_are_told_apart() -> None:
    """The longest page and all paths are equal: only a page that rules something is another."""
    store = WikiStore()
    for rule in ("Leads may change a status.", "Nobody may change a status."):
        pages = {"a.md": "About us. " * 100, "rules.md": rule}
        at = toolbox(kites(wiki=pages))
        at.session.user().wiki_sha1 = "of another platform"
        assert wiki_pages_of(at, store) == pages


def test_a_run_keeps_so_many_versions_in_memory_and_the_first_of_them() -> None:
    versions = [{"a.md": f"{n}"} for n in range(2 * IN_MEMORY_AT_MOST)]
    store = WikiStore()
    for pages in versions:
        store.keep(hash_of(pages), pages)
    held = [versions[0], *versions[IN_MEMORY_AT_MOST + 1 :]]
    assert [store.pages(hash_of(pages), nobody) for pages in held] == held
    read = [store.pages(hash_of(pages), dict) for pages in versions[1 : IN_MEMORY_AT_MOST + 1]]
    assert not any(read)


@pytest.mark.promise("what comes from outside is bounded")
@pytest.mark.parametrize(
    "pages",
    [
        {f"{n}.md": "x" * (PAGE_AT_MOST - 1) for n in range(WIKI_AT_MOST // PAGE_AT_MOST + 2)},
        {f"{n}.md": "x" for n in range(PAGES_AT_MOST + 1)},
    ],
    ids=["characters", "pages"],
)
def test_a_wiki_without_end_is_not_believed(pages: dict[str, str]) -> None:
    at = toolbox(kites(wiki=pages))
    with pytest.raises(Inconsistent, match="the wiki has"):
        wiki_pages_of(at, WikiStore())


def test_a_company_that_names_no_version_shares_nothing(tmp_path: Path) -> None:
    store = WikiStore(tmp_path)
    for words in ("kites", "gulls"):
        at = toolbox(kites(wiki={"a.md": f"About {words}."}))
        at.session.user().wiki_sha1 = ""
        assert wiki_pages_of(at, store) == {"a.md": f"About {words}."}
        assert wiki_pages_of(at, store) == {"a.md": f"About {words}."}
        assert at.line.paths("/wiki/load") == ["/wiki/load"]
    assert not (tmp_path / "wiki").exists()


def wiki_pages_of(at: object, store: WikiStore) -> dict[str, str]:
    from company_tools.wiki_pages import wiki_pages

    return wiki_pages(at.session, store)  # type: ignore[attr-defined]


def test_what_a_task_has_written_outlives_it_only_where_it_is_proven(tmp_path: Path) -> None:
    store = WikiStore(tmp_path)
    store.keep(SHA1, PAGES)
    store.keep("of another platform", {"a.md": "perhaps"})
    assert [p.name for p in (tmp_path / "wiki").iterdir()] == [
        wiki_store._path(tmp_path, SHA1).name
    ]


def write_often(folder: str, seed: int) -> int:
    right = 0
    for n in range(30):
        pages = {f"p{seed}.md": f"{n} " * 50, "a.md": "x" * 1000}
        store = WikiStore(Path(folder))
        right += store.pages(hash_of(pages), lambda pages=pages: pages) == pages  # type: ignore[misc]
        right += store.pages(SHA1, lambda: dict(PAGES)) == PAGES
    return right


def test_many_processes_share_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with get_context("fork").Pool(2) as pool:
        assert pool.starmap(write_often, [(str(tmp_path), 1), (str(tmp_path), 2)]) == [60, 60]
    assert kept(tmp_path) == PAGES
    assert not [p for p in (tmp_path / "wiki").iterdir() if p.suffix != ".json"]


def test_the_oldest_versions_go_first(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    for n in range(6):
        write_kept(folder / f"{n}", b"x", at_most=4)
        os.utime(folder / f"{n}", (n, n))
    assert sorted(p.name for p in folder.iterdir()) == ["2", "3", "4", "5"]


@pytest.mark.parametrize(("said", "home"), [("/x", "/x"), ("", "~/.cache"), ("rel", "~/.cache")])
def test_the_cache_is_where_users_look(
    monkeypatch: pytest.MonkeyPatch, said: str, home: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", said)
    assert cache_folder() == Path(home).expanduser() / "erc3-agent"
