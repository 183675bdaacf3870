"""Faults of a pack: which call of which path goes wrong, and how."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

FaultKind = Literal["status", "drop", "delay", "garbage", "twice"]
FAULT_KINDS: tuple[FaultKind, ...] = get_args(FaultKind)
FAULT_PATHS = (
    "/products/list",
    "/basket/view",
    "/basket/add",
    "/basket/remove",
    "/basket/checkout",
    "/coupon/apply",
    "/coupon/remove",
    "/tasks/start",
    "/tasks/log",
    "/tasks/complete",
    "/tasks/view",
)
"""Where a fault may be set: the store's paths and those of one task."""
LONGEST_DELAY_S = 60
BELONGS_TO = {"status": "status", "seconds": "delay", "after": "drop"}
"""Fields of a single kind."""


class Fault(BaseModel):
    """What goes wrong at the calls `nth` to `nth + times - 1` of the path `on`, counted from 1."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    on: str
    nth: Annotated[int, Field(ge=1)]
    kind: FaultKind
    times: Annotated[int, Field(ge=1)] = 1
    status: Annotated[int, Field(ge=400, le=599)] | None = None
    """HTTP status of the answer; kind `status` only."""
    seconds: Annotated[float, Field(gt=0, le=LONGEST_DELAY_S, allow_inf_nan=False)] | None = None
    """How late the answer is; kind `delay` only."""
    after: bool = False
    """Whether a dropped call takes effect; kind `drop` only."""

    @field_validator("on")
    @classmethod
    def _known_path(cls, value: str) -> str:
        if value not in FAULT_PATHS:
            raise ValueError(f"unknown path {value!r}; faults go on {', '.join(FAULT_PATHS)}")
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

    @property
    def deliveries(self) -> int:
        """How often the call takes effect."""
        if self.kind == "status":
            return 0
        if self.kind == "drop":
            return int(self.after)
        return 2 if self.kind == "twice" else 1

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


def refuse_overlaps(faults: Iterable[Fault]) -> None:
    """Raise ValueError where two faults are set on the same call."""
    taken: dict[str, list[tuple[int, Fault]]] = {}
    for number, fault in enumerate(faults):
        for earlier, other in taken.setdefault(fault.on, []):
            call = max(fault.nth, other.nth)
            if call < min(fault.nth + fault.times, other.nth + other.times):
                raise ValueError(
                    f"faults[{number}]: call {call} of {fault.on} already has faults[{earlier}]; "
                    "a call can have one"
                )
        taken[fault.on].append((number, fault))
