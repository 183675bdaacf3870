"""What a task is told before anything is asked, and the pages that a run keeps."""

from __future__ import annotations

import json
from contextlib import closing
from typing import Any

import pytest

from company_tools.rule_choice import WHOLE
from company_tools.wiki_store import WikiStore
from core.ledger import Ledger, LedgerEntry, Notice, ToolFault
from tests.company_tools.kites import Direct, kites
from tests.company_tools.played_task import PlayedTask

RULE = "Only executives may see a salary. Access to time entries is allowed to leads. "


def facts(played: PlayedTask) -> dict[str, object]:
    found: dict[str, object] = json.loads(played.briefing.splitlines()[-1])
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
    assert facts(played) == {"user": "guest", "today": "2025-05-06", "weekday": "Tuesday"}
    asked = {path.split("/")[1] for path in played.line.paths()}
    assert asked == {"whoami", "wiki"}


def test_a_refused_list_leaves_the_rest_and_says_what_is_missing_and_why() -> None:
    played = PlayedTask(page_limit=-1)
    told = facts(played)
    assert told["user"]["name"] == "Una Berg"  # type: ignore[index]
    assert not {"leads", "member_of", "manages"} & told.keys()
    unknown = str(told["unknown"])
    assert unknown.count("refuses every list") == 1
    assert "the projects that they lead or are on, the customers that they manage (" in unknown
    assert "their name" not in unknown
    assert "== rules.md ==" in played.briefing
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


def test_the_briefing_is_evidence() -> None:
    played = PlayedTask(user="juergen_mueller")
    assert played.asked_back("ok_answer", "You lead Night Tent.") is None
    assert played.finish("ok_answer", "You lead Night Tent.") is None
    assert {"kind": "project", "id": "proj_tent"} in played.responses[0]["links"]


DULL = "\n\n".join(f"Gull number {n} flew over the harbour of the town." for n in range(400))


def test_of_another_version_of_the_same_wiki_it_is_told_what_changed() -> None:
    world = kites()
    for n in range(6):
        world["wiki"][f"page{n}.md"] = f"{RULE}{n}"
    store = WikiStore()
    PlayedTask(world, wiki=store)
    assert "has changed" not in PlayedTask(kites(wiki={"law.md": RULE}), wiki=store).briefing
    world["wiki"] = {**world["wiki"], "zz.md": f"{RULE * 2}Guests."}
    del world["wiki"]["page3.md"]
    told = PlayedTask(world, wiki=store).briefing
    assert "the wiki has changed: new or rewritten: zz.md; gone: page3.md" in told


@pytest.mark.parametrize(
    ("pages", "by_a_stage", "named", "whole", "only_named"),
    [
        ({"a.md": RULE, "gulls.md": "White."}, False, (), ["a.md", "gulls.md"], ""),
        ({"a.md": RULE, "gulls.md": DULL}, False, (), ["a.md", "gulls.md"], "a.md, gulls.md"),
        ({"a.md": RULE, "gulls.md": DULL}, True, (), [], "a.md, gulls.md"),
        ({"a.md": RULE, "gulls.md": DULL}, True, ("a.md",), ["a.md"], "gulls.md"),
        ({"a.md": DULL * 4, "gulls.md": DULL}, True, ("a.md",), [], "a.md, gulls.md"),
    ],
    ids=["small", "large", "a stage chooses", "configured", "configured, too long"],
)
def test_a_wiki_is_shown_as_far_as_there_is_room_and_no_stage_chooses(
    pages: Any, by_a_stage: bool, named: Any, whole: list[str], only_named: str
) -> None:
    played = PlayedTask(kites(wiki=pages), brief=False)
    played.benchmark._brief_rules, played.benchmark._rulebooks = not by_a_stage, named
    with closing(Ledger()) as ledger:
        told = played.benchmark.briefing(ledger, "What does Una earn?")
    assert [path for path in pages if f"== {path} ==\n{pages[path].strip()}" in told] == whole
    assert ("other pages" in told) == bool(only_named)
    assert f"other pages: {only_named}\n" in told or not only_named
    assert (WHOLE in told) == bool(whole and only_named and not named)


def test_a_configured_page_that_the_wiki_lacks_is_noted() -> None:
    played, notes = PlayedTask(kites(wiki={"a.md": RULE}), brief=False), list[LedgerEntry]()
    played.benchmark._rulebooks = ("a.md", "b.md")
    with closing(Ledger(on_entry=notes.append)) as ledger:
        played.benchmark.briefing(ledger, "What does Una earn?")
    told = [one.text for one in notes if isinstance(one, Notice) and "rulebook" in one.text]
    assert told == ["--rulebook b.md: this wiki has no such page"]
