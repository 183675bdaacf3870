"""What holds of every company: order, pages, roots, tasks apart, the hash and search of a wiki."""

from __future__ import annotations

import hashlib

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from tests.workshop.simulator.company.bakery import Site, SiteOf, Visit, bakery, person
from workshop.simulator.company.wiki import Wiki
from workshop.simulator.company.world import paged
from workshop.simulator.world import Refusal


@given(st.integers(0, 30), st.integers(1, 7), st.integers(1, 7))
def test_whoever_follows_next_offset_sees_all_once(total: int, limit: int, largest: int) -> None:
    limit = min(limit, largest)
    rows, seen, offset = list(range(total)), [], 0
    while offset != -1:
        page, following = paged(rows, offset, limit, largest)
        assert following == -1 or following == offset + len(page) < total
        seen += page
        offset = following
    assert seen == rows
    assert paged(rows, total, limit, largest) == ([], -1)
    with pytest.raises(Refusal) as caught:
        paged(rows, total + 1, limit, largest)
    assert caught.value.status == 500


def test_records_are_served_in_the_order_of_the_pack(site_of: SiteOf) -> None:
    people = [person("mara", "M"), person("zoe", "Z"), person("ann", "A")]
    companies = {"rye": bakery(employees=people, projects=[], time_entries=[])}
    visit = site_of(companies=companies).visit()
    for path in ("/employees/list", "/employees/search"):
        found = visit.ask(path, offset=0, limit=5)["employees"]
        assert [one["id"] for one in found] == ["mara", "zoe", "ann"]
    for path in ("/projects/list", "/projects/search"):
        assert visit.ask(path, offset=0, limit=5) == {"projects": None, "next_offset": -1}


def test_a_task_may_be_called_under_five_roots(visit: Visit) -> None:
    for root in ("erc3-dev", "erc3", "company", "erc3-test", "erc3-prod"):
        answer = visit.post(f"/{root}/{visit.task_id}/whoami", tool="/whoami")
        assert answer.json()["current_user"] == "mara"
    assert visit.post(f"/store/{visit.task_id}/whoami").status_code == 404


def test_tasks_do_not_see_each_other(site: Site) -> None:
    one, other = site.visit(), site.visit()
    one.ask("/employees/update", employee="mara", salary=1)
    one.ask("/projects/status/update", id="proj_rolls", status="paused")
    one.ask("/time/log", employee="mara", date="2025-05-06", hours=1)
    one.ask("/wiki/update", file="new.md", content="x")
    assert other.ask("/employees/get", id="mara")["employee"]["salary"] == 48_000
    assert other.ask("/projects/get", id="proj_rolls")["project"]["status"] == "active"
    assert other.refused("/time/get", id="te_051")[0] == 404
    assert "new.md" not in other.ask("/wiki/list")["paths"]
    assert site.acts(other) == []


words = st.text(st.sampled_from("abA é\n\r.0"), max_size=25)
wikis = st.dictionaries(st.sampled_from("pqrs"), words, max_size=4)
parts = st.sampled_from(
    ["a", "b", "é", ".", "^", "$", r"\b", r"\B", r"\A", r"\z", r"\s", "[^a]", "(?i)", "(?-m:^)",
     "*", "+", "?", "|", "(", ")", r"\n", "", "(?s).", "{2}"]
)  # fmt: skip


@given(wikis)
def test_the_hash_is_over_paths_and_pages(pages: dict[str, str]) -> None:
    whole = "".join(f"{path}\n{pages[path]}\n" for path in sorted(pages))
    assert Wiki(pages).sha1 == hashlib.sha1(whole.encode()).hexdigest()


@given(wikis, st.lists(parts, max_size=6))
def test_a_search_finds_the_lines_that_match_on_their_own(
    pages: dict[str, str], pattern: list[str]
) -> None:
    query = "".join(pattern)
    options = re2.Options()
    options.log_errors = False
    try:
        line = re2.compile(query, options)
    except re2.error:
        with pytest.raises(Refusal, match="invalid regex: error parsing regexp: "):
            Wiki(pages).search(query)
        return
    expected = []
    for path, content in sorted(pages.items()):
        lines = content.split("\n")
        expected += [(path, n) for n, text in enumerate(lines, 1) if line.search(text)]
    assert [(hit["path"], hit["linum"]) for hit in Wiki(pages).search(query)] == expected[:5]
