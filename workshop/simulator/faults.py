"""What goes wrong with a call: the faults of a pack, then those that a seed draws.

What each kind does, and which calls count, stands in `choices.md`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import combinations
from typing import Annotated, ClassVar, Literal, get_args

from pydantic import Field, field_validator, model_validator
from pydantic.dataclasses import dataclass as pydantic_dataclass

from workshop.simulator.pack_files import Record

FaultKind = Literal["status", "drop", "delay", "garbage", "twice"]
FAULT_KINDS: tuple[FaultKind, ...] = get_args(FaultKind)
TASK_PATHS = ("/tasks/start", "/tasks/log", "/tasks/complete", "/tasks/view")
"""The platform's own paths where a fault may be set; a world adds those of its tasks."""
LONGEST_DELAY_S = 60
BELONGS_TO = {"status": "status", "seconds": "delay", "after": "drop"}
"""Fields of a single kind."""
STATUSES = (429, 500, 502, 503, 504)
"""What overloaded and broken servers answer."""


class Fault(Record):
    """What goes wrong at the calls `nth` to `nth + times - 1` of the path `on`, counted from 1."""

    paths: ClassVar[tuple[str, ...]] = ()
    """Where a world's packs may set one; () means anywhere."""

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

    @field_validator("on")
    @classmethod
    def _known_path(cls, value: str) -> str:
        if cls.paths and value not in cls.paths:
            known = ", ".join(cls.paths)
            raise ValueError(f"unknown path {value!r}; faults apply to {known}")
        return value

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
    def label(self) -> str:
        """What happens, as a line of the task's log says it."""
        words: dict[FaultKind, str] = {
            "status": f"status {self.status} for",
            "drop": f"drop {'after' if self.after else 'before'}",
            "delay": f"delay of {self.seconds} s after",
            "garbage": "garbage after",
            "twice": "delivered twice:",
        }
        return f"fault: {words[self.kind]} {self.on}"


def overlaps(faults: Iterable[Fault]) -> Iterator[str]:
    """A mistake for each fault that is set on a call which has one already."""
    for (earlier, other), (number, fault) in combinations(enumerate(faults), 2):
        call = max(fault.nth, other.nth)
        if fault.meets(other.on, call) and other.meets(other.on, call):
            yield (
                f"faults[{number}]: call {call} of {fault.on} already has faults[{earlier}]; "
                "a call can have one"
            )


@pydantic_dataclass(frozen=True)
class Chaos:
    """Faults drawn by seed, path and number of the call: the same ones in every run.

    `rate` is the share of calls that are hit, 0 to 1; `streak` the most in a row on a path of a
    task, so that a client that repeats its calls gets through; `seconds` the length of a delay.
    """

    seed: int
    rate: Annotated[float, Field(ge=0, le=1)] = 0.1
    kinds: Annotated[tuple[FaultKind, ...], Field(min_length=1)] = FAULT_KINDS
    streak: Annotated[int, Field(ge=1)] = 2
    seconds: Annotated[float, Field(gt=0, le=LONGEST_DELAY_S)] = 0.05

    def fault(self, spec_id: str, path: str, nth: int) -> Fault | None:
        """What meets the nth call of a path, or None."""
        unlucky = 0
        while unlucky < nth and self._draws(spec_id, path, nth - unlucky)[0] < self.rate:
            unlucky += 1
        # In a run of unlucky calls, one goes through after every `streak`.
        if unlucky % (self.streak + 1) == 0:
            return None
        _, which, detail = self._draws(spec_id, path, nth)
        kind = self.kinds[int(which * len(self.kinds))]
        return Fault(
            on=path,
            nth=nth,
            kind=kind,
            status=STATUSES[int(detail * len(STATUSES))] if kind == "status" else None,
            seconds=self.seconds if kind == "delay" else None,
            after=kind == "drop" and detail < 0.5,
        )

    def _draws(self, spec_id: str, path: str, nth: int) -> list[float]:
        digest = blake2b(f"{self.seed}\0{spec_id}\0{path}\0{nth}".encode()).digest()
        return [int.from_bytes(digest[at : at + 6]) / 2**48 for at in (0, 6, 12)]
