"""What a task is told before anything is asked, and the pages that a run keeps."""

from __future__ import annotations

import json
from contextlib import closing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_tools.briefing import rules
from company_tools.policy import RULEBOOK_TOKENS, TOKENS_AT_MOST, policy_of
from company_tools.wiki_search import pages_on
from company_tools.wiki_store import WikiStore
from core.ledger import Ledger, ToolFault
from core.models.tokens import count_text
from tests.company_tools.kites import Direct, kites
from tests.company_tools.played_task import PlayedTask

RULE = "Only executives may see a salary. Access to time entries is allowed to leads. "


def facts(played: PlayedTask) -> dict[str, object]:
    found: dict[str, object] = json.loads(played.briefing.splitlines()[0])
    return found


def test_who_asks_is_told_with_what_they_lead_and_manage() -> None:
    told = facts(PlayedTask(user="juergen_mueller"))
    assert told["user"]["id"] == "juergen_mueller"  # type: ignore[index]
    assert told["user"]["name"] == "Jürgen Müller"  # type: ignore[index]
    assert told["leads"] == ["proj_tent (Night Tent, archived)"]
    assert told["member_of"] == ["proj_sails (Bright Sails, active)"]
    assert told["today"] == "2025-05-06"


def test_a_guest_is_told_as_one_and_nothing_of_records_is_asked() -> None:
    played = PlayedTask(user=None)
    assert facts(played) == {"user": "guest", "today": "2025-05-06"}
    asked = {path.split("/")[1] for path in played.line.paths()}
    assert asked == {"whoami", "wiki"}


def test_a_refused_list_leaves_the_rest_and_says_what_is_missing_and_why() -> None:
    played = PlayedTask(page_limit=-1)
    told = facts(played)
    assert told["user"]["name"] == "Una Berg"  # type: ignore[index]
    assert not {"leads", "member_of", "manages"} & told.keys()
    unknown = str(told["unknown"])
    assert unknown.count("refuses every list") == 2
    assert "what they lead and are on; Req_GetProject of an id tells its team (" in unknown
    assert "their name" not in unknown
    assert "== rules.md ==" in played.briefing


def test_a_name_that_cannot_be_read_is_the_only_thing_missing() -> None:
    line = Direct(kites())
    line.plan["/employees/get"] = [400]
    told = facts(PlayedTask(line=line))
    assert told["unknown"] == "their name (busy)"
    assert told["leads"] == ["proj_sails (Bright Sails, active)"]


def test_a_system_that_does_not_answer_is_no_briefing() -> None:
    line = Direct(kites())
    line.plan["/whoami"] = [503]
    with pytest.raises(ToolFault):
        PlayedTask(line=line)


def test_pages_that_rule_are_whole_and_within_the_bound() -> None:
    pages = {f"rules{n}.md": f"{RULE * 12}Rule {n}." for n in range(30)}
    pages["birds.md"] = "Gulls are white. " * 50
    policy = policy_of(pages)
    assert count_text(policy.text()) <= TOKENS_AT_MOST
    assert len(policy.pages) > 5
    assert "birds.md" not in policy.pages
    assert all(
        policy.pages[path] == pages[path] for path in policy.pages if path not in policy.parts
    )


def test_of_a_page_that_is_too_long_the_paragraphs_that_rule_are_told() -> None:
    dull = "\n\n".join(f"Gull number {n} flew over the harbour of the town." for n in range(900))
    policy = policy_of({"long.md": f"{RULE * 4}\n\n{dull}\n\n{RULE * 3}Guests too."})
    assert policy.parts == {"long.md"}
    assert "Guests too" in policy.text()
    assert "Gull" not in policy.text()
    assert count_text(policy.text()) <= TOKENS_AT_MOST


def test_of_another_version_what_changed_comes_first() -> None:
    world = kites()
    for n in range(6):
        world["wiki"][f"page{n}.md"] = f"{RULE}{n}"
    store = WikiStore()
    PlayedTask(world, wiki=store)
    world["wiki"] = {**world["wiki"], "zz.md": f"{RULE * 2}Guests."}
    del world["wiki"]["page3.md"]
    told = PlayedTask(world, wiki=store).briefing
    assert "the wiki has changed: new or rewritten: zz.md; gone: page3.md" in told
    assert told.index("== zz.md ==") < told.index("== page0.md ==")


def test_another_companys_wiki_is_no_version_of_this_one() -> None:
    store = WikiStore()
    PlayedTask(wiki=store)
    other = PlayedTask(kites(wiki={"law.md": RULE * 2}), wiki=store)
    assert "has changed" not in other.briefing


def test_the_briefing_is_evidence() -> None:
    played = PlayedTask(user="juergen_mueller")
    assert played.asked_back("ok_answer", "You lead Night Tent.") is None
    assert played.finish("ok_answer", "You lead Night Tent.") is None
    assert {"kind": "project", "id": "proj_tent"} in played.responses[0]["links"]


