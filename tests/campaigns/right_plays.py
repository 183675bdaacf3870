"""Plays the right calls of company scenarios through our tools: what is objected to, and whether a
word that names the rule lifts it.

    python -m tests.campaigns.right_plays [--pack FILE ...] [--count 1000] [--seed NAME]

Right plays come from what each scenario expects. Everything has been read before: no text of the
company is unknown to the guard. A word that lifts an objection is looked for among the sentences
of the company's own pages, and in the task's own words.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import regex
import typer

from company_tools import listings
from company_tools.company_session import CompanySession
from company_tools.environment import CompanyEnvironment
from company_tools.rule_book import Rule
from company_tools.wiki_lines import lines_of
from company_tools.wiki_pages import wiki_pages
from company_tools.wiki_store import WikiStore, hash_of
from core.erc3_client import ApiError, ApiException
from core.erc3_client.own.company_models import RESPONSES
from core.erc3_client.retry_policy import RetryPolicy
from core.ledger import Ledger, ToolFault
from core.tools.requests import request_at
from tests.campaigns.labelled_rules import drawn, labelled_rules
from workshop.generators.company.options import People
from workshop.generators.company.scenario import TASKS, company, make_scenario
from workshop.simulator.company.pack import BUNDLED_PACK, CompanyScenario
from workshop.simulator.company.plays import Play, literals
from workshop.simulator.platform import Platform
from workshop.simulator.world import Refusal
from workshop.simulator.worlds import read_pack

Wire = dict[str, Any]
FORMAT = "company-pack/1"
NEEDED = {"/time/log": {"notes": ""}}
"""What a request has to have."""


class Line:
    """A task's company in this process."""

    def __init__(self, company: Wire, scenario: Wire) -> None:
        raw = {"format": FORMAT, "name": "p", "companies": {scenario["company"]: company}}
        text = json.dumps({**raw, "scenarios": [scenario]})
        pack = read_pack(text, "p")
        self.platform = Platform(pack)
        self.task = self.platform.start_new_task("company", scenario["spec_id"]).task_id
        self.sent: list[tuple[str, Wire]] = []

    def ask(self, path: str, **body: Any) -> Wire:
        """Post to a path without our tools."""
        answer: Wire = self.platform.call(self.task, path, body)
        return answer

    def dispatch(self, request: Any) -> Any:
        """Send a request of our tools."""
        body = request.model_dump(mode="json", exclude={"tool"})
        self.sent.append((request.tool, body))
        try:
            answer = self.platform.call(self.task, request.tool, body)
        except Refusal as no:
            raise ApiException(ApiError(status=no.status, error=str(no), code=""), None) from None
        return RESPONSES[request.tool].model_validate(answer)


class World:
    """One task, briefed, with everything read."""

    def __init__(self, company: Wire, scenario: Wire, off: Sequence[str] = ()) -> None:
        self.scenario = scenario
        self.line = Line(company, scenario)
        self.wiki = WikiStore()
        self.benchmark = CompanyEnvironment(self.line, RetryPolicy(0), self.wiki, off)
        self.briefing = self.benchmark.briefing(Ledger(), scenario["task_text"])

    @property
    def session(self) -> CompanySession:
        """The session behind the tools."""
        return self.benchmark._session

    @property
    def acts(self) -> int:
        """Changes that took effect in the company."""
        acts: Any = self.line.platform.acts(self.line.task)
        return sum(hasattr(act, "type") for act in acts)

    def know(self, rules: Iterable[Rule]) -> None:
        """Have a model's rules of the wiki as it is, as far as they stand there."""
        session = self.session
        with session.recording_to(Ledger()), session.memory.aside():
            pages = wiki_pages(session, self.wiki)
        book = [
            rule for rule in rules if 0 < rule.number <= len(lines_of(pages.get(rule.page, "")))
        ]
        self.benchmark.books._last[hash_of(pages)] = tuple(book)

    def read_everything(self) -> None:
        """Read all records and pages, as far as the system shows them."""
        session = self.session
        lists = listings.whole_employees, listings.whole_projects, listings.whole_customers
        with session.recording_to(Ledger()):
            for read in (*lists, lambda session: wiki_pages(session, self.wiki)):
                with suppress(ToolFault):
                    read(session)

    def send(self, path: str, body: Wire, decided: str = "") -> str | None:
        """Send a change as a tool does; what was objected to, or None."""
        with self.benchmark.bind(Ledger(), decided):
            try:
                self.session.write(request_at("company", path, {**NEEDED.get(path, {}), **body}))
            except ToolFault as fault:
                return fault.text
        return None

    def answer(self, outcome: str, message: str, links: str = "none") -> tuple[str | None, Wire]:
        """Finish as the coordinator does; what is objected to, and what is sent in the end."""
        words = f"OUTCOME: {outcome}\nMESSAGE: {message}\nLINKS: {links}"
        objection = self.benchmark.check_finish(words, Ledger())
        self.benchmark.finish(words, Ledger())
        sent = [body for path, body in self.line.sent if path == "/respond"]
        return objection, sent[-1] if sent else {}


