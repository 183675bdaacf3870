"""What the sandbox costs, against what it may cost.

python workshop/perf/sandbox_speed.py [--rounds N]      exit code 1 when a bound is missed
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import get_args

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from worker.sandbox.contract import Isolation, SandboxKind, SandboxLimits
from worker.sandbox.factory import open_sandbox
from worker.sandbox.isolation import why_not

STEPS = 1_000_000
LOOP = f"total = 0\nfor i in range({STEPS}):\n    total += i"
CALLS = 400


class Host:
    """A shop that answers at once."""

    names = frozenset({"search"})
    signatures = {}  # noqa: RUF012

    def call(self, _name: str, _args: list[object], _kwargs: dict[str, object]) -> object:
        return {"products": [{"sku": f"p{i}", "price": i, "name": "Soda"} for i in range(5)]}


def session(kind: SandboxKind) -> float:
    """Seconds to open a sandbox, run a trivial step and close it."""
    began = time.perf_counter()
    with open_sandbox(Host(), None, kind) as box:
        box("1 + 1")
    return time.perf_counter() - began


def call(kind: SandboxKind) -> float:
    """Seconds of a tool call, as the mean of many in one step."""
    with open_sandbox(Host(), SandboxLimits(calls=CALLS), kind) as box:
        box("1")
        box(f"for _ in range({CALLS}):\n    search('soda')")
        return box.traces[-1].seconds / CALLS


def loop(kind: SandboxKind) -> float:
    """Seconds of a loop of a million steps."""
    with open_sandbox(Host(), None, kind) as box:
        box("1")
        box(LOOP)
        return box.traces[-1].seconds


def plain_loop() -> float:
    """Seconds of the same loop in this interpreter."""
    code = compile(LOOP, "loop", "exec")
    began = time.perf_counter()
    exec(code, {})
    return time.perf_counter() - began


def measures(kinds: list[SandboxKind]) -> dict[str, tuple[Callable[[], float], float, int]]:
    """Name of a measure: how it is taken, the bound in ms, and how often per round."""
    found: dict[str, tuple[Callable[[], float], float, int]] = {}
    for kind in kinds:
        found[f"{kind}: session, one step"] = (
            partial(session, kind),
            1.5 if kind == "monty" else 8.0,
            20,
        )
        found[f"{kind}: tool call"] = (partial(call, kind), 0.4, 3)
    return found


def main() -> int:
    """Measure in turns, so that other load falls on all alike; print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    kinds: list[SandboxKind] = [name for name in get_args(Isolation) if not why_not(name)]
    kinds.append("monty")
    wanted = measures(kinds)
    times: dict[str, list[float]] = {name: [] for name in wanted}
    loops: dict[str, list[float]] = {name: [] for name in ("plain", *kinds)}
    for kind in kinds:
        session(kind)
    for _ in range(rounds):
        for name, (take, _, often) in wanted.items():
            times[name] += [take() * 1000 for _ in range(often)]
        loops["plain"].append(plain_loop())
        for kind in kinds:
            loops[kind].append(loop(kind))
    missed = 0
    for name, (_, bound, _) in wanted.items():
        missed += show(name, statistics.median(times[name]), bound, "ms")
    plain = statistics.median(loops["plain"])
    for kind in kinds:
        ratio = statistics.median(loops[kind]) / plain
        missed += show(f"{kind}: loop of a million, to CPython", ratio, 2.5, "times")
    return 1 if missed else 0


def show(name: str, value: float, bound: float, unit: str) -> bool:
    """Print one line of the table; whether the bound is missed."""
    late = value > bound
    print(f"{name:<36}{value:>8.3f} {unit:<6} at most {bound:g}{'  MISSED' if late else ''}")
    return late


if __name__ == "__main__":
    raise SystemExit(main())
