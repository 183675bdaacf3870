"""A company without HTTP between, on a line that fails as planned."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from company_tools.company_session import CompanySession
from company_tools.toolbox import all_tools, offered
from company_tools.wiki_store import WikiStore
from core.erc3_client import ApiError, ApiException
from core.erc3_client.own.company_models import RESPONSES
from core.ledger import Ledger
from tests.kit.combo import data_of
from workshop.simulator.platform import Platform
from workshop.simulator.world import Refusal
from workshop.simulator.worlds import read_pack

Wire = dict[str, Any]


class Direct:
    """A task's company; counts what is sent.

    `plan`: by path what happens at each call: "before" loses the request, "after" the answer, a
    number is an HTTP status, an error is raised with nothing sent, None lets it through. `tamper`:
    by path what is done to each answer.
    """

    def __init__(self, company: Wire, **scenario: Any) -> None:
        task: Wire = {"spec_id": "ask", "task_text": "t", "company": "c", "user": "una_berg"}
        task |= {"today": "2025-05-06", "expect": {"outcomes": ["ok_answer"]}, **scenario}
        raw = {"format": "company-pack/1", "name": "p", "companies": {"c": company}}
        text = json.dumps({**raw, "scenarios": [task]})
        pack = read_pack(text, "p")
        self.platform = Platform(pack)
        self.task = self.platform.start_new_task("company", "ask").task_id
        self.sent: list[tuple[str, Wire]] = []
        self.plan: dict[str, list[Any]] = {}
        self.tamper: dict[str, Callable[[Any], None]] = {}
        self.then_fails = False
        """Whether a status of the plan comes after the request took effect."""

    def dispatch(self, request: Any) -> Any:
        path = request.tool
        self.sent.append((path, request.model_dump(mode="json", exclude={"tool"})))
        waiting = self.plan.get(path)
        what = waiting.pop(0) if waiting else None
        if what == "before":
            raise OSError("connection lost")
        if isinstance(what, Exception):
            raise what
        if isinstance(what, int) and not self.then_fails:
            raise ApiException(ApiError(status=what, error="busy", code=""), None)
        try:
            answer = self.platform.call(self.task, path, self.sent[-1][1])
        except Refusal as no:
            raise ApiException(ApiError(status=no.status, error=str(no), code=""), None) from None
        if what == "after":
            raise OSError("connection lost")
        if what is not None:
            raise ApiException(ApiError(status=what, error="busy", code=""), None)
        shown = RESPONSES[path].model_validate(answer)
        self.tamper.get(path, lambda _: None)(shown)
        return shown

    def paths(self, *among: str) -> list[str]:
        return [path for path, _ in self.sent if not among or path in among]

    @property
    def events(self) -> list[tuple[str, Wire]]:
        acts: Any = self.platform.acts(self.task)
        return [(act.type, act.fields) for act in acts]


class Toolbox(SimpleNamespace):
    """A session, its line, and its tools through a ledger."""

    line: Direct
    session: CompanySession
    ledger: Ledger

    def call(self, name: str, /, **arguments: Any) -> Any:
        return self.ledger.call(name, [], arguments)

    def data(self, name: str, /, **arguments: Any) -> Any:
        """What a Combo tool puts into its first row."""
        return data_of(self.call(name, **arguments))


def level(name: str, value: int) -> Wire:
    return {"name": name, "level": value}


def person(id_: str, name: str, **fields: Any) -> Wire:
    bare = {"email": f"{id_}@kites.example", "salary": 51_000, "location": "Dock – Bergen"}
    more = {"department": "Sewing", "notes": "", "skills": [], "wills": []}
    return {"id": id_, "name": name, **bare, **more, **fields}


def project(id_: str, name: str, description: str, *team: tuple[str, float, str], **f: Any) -> Wire:
    members = [{"employee": e, "time_slice": s, "role": r} for e, s, r in team]
    bare = {"id": id_, "name": name, "description": description, "team": members}
    return {**bare, "customer": "cust_school", "status": "active", **f}


def customer(id_: str, name: str, brief: str, contact: str, **fields: Any) -> Wire:
    mail = f"{contact.split()[0].lower()}@buyers.example"
    bare = {"id": id_, "name": name, "brief": brief, "location": "Norway"}
    bare |= {"primary_contact_name": contact, "primary_contact_email": mail}
    more = {"deal_phase": "active", "high_level_status": "Key account"}
    return {**bare, **more, "account_manager": "una_berg", **fields}


def entry(id_: str, employee: str, date: str, hours: float, **fields: Any) -> Wire:
    bare = {"id": id_, "employee": employee, "date": date, "hours": hours}
    about = {"customer": "cust_school", "project": "proj_sails"}
    more = {"work_category": "customer_project", "notes": "", "billable": True, "status": "draft"}
    return {**bare, **about, **more, **fields}


RULES = """# Rules
Only the Lead of a project may change its status.
Salaries are confidential: HR may read them, nobody else.

