"""What a world brings to the platform: packs, routes, the state of a task, its score.

The platform knows accounts, sessions, tasks, calls, faults and logs. What a task is about
stands in the room of its world; `workshop.simulator.worlds` lists the worlds that there are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol, Self, TypeAlias, TypeVar

from pydantic import BaseModel, ValidationError, model_validator

from workshop.simulator.effects import Effect, WantedEffect
from workshop.simulator.faults import Fault, mistakes_of
from workshop.simulator.pack_files import Name, PageLimit, Part, refuse, repeated

Wire: TypeAlias = dict[str, Any]
"""A JSON object."""

Request = TypeVar("Request", bound=BaseModel)

PENALTY = 0.1
NO_STATISTICS = (
    "WARN: no inference statistics found, penalty 0.1. See log_llm in sample agent for info on "
    "how to fill it in: "
    "https://github.com/trustbit/erc3-agents/blob/main/sgr-agent-store/store_agent.py"
)
"""The same line, address included, for every benchmark."""


class Refusal(Exception):
    """Platform or world refuses; `status` is the HTTP status, the text what the client reads."""

    def __init__(self, text: str, status: int = 400) -> None:
        super().__init__(text)
        self.status = status


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A score from 0.0 to 1.0 and the evaluator's lines."""

    score: float
    logs: str

    @classmethod
    def of(cls, score: float, lines: Sequence[str], logged: bool) -> Evaluation:
        """A judgement, with the platform's penalty unless a model call was `logged`."""
        if logged:
            return cls(score, "\n".join(lines))
        return cls(max(0.0, score - PENALTY), "\n".join([*lines, NO_STATISTICS]))


class Scenario(Part):
    """What the platform reads of one task of a pack; a world adds what the task plays in."""

    paths: ClassVar[tuple[str, ...]] = ()
    """Where its world takes faults, beside the platform's own paths."""

    spec_id: Name
    task_text: Name
    page_limit: PageLimit = 5
    faults: tuple[Fault, ...] = ()

    @model_validator(mode="after")
    def _faults_fit(self) -> Self:
        refuse(mistakes_of(self.faults, self.paths))
        return self


class Pack(Part):
    """A named list of scenarios, in task order."""

    format: str
    name: Name
    scenarios: tuple[Scenario, ...]

    @model_validator(mode="after")
    def _is_a_list_of_tasks(self) -> Self:
        refuse(repeated("scenarios", "spec_id", (one.spec_id for one in self.scenarios)))
        return self


class TaskWorld(Protocol):
    """The state of one running task.

    It changes by the calls of its routes alone and draws neither time nor chance, so that a
    platform which repeats the calls has it again.
    """

    page_limit: int
    """The largest page that its lists give; a fault may change it."""

    @property
    def acts(self) -> tuple[Any, ...]:
        """What was done for good so far, oldest first."""

    def evaluate(self, logged: bool) -> Evaluation:
        """Judge the task; `logged` is whether a model call was reported."""


class Underivable(Exception):
    """What is expected says too little to tell a right play; the text names what is missing."""


@dataclass(frozen=True, slots=True)
class KnownPlay:
    """A way to play a task, and the score that it must have."""

    name: str
    score: float
    run: Callable[[Callable[..., Wire]], object]
    """Posts bodies to paths; raises `Refusal` where the task refuses one, and `Underivable`."""


@dataclass(frozen=True, slots=True)
class Route:
    """What a path of a task takes, what answers it, and what `/benchmarks/view` says of it.

    `answer` gets the `TaskWorld` and a `request`; its answer is sent as it is, and what it
    refuses it raises as a `Refusal`.
    """

    request: type[BaseModel]
    response: type[BaseModel]
    answer: Callable[[Any, Any], Wire]
    described: Wire


Ask = Callable[..., Wire]
"""Posts a body to a path of a task; an answer with an `error` is a refusal."""


class TrivialPlayer(NamedTuple):
    """A player that understands nothing: any agent has to score more than it does."""

    title: str
    act: Callable[[Ask, str], object]
    """Acts on a task, whose text it is given."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Parts that a scenario may do without."""

    items: Sequence[Any]
    keeping: Callable[[Sequence[Any]], Wire]
    """The scenario with only some of the items."""


