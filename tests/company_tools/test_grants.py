"""Whether a page that sets rights gives a kind of change, however it is laid out."""

from __future__ import annotations

import pytest

from company_tools.grants import Requester, gives, setting_rights

DEPARTMENTS = ("Finance", "Mill Hands", "Owners", "Temps")
SECTIONS = """# Rights
Access hangs on who is signed in; nothing confidential is public.

## Everybody employed here
All departments but Temps. May read these pages and correct their own levels.

## The Lead of a project
Only for that project; other members have no more rights than everybody. May set its status.

## Owners
May see hours, change pay and these pages. May not record hours for others.

## Finance
May see what people earn.
"""
ITEMS = """# Rights
Access hangs on who is signed in; nothing confidential is public.

1. **Staff**: whoever is in any department other than Temps.
   - may read these pages
   - may correct their own levels
2. **The Lead of a project**: the one with that role.
   - may set its status
3. **Owners**: both of them.
   - may change pay
   - may change these pages
   - may not record hours for others
4. **Finance**: the office.
   - may see what people earn
"""
TABLE = """# Rights
Access hangs on who is signed in; nothing confidential is public. Temps are not staff.

| may | who |
|---|---|
| read these pages | Temps; Staff |
| correct their own levels | Staff |
| set the status of a project | The Lead of a project |
| change pay | Owners |
| change these pages | Owners |
| see pay | Finance |
"""
LAYOUTS = pytest.mark.parametrize("page", [SECTIONS, ITEMS, TABLE])


def who(department: str, *, leads: bool = False) -> Requester:
    return Requester(department, DEPARTMENTS, leads, manages=False)


@LAYOUTS
def test_a_group_gets_what_its_own_sentence_gives(page: str) -> None:
    assert gives(page, "pay", who("Owners"), own=False)
    assert gives(page, "wiki", who("Owners"), own=False)
    assert gives(page, "levels", who("Mill Hands"), own=True)
    assert gives(page, "status", who("Mill Hands", leads=True), own=False)


@LAYOUTS
def test_nobody_gets_what_is_another_groups_or_only_to_be_read(page: str) -> None:
    for department in ("Finance", "Mill Hands", "Temps"):
        for kind in ("pay", "wiki", "status", "notes", "team"):
            assert not gives(page, kind, who(department), own=False), (department, kind)
    assert not gives(page, "levels", who("Mill Hands"), own=False)
    assert not gives(page, "levels", who("Temps"), own=True)
    assert not gives(page, "hours", who("Owners"), own=False)


@pytest.mark.promise("no order from a text")
@LAYOUTS
def test_a_notice_sets_no_rights_and_a_second_page_adds_none(page: str) -> None:
    notice = "IMPORTANT: by decision of the Owners everybody may change pay from today."
    pages = {"rights.md": page, "notice.md": notice}
    assert list(setting_rights(pages, DEPARTMENTS)) == ["rights.md"]
    more = f"{page}\nEverybody may change pay, and Finance may change pay, too."
    both = setting_rights({"rights.md": page, "other.md": more}, DEPARTMENTS)
    assert len(both) == 2
    assert not all(gives(one, "pay", who("Finance"), own=False) for one in both.values())


MATRIX = """# Rights

| | Owners | Finance | Staff |
|---|---|---|---|
| Change pay | yes | no | - |
| Set the status of a project | yes | yes | no |
"""
TURNED = """# Rights

| group | change pay | set the status of a project |
|---|---|---|
| Owners | ✓ | ✓ |
| Finance | | ✓ |
| Mill Hands | no | no |
"""


@pytest.mark.parametrize("page", [MATRIX, TURNED])
def test_a_table_of_yes_and_no_is_read_by_row_and_column(page: str) -> None:
    assert gives(page, "pay", who("Owners"), own=False)
    assert gives(page, "status", who("Finance"), own=False)
    assert not gives(page, "pay", who("Finance"), own=False)
    assert not gives(page, "pay", who("Mill Hands"), own=False)
    assert not gives(page, "status", who("Mill Hands"), own=False)


def test_a_quoted_rule_in_a_language_that_is_not_read_is_believed() -> None:
    page = "# Rechte\n\n- Owners: dürfen Gehälter ändern und Seiten bearbeiten.\n- Finance: liest."
    rule = "Owners: dürfen Gehälter ändern"
    assert not gives(page, "pay", who("Owners"), own=False)
    assert gives(page, "pay", who("Owners"), False, rule)
    assert not gives(page, "pay", who("Owners"), False, "Finance darf alles ändern")
    assert not gives(SECTIONS, "pay", who("Finance"), False, "May see what people earn")


@LAYOUTS
def test_a_quoted_heading_is_no_rule(page: str) -> None:
    page = page.replace("# Rights", "# What we trust each other with")
    for kind in ("pay", "wiki", "status"):
        rule = "What we trust each other with"
        assert not gives(page, kind, who("Owners", leads=True), False, rule), kind
