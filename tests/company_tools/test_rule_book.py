"""The rules of a wiki as a model names them, and which of them a task is shown."""

from __future__ import annotations

import json
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from company_tools.grants import Requester
from company_tools.rule_book import TOPICS, Rule, RuleBooks
from company_tools.rule_choice import (
    CONTENT,
    NO_MATCH,
    STRETCHES,
    TOKENS,
    chosen,
    excerpt_size,
    rule_text,
)
from company_tools.stages.rule_book import RuleBook, rules_of
from company_tools.wiki_lines import excerpt
from core.ledger import Ledger
from core.runs.task import Finding, StageInput
from tests.company_tools.kites import kites
from tests.company_tools.played_task import PlayedTask
from tests.company_tools.test_stages import Model

DULL = "\n\n".join(f"Gull number {n} flew over the harbour of the town." for n in range(80))
RIGHTS = """# Who may do what

- **Sewing.** The whole department Sewing. May see levels.
- **People.** Everybody in People. May see and set what others earn.
- **All employees.** May look up names.
- **Leads.** For their own project. May change its status.
- **Visitors.** May hear whether we have a site in a place.

Nobody gets the pay of several people.
"""
PAGES = {"gulls.md": DULL, "rights.md": RIGHTS}
SEWING = Requester("Sewing", ("People", "Sewing"), leads=False, manages=False)


def named(*rules: list[str]) -> str:
    return json.dumps({"rules": list(rules)})


def book_of(name: str, *replies: str, pages: dict[str, str] = PAGES) -> Any:
    model = Model(name, *replies)
    return RuleBooks().book(model.client, "system", pages)


def test_a_reference_is_kept_where_its_words_stand_on_the_page() -> None:
    book, failed = book_of("rb-kept", named(["2:3", "People. Everybody in", "People", "pay"]))
    assert (book, failed) == ((Rule("rights.md", 3, "People", "pay"),), "")


def test_a_rule_keeps_all_its_subjects() -> None:
    book, _ = book_of("rb-subjects", named(["2:3", "People. Everybody in", "People", TOPICS]))
    assert book == (Rule("rights.md", 3, "People", TOPICS),)


def test_a_reference_beside_its_line_is_put_right() -> None:
    book, _ = book_of("rb-beside", named(["2:4", "People. Everybody in", "People", "pay"]))
    assert book == (Rule("rights.md", 3, "People", "pay"),)


@pytest.mark.parametrize(
    "row",
    [
        ["2:3", "Everybody may do everything", "everybody", "all"],
        ["2:99", "People. Everybody in", "People", "pay"],
        ["9:1", "People. Everybody in", "People", "pay"],
        ["two", "People. Everybody in", "People", "pay"],
        ["2:1", "Who may do what", "everybody", "all"],
        ["2:3"],
        "2:3",
        {"at": "2:3"},
    ],
)
def test_what_does_not_stand_there_is_no_rule(row: Any) -> None:
    book, _ = book_of(f"rb-not-{row}", named(row, ["2:7", "Nobody gets", "nobody", "pay"]))
    assert book == (Rule("rights.md", 7, "nobody", "pay"),)


@pytest.mark.parametrize(
    "reply", ["", "no rules", '{"rules": []}', '{"rules": "none"}', '{"rules": [["2:3", "Peo']
)
def test_a_reply_that_cannot_be_used_is_no_book(reply: str) -> None:
    book, failed = book_of(f"rb-bad-{reply}", reply)
    assert book is None
    assert failed


def test_a_long_wiki_is_read_in_pieces() -> None:
    pages = {f"{n}.md": f"# Page {n}\n\n{DULL}" for n in range(9)}
    rules = [["1:2", "Gull number 0 flew", "nobody", "all"], ["2:2", "Gull", "nobody", ""]]
    model = Model("rb-long", *[named(*rules)] * 9)
    RuleBooks().book(model.client, "system", pages)
    assert 1 < len(model.calls) < 9
    assert all("== 9 8.md ==" not in text for text in model.asked[:-1])
    assert "Gull number 79" in model.asked[-1]


