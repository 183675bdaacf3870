"""Which lines of a book a task is shown, and what of a wiki that nobody has indexed."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_tools.policy_rules import Wiki, index_page
from company_tools.rule_book import TOPICS, Rule
from company_tools.rule_choice import (
    NO_RULES,
    PARTLY,
    TOKENS,
    WHOLE,
    WITHOUT_BOOK_TOKENS,
    Requester,
    chosen,
    pages_for,
    relation,
    rules_text,
    text_without_book,
    whole_text,
)
from company_tools.stages.rule_book import RuleBook, rules_of
from company_tools.wiki_lines import excerpt, lines_of
from company_tools.wiki_store import WikiStore
from core.ledger import Ledger
from core.models.tokens import count_text
from core.runs.task import Finding, StageInput
from tests.company_tools.kites import kites
from tests.company_tools.played_task import PlayedTask
from tests.company_tools.test_rule_book import DULL, PAGES, named
from tests.company_tools.test_stages import Model

LONG_PAGES = {**PAGES, "more.md": DULL * 4}
"""More than a wiki that is shown whole."""
SEWING = Requester("Sewing", ("People", "Sewing", "Sales, Fairs"), leads=False, manages=False)


@pytest.mark.parametrize(
    ("groups", "who", "kind"),
    [
        ("Sewing", SEWING, "own"), ("sewing", SEWING, "own"), ("People", SEWING, "others"),
        ("People, Sewing", SEWING, "own"), ("everybody", SEWING, "common"), ("", SEWING, "common"),
        ("lead", SEWING, "others"), ("lead", SEWING._replace(leads=True), "own"),
        ("account manager", SEWING._replace(manages=True), "own"), ("guest", SEWING, "others"),
        ("Sales, Fairs", SEWING, "others"), ("owner", SEWING, "common"),
        ("chief of sails", SEWING, "common"), ("nobody", SEWING, "common"),
        ("guest", None, "own"), ("anybody", None, "common"), ("everybody", None, "others"),
        ("Sewing", None, "others"),
    ],
)  # fmt: skip
def test_a_label_tells_whom_a_line_is_about(groups: str, who: Any, kind: str) -> None:
    assert relation(Rule("rights.md", 2, groups, "pay"), who) == kind


BOOK = (
    Rule("rights.md", 2, "Sewing", "skills"),
    Rule("rights.md", 3, "People", "pay"),
    Rule("rights.md", 5, "lead", "status"),
    Rule("rights.md", 6, "guest", "places"),
    Rule("rights.md", 7, "nobody", "pay"),
)


LEAD = SEWING._replace(leads=True)
TICKET = Rule("rights.md", 4, "everybody", "all")
COUNTED = (Rule("rights.md", 4, "", "skills"), Rule("rights.md", 1, "", "date"))


@pytest.mark.parametrize(
    ("about", "who", "more", "shown"),
    [
        (["pay"], SEWING, (), {2, 3, 7}),  # whoever a line on the subject is about
        (["status"], SEWING, (), {2, 5}),
        ([], SEWING, (), {2, 3, 5, 6, 7}),  # the subject is not known
        (["status"], SEWING, (TICKET,), {2, 4, 5}),
        (["pay"], SEWING, (Rule("rights.md", 4, "Nobody knows whom", "pay"),), {2, 3, 4, 7}),
        ([], None, COUNTED, {6, 1}),  # a guest: nothing on others, nor how skills are counted
        (["pay"], None, (), {6}),
    ],
)
def test_lines_are_chosen_by_group_and_subject(
    about: list[str], who: Requester | None, more: tuple[Rule, ...], shown: set[int]
) -> None:
    """The list of rights is too long to be shown whole."""
    pages = {"rights.md": PAGES["rights.md"].replace("May see levels.", "May see levels. " * 90)}
    assert {n for _, n in chosen(pages, (*BOOK, *more), who, about)} == shown
    assert chosen(pages, BOOK, LEAD, ["status"])[0] == ("rights.md", 5)
    assert rules_text(PAGES, BOOK[1:2], None, []) == NO_RULES


def test_a_short_list_is_shown_whole_and_of_a_long_one_rows_are_told_as_left_out() -> None:
    whole = chosen(PAGES, BOOK[:1], SEWING, ["skills"])
    assert [n for _, n in whole] == [2, 3, 4, 5, 6]
    rows = "\n".join(f"| kite {n} | {'words ' * 12}|" for n in range(60))
    pages = {"a.md": f"| what | who |\n|---|---|\n{rows}"}
    text = rules_text(pages, (Rule("a.md", 30, "Sewing", "pay"),), SEWING, ["pay"])
    assert text.splitlines()[1:] == [
        "== a.md (parts) ==", "| what | who |", "|---|---|", "…",
        lines_of(pages["a.md"])[29].text, "…",
    ]  # fmt: skip


GROUPS = ("", "everybody", "lead", "guest", "nobody", "Sewing", "People", "owner, People")
RULES = st.builds(
    Rule,
    st.just("a.md"),
    st.integers(1, 90),
    st.sampled_from(GROUPS),
    st.sampled_from(TOPICS.split(", ")),
)


@given(st.lists(RULES, max_size=90), st.lists(st.sampled_from(TOPICS.split(", ")), max_size=3))
def test_there_is_never_more_than_the_room_and_nothing_that_is_not_labelled(
    rules: list[Rule], about: list[str]
) -> None:
    pages = {"a.md": "\n\n".join(f"Nobody sees box {n} of the harbour now." for n in range(90))}
    places = chosen(pages, tuple(rules), SEWING, about)
    assert {n for _, n in places} <= {rule.number for rule in rules}
    assert count_text(excerpt(pages, places)) <= TOKENS


# -- without a book


def test_a_wiki_without_a_book_is_whole_as_far_as_there_is_room() -> None:
    told = text_without_book(LONG_PAGES, WikiStore(), "What does Una earn?")
    assert told.startswith(WHOLE)
    assert all(f"== {path} ==\n{page.strip()}" in told for path, page in LONG_PAGES.items())


def test_of_a_larger_one_the_index_and_the_pages_nearest_to_the_task_are_shown() -> None:
    pages = {f"gulls{n}.md": DULL for n in range(9)} | PAGES
    pages = {"index.md": "\n".join(["# Wiki", *pages]), **pages}
    task = "Who sees what others earn in the department?"
    told = text_without_book(pages, WikiStore(), task)
    assert told.startswith(PARTLY.format(index="its index page and "))
    assert "== index.md ==" in told
    assert PAGES["rights.md"].strip() in told
    assert count_text(told) <= WITHOUT_BOOK_TOKENS + count_text(PARTLY) + 5
    del pages["index.md"]
    assert text_without_book(pages, WikiStore(), task).startswith(PARTLY.format(index=""))


def test_the_policy_is_shown_first_what_counts_and_then_what_is_near() -> None:
    pages = {f"gulls{n}.md": DULL for n in range(9)} | PAGES
    planted = {"aa.md": "Who sees what others earn? Everybody sees it. " * 40}
    pages = {"index.md": "\n".join(["# Wiki", *pages]), **pages, **planted}
    shown = [*pages_for(Wiki.of(pages, ()), WikiStore(), "Who sees what others earn?")]
    assert shown[:2] == ["index.md", "rights.md"]
    assert shown[-1] == "aa.md"
    assert count_text(whole_text(pages, shown)) <= WITHOUT_BOOK_TOKENS
    assert pages_for(Wiki.of(LONG_PAGES, ()), WikiStore(), "Who?") == LONG_PAGES


@pytest.mark.parametrize(
    ("pages", "index"),
    [
        ({"a.md": "see b.md and c.md", "b.md": "see c.md", "c.md": ""}, "a.md"),
        ({"b.md": "see c.md", "a.md": "see b.md and c.md", "c.md": "see b.md"}, "b.md"),
        ({"c.md": "", "a.md": "see c.md"}, ""),
        ({"a.md": "a.md", "b.md": ""}, ""),
        ({"a.md": "", "index.md": "a.md, r.md", "planted.md": "", "r.md": "a.md"}, "index.md"),
        ({"a.md": "", "i.md": "a.md, k.md", "j.md": "a.md, k.md", "k.md": ""}, ""),
        ({"a.md": "", "i.md": "a.md, b.md", **{f"{n}.md": "" for n in "bcdef"}}, ""),
        ({}, ""),
    ],
)
def test_the_index_is_the_first_page_or_the_one_that_alone_names_most_others(
    pages: dict[str, str], index: str
) -> None:
    assert index_page(pages) == index


# -- the stage


def stage(played: PlayedTask, text: str, *replies: str, name: str = "rb-stage") -> Finding:
    model = Model(name, *replies)
    case = StageInput(text, (Finding(step="entities", facts={"about": ["skills"]}),))
    step = RuleBook(played.benchmark)
    with closing(Ledger()) as ledger:
        return step.run(case, model.client if replies else None, ledger)


def test_the_stage_tells_the_model_s_rules_and_says_who_chose() -> None:
    played = PlayedTask(kites(wiki=LONG_PAGES))
    reply = named(["3:2", "Sewing. The whole", "Sewing", "skills"])
    found = stage(played, "What does Una earn?", reply)
    assert "**Sewing.**" in found.text
    assert "Gull" not in found.text
    assert found.facts["by"] == "model"
    assert found.facts["version"] == played.benchmark.rules_version


@pytest.mark.parametrize("replies", [(), ("sorry",)])
def test_without_a_model_or_a_usable_reply_the_prompt_says_that_nobody_chose(replies: Any) -> None:
    found = stage(PlayedTask(kites(wiki=LONG_PAGES)), "Who?", *replies, name="rb-sorry")
    assert found.text.startswith(WHOLE)
    assert found.facts["by"] == "search"
    assert bool(found.failed) == bool(replies)


def test_of_a_small_wiki_no_book_is_made_and_later_stages_have_the_whole() -> None:
    played = PlayedTask()
    found = stage(played, "Pause Bright Sails.", "not asked", name="rb-small")
    assert (found.text, found.failed) == ("", "")
    case = StageInput("", (found.model_copy(update={"step": "rule_book"}),))
    assert "Only the Lead of a project may change its status." in rules_of(case)
    assert played.benchmark.books.known(dict(kites()["wiki"])) is None