@dataclass
class Tally:
    """Counts over scenarios."""

    plays: int = 0
    writing: int = 0
    writes: int = 0
    guests: int = 0
    objected: list[str] = field(default_factory=list)
    final: list[str] = field(default_factory=list)


WORDS_AT_ONCE = 50


def words_for(world: World) -> Iterator[str]:
    """Every word that a decision could give, many at once: the task's own, each sentence."""
    every = list(_words(world))
    for n in range(0, len(every), WORDS_AT_ONCE):
        yield "\n".join(every[n : n + WORDS_AT_ONCE])


def _words(world: World) -> Iterator[str]:
    text = world.scenario["task_text"].replace("\n", " ")
    yield f'BASIS: task: "{text[:300]}"'
    with world.session.recording_to(Ledger()), world.session.memory.aside():
        pages = wiki_pages(world.session, world.wiki)
    for path, page in pages.items():
        for sentence in regex.split(r"(?<=[.!?;])\s+|\n+", page):
            if len(sentence.split()) > 2:
                yield f'BASIS: {path}: "{sentence.strip()[:300]}"'


def play_of(scenario: Wire) -> Play:
    return Play(CompanyScenario.model_validate_json(json.dumps(scenario)))


def events_of(scenario: Wire) -> list[Wire]:
    """The changes that a scenario wants."""
    return play_of(scenario).events


def send_right(world: World) -> None:
    """Make the changes that the scenario wants, as far as nothing is objected to."""
    right = play_of(world.scenario)
    for event in right.events:
        path, body, _ = right._calls(world.line.ask, event)
        world.send(path, body)


def played(world: World, tally: Tally) -> None:
    """Play a scenario rightly; objections are noted."""
    scenario = world.scenario
    right = play_of(scenario)
    events = right.events
    tally.plays += 1
    tally.writing += bool(events)
    tally.writes += len(events)
    objected, final = [], []
    for event in events:
        path, body, _ = right._calls(world.line.ask, event)
        if (objection := world.send(path, body)) is None:
            continue
        objected.append(objection)
        if not any(world.send(path, body, word) is None for word in words_for(world)):
            final.append(objection)
    if objected:
        tally.objected.append(f"{scenario['spec_id']}: {objected[0]}")
    if final:
        tally.final.append(f"{scenario['spec_id']}: {final[0]}")


def answered(world: World, tally: Tally) -> None:
    """Answer a guest rightly; an objection is noted, and an answer that became another."""
    tally.plays += 1
    tally.guests += 1
    scenario = world.scenario
    outcome = scenario["expect"]["outcomes"][0]
    literal = " ".join(literals(scenario["expect"].get("message", {}).get("contains", [])))
    message = literal or "That is for colleagues only, sorry."
    objection, sent = world.answer(outcome, message)
    if objection and "is a guest" in objection:
        tally.objected.append(f"{scenario['spec_id']}: {objection}")
    if sent.get("outcome") != outcome:
        tally.final.append(f"{scenario['spec_id']}: {sent}")


def generated(seed: str, count: int) -> Iterator[tuple[Wire, Wire, list[Rule]]]:
    """Companies with scenarios that are made as they are asked for, and the rules of their wiki."""
    people = People()
    for number in range(count):
        _, firm = company(seed, number // TASKS, people)
        with drawn() as drafts:
            scenario = make_scenario(seed, number, people)
        rules = labelled_rules(drafts[-1][0], random.Random(f"{seed}/{number}"), 0.0)
        yield firm.as_json(), scenario, list(rules)


def packed(path: Path) -> Iterator[tuple[Wire, Wire, list[Rule]]]:
    """Companies with the scenarios of a pack; nobody knows which of their lines are rules."""
    pack = json.loads(path.read_text(encoding="utf-8"))
    for scenario in pack["scenarios"]:
        yield pack["companies"][scenario["company"]], scenario, []


def main(
    pack: list[Path] | None = None, count: int = 1000, seed: str = "rights", tell: bool = False,
    book: bool = False,
) -> None:  # fmt: skip
    """Play the bundled pack, others and COUNT generated tasks; --tell prints each objection.

    --book: of generated tasks a model has read the rules.
    """
    tally = Tally()
    sources = [*map(packed, (BUNDLED_PACK, *(pack or ()))), generated(seed, count)]
    for company_, scenario, rules in chain.from_iterable(sources):
        if scenario["expect"].get("events"):
            world = World(company_, scenario)
            if book and rules:
                world.know(rules)
            world.read_everything()
            played(world, tally)
        elif scenario["user"] is None:
            answered(World(company_, scenario), tally)
        else:
            tally.plays += 1
    if tell:
        print(*tally.objected, "FINAL", *tally.final, sep="\n")
    share = 100 * len(tally.objected) / tally.plays
    print(
        f"right plays {tally.plays}, with changes {tally.writing}, changes {tally.writes}, "
        f"guests {tally.guests}"
    )
    print(f"objected to {len(tally.objected)} ({share:.2f} %), final {len(tally.final)}")


if __name__ == "__main__":
    typer.run(main)