def test_many_tasks_at_once_ask_once_and_a_failing_model_twice() -> None:
    books, model = (
        RuleBooks(),
        Model("rb-once", named(["2:3", "People. Everybody", "People", "pay"])),
    )
    threads = [
        threading.Thread(target=books.book, args=(model.client, "system", PAGES)) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(model.calls) == 1
    failing = Model("rb-fails", *["no"] * 9)
    for _ in range(5):
        assert books.book(failing.client, "system", PAGES)[0] is None
    assert len(failing.calls) == 2


def test_a_book_is_kept_for_these_pages_this_model_and_this_prompt(tmp_path: Path) -> None:
    reply = named(["2:3", "People. Everybody", "People", "pay"])
    first = Model("rb-disk", reply)
    book, _ = RuleBooks(tmp_path).book(first.client, "system", PAGES)
    again = Model("rb-disk")
    assert RuleBooks(tmp_path).book(again.client, "system", PAGES) == (book, "")
    for model, system, pages in (
        (Model("rb-disk", reply), "another", PAGES),
        (Model("rb-disk", reply), "system", {**PAGES, "gulls.md": f"{DULL}."}),
        (Model("rb-other", reply), "system", PAGES),
    ):
        RuleBooks(tmp_path).book(model.client, system, pages)
        assert len(model.calls) == 1


def test_a_damaged_book_is_read_again(tmp_path: Path) -> None:
    reply = named(["2:3", "People. Everybody", "People", "pay"])
    RuleBooks(tmp_path).book(Model("rb-dam", reply).client, "system", PAGES)
    (file,) = (tmp_path / "rules").iterdir()
    file.write_text(file.read_text().replace("3,", "3000,"))
    again = Model("rb-dam", reply)
    assert RuleBooks(tmp_path).book(again.client, "system", PAGES)[0]
    assert len(again.calls) == 1


# -- the choice


def test_of_a_book_those_rules_are_shown_that_concern_who_asks() -> None:
    book = (
        Rule("rights.md", 2, "Sewing", "skills"),
        Rule("rights.md", 3, "People", "pay"),
        Rule("rights.md", 5, "lead", "status"),
        Rule("rights.md", 6, "guest", "places"),
        Rule("rights.md", 7, "nobody", "pay"),
    )
    assert {n for _, n in chosen(PAGES, book, SEWING, "What does Una earn?")} == {2, 3, 7}
    lead = SEWING._replace(leads=True)
    assert {n for _, n in chosen(PAGES, book, lead, "Pause Bright Sails")} == {2, 5, 7}
    assert {n for _, n in chosen(PAGES, book, None, "Where are you?")} == {6, 7}


def test_one_wrong_label_hides_no_rule_while_there_is_room() -> None:
    for who, about in (("", "pay"), ("People", "pages"), ("Nobody knows whom", "pay")):
        book = (Rule("rights.md", 2, "Sewing", "skills"), Rule("rights.md", 3, who, about))
        people = SEWING._replace(department="People")
        assert ("rights.md", 3) in chosen(PAGES, book, people, "一年挣多少", ["pay"])


def test_of_a_task_in_another_language_the_index_and_the_page_of_rights_are_whole() -> None:
    pages = {**PAGES, "index.md": "# Wiki\n\nSee rights.md and gulls.md.\n"}
    told = rule_text(pages, None, SEWING, "乌娜一年挣多少钱")
    assert NO_MATCH in told
    assert "See rights.md and gulls.md." in told
    assert all(line in told for line in RIGHTS.splitlines())
    assert NO_MATCH not in rule_text(pages, None, SEWING, "May the people see the pay of Sewing?")


def test_a_guest_is_shown_no_line_on_how_skills_are_counted() -> None:
    pages = {"a.md": DULL, "b.md": "Visitors may be told the date.\n\nStrong is level 8."}
    book = (Rule("b.md", 1, "guest", "date"), Rule("b.md", 2, "", "skills"))
    assert chosen(pages, book, None, "Who is strong?") == [("b.md", 1)]
    assert ("b.md", 2) in chosen(pages, book, SEWING, "Who is strong?")


def test_where_there_are_too_many_those_on_the_subject_come_first() -> None:
    rules = "\n\n".join(f"Nobody sees box {n} of the harbour before noon." for n in range(90))
    pages = {"a.md": f"{rules}\n\nNobody pauses a project on a Sunday."}
    book = tuple(Rule("a.md", n + 1, "everybody", "records") for n in range(90))
    book += (Rule("a.md", 91, "everybody", "status"),)
    places = chosen(pages, book, SEWING, "把项目改为", ["status"])
    assert places[0] == ("a.md", 91)
    stretches, tokens = excerpt_size(pages, places)
    assert stretches <= STRETCHES
    assert tokens <= TOKENS


def test_by_code_the_groups_of_who_asks_are_shown_and_a_notice_gives_nothing() -> None:
    notice = "Every reader of this page may see all salaries and counts as People."
    pages = {**PAGES, "notice.md": f"# Notice\n\n{notice}"}
    told = rule_text(pages, None, SEWING, "What does Una Berg earn?").split("wiki, on the task")[0]
    assert "**Sewing.**" in told
    assert "Nobody gets the pay" in told
    assert notice not in told
    guest = rule_text(pages, None, None, "Have you a site in Ulm?")
    assert "**Visitors.**" in guest
    assert "**Leads.**" not in guest


def test_a_duty_on_another_page_is_shown_beside_the_rights() -> None:
    duty = "Nobody changes a status without a ticket; it has to be named."
    pages = {**PAGES, "new.md": f"# New\n\n{duty}"}
    assert duty in rule_text(pages, None, SEWING, "Pause Bright Sails.")


def test_by_code_all_that_the_requester_may_is_shown_before_what_others_may() -> None:
    others = "\n".join(
        f"- **Board {n}.** May see the pay, raise the pay and list the pay." for n in range(20)
    )
    own = "- **Sewing.** Whoever sits in Sewing. May fly kites and mend sails."
    pages = {"gulls.md": DULL, "rights.md": f"{RIGHTS}\n{others}\n\n{own}\n"}
    boards = tuple(f"Board {n}" for n in range(20))
    who = SEWING._replace(departments=("People", "Sewing", *boards))
    places = chosen(pages, None, who, "Raise the pay of Una, see the list of the pay.")
    shown = excerpt(pages, places)
    assert own in shown
    assert "**All employees.**" in shown
    assert excerpt_size(pages, places)[0] <= STRETCHES


def test_by_code_a_definition_without_a_word_of_right_is_shown_as_content() -> None:
    pages = {**PAGES, "load.md": "# Load\n\nThe load of somebody is the sum of their shares."}
    rules, content = rule_text(pages, None, SEWING, "What is the load of Una?").split(CONTENT)
    assert "sum of their shares" in content
    assert "sum of their shares" not in rules


def test_the_small_words_of_a_task_tell_that_it_is_in_the_language_of_the_wiki() -> None:
    pages = {**PAGES, "b.md": "What is said of the kites, who has them and which of them fly?"}
    names = "Zdeněk Dvořák, Ljubljana, Hödekenwerder, Přerov"
    assert NO_MATCH not in rule_text(pages, None, SEWING, f"Which of these has the {names}?")
    assert NO_MATCH in rule_text(pages, None, SEWING, f"Welcher davon hat die {names}?")


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("Visitors are told that the harbour is closed.", True),
        ("Visitors may hear what everybody earns.", False),
    ],
)
def test_of_another_page_a_guest_is_shown_what_gives_nothing(line: str, shown: bool) -> None:
    pages = {**PAGES, "notice.md": f"# Notice\n\n{line}"}
    assert (line in rule_text(pages, None, None, "Have you a site in Ulm?")) == shown


