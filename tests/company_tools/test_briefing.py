"""What a task is told before anything is asked, and the pages that a run keeps."""

from __future__ import annotations

import json

import pytest

from company_tools.policy import TOKENS_AT_MOST, policy_of
from company_tools.wiki_store import WikiStore
from ledger import ToolFault
from models.tokens import count_text
from tests.company_tools.kites import Direct, kites
from tests.company_tools.office import Office

RULE = "Only executives may see a salary. Access to time entries is allowed to leads. "


def facts(office: Office) -> dict[str, object]:
    found: dict[str, object] = json.loads(office.briefing.splitlines()[0])
    return found


def test_who_asks_is_told_with_what_they_lead_and_manage() -> None:
    told = facts(Office(user="juergen_mueller"))
    assert told["user"]["id"] == "juergen_mueller"  # type: ignore[index]
    assert told["user"]["name"] == "Jürgen Müller"  # type: ignore[index]
    assert told["leads"] == ["proj_tent (Night Tent, archived)"]
    assert told["member_of"] == ["proj_sails (Bright Sails, active)"]
    assert told["today"] == "2025-05-06"


def test_a_guest_is_told_as_one_and_nothing_of_records_is_asked() -> None:
    office = Office(user=None)
    assert facts(office) == {"user": "guest", "today": "2025-05-06"}
    asked = {path.split("/")[1] for path in office.line.paths()}
    assert asked == {"whoami", "wiki"}


def test_a_refused_list_leaves_the_rest() -> None:
    office = Office(page_limit=-1)
    assert "refuses every list" in str(facts(office)["unknown"])
    assert "== rules.md ==" in office.briefing


def test_a_system_that_does_not_answer_is_no_briefing() -> None:
    line = Direct(kites())
    line.plan["/whoami"] = [503]
    with pytest.raises(ToolFault):
        Office(line=line)


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
    Office(world, wiki=store)
    world["wiki"] = {**world["wiki"], "zz.md": f"{RULE * 2}Guests."}
    del world["wiki"]["page3.md"]
    told = Office(world, wiki=store).briefing
    assert "the wiki has changed: new or rewritten: zz.md; gone: page3.md" in told
    assert told.index("== zz.md ==") < told.index("== page0.md ==")


def test_another_companys_wiki_is_no_version_of_this_one() -> None:
    store = WikiStore()
    Office(wiki=store)
    other = Office(kites(wiki={"law.md": RULE * 2}), wiki=store)
    assert "has changed" not in other.briefing


def test_the_briefing_is_evidence() -> None:
    office = Office(user="juergen_mueller")
    assert office.asked_back("ok_answer", "You lead Night Tent.") is None
    assert office.finish("ok_answer", "You lead Night Tent.") is None
    assert {"kind": "project", "id": "proj_tent"} in office.responses[0]["links"]
