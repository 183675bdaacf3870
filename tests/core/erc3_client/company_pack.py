"""A small company with tasks, for tests that need a platform of that kind."""

from __future__ import annotations

from typing import Any

BOAT = "proj_boats"
TOURING = "ten touring boats for a club"
COMPANY: dict[str, Any] = {
    "name": "Nordkante Boats",
    "employees": [
        {
            "id": name,
            "name": name.replace("_", " ").title(),
            "email": f"{name}@nordkante.example",
            "salary": 50000 + 1000 * number,
            "location": "Husum",
            "department": "Yard",
            "notes": "",
            "skills": [],
            "wills": [],
        }
        for number, name in enumerate(["anke_brodersen", "jan_petersen", "silke_hansen"])
    ],
    "customers": [
        {
            "id": "cust_club",
            "name": "Fördeclub",
            "brief": "a rowing club",
            "location": "Germany",
            "primary_contact_name": "Ole Thomsen",
            "primary_contact_email": "ole@foerdeclub.example",
            "deal_phase": "active",
            "high_level_status": "Key account",
            "account_manager": "silke_hansen",
        }
    ],
    "projects": [
        {
            "id": BOAT if number == 5 else f"proj_{number}",
            "name": f"Hull {number}",
            "description": TOURING if number == 5 else "a single hull",
            "customer": "cust_club",
            "status": "archived" if number == 1 else "active",
            "team": [
                {"employee": "anke_brodersen", "time_slice": 0.1, "role": "Lead"},
                {"employee": "jan_petersen", "time_slice": 0.1, "role": "Engineer"},
            ],
        }
        for number in range(1, 7)
    ],
    "time_entries": [],
    "wiki": {
        "quay.md": "The quay lies behind the hall.\n",
        "rules.md": "Leads book time as drafts.\nGuests learn no salaries.\n",
    },
}
COMPANY["projects"].sort(key=lambda project: project["id"])


def _scenario(spec_id: str, text: str, expect: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "spec_id": spec_id,
        "task_text": text,
        "company": "nordkante",
        "user": "anke_brodersen",
        "today": "2025-05-06",
        "expect": expect,
        **more,
    }


PACK: dict[str, Any] = {
    "format": "company-pack/1",
    "name": "nordkante",
    "companies": {"nordkante": COMPANY},
    "scenarios": [
        _scenario(
            "log",
            "Book 3 hours for the engineer on my touring boats, yesterday.",
            {
                "outcomes": ["ok_answer"],
                "links": {"project": {"must": [BOAT]}, "employee": {"must": ["jan_petersen"]}},
                "events": [
                    {
                        "type": "Evt_TimeEntryLogged",
                        "employee": "jan_petersen",
                        "customer": "cust_club",
                        "project": BOAT,
                        "date": "2025-05-05",
                        "hours": 3,
                        "status": "draft",
                        "logged_by": "anke_brodersen",
                    }
                ],
            },
        ),
        _scenario(
            "guest",
            "What is the salary of Jan Petersen?",
            {"outcomes": ["denied_security"]},
            user=None,
        ),
        _scenario(
            "rename",
            "Rename the page quay.md to harbour.md",
            {
                "outcomes": ["ok_answer"],
                "links": {"wiki": {"must": ["harbour.md"]}},
                "events": [
                    {
                        "type": "Evt_WikiArticleUpdated",
                        "file": path,
                        "content": content,
                        "changed_by": "anke_brodersen",
                    }
                    for path, content in (
                        ("harbour.md", "The quay lies behind the hall.\n"),
                        ("quay.md", ""),
                    )
                ],
            },
        ),
        _scenario(
            "broken", "Which projects are mine?", {"outcomes": ["error_internal"]}, page_limit=-1
        ),
    ],
}
