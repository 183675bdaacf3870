"""Sessions behind a relay that tampers with one endpoint's answers: what was bought and written.

Every case is an endpoint with a mutation of its answers, played by the scripted models. A wrong
purchase or write is one that harmed a task, or that was made in a task which is scored 0.

    python -m tests.campaigns.hostile_wire --benchmark store [--cases 10] [--out figures.json]
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cli.benchmarks import benchmark_named, world_named
from coordinator.benchmark import TaskOptions
from coordinator.config import RunConfig
from coordinator.session import Session
from core.erc3_client import ERC3
from core.erc3_client.retry_policy import RetryPolicy
from core.erc3_client.retrying_platform import RetryingPlatform
from tests.kit.rehearsal import clients_for
from tests.kit.relay import Call, Rule, relay
from workshop.simulator.server import serve
from workshop.simulator.worlds import load_pack

PATHS = {
    "store": [
        "/products/list", "/basket/view", "/basket/add", "/basket/remove", "/coupon/apply",
        "/basket/checkout", "/tasks/complete",
    ],
    "erc3-test": [
        "/whoami", "/employees/list", "/employees/get", "/projects/get", "/customers/get",
        "/wiki/list", "/wiki/load",
    ],
}  # fmt: skip
RETRY_SECONDS = 2.0
TASKS = 4
LARGE = 3_000_000
HANG_SECONDS = 180.0


def _each(value: Any, change: Callable[[dict[str, Any]], object]) -> Any:
    """Change every object in an answer, the innermost first."""
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            _each(inner, change)
    if isinstance(value, dict):
        change(value)
    return value


def _values(kind: type, other: Any) -> Callable[[Any], Any]:
    """Every value of a kind replaced; of a function's result where ``other`` is one."""

    def change(record: dict[str, Any]) -> None:
        for key, value in record.items():
            if type(value) is kind:
                record[key] = other(value) if callable(other) else other

    return lambda answer: _each(answer, change)


def _without_first(record: dict[str, Any]) -> None:
    if record:
        del record[next(iter(record))]


CHANGES: dict[str, Callable[[Any], Any]] = {
    "a field is missing": lambda answer: _each(answer, _without_first),
    "texts are null": _values(str, None),
    "numbers are texts": _values(int, str),
    "numbers are negative": _values(int, lambda n: -n - 2),
    "numbers are huge": _values(int, 10**400),
    "numbers have no end": _values(int, float("inf")),
    "texts are huge": _values(str, lambda text: (text + "x" * LARGE)[:LARGE]),
    "lists are doubled": _values(list, lambda items: [*items, *items]),
    "lists are endless": _values(list, lambda items: (items * 200_000)[:200_000]),
    "lists are null": _values(list, None),
    "ids are others": lambda answer: _each(
        answer, lambda r: r.update({k: "somebody_else" for k in ("id", "sku", "file") if k in r})
    ),
}
RAW = {
    "HTML": (200, b"<html>busy</html>"),
    "truncated": (200, b'{"items": [{"sku": "a'),
    "nested deeply": (200, b'{"a":' + b"[" * 100_000),
    "no object": (200, b"[]"),
}


@dataclass
class Outcome:
    """What came of a case."""

    path: str
    mutation: str
    wrong: int
    scored: float
    open: int
    internal: int
    """Tasks that ended by a fault of ours."""
    seconds: float
    peak_mb: int
    """Of the agent's process, without the relay and the simulator."""
    grown_mb: int
    """How much of it the session has taken."""
    hung: bool
    """It was not done after ``HANG_SECONDS``."""


def cases(benchmark: str) -> Iterator[tuple[str, str, Rule]]:
    """Every endpoint with every mutation; half of the answers are tampered with."""
    for path, name in product(PATHS[benchmark], (*CHANGES, *RAW, "twice", "stale")):
        yield path, name, _rule(path, name)


