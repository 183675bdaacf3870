"""Which changes are seen from outside."""

from __future__ import annotations

from typing import Any

import pytest

from company_tools.change import is_visible
from core.erc3_client import company

SKILL = {"name": "skill_x", "level": 3}


@pytest.mark.promise("no wrong write")
@pytest.mark.parametrize(
    ("fields", "visible"),
    [
        ({}, False),
        ({"notes": ""}, True),
        ({"salary": 0}, True),
        ({"location": "Kiel"}, True),
        ({"skills": [SKILL]}, True),
        ({"wills": [SKILL]}, True),
        ({"changed_by": "una_berg"}, False),
    ],
)
def test_an_update_of_a_person_shows_where_it_names_a_field(
    fields: dict[str, Any], visible: bool
) -> None:
    request = company.Req_UpdateEmployeeInfo.model_validate({"employee": "una_berg", **fields})
    assert is_visible(request, {}) is visible


@pytest.mark.promise("no wrong write")
@pytest.mark.parametrize(
    ("content", "pages", "visible"),
    [
        ("New.", {}, True),
        ("New.", {"a.md": "Old."}, True),
        ("", {"a.md": "Old."}, True),
        ("", {"a.md": ""}, False),
        ("", {"b.md": "Old."}, False),
    ],
)
def test_a_page_shows_unless_it_is_emptied_that_never_was(
    content: str, pages: dict[str, str], visible: bool
) -> None:
    request = company.Req_UpdateWiki(file="a.md", content=content)
    assert is_visible(request, pages) is visible


def test_every_other_change_shows() -> None:
    request = company.Req_UpdateProjectStatus(id="proj_a", status="paused")
    assert is_visible(request, {})
