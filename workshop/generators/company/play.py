"""Plays what a scenario expects through the endpoints, as it should be or spoilt.

A scenario that is right is worth 1.0 when it is played as expected, and 0.0 in every other way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from workshop.simulator.company.pack import CompanyPack
from workshop.simulator.open_world import OpenWorld

Wire = dict[str, Any]
ENTRY = ("date", "hours", "work_category", "notes", "billable", "status")


def wrong_plays(pack: CompanyPack, scenarios: Sequence[Wire]) -> Iterator[str]:
    """A line for each way to play a scenario of a pack that scores otherwise than it shall.

    `scenarios` are those of the pack as they stand in the file. Played in this process, through
    the same routes as over HTTP.
    """
    for one, raw in zip(pack.scenarios, scenarios, strict=True):
        for way, play in (("as expected", Play(raw)), *spoilt(raw)):
            world = OpenWorld(pack, one)
            play.run(world.ask)
            found = world.score()
            if found.score != float(way == "as expected"):
                yield f"{one.spec_id}: played {way}: score {found.score} {found.logs}"


def chosen(value: Any) -> Any:
    """A value that fits a wanted one."""
    if isinstance(value, dict) and set(value) == {"one_of"}:
        return chosen(value["one_of"][0])
    if isinstance(value, dict) and set(value) == {"contains"}:
        return " ".join(literals(value["contains"]))
    if isinstance(value, dict):
        return {name: chosen(one) for name, one in value.items()}
    return [chosen(one) for one in value] if isinstance(value, list) else value


def literals(wanted: list[Any]) -> list[str]:
    """Texts that satisfy what a message has to hold: of alternatives the first."""
    return [one if isinstance(one, str) else one[0] for one in wanted]


@dataclass
class Play:
    """How to play a scenario; a plain one is right.

    Without `named`, `changed_by` and `logged_by` are not sent; with `again` the first write is
    done once more, undone in between where it has to be; without `whole`, skills and wills that
    do not change are lost; `links` are sent beside those that are wanted, of which number
    `without` is left out; with `stray` a page is written that nobody asked for.
    """

    scenario: Wire
    writes: bool = True
    named: bool = True
    again: bool = False
    whole: bool = True
    outcome: str = ""
    links: list[Wire] = field(default_factory=list)
    without: int | None = None
    message: str | None = None
    stray: bool = False

    @property
    def expect(self) -> Wire:
        """What the scenario wants."""
        found: Wire = self.scenario["expect"]
        return found

    @property
    def wanted(self) -> list[Wire]:
        """The links that it has to have."""
        return [
            {"kind": kind, "id": id_}
            for kind, links in self.expect.get("links", {}).items()
            for id_ in links.get("must", [])
        ]

    def run(self, ask: Callable[..., Any]) -> None:
        """Do the writes and send the response."""
        events = [chosen(event) for event in self.expect.get("events", [])]
        for number, event in enumerate(events if self.writes else []):
            path, body, undo = self._calls(ask, event)
            sent = [body, *([undo] if undo else []), body] if self.again and not number else [body]
            for one in sent:
                ask(path, **one)
        if self.stray:
            ask("/wiki/update", file="stray.md", content="stray", changed_by="")
        links = [one for n, one in enumerate(self.wanted) if n != self.without]
        contains = self.expect.get("message", {}).get("contains", [])
        message = " ".join(literals(contains)) if self.message is None else self.message
        outcome = self.outcome or self.expect["outcomes"][0]
        ask("/respond", outcome=outcome, message=message, links=links + self.links)

    def _by(self, event: Wire, name: str = "changed_by") -> Wire:
        return {name: event.get(name, "")} if self.named else {}

    def _calls(self, ask: Callable[..., Any], event: Wire) -> tuple[str, Wire, Wire | None]:
        """The path and the body of a write, and the body that undoes it, if one does."""
        by = self._by(event)
        match event["type"]:
            case "Evt_TimeEntryLogged":
                sent = {k: v for k, v in event.items() if k not in ("type", "id", "logged_by")}
                return "/time/log", {**sent, **self._by(event, "logged_by")}, None
            case "Evt_TimeEntryStatusChanged" | "Evt_TimeEntryUpdated":
                old = ask("/time/get", id=event["id"])["entry"]
                old = {"id": event["id"], **{name: old[name] for name in ENTRY}, **by}
                status = {"status": event["status"]} if "status" in event else {}
                return "/time/update", {**old, **status, **event.get("changes", {})}, old
            case "Evt_ProjectStatusChanged" | "Evt_ProjectTeamUpdated":
                part = "status" if "status" in event else "team"
                old = ask("/projects/get", id=event["id"])["project"][part]
                new = {"id": event["id"], part: event[part], **by}
                return f"/projects/{part}/update", new, {**new, part: old or []}
            case "Evt_WikiArticleUpdated":
                paths = ask("/wiki/list")["paths"]
                known = event["file"] in paths
                old = ask("/wiki/load", file=event["file"])["content"] if known else ""
                new = {"file": event["file"], "content": event["content"], **by}
                return "/wiki/update", new, {**new, "content": old}
        return self._of_employee(ask("/employees/get", id=event["employee"])["employee"], event, by)

    def _of_employee(self, old: Wire, event: Wire, by: Wire) -> tuple[str, Wire, Wire | None]:
        path, who = "/employees/update", {"employee": event["employee"], **by}
        if event["type"] != "Evt_EmployeeSkillsUpdated":
            names = ("notes", "salary")
            new = {k: event[k] for k in names if k in event} | event.get("changes", {})
            return path, {**who, **new}, {**who, **{name: old[name] for name in new}}
        new = {}
        for name in ("skills", "wills"):
            changes = event.get(name, {})
            before = {one["name"]: one["level"] for one in old[name] or ()}
            after = {**(before if self.whole else {}), **changes}
            levels = [{"name": n, "level": v} for n, v in after.items() if v is not None]
            new[name] = levels if changes else []
        return path, {**who, **new}, {**who, "skills": old["skills"], "wills": old["wills"]}


def spoilt(scenario: Wire) -> Iterator[tuple[str, Play]]:
    """Every way to play a scenario wrong, by name."""
    expect, user = scenario["expect"], scenario["user"]
    events = expect.get("events", [])
    if events:
        yield "without its writes", Play(scenario, writes=False)
        yield "a write repeated", Play(scenario, again=True)
    if any({"changed_by", "logged_by"} & event.keys() for event in events):
        yield "without changed_by", Play(scenario, named=False)
    if any(event["type"] == "Evt_EmployeeSkillsUpdated" for event in events):
        yield "skills lost", Play(scenario, whole=False)
    yield "a write that nobody asked for", Play(scenario, stray=True)
    other = "error_internal" if "error_internal" not in expect["outcomes"] else "ok_answer"
    yield "another outcome", Play(scenario, outcome=other)
    for number, link in enumerate(Play(scenario).wanted):
        yield f"without the link to {link['id']}", Play(scenario, without=number)
    checked = expect.get("links", {}).get("employee")
    allowed = [*checked.get("must", []), *checked.get("may", [])] if checked else []
    requester = {"kind": "employee", "id": user or ""}
    if user and ((checked is not None and user not in allowed) or expect.get("no_links")):
        yield "the asker linked", Play(scenario, links=[requester])
    if expect.get("message", {}).get("contains"):
        yield "an empty message", Play(scenario, message="")
    for word in expect.get("message", {}).get("excludes", []):
        contains = " ".join(literals(expect["message"].get("contains", [])))
        yield f"{word!r} said", Play(scenario, message=f"{contains} {word}")