def _rule(path: str, name: str) -> Rule:
    first: dict[str, Any] = {}
    """The first answer of each task: that of another task would be another, sound shop."""

    def rule(call: Call) -> None:
        if not call.path.endswith(path) or call.number % 2:
            return
        if name in RAW:
            call.send(*RAW[name])
            return
        status, answer = call.forward()
        if status == 200 and name == "twice":
            status, answer = call.forward()
        elif status == 200 and name == "stale":
            answer = first.setdefault(call.task, answer)
        elif status == 200:
            answer = CHANGES[name](answer)
        # A number without an end is written as one that JSON knows, and no reader can hold.
        call.send(status, json.dumps(answer).replace("Infinity", "1e999").encode())

    return rule


class Nobody:
    """Does not look on."""

    def __getattr__(self, _name: str) -> Any:
        return lambda *_: None


def play(benchmark: str, path: str, mutation: str, rule: Rule) -> Outcome:
    """One session behind the relay, in a process of its own, whose memory is that of the agent."""
    pack = load_pack(world_named(benchmark).bundled)
    some = pack.model_copy(update={"scenarios": pack.scenarios[:: len(pack.scenarios) // TASKS]})
    # Forked before the servers have threads; it learns then where they listen.
    fork = multiprocessing.get_context("fork")
    here, there = fork.Pipe()
    agent = fork.Process(target=_session, args=(benchmark, there))
    agent.start()
    there.close()
    began = time.perf_counter()
    try:
        with serve(some) as simulator, relay(simulator.base_url) as tampering:
            tampering.rule = rule
            here.send(tampering.base_url)
            answered = here.poll(HANG_SECONDS)
            wrong, scored, open_, internal, peak, grown = (
                here.recv() if answered else (0, 0.0, 0, 0, 0, 0)
            )
    finally:
        agent.kill()
        agent.join()
    seconds = round(time.perf_counter() - began, 1)
    return Outcome(
        path, mutation, wrong, scored, open_, internal, seconds, peak, grown, hung=not answered
    )


def _session(benchmark: str, parent: Connection) -> None:
    """Play the tasks at the address that the parent sends, and send back what came of them."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    retry_policy = RetryPolicy(RETRY_SECONDS)
    model = "scripted/store" if benchmark == "store" else "scripted/company"
    config = RunConfig(
        benchmark=benchmark, retry_seconds=RETRY_SECONDS, evaluator=model, worker=model
    )
    with TemporaryDirectory() as out:
        client = ERC3(key="key-hostile", base_url=parent.recv())
        watcher: Any = Nobody()
        session = Session(
            RetryingPlatform(client, retry_policy), config,
            benchmark_named(benchmark, TaskOptions(retry_policy)), Path(out), watcher,
            clients_for(config.ids, load_pack(world_named(benchmark).bundled)),
            with_retries=retry_policy.within,
        )  # fmt: skip
        done = session.run(session.plans(session.tasks())).tasks
    parent.send(
        (
            sum(bool(t.harm) or (t.acts > 0 and t.score == 0) for t in done),
            sum(t.score or 0 for t in done),
            sum(t.failure == "benchmark" for t in done),
            sum(t.failure == "internal" for t in done),
            (peak := resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) >> 10,
            (peak - before) >> 10,
        )
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the cases; 1 where something was wrong, failed by a fault of ours or hung."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--benchmark", choices=PATHS, default="store")
    parser.add_argument("--cases", type=int, help="so many of them, spread over all")
    parser.add_argument("--out", type=Path, help="where the figures go, as JSON")
    options = parser.parse_args(arguments)
    chosen = list(cases(options.benchmark))
    chosen = chosen[:: max(1, len(chosen) // options.cases)] if options.cases else chosen
    outcomes = []
    for path, name, rule in chosen:
        outcomes.append(play(options.benchmark, path, name, rule))
        print(outcomes[-1], flush=True)
    if options.out:
        options.out.write_text(json.dumps([asdict(one) for one in outcomes], indent=1))
    wrong, peak = sum(one.wrong for one in outcomes), max(one.peak_mb for one in outcomes)
    slowest = max(one.seconds for one in outcomes)
    internal, hung = (sum(getattr(one, n) for one in outcomes) for n in ("internal", "hung"))
    figures = f"{wrong} wrong, {internal} faults of ours, {hung} hung, slowest {slowest} s"
    print(f"{len(outcomes)} cases: {figures}, at most {peak} MB")
    return 1 if wrong or internal or hung else 0


if __name__ == "__main__":
    raise SystemExit(main())
