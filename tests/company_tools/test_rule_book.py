"""The rules of a wiki as a model names them."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from company_tools.rule_book import TOPICS, Rule, RuleBooks
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


def named(*rules: list[str]) -> str:
    return json.dumps({"rules": list(rules)})


def book_of(name: str, *replies: str, pages: dict[str, str] = PAGES) -> Any:
    model = Model(name, *replies)
    return RuleBooks().book(model.client, "system", pages)


@pytest.mark.parametrize(
    ("row", "rules"),
    [
        (["2:3", "People. Everybody in", "People", "pay"], [Rule("rights.md", 3, "People", "pay")]),
        (
            ["2:3", "People. Everybody in", "People", TOPICS],
            [Rule("rights.md", 3, "People", TOPICS)],
        ),
        (["2:4", "People. Everybody in", "People", "pay"], [Rule("rights.md", 3, "People", "pay")]),
        (["2:3", "Everybody may do everything", "everybody", "all"], []),
        (["2:99", "People. Everybody in", "People", "pay"], []),
        (["9:1", "People. Everybody in", "People", "pay"], []),
        (["two", "People. Everybody in", "People", "pay"], []),
        (["2:1", "Who may do what", "everybody", "all"], []),
        (["2:3"], []),
        ("2:3", []),
        ({"at": "2:3"}, []),
    ],
)
def test_a_reference_is_a_rule_where_its_words_stand_at_the_line_or_beside_it(
    row: Any, rules: list[Rule]
) -> None:
    last = Rule("rights.md", 7, "nobody", "pay")
    reply = named(row, ["2:7", "Nobody gets", "nobody", "pay"])
    assert book_of(f"rb-{row}", reply) == ((*rules, last), "")


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
    books, failing = RuleBooks(), Model("rb-fails", *["no"] * 9)
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
