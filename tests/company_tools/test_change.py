"""Which changes are seen from outside."""

from __future__ import annotations

from typing import Any

import pytest

from company_tools.change import is_visible
from core.erc3_client import company

SKILL = {"name": "skill_x", "level": 3}
PERSON, PAGE = company.Req_UpdateEmployeeInfo, company.Req_UpdateWiki


@pytest.mark.promise("no wrong write")
@pytest.mark.parametrize(
    ("model", "fields", "pages", "visible"),
    [
        (PERSON, {}, {}, False),
        (PERSON, {"notes": ""}, {}, True),
        (PERSON, {"salary": 0}, {}, True),
        (PERSON, {"location": "Kiel"}, {}, True),
        (PERSON, {"skills": [SKILL]}, {}, True),
        (PERSON, {"wills": [SKILL]}, {}, True),
        (PERSON, {"changed_by": "una_berg"}, {}, False),
        (PAGE, {"content": "New."}, {}, True),
        (PAGE, {"content": "New."}, {"a.md": "Old."}, True),
        (PAGE, {"content": ""}, {"a.md": "Old."}, True),
        (PAGE, {"content": ""}, {"a.md": ""}, False),
        (PAGE, {"content": ""}, {"b.md": "Old."}, False),
        (company.Req_UpdateProjectStatus, {"id": "proj_a", "status": "paused"}, {}, True),
    ],
)
def test_a_change_shows_where_it_names_a_field_or_writes_a_page_that_is_or_was(
    model: Any, fields: dict[str, Any], pages: dict[str, str], visible: bool
) -> None:
    request = model.model_validate({"employee": "una_berg", "file": "a.md", **fields})
    assert is_visible(request, pages) is visible
