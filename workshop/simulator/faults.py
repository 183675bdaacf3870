"""What goes wrong with a call: the faults of a pack, then those that a plan such as
`respond:lost-after` asks for.

What each kind does, and which calls count, stands in `choices.md`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, model_validator

from workshop.simulator.pack_files import Record

if TYPE_CHECKING:
    from workshop.simulator.world import World

FaultKind = Literal["status", "drop", "delay", "garbage", "twice", "limit"]
TASK_PATHS = ("/tasks/start", "/tasks/log", "/tasks/complete", "/tasks/view")
"""The platform's own paths where a fault may be set; a world adds those of its tasks."""
LONGEST_DELAY_S = 60
BELONGS_TO = {"status": "status", "seconds": "delay", "after": "drop"}
"""Fields of a single kind."""
STATUSES = (429, 500, 502, 503, 504)
"""What overloaded and broken servers answer."""


class Fault(Record):
    """What goes wrong at the calls `nth` to `nth + times - 1` of the path `on`, counted from 1."""

    on: str
    nth: Annotated[int, Field(ge=1)]
    kind: FaultKind
    times: Annotated[int, Field(ge=1)] = 1
    status: Annotated[int, Field(ge=400, le=599)] | None = Field(
        None, description="HTTP status of the answer; kind `status` only."
    )
    seconds: Annotated[float, Field(gt=0, le=LONGEST_DELAY_S, allow_inf_nan=False)] | None = Field(
        None, description="How late the answer is; kind `delay` only."
    )
    after: bool = Field(False, description="Whether a dropped call takes effect; kind `drop` only.")

    @model_validator(mode="after")
    def _fields_fit_kind(self) -> Fault:
        for field, kind in BELONGS_TO.items():
            if getattr(self, field) not in (None, False) and self.kind != kind:
                raise ValueError(f"{field} is for kind {kind!r} only, not for {self.kind!r}")
        if self.kind == "status" and self.status is None:
            raise ValueError("status is missing; kind 'status' needs one from 400 to 599")
        if self.kind == "delay" and self.seconds is None:
            raise ValueError("seconds is missing; kind 'delay' needs them")
        return self

    def meets(self, path: str, nth: int) -> bool:
        """Whether the nth call of a path, counted from 1, has this fault."""
        return self.on == path and self.nth <= nth < self.nth + self.times

    @property
    def deliveries(self) -> int:
        """How often the call takes effect."""
        return {"status": 0, "drop": int(self.after), "twice": 2}.get(self.kind, 1)

    @property
    def is_answered(self) -> bool:
        """Whether the client gets the platform's own answer."""
        return self.kind in ("delay", "twice", "limit")

    @property
    def word(self) -> str:
        """What a plan calls it."""
        if self.kind == "drop":
            return "lost-after" if self.after else "lost-before"
        return {"status": str(self.status), "limit": "limit-changes"}.get(self.kind, self.kind)

    @property
    def label(self) -> str:
        """What happens, as a line of the task's log says it."""
        words: dict[FaultKind, str] = {
            "status": f"status {self.status} for",
            "drop": f"drop {'after' if self.after else 'before'}",
            "delay": f"delay of {self.seconds} s after",
            "garbage": "garbage after",
            "twice": "delivered twice:",
            "limit": "another page limit from here on:",
        }
        return f"fault: {words[self.kind]} {self.on}"


def mistakes_of(faults: Iterable[Fault], paths: Iterable[str]) -> Iterator[str]:
    """A mistake for each fault on a path that there is not, and on a call that has one already."""
    known, faults = [*paths, *TASK_PATHS], list(faults)
    for number, fault in enumerate(faults):
        if fault.on not in known:
            there = ", ".join(known)
            yield f"faults[{number}].on: unknown path {fault.on!r}; faults apply to {there}"
    for (earlier, other), (number, fault) in combinations(enumerate(faults), 2):
        call = max(fault.nth, other.nth)
        if fault.meets(other.on, call) and other.meets(other.on, call):
            yield (
                f"faults[{number}]: call {call} of {fault.on} already has faults[{earlier}]; "
                "a call can have one"
            )


ANY, WRITE, SEED = "any", "write", "seed"
SETS = {
    "acknowledgement": "write:lost-after",
    "request": "write:lost-before",
    "chaos": "any:any:0.1",
}
"""Plans with a name."""
KINDS: dict[str, dict[str, Any]] = {
    "lost-before": {"kind": "drop"},
    "lost-after": {"kind": "drop", "after": True},
    "status": {"kind": "status"},
    "garbage": {"kind": "garbage"},
    "twice": {"kind": "twice"},
    "delay": {"kind": "delay", "seconds": 0.05},
    "limit-changes": {"kind": "limit"},
}
"""The fields of a fault by the word for it."""
OF_ANY_CALL = [word for word in KINDS if word not in ("twice", "limit-changes")]
"""What a client can get over whatever the call is."""
MOST_IN_A_ROW = 2
"""Drawn faults on a path of a task, so that a client that repeats its calls gets through."""


