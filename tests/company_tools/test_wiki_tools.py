"""The wiki: kept by its hash, searched by words and patterns, and its lines on permissions."""

from __future__ import annotations

import pytest

from core.ledger import ToolFault
from tests.company_tools.kites import kites, toolbox


def test_pages_are_read_once_for_a_version() -> None:
    at = toolbox()
    first = at.call("Combo_Read_Wiki_Pages")
    at.call("Combo_Search_Wiki_For_Words", words="rent")
    again = at.call("Combo_Read_Wiki_Pages", files="Rules")
    assert again["pages"] == {"rules.md": first["pages"]["rules.md"]}
    assert at.line.paths() == ["/wiki/list", "/wiki/load", "/wiki/load"]
    assert at.session.evidence.has("wiki", "places/Bergen.md")
    with pytest.raises(ToolFault, match=r"no page 'ruless\.md'; near: rules\.md"):
        at.call("Combo_Read_Wiki_Pages", files=["ruless.md"])


@pytest.mark.parametrize(
    ("words", "page", "line"),
    [
        ("who may see salaries", "rules.md", "Salaries are confidential"),
        (["friday", "soup"], "rules.md", "Soup on Fridays."),
        (r"monthly\.$", "places/Bergen.md", "Rent is due monthly."),
        ("(?i)SEW.*bergen", "places/Bergen.md", "We sew in Bergen."),
    ],
)
def test_parts_of_pages_by_words_or_pattern(words: object, page: str, line: str) -> None:
    best = toolbox().call("Combo_Search_Wiki_For_Words", words=words)["chunks"][0]
    assert best["page"] == page
    assert line in best["text"]


def test_a_search_without_hits_is_empty_and_one_for_nothing_is_refused() -> None:
    at = toolbox()
    assert at.call("Combo_Search_Wiki_For_Words", words="zeppelin")["chunks"] == []
    with pytest.raises(ToolFault, match="must not be empty"):
        at.call("Combo_Search_Wiki_For_Words", words="")


@pytest.mark.parametrize("words", ["", " ", "?", "the", "((", "a" * 5_000, "\x00", "*", "[z-a]"])
def test_whatever_is_asked_has_an_answer(words: str) -> None:
    at = toolbox()
    for said in ([words, "soup"], [words]):
        if not "".join(said).strip():
            continue
        found = at.call("Combo_Search_Wiki_For_Words", words=said)
        assert len(said) == 1 or found["chunks"][0]["page"] == "rules.md"


def test_a_pattern_alone_finds_the_parts_that_match_it() -> None:
    found = toolbox().call("Combo_Search_Wiki_For_Words", words=[r"Fri\w+\."])
    assert [chunk["heading"] for chunk in found["chunks"]] == ["Lunch"]
    assert found["chunks"][0]["score"] == 100


def test_no_more_parts_than_asked_for() -> None:
    pages = {f"p{n}.md": f"Soup number {n}." for n in range(9)}
    at = toolbox(kites(wiki=pages))
    assert len(at.call("Combo_Search_Wiki_For_Words", words="soup", top=3)["chunks"]) == 3
    assert len(at.call("Combo_Search_Wiki_For_Words", words="soup")["chunks"]) == 8


def test_a_wiki_without_pages_has_nothing() -> None:
    assert toolbox(kites(wiki={})).call("Combo_Search_Wiki_For_Words", words="soup")["chunks"] == []


@pytest.mark.promise("what comes from outside is bounded")
def test_a_pattern_that_takes_too_long_ends() -> None:
    at = toolbox(kites(wiki={"a.md": "a" * 600 + "\n"}))
    with pytest.raises(ToolFault, match="takes too long"):
        at.call("Combo_Search_Wiki_For_Words", words="(a|aa)+[bc]$")


def test_facts_for_a_change_of_status() -> None:
    told = toolbox().call(
        "Combo_Get_Permission_Facts_For_Action",
        action="pause the project",
        target="proj_tent",
    )
    assert told["asker"]["department"] == "Sewing"
    assert told["target"]["asker_roles"] == ["QA"]
    assert told["target"]["leads"] == ["juergen_mueller"]
    assert {
        "page": "rules.md",
        "line": 2,
        "under": "# Rules",
        "text": "Only the Lead of a project may change its status.",
    } in told["rules"]
    assert not any("Soup" in rule["text"] for rule in told["rules"])
    assert "verdict" not in str(told)


@pytest.mark.parametrize(
    ("target", "fact", "value"),
    [
        ("juergen_mueller", "projects_of_target_that_asker_leads", ["proj_sails"]),
        ("una_berg", "asker_is_target", True),
        ("una_holm", "same_department", False),
        ("cust_circus", "asker_is_account_manager", True),
        ("te_002", "entry_is_of_asker", False),
        ("proj_own", "account_manager", None),
    ],
)
def test_facts_of_a_target(target: str, fact: str, value: object) -> None:
    told = toolbox().call("Combo_Get_Permission_Facts_For_Action", action="read pay", target=target)
    assert told["target"][fact] == value
    assert any("Salaries" in rule["text"] for rule in told["rules"])


def test_a_target_that_nobody_knows_is_no_error() -> None:
    told = toolbox().call("Combo_Get_Permission_Facts_For_Action", action="pay", target="x_y")
    assert told["target"]["kind"].startswith("no employee")


def test_where_no_rule_is_found_that_is_told_and_not_an_empty_list() -> None:
    at = toolbox(kites(wiki={"lunch.md": "Soup on Fridays.\n"}))
    told = at.call("Combo_Get_Permission_Facts_For_Action", action="pause the project")
    assert [rule["text"] for rule in told["rules"]] == ["no rule was found for the user's groups"]
