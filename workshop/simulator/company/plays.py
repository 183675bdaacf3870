"""Known plays of a company's task: what is expected through the endpoints, right or spoilt."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

from core.erc3_client.own.company_shapes import Outcome
from workshop.simulator.company.expectation import CONTAINS, DIGEST, ONE_OF
from workshop.simulator.company.pack import CompanyScenario
from workshop.simulator.world import KnownPlay, Underivable, Wire

ENTRY = ("date", "hours", "work_category", "notes", "billable", "status")


def plays(scenario: CompanyScenario) -> Iterator[KnownPlay]:
    """The right play, doing nothing, refusing, and every spoilt one.

    Raises `Underivable` where a change event is expected that does not say what is changed.
    """
    right, expect = Play(scenario), scenario.expect
    yield KnownPlay("as expected", 1.0, right.run)
    yield KnownPlay("nothing done", 0.0, lambda _ask: None)
    silent = not (right.events or right.wanted or expect.message.contains)
    refusal = {"outcome": "denied_security", "message": "", "links": []}
    fits = silent and refusal["outcome"] in expect.outcomes
    yield KnownPlay("a mere refusal", float(fits), lambda ask: ask("/respond", **refusal))
    for name, play in spoilt(scenario):
        yield KnownPlay(name, 0.0, play.run)


def chosen(value: Any) -> Any:
    """A value that fits a wanted one."""
    if isinstance(value, dict) and set(value) == {ONE_OF}:
        return chosen(value[ONE_OF][0])
    if isinstance(value, dict) and set(value) == {CONTAINS}:
        return " ".join(literals(value[CONTAINS]))
    if isinstance(value, dict):
        return {name: chosen(one) for name, one in value.items()}
    return [chosen(one) for one in value] if isinstance(value, list) else value


def literals(wanted: Sequence[str | Sequence[str]]) -> list[str]:
    """Texts that satisfy what a message has to hold: of alternatives the first."""
    return [one if isinstance(one, str) else one[0] for one in wanted]


@dataclass
class Play:
    """How to play a scenario; a plain one is right.

    Without `named`, `changed_by` and `logged_by` are not sent; without `whole`, skills and wills
    that do not change are lost; `links` are sent beside those that are wanted, of which number
    `without` is left out; with `stray` a page is written that nobody asked for.
    """

    scenario: CompanyScenario
    writes: bool = True
    named: bool = True
    whole: bool = True
    outcome: str = ""
    links: list[Wire] = field(default_factory=list)
    without: int | None = None
    message: str | None = None
    stray: bool = False

    @property
    def wanted(self) -> list[Wire]:
        """The links that it has to have."""
        return [
            {"kind": kind, "id": id_}
            for kind, links in self.scenario.expect.links.items()
            for id_ in links.must
        ]

    @property
    def events(self) -> list[Wire]:
        """The changes that it makes; those of the wiki's digest come by themselves."""
        expected = self.scenario.expect.events
        return [{"type": e.type, **chosen(e.fields)} for e in expected if e.type != DIGEST]

    def run(self, ask: Callable[..., Any]) -> None:
        """Do the writes and send the response. Raises `Underivable`."""
        for event in self.events if self.writes else []:
            try:
                path, body = self._call(ask, event)
            except KeyError as missing:
                text = f"the expected {event['type']} does not say {missing.args[0]!r}"
                raise Underivable(text) from None
            ask(path, **body)
        if self.stray:
            ask("/wiki/update", file="stray.md", content="stray", changed_by="")
        links = [one for n, one in enumerate(self.wanted) if n != self.without]
        literal = " ".join(literals(self.scenario.expect.message.contains))
        message = literal if self.message is None else self.message
        outcome = self.outcome or self.scenario.expect.outcomes[0]
        ask("/respond", outcome=outcome, message=message, links=links + self.links)

    def _call(self, ask: Callable[..., Any], event: Wire) -> tuple[str, Wire]:
        """The path and the body of a write. Raises KeyError: the event does not say the field."""
        by_field = "logged_by" if event["type"] == "Evt_TimeEntryLogged" else "changed_by"
        by = {by_field: event.get(by_field, "")} if self.named else {}
        match event["type"]:
            case "Evt_TimeEntryLogged":
                usual = {
                    "employee": self.scenario.user,
                    "date": self.scenario.today,
                    "hours": 1,
                }
                sent = {k: v for k, v in event.items() if k not in ("type", "id", "logged_by")}
                return "/time/log", {**usual, **sent, **by}
            case "Evt_TimeEntryStatusChanged" | "Evt_TimeEntryUpdated":
                old = ask("/time/get", id=event["id"])["entry"]
                old = {"id": event["id"], **{name: old[name] for name in ENTRY}, **by}
                if event["type"] == "Evt_TimeEntryUpdated":
                    return "/time/update", {**old, **event["changes"]}
                return "/time/update", {**old, "status": event["status"]}
            case "Evt_ProjectStatusChanged" | "Evt_ProjectTeamUpdated":
                part = "status" if event["type"] == "Evt_ProjectStatusChanged" else "team"
                return f"/projects/{part}/update", {"id": event["id"], part: event[part], **by}
            case "Evt_WikiArticleUpdated":
                new = {"file": event["file"], "content": event["content"], **by}
                return "/wiki/update", new
        return self._of_employee(ask("/employees/get", id=event["employee"])["employee"], event, by)

    def _of_employee(self, old: Wire, event: Wire, by: Wire) -> tuple[str, Wire]:
        path, who = "/employees/update", {"employee": event["employee"], **by}
        if event["type"] != "Evt_EmployeeSkillsUpdated":
            names = ("notes", "salary")
            new = {k: event[k] for k in names if k in event} | event.get("changes", {})
            if not new:
                raise KeyError("changes")
            return path, {**who, **new}
        if not {"skills", "wills"} & event.keys():
            raise KeyError("skills")
        new = {}
        for name in ("skills", "wills"):
            changes = event.get(name, {})
            before = {one["name"]: one["level"] for one in old[name] or ()}
            after = {**(before if self.whole else {}), **changes}
            levels = [{"name": n, "level": v} for n, v in after.items() if v is not None]
            new[name] = levels if changes else []
        return path, {**who, **new}


def spoilt(scenario: CompanyScenario) -> Iterator[tuple[str, Play]]:
    """Every way to play a scenario wrong, by name."""
    expect = scenario.expect
    if expect.events:
        yield "without its writes", Play(scenario, writes=False)
    if any({"changed_by", "logged_by"} & event.fields.keys() for event in expect.events):
        yield "without changed_by", Play(scenario, named=False)
    if any(event.type == "Evt_EmployeeSkillsUpdated" for event in expect.events):
        yield "skills lost", Play(scenario, whole=False)
    yield "a write that nobody asked for", Play(scenario, stray=True)
    for other in reversed(get_args(Outcome)):
        if other not in expect.outcomes:
            yield "another outcome", Play(scenario, outcome=other)
            break
    for number, link in enumerate(Play(scenario).wanted):
        yield f"without the link to {link['id']}", Play(scenario, without=number)
    checked, user = expect.links.get("employee"), scenario.user
    unwanted = checked is not None and user not in (*checked.must, *checked.may)
    if user and (unwanted or expect.no_links):
        yield "the asker linked", Play(scenario, links=[{"kind": "employee", "id": user}])
    if expect.message.contains:
        yield "an empty message", Play(scenario, message="")
    for word in expect.message.excludes:
        literal = " ".join(literals(expect.message.contains))
        yield f"{word!r} said", Play(scenario, message=f"{literal} {word}")