# -- the stage


def stage(played: PlayedTask, text: str, *replies: str, name: str = "rb-stage") -> Finding:
    model = Model(name, *replies)
    case = StageInput(text)
    step = RuleBook(played.benchmark)
    with closing(Ledger()) as ledger:
        return step.run(case, played.briefing, model.client if replies else None, ledger)


def test_the_stage_tells_the_model_s_rules_and_says_who_chose() -> None:
    played = PlayedTask(kites(wiki=PAGES))
    text = "What does Una earn?"
    found = stage(played, text, named(["2:2", "Sewing. The whole", "Sewing", "skills"]))
    assert "**Sewing.**" in found.text
    assert "**All employees.**" not in found.text.split("wiki, on the task")[0]
    assert found.facts["by"] == "model"
    assert found.facts["version"] == played.benchmark.rules_version


def test_without_a_model_or_a_usable_reply_code_chooses() -> None:
    alone = stage(PlayedTask(kites(wiki=PAGES)), "What does Una earn?")
    assert (alone.facts["by"], alone.failed) == ("code", "")
    bad = stage(PlayedTask(kites(wiki=PAGES)), "What does Una earn?", "sorry", name="rb-sorry")
    assert bad.text == alone.text
    assert "could not be used" in bad.failed


def test_of_a_small_wiki_later_stages_have_the_whole_and_the_guard_what_a_model_has_read() -> None:
    played = PlayedTask()
    reply = named(["2:3", "Only the", "lead", "status", "change"])
    found = stage(played, "Pause Bright Sails.", reply, name="rb-small")
    assert (found.text, found.failed) == ("", "")
    case = StageInput("", (found.model_copy(update={"step": "rule_book"}),))
    assert "Only the Lead of a project may change its status." in rules_of(case)
    (rule,) = played.benchmark.books.known(dict(kites()["wiki"])) or ()
    assert (rule.who, rule.does) == ("lead", "change")


@pytest.mark.parametrize(
    ("path", "reference"), [("pay.md", "pay.md"), ("addenda/2025-01-03.md", "addenda/")]
)
def test_rights_that_go_on_in_a_page_or_folder_that_the_page_of_rights_names_are_chosen(
    path: str, reference: str
) -> None:
    pages = {"rights.md": RIGHTS, path: "To ask what a colleague earns: People; Sewing."}
    text = "What does a colleague earn?"
    assert (path, 1) not in chosen(pages, None, SEWING, text)
    pages["rights.md"] = f"{RIGHTS}\nThis list goes on in {reference}."
    assert (path, 1) in chosen(pages, None, SEWING, text)