# Lunch
Soup on Fridays.
"""


HOURS: Wire = {
    "employee": "una_berg",
    "project": "proj_sails",
    "date": "2025-05-02",
    "hours": 2.5,
    "billable": True,
}
"""Hours as they are logged, of which there is an entry already."""


def kites(**fields: Any) -> Wire:
    """A small maker of kites; `fields` replace whole tables."""
    return {
        "name": "Kites & Sons",
        "employees": [
            person(
                "una_berg",
                "Una Berg",
                skills=[level("skill_cutting", 6), level("skill_sewing", 8)],
                wills=[level("will_travel", 4)],
                notes="likes wind",
            ),
            person("juergen_mueller", "Jürgen Müller", skills=[level("skill_sewing", 9)]),
            person("djordje_cosic", "Đorđe Ćosić", department="Sales", location="Dock - Bergen"),
            person("una_holm", "Una Holm", skills=[level("skill_sewing", 8)], department="Sales"),
            *(person(f"hand_{n}", f"Hand Number{n}") for n in range(8)),
        ],
        "customers": [
            customer("cust_school", "Harbour School", "lessons on the beach", "Pia Wind"),
            customer(
                "cust_circus", "Circus Luna", "acrobats who fly", "Ole Rope", location="Chile"
            ),
        ],
        "projects": [
            project(
                "proj_sails",
                "Bright Sails",
                "twelve big stunt kites for the beach lessons",
                ("una_berg", 0.5, "Lead"),
                ("juergen_mueller", 0.3, "Engineer"),
            ),
            project(
                "proj_tent",
                "Night Tent",
                "a roof of silk over the ring",
                ("juergen_mueller", 0.1, "Lead"),
                ("una_berg", 0.2, "QA"),
                customer="cust_circus",
                status="archived",
            ),
            project("proj_own", "New Loft", "our own attic", customer="cust_kites_internal"),
        ],
        "time_entries": [
            entry("te_001", "una_berg", "2025-05-02", 2.5),
            entry("te_002", "juergen_mueller", "2025-05-05", 1.2, billable=False, status="voided"),
            entry("te_003", "una_berg", "2025-06-01", 4),
        ],
        "wiki": {
            "rules.md": RULES,
            "places/Bergen.md": "We sew in Bergen.\nRent is due monthly.\n",
        },
        **fields,
    }


def staffed(*employees: Wire, **fields: Any) -> Wire:
    """The company with these people, and nothing else on record but what `fields` say."""
    nothing: Wire = {"projects": [], "customers": [], "time_entries": []}
    return kites(employees=[*employees], **{**nothing, **fields})


def crowd(size: int) -> Wire:
    """The company with Una Berg and so many other people."""
    others = [person(f"p_{n:03}", f"Person {n:03}") for n in range(size - 1)]
    return staffed(person("una_berg", "Una Berg"), *others)


def toolbox(
    company: Wire | None = None, store: WikiStore | None = None, **scenario: Any
) -> Toolbox:
    """A task of a company, by default of the kites."""
    line = Direct(company or kites(), **scenario)
    session, ledger = CompanySession(line), Ledger()
    store = store or WikiStore()
    ledger.offer(offered(all_tools(session, store), session))
    recorded_to = session.recording_to(ledger)
    recorded_to.__enter__()
    line.sent.clear()
    return Toolbox(line=line, session=session, ledger=ledger, store=store, recorded_to=recorded_to)
