"""How scripted models serve a company: what is wanted is the right play that ``expect`` implies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import regex

from core.models.prompt_json import compact
from workshop.scripted.prompt import Finish, Line, Memory, Order
from workshop.simulator.company.expectation import DIGEST
from workshop.simulator.company.pack import CompanyScenario
from workshop.simulator.company.plays import chosen, literals

LOOK_UP = {
    "employee": ("Look up employee", "Req_GetEmployee"),
    "project": ("Look up project", "Req_GetProject"),
    "customer": ("Look up customer", "Req_GetCustomer"),
}
LIST = {
    "employee": ("List all employees", "Combo_List_All_Employees"),
    "project": ("List all projects", "Combo_List_All_Projects"),
    "customer": ("List all customers", "Combo_List_All_Customers"),
}
READ = "Read pages of the wiki"
_CHANGE = {
    "Update employee": "Combo_Update_Employee_For_Changes",
    "Update the team of a project": "Combo_Update_Team_For_Changes",
    "Set the status of a project": "Req_UpdateProjectStatus",
    "Log hours": "Combo_Log_Time_For_Project",
    "Update time entry": "Combo_Update_Time_Entry_For_Changes",
    "Write pages of the wiki": "Combo_Write_Wiki_Pages",
    "Rename a page of the wiki": "Combo_Rename_Wiki_Page",
}
EMPLOYEE, TEAM, STATUS, LOG, ENTRY, WRITE, RENAME = _CHANGE
TOOLS = {**dict([*LOOK_UP.values(), *LIST.values()]), READ: "Combo_Read_Wiki_Pages", **_CHANGE}
CHANGES = frozenset(_CHANGE)
LOOKS = TOOLS.keys() - CHANGES
LOGGED = "Evt_TimeEntryLogged"
FEW = 3
"""Of more records of a kind, the whole list is read instead."""
_PLAIN = regex.compile(r"[\w./-]+")
_WORDS = ("Done as asked.", "That is not possible.", "Noted.", "OK", "—", ".")
"""What a message says where nothing is demanded of it; the first without what it must not hold."""


@dataclass(frozen=True)
class Answer:
    """The one answer to the user."""

    outcome: str
    message: str
    links: tuple[tuple[str, str], ...] = ()

    def finish(self, why: str) -> Finish:
        """The end of the task with this answer."""
        links = [{"kind": kind, "id": id_} for kind, id_ in self.links]
        final = {"outcome": self.outcome, "message": self.message, "links": links}
        done = {"status": "solved", "reason": why, "conditions": [self.outcome], "final": final}
        return Finish(why, self.words, {"tool": "TaskCompletion", **done})

    @property
    def words(self) -> str:
        """The three lines of a FINISH."""
        if all(_PLAIN.fullmatch(id_) for _, id_ in self.links):
            links = ", ".join(f"{kind}:{id_}" for kind, id_ in self.links) or "none"
        else:
            links = compact([{"kind": kind, "id": id_} for kind, id_ in self.links])
        return f"OUTCOME: {self.outcome}\nMESSAGE: {self.message}\nLINKS: {links}"


@dataclass(frozen=True)
class Wish:
    """What a task of a company asks for."""

    lookups: tuple[Line, ...]
    """What is read before anything is answered or changed."""
    events: tuple[dict[str, Any], ...]
    answer: Answer
    pages: dict[str, str]


def wish_of(scenario: CompanyScenario, pages: dict[str, str]) -> Wish:
    """The right play that a scenario expects; ``pages``: of its wiki, to tell a renaming."""
    expect = scenario.expect
    usual_entry = {"employee": scenario.user, "date": scenario.today, "hours": 1}
    events = tuple(
        {"type": e.type, **(usual_entry if e.type == LOGGED else {}), **chosen(e.fields)}
        for e in expect.events
        if e.type != DIGEST
    )
    links = tuple((kind, id_) for kind, wanted in expect.links.items() for id_ in wanted.must)
    outcome = expect.outcomes[0]
    if events and "ok_answer" in expect.outcomes:
        outcome = "ok_answer"
    words = [w for w in _WORDS if not any(x in w for x in expect.message.excludes)]
    usual = next((w for w in words if outcome == "ok_answer" or w != _WORDS[0]), ".")
    message = " ".join(literals(expect.message.contains)) or usual
    answer = Answer(outcome, message, () if expect.no_links else links)
    lookups = tuple(_lookups(scenario, links, events, outcome))
    return Wish(lookups, events, answer, pages)


def _lookups(
    scenario: CompanyScenario,
    links: tuple[tuple[str, str], ...],
    events: tuple[dict[str, Any], ...],
    outcome: str,
) -> Iterator[Line]:
    """What a careful model reads first; who is not signed in may read the wiki alone."""
    written = {event.get("file") for event in events}
    pages = [id_ for kind, id_ in links if kind == "wiki" and id_ not in written]
    if scenario.whoami_status == 200 and scenario.user is not None:
        teams = [("project", e["id"]) for e in events if e["type"] == "Evt_ProjectTeamUpdated"]
        named = dict.fromkeys((*links, *teams))
        for kind, (verb, _) in LOOK_UP.items():
            ids = [id_ for one, id_ in named if one == kind]
            nobody = kind == "employee" and outcome == "ok_not_found"
            listed = scenario.page_limit != -1 and (nobody or len(ids) > FEW)
            if listed:
                yield Line(LIST[kind][0], {})
            needed = [id_ for _, id_ in teams] if kind == "project" and listed else ids
            if not listed or kind == "project":
                yield from (Line(verb, {"id": id_}) for id_ in needed)
    if pages:
        yield Line(READ, {"files": pages})


def decide(wish: Wish, memory: Memory) -> Order | Finish:
    """The next step."""
    verb, answers = memory.get("verb"), memory.get("answers", [])
    if verb is None and wish.lookups:
        text = "Look these up and report what is found. Change nothing."
        return Order("First look up what the answer is about.", text, wish.lookups)
    if verb in CHANGES or "error" in memory or not wish.events:
        failed = [a["error"] for a in answers if isinstance(a, dict) and a.get("error")]
        if "error" in memory or (verb in CHANGES and failed):
            why = str(memory.get("error") or failed[0])
            return Answer("error_internal", "The request could not be completed.").finish(why)
        return wish.answer.finish("All that is needed is known.")
    teams = {a["id"]: a["team"] for a in answers if isinstance(a, dict) and "team" in a}
    try:
        lines = tuple(_changes(wish, teams))
    except KeyError as missing:
        why = f"the pack does not say {missing.args[0]!r} of a change"
        return Answer("error_internal", "The request could not be completed.").finish(why)
    text = "Make exactly these changes, in this order, and report each; stop at one that fails."
    return Order("Change what was asked.", text, lines, prepared=wish.answer.words)


def _changes(wish: Wish, teams: dict[str, list[dict[str, Any]]]) -> Iterator[Line]:
    """A line for each change. Raises KeyError: an event does not say what is changed."""
    emptied = {e["file"]: wish.pages.get(e["file"]) for e in wish.events if e.get("content") == ""}
    renamed = dict[str, str]()
    for event in wish.events:
        old = [f for f, text in emptied.items() if text and text == event.get("content")]
        if old and old[0] not in renamed:
            renamed[old[0]] = event["file"]
    for event in wish.events:
        match event["type"]:
            case "Evt_WikiArticleUpdated" if event["file"] in renamed:
                yield Line(RENAME, {"old": event["file"], "new": renamed[event["file"]]})
            case "Evt_WikiArticleUpdated" if event["file"] not in renamed.values():
                yield Line(WRITE, {"pages": {event["file"]: event["content"]}})
            case type_ if type_ == LOGGED:
                yield Line(LOG, _logged(event))
            case "Evt_TimeEntryStatusChanged":
                yield Line(ENTRY, {"id": event["id"], "status": event["status"]})
            case "Evt_TimeEntryUpdated":
                yield Line(ENTRY, {"id": event["id"], **event["changes"]})
            case "Evt_ProjectStatusChanged":
                yield Line(STATUS, {"id": event["id"], "status": event["status"]})
            case "Evt_ProjectTeamUpdated":
                yield Line(TEAM, _team(event, teams[event["id"]]))
            case type_ if type_.startswith("Evt_Employee"):
                yield Line(EMPLOYEE, _employee(event))


def _logged(event: dict[str, Any]) -> dict[str, Any]:
    left_out = ("type", "id", "customer", "logged_by")
    named = {k: v for k, v in event.items() if k not in left_out and v is not None}
    return {"billable": False, **named, "allow_non_member": True}


def _employee(event: dict[str, Any]) -> dict[str, Any]:
    fields = {k: event[k] for k in ("salary", "notes", "skills", "wills") if k in event}
    return {"employee": event["employee"], **fields, **event.get("changes", {})}


def _team(event: dict[str, Any], before: list[dict[str, Any]]) -> dict[str, Any]:
    """What turns a team into the one that is wanted."""
    old = {member["employee"]: member for member in before}
    new = {member["employee"]: member for member in event["team"]}
    moves = {
        "add": [m for who, m in new.items() if who not in old],
        "remove": [who for who in old if who not in new],
        "change": [m for who, m in new.items() if who in old and m != old[who]],
    }
    return {"project": event["id"], **{name: some for name, some in moves.items() if some}}
