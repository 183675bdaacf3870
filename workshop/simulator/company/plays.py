"""Known plays of a company's task: what is expected through the endpoints, right or spoilt."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

from core.erc3_client.own.company_shapes import Outcome
from workshop.simulator.company.company_state import CHANGEABLE, levels_of
from workshop.simulator.company.expectation import ARTICLE, CONTAINS, DIGEST, ONE_OF
from workshop.simulator.company.pack import CompanyScenario
from workshop.simulator.world import KnownPlay, Underivable, Wire

LOGGED = "Evt_TimeEntryLogged"


def plays(scenario: CompanyScenario) -> Iterator[KnownPlay]:
    """The right play, doing nothing, refusing, and every spoilt one.

    Raises `Underivable` where a change event is expected that does not say what is changed.
    """
    right, expect = right_play(scenario), scenario.expect
    yield KnownPlay("as expected", 1.0, right.run)
    yield KnownPlay("nothing done", 0.0, lambda _ask: None)
    silent = not (right.events or right.response["links"] or expect.message.contains)
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


@dataclass(frozen=True)
class Play:
    """The changes of a play, as the events that they leave, and its response.

    Without `whole`, skills and wills that do not change are lost.
    """

    events: Sequence[Wire]
    response: Wire
    whole: bool = True

    def run(self, ask: Callable[..., Any]) -> None:
        """Do the writes and send the response. Raises `Underivable`."""
        for event in self.events:
            try:
                path, body = self._call(ask, event)
            except KeyError as missing:
                text = f"the expected {event['type']} does not say {missing.args[0]!r}"
                raise Underivable(text) from None
            ask(path, **body)
        ask("/respond", **self.response)

    def _call(self, ask: Callable[..., Any], event: Wire) -> tuple[str, Wire]:
        """The path and the body of a write. Raises KeyError: the event does not say the field."""
        by = {name: event[name] for name in ("changed_by",) if name in event}
        match event["type"]:
            case "Evt_TimeEntryLogged":
                return "/time/log", {k: v for k, v in event.items() if k not in ("type", "id")}
            case "Evt_TimeEntryStatusChanged" | "Evt_TimeEntryUpdated" as kind:
                old = ask("/time/get", id=event["id"])["entry"]
                status = kind == "Evt_TimeEntryStatusChanged"
                new = {"status": event["status"]} if status else event["changes"]
                kept = {name: old[name] for name in CHANGEABLE}
                return "/time/update", {"id": event["id"], **kept, **new, **by}
            case "Evt_ProjectStatusChanged" | "Evt_ProjectTeamUpdated" as kind:
                part = "status" if kind == "Evt_ProjectStatusChanged" else "team"
                return f"/projects/{part}/update", {"id": event["id"], part: event[part], **by}
            case "Evt_WikiArticleUpdated":
                return "/wiki/update", {"file": event["file"], "content": event["content"], **by}
        old = ask("/employees/get", id=event["employee"])["employee"]
        return "/employees/update", {"employee": old["id"], **by, **self._of_employee(old, event)}

    def _of_employee(self, old: Wire, event: Wire) -> Wire:
        """What is sent to change an employee."""
        skills = event["type"] == "Evt_EmployeeSkillsUpdated"
        names = ("skills", "wills") if skills else ("notes", "salary")
        new: Wire = {name: event[name] for name in names if name in event}
        new |= event.get("changes", {})
        if not new:
            raise KeyError("skills" if skills else "changes")
        for name in new if skills else ():
            after = {**(levels_of(old[name]) if self.whole else {}), **new[name]}
            levels = [
                {"name": n, "level": level} for n, level in after.items() if level is not None
            ]
            new[name] = levels if new[name] else []
        return new


def right_play(scenario: CompanyScenario) -> Play:
    """The play that is expected; changes of the wiki's digest come by themselves."""
    expect = scenario.expect
    usual = {"employee": scenario.user, "date": scenario.today, "hours": 1}
    events = [
        {"type": one.type, **(usual if one.type == LOGGED else {}), **chosen(one.fields)}
        for one in expect.events
        if one.type != DIGEST
    ]
    links = [
        {"kind": kind, "id": id_} for kind, links in expect.links.items() for id_ in links.must
    ]
    message = " ".join(literals(expect.message.contains))
    return Play(events, {"outcome": expect.outcomes[0], "message": message, "links": links})


def spoilt(scenario: CompanyScenario) -> Iterator[tuple[str, Play]]:
    """Every way to play a scenario wrong, by name."""
    right, expect, user = right_play(scenario), scenario.expect, scenario.user
    links: list[Wire] = right.response["links"]

    def responding(**changes: Any) -> Play:
        return replace(right, response=right.response | changes)

    if expect.events:
        yield "without its writes", replace(right, events=[])
    by = {"changed_by", "logged_by"}
    if any(by & event.keys() for event in right.events):
        anonymous = [{k: v for k, v in one.items() if k not in by} for one in right.events]
        yield "without changed_by", replace(right, events=anonymous)
    if any(event.type == "Evt_EmployeeSkillsUpdated" for event in expect.events):
        yield "skills lost", replace(right, whole=False)
    stray = {"type": ARTICLE, "file": "stray.md", "content": "stray"}
    yield "a write that nobody asked for", replace(right, events=[*right.events, stray])
    for other in reversed(get_args(Outcome)):
        if other not in expect.outcomes:
            yield "another outcome", responding(outcome=other)
            break
    for number, link in enumerate(links):
        left = links[:number] + links[number + 1 :]
        yield f"without the link to {link['id']}", responding(links=left)
    checked = expect.links.get("employee")
    unwanted = checked is not None and user not in (*checked.must, *checked.may)
    if user and (unwanted or expect.no_links):
        yield "the asker linked", responding(links=[*links, {"kind": "employee", "id": user}])
    if expect.message.contains:
        yield "an empty message", responding(message="")
    for word in expect.message.excludes:
        yield f"{word!r} said", responding(message=f"{right.response['message']} {word}")
