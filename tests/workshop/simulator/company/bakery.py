"""A small company, its packs, and tasks of it over HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from workshop.simulator.company import pack as company_pack
from workshop.simulator.company.pack import CompanyPack
from workshop.simulator.server import Simulator
from workshop.simulator.worlds import read_pack

PACKS = sorted((Path(company_pack.__file__).parent / "packs").glob("*.json"))
"""The bundled packs."""

Wire = dict[str, Any]


def level(name: str, value: int) -> Wire:
    return {"name": name, "level": value}


def person(id_: str, name: str, **fields: Any) -> Wire:
    return {
        "id": id_,
        "name": name,
        "email": f"{id_}@rye.example",
        "salary": 48_000,
        "location": "Lund",
        "department": "Bakery",
        "notes": "",
        "skills": [],
        "wills": [],
        **fields,
    }


def customer(id_: str, name: str, **fields: Any) -> Wire:
    return {
        "id": id_,
        "name": name,
        "location": "Sweden",
        "deal_phase": "active",
        "high_level_status": "New",
        "brief": "bread every morning",
        "primary_contact_name": "Ida Berg",
        "primary_contact_email": "ida@inn.example",
        "account_manager": "mara",
        **fields,
    }


def project(id_: str, name: str, *team: Wire, **fields: Any) -> Wire:
    return {
        "id": id_,
        "name": name,
        "customer": "cust_inn",
        "status": "active",
        "description": "rolls before six",
        "team": list(team),
        **fields,
    }


def member(employee: str, time_slice: float, role: str) -> Wire:
    return {"employee": employee, "time_slice": time_slice, "role": role}


def entry(id_: str, **fields: Any) -> Wire:
    return {
        "id": id_,
        "employee": "mara",
        "customer": "cust_inn",
        "project": "proj_rolls",
        "date": "2025-05-05",
        "hours": 2.5,
        "work_category": "customer_project",
        "notes": "",
        "billable": True,
        "status": "draft",
        **fields,
    }


def bakery(**fields: Any) -> Wire:
    """A company as a pack has it; `fields` replace whole tables."""
    return {
        "name": "Rye & Daughters",
        "employees": [
            person(
                "mara",
                "Mara Voss",
                skills=[level("skill_dough", 6), level("skill_oven", 3)],
                wills=[level("will_dawn", 8)],
            ),
            person("ben", "Ben Åström", location="HQ – Malmö", department="Sales"),
            person("cleo", "Cleo Voss", skills=[level("skill_dough", 9)]),
            *(person(f"zz_{n}", f"Helper Number {n}") for n in range(7)),
        ],
        "customers": [
            customer("cust_inn", "Harbour Inn"),
            customer("cust_spa", "Lake Spa", deal_phase="idea", location="Norway", brief="No"),
        ],
        "projects": [
            project(
                "proj_rolls", "Rolls at Dawn", member("mara", 0.5, "Lead"), member("ben", 1, "QA")
            ),
            project("proj_old", "Old Crumbs", member("mara", 0.2, "QA"), status="archived"),
            project("proj_own", "Own Oven", customer="cust_rye_internal", description="the DAWN"),
        ],
        "time_entries": [
            entry("te_007"),
            entry("te_008", employee="ben", hours=1, billable=False, status="voided"),
            entry("te_050", date="2025-06-01", project="proj_own", customer="", hours=8),
        ],
        "wiki": {
            "rules.md": "# Rules\n\nLeads book draft time.\nNobody else does.\nAsk first.\n",
            "a/places.md": "Lund\nMalmö\n",
        },
        **fields,
    }


def scenario(**fields: Any) -> Wire:
    return {
        "spec_id": "ask",
        "task_text": "Who leads the rolls?",
        "company": "rye",
        "user": "mara",
        "today": "2025-05-06",
        "expect": {"outcomes": ["ok_answer"]},
        **fields,
    }


def raw_of(*scenarios: Wire, **companies: Wire) -> Wire:
    return {
        "format": "company-pack/1",
        "name": "small",
        "companies": companies or {"rye": bakery()},
        "scenarios": list(scenarios) or [scenario()],
    }


def pack_of(*scenarios: Wire, **companies: Wire) -> CompanyPack:
    """A pack of these scenarios over these companies, by default of one over the bakery."""
    text = json.dumps(raw_of(*scenarios, **companies))
    return read_pack(text, "small.json")


class Visit:
    """A task that runs, over HTTP."""

    def __init__(self, http: httpx.Client, base_url: str, spec_id: str) -> None:
        self._http, self._url = http, base_url
        started = self.post("/tasks/start", benchmark="erc3-dev", spec_id=spec_id)
        self.task_id = started.json()["task_id"]

    def post(self, path: str, **body: Any) -> httpx.Response:
        return self._http.post(self._url + path, json=body)

    def send(self, path: str, **body: Any) -> httpx.Response:
        return self.post(f"/erc3-dev/{self.task_id}{path}", **body)

    def ask(self, path: str, **body: Any) -> Any:
        """What a call that is not refused answers."""
        answer = self.send(path, **body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def refused(self, path: str, **body: Any) -> tuple[int, str]:
        """Status and text of a call that is refused."""
        answer = self.send(path, **body)
        error = answer.json()
        assert error["code"] == ""
        assert error["status"] == answer.status_code >= 400
        return answer.status_code, error["error"]

    def complete(self, logged: bool = True) -> tuple[float, list[str]]:
        """Score and the evaluator's lines."""
        if logged:
            self.post("/tasks/log", task_id=self.task_id, model="m", duration_sec=1, completion="")
        found = self.post("/tasks/complete", task_id=self.task_id).json()["eval"]
        return found["score"], found["logs"].splitlines()


class Site:
    """A platform for a pack."""

    def __init__(self, simulator: Simulator, http: httpx.Client) -> None:
        self.simulator, self.http = simulator, http

    def visit(self, spec_id: str = "ask") -> Visit:
        return Visit(self.http, self.simulator.base_url, spec_id)

    def acts(self, visit: Visit) -> list[tuple[str, Any]]:
        """What was done for good in a task: type and fields, or outcome and links."""
        return [
            (act.type, act.fields) if hasattr(act, "type") else (act.outcome, act.links)
            for act in self.simulator.platform.acts(visit.task_id)
        ]


SiteOf = Callable[..., Site]