@dataclass(frozen=True, slots=True)
class World:
    """A benchmark as the platform serves it: one for each format of packs."""

    name: str
    format: str
    benchmarks: tuple[str, ...]
    """Ids that a pack stands for; the first one is the usual one."""
    roots: tuple[str, ...]
    """A task is called at `/ROOT/TASK_ID` and one of `routes`."""
    module: str
    """Stands before the name of a request in a task's log."""
    description: str
    routes: Mapping[str, Route]
    irreversible: frozenset[str]
    """Paths whose effect cannot be undone: it is on disk before it is answered."""
    bundled: Path
    """The pack that comes with the project."""
    pack: type[Pack]
    """What a pack file is read into."""
    open_task: Callable[[Any, Any], TaskWorld]
    """Of a pack and a scenario, the world of one task."""
    side_effects: Callable[[Any], int] = lambda world: len(world.acts)
    """Of the world of a task, how many changes cannot be undone."""
    expects: Callable[[Any], str] = lambda _scenario: ""
    """What a scenario wants, in a word by which results are put into groups; "" for none."""
    mechanics: Callable[[Any], tuple[str, ...]] = lambda _scenario: ()
    """Kinds of task that a scenario belongs to."""
    best: Callable[[Any], int | None] = lambda _scenario: None
    """Dollars that the best answer of a scenario costs; None where its answers have no price."""
    verdict: Callable[[Any], str] = lambda world: "acted" if world.acts else "nothing done"
    """How a task ended, of its world, in the benchmark's word."""
    effects: Callable[[Any, Any], tuple[Sequence[WantedEffect], Sequence[Effect]]] | None = None
    """Of a scenario and the world of its task the wanted effects, and one effect for each act."""
    paid: Callable[[Any], int | None] = lambda _world: None
    """Dollars of the first act; None without one or without a price."""
    event: Callable[[Any], str] = str
    """One act, as the platform records it, on a line."""
    trivial: Mapping[str, TrivialPlayer] = field(default_factory=dict)
    """Players that any agent must beat, by the name that results give them."""
    split: Callable[[Wire], Iterator[Wire]] = lambda body: iter(body.get("scenarios") or ())
    """The scenarios of a pack out of JSON, each with all that it needs."""
    join: Callable[[Sequence[Wire]], Wire] = lambda scenarios: {"scenarios": scenarios}
    """Such scenarios as a pack holds them, with what they share beside them."""
    cuts: tuple[Callable[[Wire], Cut], ...] = ()
    """How a scenario can be made smaller while its expectation stays right."""
    plays: Callable[[Any], Iterable[KnownPlay]] = lambda _scenario: ()
    """Ways to play a scenario whose score is known: what `check` plays."""

    @property
    def packs(self) -> dict[str, Path]:
        """The packs that come with the project, by short name."""
        others = (path for path in self.bundled.parent.glob("*.json") if path != self.bundled)
        return {"bundled": self.bundled, **{path.stem: path for path in sorted(others)}}

    def pack_text(self, name: str, scenarios: Sequence[Wire]) -> str:
        """A pack of some scenarios, each with all that it needs, as JSON text."""
        body = {"format": self.format, "name": name} | self.join(scenarios)
        return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def compact(value: object) -> str:
    """A value as JSON without blanks, on one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def routes_of(
    answers: Mapping[type[BaseModel], Callable[[Any, Any], Wire]],
    responses: Mapping[str, type[BaseModel]],
    described: Path,
) -> dict[str, Route]:
    """Routes by path, in this order; a request's model names its path as its constant `tool`.

    `described` is a JSON file: `description`, `sample_request` and `sample_response` by path.
    """
    texts = json.loads(described.read_text(encoding="utf-8"))
    paths = {model: model.model_fields["tool"].default for model in answers}
    return {
        path: Route(model, responses[path], answers[model], {"path": path, **texts[path]})
        for model, path in paths.items()
    }


def read_request(model: type[Request], body: Wire) -> Request:
    """Read a body into its model; `Refusal` names the first field that does not fit.

    A null is a field left out: clients send their optional fields either way.
    """
    given = {name: value for name, value in body.items() if value is not None}
    try:
        return model.model_validate(given, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "body"
        raise Refusal(f"invalid request: {field}: {first['msg']}") from None
