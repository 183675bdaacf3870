"""Time entries read and summed, and the wiki: its hash, its pages, its search."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from tests.workshop.simulator.company.bakery import SiteOf, Visit, bakery, entry
from workshop.simulator.company.wiki import Wiki
from workshop.simulator.world import Refusal

PAGE = {"offset": 0, "limit": 5}
MAY = {"date_from": "2025-05-01", "date_to": "2025-05-31"}
ALL = ["te_007", "te_008", "te_050"]
YEAR = {"date_from": "2025-01-01", "date_to": "2025-12-31"}


def test_an_entry_has_no_id_inside(visit: Visit) -> None:
    whole = entry("te_007")
    found = {name: whole[name] for name in whole if name != "id"}
    assert visit.ask("/time/get", id="te_007") == {"entry": found}
    assert '"hours":8,' in visit.send("/time/get", id="te_050").text


@pytest.mark.parametrize(
    ("filters", "found", "sums"),
    [
        ({}, ALL, (11.5, 10.5, 1)),
        ({"employee": "mara"}, ["te_007", "te_050"], (10.5, 10.5, 0)),
        ({"customer": "cust_inn"}, ["te_007", "te_008"], (3.5, 2.5, 1)),
        ({"project": "proj_own"}, ["te_050"], (8, 8, 0)),
        ({"date_from": "2025-05-05", "date_to": "2025-05-05"}, ["te_007", "te_008"], (3.5, 2.5, 1)),
        ({"date_from": "2025-05-06"}, ["te_050"], (8, 8, 0)),
        ({"work_category": "internal"}, [], (0, 0, 0)),
        ({"billable": "billable"}, ["te_007", "te_050"], (10.5, 10.5, 0)),
        ({"billable": "non_billable"}, ["te_008"], (1, 0, 1)),
        ({"status": "voided"}, ["te_008"], (1, 0, 1)),
        ({"status": "never heard of"}, [], (0, 0, 0)),
        ({"billable": "", "status": "", "date_to": ""}, ALL, (11.5, 10.5, 1)),
    ],
)
def test_searches_for_hours(
    visit: Visit, filters: dict[str, Any], found: list[str], sums: tuple[float, ...]
) -> None:
    answer = visit.ask("/time/search", **filters, **PAGE)
    assert [one["id"] for one in answer["entries"] or ()] == found
    names = ("total_hours", "total_billable", "total_non_billable")
    assert tuple(answer[name] for name in names) == sums
    if found:
        first = visit.ask("/time/search", **filters, offset=0, limit=1)
        assert tuple(first[name] for name in names) == sums


def test_summaries(visit: Visit) -> None:
    rolls = {
        "customer": "cust_inn",
        "project": "proj_rolls",
        "total_hours": 3.5,
        "billable_hours": 2.5,
        "non_billable_hours": 1,
        "distinct_employees": 2,
    }
    assert visit.ask("/time/summary/by-project", **MAY) == {"summaries": [rolls]}
    own = visit.ask("/time/summary/by-project", **YEAR)["summaries"][0]
    assert (own["project"], own["customer"], own["total_hours"]) == ("proj_own", "", 8)
    people = visit.ask("/time/summary/by-employee", **MAY)["summaries"]
    assert people[0] == {
        "employee": "ben",
        "total_hours": 1,
        "billable_hours": 0,
        "non_billable_hours": 1,
    }
    assert [one["employee"] for one in people] == ["ben", "mara"]
    filters: tuple[dict[str, Any], ...] = (
        {"projects": ["proj_own"]},
        {"employees": ["mara", "zz_1"], "customers": ["cust_inn"]},
        {"billable": "billable"},
    )
    found = [
        visit.ask("/time/summary/by-employee", **YEAR, **one)["summaries"][0]["total_hours"]
        for one in filters
    ]
    assert found == [8, 2.5, 10.5]
    none = visit.ask("/time/summary/by-project", **YEAR, projects=["proj_old"])
    assert none == {"summaries": None}
    assert visit.refused("/time/summary/by-project", date_from="2025-01-01")[0] == 400
    assert visit.refused("/time/summary/by-employee", **(YEAR | {"date_to": "May"}))[0] == 400


def test_the_wiki_and_its_hash(visit: Visit) -> None:
    listed = visit.ask("/wiki/list")
    assert listed["paths"] == ["a/places.md", "rules.md"]
    pages = bakery()["wiki"]
    digest = hashlib.sha1("".join(f"{p}\n{pages[p]}\n" for p in sorted(pages)).encode())
    assert listed["sha1"] == digest.hexdigest() == visit.ask("/whoami")["wiki_sha1"]
    assert visit.ask("/wiki/load", file="rules.md") == {
        "file": "rules.md",
        "content": pages["rules.md"],
    }


def test_the_hash_moves_with_every_write_and_comes_back(visit: Visit) -> None:
    before = visit.ask("/wiki/list")["sha1"]
    visit.ask("/wiki/update", file="new.md", content="New\n")
    moved = visit.ask("/whoami")["wiki_sha1"]
    assert moved != before
    assert visit.ask("/wiki/list") == {
        "paths": ["a/places.md", "new.md", "rules.md"],
        "sha1": moved,
    }
    visit.ask("/wiki/update", file="new.md", content="")
    assert visit.ask("/wiki/list")["sha1"] == before
    assert visit.refused("/wiki/load", file="new.md")[0] == 404


def test_a_wiki_without_pages(site_of: SiteOf) -> None:
    visit = site_of(companies={"rye": bakery(wiki={})}).visit()
    assert visit.ask("/wiki/list")["paths"] is None
    assert visit.ask("/wiki/search", query_regex=".*") == {"results": None}


def test_searching_the_wiki(visit: Visit) -> None:
    assert visit.ask("/wiki/search", query_regex="draft time|Malm.$") == {
        "results": [
            {"path": "a/places.md", "linum": 2, "content": "Lund\nMalmö\n"},
            {
                "path": "rules.md",
                "linum": 3,
                "content": "# Rules\n\nLeads book draft time.\nNobody else does.\nAsk first.",
            },
        ]
    }
    assert visit.ask("/wiki/search", query_regex="DRAFT") == {"results": None}
    (hit,) = visit.ask("/wiki/search", query_regex="(?i)DRAFT")["results"]
    assert list(hit) == ["content", "linum", "path"]
    every = visit.ask("/wiki/search", query_regex="")["results"]
    assert [(one["path"], one["linum"]) for one in every] == [
        ("a/places.md", 1),
        ("a/places.md", 2),
        ("a/places.md", 3),
        ("rules.md", 1),
        ("rules.md", 2),
    ]


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("(abc", "missing closing ): `(abc`"),
        ("abc)", "unexpected ): `abc)`"),
        ("[a-", "missing closing ]: `[a-`"),
        ("a**", "invalid nested repetition operator: `**`"),
        ("*", "missing argument to repetition operator: `*`"),
        ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
        (r"(a)\1", r"invalid escape sequence: `\1`"),
        ("a\\", "trailing backslash at end of expression: ``"),
        ("x{1001}", "invalid repeat count: `{1001}`"),
    ],
)
def test_a_bad_pattern(
    visit: Visit, pattern: str, told: str, capfd: pytest.CaptureFixture[str]
) -> None:
    text = f"invalid regex: error parsing regexp: {told}"
    assert visit.refused("/wiki/search", query_regex=pattern) == (400, text)
    assert capfd.readouterr().err == ""


words = st.text(st.sampled_from("abA é\n\r.0"), max_size=25)
parts = st.sampled_from(
    ["a", "b", "é", ".", "^", "$", r"\b", r"\B", r"\A", r"\z", r"\s", "[^a]", "(?i)", "(?-m:^)",
     "*", "+", "?", "|", "(", ")", r"\n", "", "(?s).", "{2}"]
)  # fmt: skip


@given(st.dictionaries(st.sampled_from("pqrs"), words, max_size=4), st.lists(parts, max_size=6))
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