def places(text: str, **fields: Any) -> str:
    """The briefing of a task of that text, in a company whose rules leave little room."""
    pages = {f"rules/{n}.md": f"{RULE * 9}Rule {n}." for n in range(30)}
    pages["where.md"] = "Our workshops are in Bergen and Ulm. Nothing in Rome."
    pages["birds.md"] = "Gulls are white."
    played = PlayedTask(kites(wiki=pages), brief=False, **fields)
    with closing(Ledger()) as ledger:
        return played.benchmark.briefing(ledger, text)


def test_pages_that_the_task_asks_for_stand_behind_the_rules() -> None:
    told = places("Is there a workshop in Rome?", user=None)
    assert "== where.md ==" in told
    assert told.index("== rules/0.md ==") < told.index("== where.md ==")
    assert "birds" not in told.split("other pages:")[0]
    assert "== where.md ==" not in places("")
    assert count_text(told.split("\n", 1)[1].split("cut for length")[0]) <= TOKENS_AT_MOST


@given(st.text(max_size=60))
def test_no_text_of_a_task_is_a_pattern_or_breaks_the_bound(text: str) -> None:
    pages = {"a.md": RULE * 3, "b.md": f"{text} " * 80, "c.md": "x" * 3000}
    asked = pages_on(pages, text)
    assert count_text(policy_of(pages, (), asked).text()) <= TOKENS_AT_MOST


def test_of_an_asked_page_that_is_too_long_the_parts_are_told() -> None:
    dull = "\n\n".join(f"Gull number {n} flew over the harbour of the town." for n in range(900))
    pages = {"long.md": f"{dull}\n\nOur vault is in Ulm."}
    policy = policy_of(pages, (), pages_on(pages, "Where is the vault?"))
    assert policy.parts == {"long.md"}
    assert "vault is in Ulm" in policy.text()


def test_after_changes_of_its_own_a_task_is_told_all_of_them_and_nothing_else() -> None:
    played = PlayedTask(kites(wiki={"a.md": RULE * 2, "b.md": f"{RULE * 2}b", "c.md": "Soup."}))
    for name in ("a.md", "d.md"):
        played.call("Combo_Write_Wiki_Pages", pages={name: f"{RULE * 2}new {name}"})
        told = json.loads(played.state())["rules_now"]
    assert "new or rewritten: a.md, d.md" in told
    assert "new a.md" in told
    assert "new d.md" in told
    assert "== b.md ==" not in told
    assert told.endswith("All else in the briefing holds.")
    played.call("Combo_Write_Wiki_Pages", pages={"c.md": "Fish."})
    assert "Fish" not in json.loads(played.state())["rules_now"]


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("rulebook.md", "Welcome"),
        ("handbook/Company_Rules.md", ""),
        ("a.md", "# The Rule Book of Kites & Sons"),
        ("b.md", "# Regelwerk der Segelmacherei"),
        ("c.md", "# Règlement intérieur"),
        ("規則.md", ""),
    ],
)
def test_a_page_that_is_called_a_rulebook_stands_there_whole(path: str, title: str) -> None:
    dull = "\n\n".join(f"{n}. Gulls of the harbour number {n} are white." for n in range(200))
    pages = {path: f"{title}\n\n{dull}", "z.md": RULE * 20}
    policy = policy_of(pages)
    assert count_text(pages[path]) > TOKENS_AT_MOST
    assert policy.pages[path] == pages[path]
    assert path not in policy.parts


def test_a_rulebook_may_be_named_and_is_bounded() -> None:
    pages = {"gulls.md": "Gulls are white. " * 900, "birds.md": "Terns are black."}
    assert policy_of(pages).pages == {}
    assert policy_of(pages, named=["gulls.md"]).pages == {"gulls.md": pages["gulls.md"]}
    endless = {"rulebook.md": "\n\n".join(f"{RULE} {n}" for n in range(900))}
    policy = policy_of(endless)
    assert policy.parts == {"rulebook.md"}
    assert count_text(policy.text()) <= RULEBOOK_TOKENS
    played = PlayedTask(kites(wiki={"odd.md": "Gulls are white.\n"}), brief=False)
    played.benchmark._rulebooks = ("odd.md",)
    with closing(Ledger()) as ledger:
        assert "== odd.md ==\nGulls" in played.benchmark.briefing(ledger, "")


GERMAN = "Das Gehalt einer Person ist nicht für alle, und nur die Leitung darf es sehen.\n\n"


def test_rules_in_another_language_are_not_lost_and_what_is_cut_is_said() -> None:
    pages = {"lohn.md": GERMAN * 3, "lang.md": GERMAN * 400, "gulls.md": "Gulls are white."}
    told = rules(pages, None, {})
    assert "== lohn.md ==\nDas Gehalt" in told
    assert "== lang.md (parts) ==" in told
    assert "cut for length; shown in parts: lang.md" in told
    assert "gulls.md" not in told.split("other pages:")[0]
    many = {f"p{n}.md": RULE * 30 for n in range(30)}
    assert "not shown, and may rule something: p" in rules(many, None, {})
    assert "cut for length" not in rules({"a.md": RULE * 3}, None, {})