class BadFaults(ValueError):
    """A plan that cannot be read; the text has the words that are known."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What happens to calls of the paths that `endpoint` names.

    Without a `rate` it is the first call of each path in a task; where a page limit changes, which
    a client has to know before, it is the second one.
    """

    endpoint: str
    kinds: tuple[str, ...]
    status: int | None = None
    rate: float | None = None

    def paths(self, world: World) -> frozenset[str]:
        """The paths of a world, or of the platform, that the endpoint names.

        A word names a task's own paths that have it between two slashes, and the platform's only
        where there is none.
        """
        word, own = self.endpoint, tuple(world.routes)
        if word == WRITE:
            named = world.irreversible
        elif word == ANY:
            named = frozenset({*own, *TASK_PATHS})
        else:
            named = _named(word, own) or _named(word, TASK_PATHS)
        if self.kinds == ("limit-changes",):
            pages = [p for p in own if "limit" in world.routes[p].request.model_fields]
            named &= {*pages}
        return named


@dataclass(frozen=True, slots=True)
class FaultPlan:
    """Faults by rule, path and number of the call, drawn by a seed: the same ones in every run."""

    rules: tuple[Rule, ...] = ()
    seed: str = "0"

    def check(self, *worlds: World) -> None:
        """Raises BadFaults: a rule names no path of any of these worlds."""
        for rule in self.rules:
            if not any(rule.paths(world) for world in worlds):
                listed = "that lists pages " if rule.kinds == ("limit-changes",) else ""
                paths = [*(path for world in worlds for path in world.routes), *TASK_PATHS]
                words = dict.fromkeys(word for path in paths for word in path.split("/")[1:])
                raise BadFaults(
                    f"{' and '.join(world.name for world in worlds)}: no endpoint {listed}is "
                    f"called {rule.endpoint!r}; known: {', '.join((ANY, WRITE, *words))}, or a "
                    "whole path"
                )

    def fault(self, world: World, spec_id: str, path: str, nth: int) -> Fault | None:
        """What meets the nth call of a path in a task, or None."""
        for number, rule in enumerate(self.rules):
            place = f"{self.seed}\0{number}\0{spec_id}\0{path}"
            if path in rule.paths(world) and _hits(rule, place, nth):
                _, which, detail = _draws(place, nth)
                fields = KINDS[rule.kinds[int(which * len(rule.kinds))]]
                if fields["kind"] == "status":
                    drawn = STATUSES[int(detail * len(STATUSES))]
                    fields = fields | {"status": rule.status or drawn}
                return Fault(on=path, nth=nth, **fields)
        return None


def _named(word: str, paths: Iterable[str]) -> frozenset[str]:
    return frozenset(path for path in paths if path == word or word in path.split("/"))


def _hits(rule: Rule, place: str, nth: int) -> bool:
    if rule.rate is None:
        return nth == (2 if rule.kinds == ("limit-changes",) else 1)
    unlucky = 0
    while unlucky < nth and _draws(place, nth - unlucky)[0] < rule.rate:
        unlucky += 1
    # In a run of unlucky calls, one goes through after every `MOST_IN_A_ROW`.
    return unlucky % (MOST_IN_A_ROW + 1) != 0


def _draws(place: str, nth: int) -> list[float]:
    digest = blake2b(f"{place}\0{nth}".encode()).digest()
    return [int.from_bytes(digest[at : at + 6]) / 2**48 for at in (0, 6, 12)]


def read_faults(text: str) -> FaultPlan:
    """The plan of a text: `ENDPOINT:KIND[:RATE]`, a set's name or `seed=NAME`, with commas.

    Raises BadFaults: a part cannot be read. Whether a world has the endpoints is asked of `check`.
    """
    rules, seed = list[Rule](), "0"
    for part in (one.strip() for one in text.split(",")):
        name, is_seed, value = part.partition("=")
        if is_seed and name == SEED and value:
            seed = value
        else:
            rules.append(_read_rule(part, SETS.get(part, part)))
    if not rules:
        raise BadFaults(f"{text!r} names no fault; known sets: {', '.join(SETS)}")
    return FaultPlan(tuple(rules), seed)


def _read_rule(part: str, text: str) -> Rule:
    endpoint, colon, rest = text.partition(":")
    kind, _, share = rest.partition(":")
    if not (endpoint and colon):
        known = f"a set ({', '.join(SETS)}), or {SEED}=NAME"
        raise BadFaults(f"{part!r} is neither ENDPOINT:KIND[:RATE], as respond:lost-after, {known}")
    status = int(kind) if kind.isascii() and kind.isdigit() and len(kind) == 3 else None
    if (status is None and kind not in (*KINDS, ANY)) or not 400 <= (status or 400) <= 599:
        known = ", ".join(KINDS)
        raise BadFaults(f"{part!r}: unknown fault {kind!r}; known: {known}, {ANY}, or 400 to 599")
    try:
        rate = float(share) if share else None
    except ValueError:
        rate = -1.0
    if rate is not None and not 0 <= rate <= 1:
        raise BadFaults(f"{part!r}: the rate is a number from 0 to 1, not {share!r}")
    kinds = tuple(OF_ANY_CALL) if kind == ANY else ("status" if status else kind,)
    return Rule(endpoint, kinds, status, rate)
